"""Pairs of packed vectors that are alike: blocks of bounds, made by several threads.

What reaches a bound is decided by the whole vectors. Measured for hrr-256 and a floor of 0.80:
the bounds leave 100,000 of 5 billion pairs.
"""

from __future__ import annotations

from functools import partial

from tideline_cli.model.record import record
from tideline_cli.vector.arrays import np
from tideline_cli.vector.heads import Basis, Heads, basis_of, passing
from tideline_cli.vector.threads import in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from tideline_cli.vector.embedder import Embedder

    Rows = NDArray[np.float32]

_ROWS = 512  # a block of bounds stays in the cache: 512 x 2,048 of 4 bytes
_COLUMNS = 2048
_SLAB = 1 << 15  # rows whose heads are kept at once: 17 MiB for 256 dimensions
_CROWDED = 0.01  # above this share of passing pairs a block is multiplied whole
_AT_ONCE = 1 << 14


@record
class Limits:
    """How many partners of a row are kept: of those at `twins` or above, and of those below."""

    twins: float
    most_twins: int
    most_others: int


@record
class Near:
    """Pairs (later row, earlier row) with approximate cosines; `crowded` rows had more twins."""

    later: NDArray[np.int64]
    earlier: NDArray[np.int64]
    cosines: NDArray[np.float32]
    crowded: NDArray[np.int64]


def near_rows(
    embedder: Embedder,
    codes: NDArray[np.uint8],
    fresh: NDArray[np.bool_],
    *,
    floor: float,
    limits: Limits,
    progress: Callable[[int], None] | None = None,
) -> Near:
    """Return the pairs of rows of `codes` (n, code_size) that may have a cosine of `floor`.

    Only pairs with a row of `fresh` (n,) are looked at. Every pair whose exact cosine is at
    least `floor` is among them, but for what `limits` cuts off: each fresh row keeps its most
    alike partners, the later row first when two are equally alike. The value of a pair does not
    depend on the rows beside it. `progress` is told the number of fresh rows that are done.
    """
    least = floor - 2 * embedder.tolerance
    picked = np.flatnonzero(fresh)
    basis = basis_of(embedder, codes, least=least, pairs=len(picked) * len(codes))
    found: list[Near] = []
    for start in range(0, len(picked), _SLAB):
        slab = picked[start : start + _SLAB]
        found.append(_slab(embedder, basis, codes, fresh, slab, least, limits))
        if progress is not None:
            progress(start + len(slab))
    return _joined(found)


def _slab(
    embedder: Embedder,
    basis: Basis,
    codes: NDArray[np.uint8],
    fresh: NDArray[np.bool_],
    slab: NDArray[np.int64],
    least: float,
    limits: Limits,
) -> Near:
    """Return the pairs of the rows `slab`; a pair of two fresh rows belongs to the later one."""
    blocks: list[Near] = []
    waiting = 0
    for rows, columns, here, there in _bounded(embedder, basis, codes, fresh, slab, least):
        if len(here) > _CROWDED * len(rows) * len(columns):
            block = _whole(embedder, codes, rows, columns, fresh, least, limits)
        else:
            block = _verified(embedder, codes, here, there, least)
        if len(block.later):
            blocks.append(block)
            waiting += len(block.later)
        if waiting > len(slab) * (limits.most_twins + limits.most_others):
            blocks = [_limited(_joined(blocks), fresh, limits)]
            waiting = 0
    return _limited(_joined(blocks), fresh, limits)


def _bounded(
    embedder: Embedder,
    basis: Basis,
    codes: NDArray[np.uint8],
    fresh: NDArray[np.bool_],
    slab: NDArray[np.int64],
    least: float,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield blocks that may hold pairs: their rows and columns, and the pairs that reach the bound;
    a pair of fresh rows comes once. An embedder serves one thread, so the heads are made here."""
    mine = _heads(embedder, basis, codes[slab])

    def of_columns(columns: NDArray[np.int64], theirs: Heads) -> list[tuple[Any, ...]]:
        blocks: list[tuple[Any, ...]] = []
        fresh_columns = fresh[columns]
        for begin in range(0, len(slab), _ROWS):
            rows = slab[begin : begin + _ROWS]
            if fresh_columns.all() and rows[-1] < columns[0]:
                continue  # later rows look at these, not these at them
            at, of = passing(mine.part(begin, begin + _ROWS), theirs, least)
            here, there = rows[at], columns[of]
            once = (there < here) | ~fresh[there]
            if once.any():
                blocks.append((rows, columns, here[once], there[once]))
        return blocks

    def tasks() -> Iterator[Callable[[], list[tuple[Any, ...]]]]:
        for first in range(0, len(codes), _COLUMNS):
            columns = np.arange(first, min(first + _COLUMNS, len(codes)))
            if first <= slab[-1] or not fresh[columns].all():
                yield partial(of_columns, columns, _heads(embedder, basis, codes[columns]))

    for blocks in in_order(tasks(), few=len(codes) <= _COLUMNS):
        yield from blocks


def _heads(embedder: Embedder, basis: Basis, codes: NDArray[np.uint8]) -> Heads:
    """Return the heads of rows that codes stand for, made in small memory."""
    parts = [
        basis.heads(embedder.rows(codes[start : start + _COLUMNS]))
        for start in range(0, len(codes), _COLUMNS)
    ]
    return Heads(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.second for part in parts]),
    )


def _verified(
    embedder: Embedder,
    codes: NDArray[np.uint8],
    here: NDArray[np.int64],
    there: NDArray[np.int64],
    least: float,
) -> Near:
    """Return those of the pairs whose whole vectors are alike."""
    kept: list[Near] = []
    none = np.empty(0, np.int64)
    for start in range(0, len(here), _AT_ONCE):
        a, b = here[start : start + _AT_ONCE], there[start : start + _AT_ONCE]
        left, right = embedder.rows(codes[a]), embedder.rows(codes[b])
        cosines = np.multiply(left, right, out=left).sum(axis=1)
        alike = cosines >= least
        a, b = a[alike], b[alike]
        kept.append(Near(np.maximum(a, b), np.minimum(a, b), cosines[alike], none))
    return _joined(kept)


def _whole(
    embedder: Embedder,
    codes: NDArray[np.uint8],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    fresh: NDArray[np.bool_],
    least: float,
    limits: Limits,
) -> Near:
    """Return the most alike pairs of a block that is full of pairs."""
    cosines = embedder.rows(codes[rows]) @ embedder.rows(codes[columns]).T
    cosines[(columns >= rows[:, None]) & (fresh[columns] | (columns == rows[:, None]))] = -1.0
    twins = np.count_nonzero(cosines >= limits.twins, axis=1)
    most = min(limits.most_twins + limits.most_others, len(columns))
    # The last columns first: of two that are equally alike the later row is kept.
    best = len(columns) - 1 - np.argsort(-cosines[:, ::-1], axis=1, kind="stable")[:, :most]
    at, of = np.nonzero(np.take_along_axis(cosines, best, axis=1) >= least)
    place = best[at, of]
    here, there = rows[at], columns[place]
    crowded = rows[twins > limits.most_twins]
    return Near(np.maximum(here, there), np.minimum(here, there), cosines[at, place], crowded)


def _limited(found: Near, fresh: NDArray[np.bool_], limits: Limits) -> Near:
    """Return the most alike partners of each fresh row, and the rows that have more twins."""
    owner = np.where(fresh[found.later], found.later, found.earlier)
    partner = np.where(owner == found.later, found.earlier, found.later)
    twin = found.cosines >= limits.twins
    order = np.lexsort((-partner, -found.cosines, ~twin, owner))
    owner, twin = owner[order], twin[order]
    group = np.flatnonzero(np.r_[True, (owner[1:] != owner[:-1]) | (twin[1:] != twin[:-1])])
    sizes = np.diff(np.r_[group, len(owner)])
    rank = np.arange(len(owner)) - np.repeat(group, sizes)
    keep = rank < np.where(twin, limits.most_twins, limits.most_others)
    crowded = np.union1d(found.crowded, owner[~keep & twin])
    chosen = order[keep]
    return Near(found.later[chosen], found.earlier[chosen], found.cosines[chosen], crowded)


def _joined(parts: list[Near]) -> Near:
    if not parts:
        none = np.empty(0, np.int64)
        return Near(none, none, np.empty(0, np.float32), none)
    return Near(
        np.concatenate([part.later for part in parts]),
        np.concatenate([part.earlier for part in parts]),
        np.concatenate([part.cosines for part in parts]),
        np.concatenate([part.crowded for part in parts]),
    )
