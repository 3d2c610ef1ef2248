"""Nearest rows among packed vectors, and pairs of rows that are near each other, in small memory.

Pairs are found by the heads of rows: a quarter of the values, chosen so that they bound most
products well enough. Rows are turned so that the directions in which many rows are long come first.
By Cauchy and Schwarz a.b <= a1.b1 + |a2||b2|, where a1 is the first part of a turned row and a2 the
rest; with |a2| as one more value of the head that is a single product. A second part, read for the
few pairs that pass, makes the bound narrower. A bound is never too low, whatever the directions
are.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from tideline_cli.model.record import record
from tideline_cli.vector.arrays import np, thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from typing import Any, TypeVar

    from numpy.typing import NDArray

    from tideline_cli.vector.embedder import Embedder

    Chunk = tuple[NDArray[np.int64], NDArray[np.uint8]]
    Rows = NDArray[np.float32]
    Places = NDArray[np.int64]  # numbers of rows
    T = TypeVar("T")

SLACK = 1e-4  # a float32 product of unit vectors is off by less
_ROUNDED = 1e-6  # the square of a rest is off by less
_STEP = 16
_SAMPLE = 8192  # rows that the directions are learned from
_TRIED = 1024  # rows of each side of the products that are tried
_SECOND_LOOK = 3000  # the cost of one second look, in values of a head: 50 ns against 0.017
_HEADS_AT_ONCE = 1 << 14


@record
class Heads:
    """Heads of rows. `first`: values and the length of the rest (n, k + 1), so that a product of
    two bounds that of their rows. `second`: the same of the next values, empty where none are."""

    first: Rows
    second: Rows

    def part(self, start: int, stop: int) -> Heads:
        """Return the heads of some rows."""
        return Heads(self.first[start:stop], self.second[start:stop])


class Basis:
    """How rows are turned, and how many values are in the first and the second part of a head."""

    def __init__(self, directions: Rows | None, size: int) -> None:
        self._directions = directions
        self._size = size

    def heads(self, rows: Rows) -> Heads:
        """Return the heads of rows (n, dims)."""
        turned = rows if self._directions is None else rows @ self._directions
        first, second = turned[:, : self._size], turned[:, self._size :]
        rest = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", first, first)
        head = np.column_stack([first, _length(rest)])
        if not second.shape[1]:
            return Heads(head, second)
        last = _length(rest - np.einsum("ij,ij->i", second, second))
        return Heads(head, np.column_stack([second, last]))


def basis_of(embedder: Embedder, codes: NDArray[np.uint8], *, least: float, pairs: int) -> Basis:
    """Return the basis that makes it cheapest to tell which of so many pairs reach `least`: the
    rows as they are when they are few."""
    dims = embedder.dims
    if pairs < 100 * dims * dims:
        return Basis(None, dims)
    sample = embedder.rows(codes[:: max(1, len(codes) // _SAMPLE)])
    directions = _directions(sample)
    size = _cheapest(sample @ directions, least)
    return Basis(np.ascontiguousarray(directions[:, : min(2 * size, dims)]), size)


def passing(mine: Heads, theirs: Heads, least: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs (row of mine, row of theirs) whose products may reach `least`."""
    least -= SLACK
    bounds = (mine.first @ theirs.first.T).ravel()
    flat = np.flatnonzero(bounds >= least)
    if not mine.second.shape[1] or not len(flat):
        return np.divmod(flat, len(theirs.first))
    kept = [
        part[bounds[part] + _correction(mine, theirs, *np.divmod(part, len(theirs.first))) >= least]
        for part in (flat[at : at + _HEADS_AT_ONCE] for at in range(0, len(flat), _HEADS_AT_ONCE))
    ]
    return np.divmod(np.concatenate(kept), len(theirs.first))


def _correction(
    mine: Heads, theirs: Heads, at: NDArray[np.intp], of: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return by how much the second parts move the bounds of pairs."""
    moved: NDArray[np.float32] = np.einsum("ij,ij->i", mine.second[at], theirs.second[of])
    moved -= mine.first[at, -1] * theirs.first[of, -1]
    return moved


def _length(square: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return no less than the lengths whose squares are given."""
    length: NDArray[np.float32] = np.sqrt(np.maximum(square, 0.0) + np.float32(_ROUNDED))
    return length


def _directions(sample: Rows) -> Rows:
    """Return orthonormal columns (dims, dims), those in which the rows are longest first."""
    _, found = np.linalg.eigh((sample.T @ sample).astype(np.float64))
    directions: Rows = found[:, ::-1].astype(np.float32)
    return directions


def _cheapest(turned: Rows, least: float) -> int:
    """Return how many values of turned rows decide pairs at the least cost, tried on a sample."""
    left, right = turned[0::2][:_TRIED], turned[1::2][:_TRIED]
    dims = turned.shape[1]
    product = np.zeros((len(left), len(right)), np.float32)
    costs: dict[int, float] = {}
    for start in range(0, dims, _STEP):
        part = slice(start, start + _STEP)
        product += left[:, part] @ right[:, part].T
        size = min(start + _STEP, dims)
        rests = [_length(np.square(side[:, size:]).sum(axis=1)) for side in (left, right)]
        passed = float(np.mean(product + np.outer(*rests) >= least - SLACK))
        costs[size] = size + passed * _SECOND_LOOK
    return min(costs, key=costs.__getitem__)


_ROWS_AT_ONCE = 1 << 14  # 2 MiB of 128-byte codes


def best(
    embedder: Embedder, query: NDArray[np.float64], chunks: Iterable[Chunk], *, floor: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the sequence numbers and approximate cosines of all rows that may reach `floor`.

    query: unit vector (dims,). chunks: pairs of sequence numbers (n,) and codes (n, code_size).
    Every row whose exact cosine is at least `floor` is among them, since rows count from
    `floor - embedder.tolerance` on. Most similar first, then lower sequence number; a row's
    place and value do not depend on how rows are cut into chunks.
    """
    least = floor - embedder.tolerance
    seqs = [np.empty(0, np.int64)]
    scores = [np.empty(0, np.float64)]
    for part, codes in _blocks(chunks):
        similar = embedder.similarities(query, codes, floor=least)
        near = np.flatnonzero(similar >= least)
        seqs.append(part[near])
        scores.append(similar[near].astype(np.float64))
    found, similarity = np.concatenate(seqs), np.concatenate(scores)
    order = np.lexsort((found, -similarity))
    return found[order], similarity[order]


def _blocks(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Join small chunks and cut large ones: each call of the embedder has a fixed cost."""
    waiting: list[Chunk] = []
    rows = 0
    for seqs, codes in chunks:
        if rows and rows + len(seqs) > _ROWS_AT_ONCE:
            yield _join(waiting)
            waiting, rows = [], 0
        for start in range(0, len(seqs), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            waiting.append((seqs[part], codes[part]))
            rows += len(seqs[part])
            if rows >= _ROWS_AT_ONCE:
                yield _join(waiting)
                waiting, rows = [], 0
    if rows:
        yield _join(waiting)


def _join(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    return np.concatenate([seqs for seqs, _ in chunks]), np.concatenate([c for _, c in chunks])


def in_order(tasks: Iterable[Callable[[], T]], *, few: bool = False) -> Iterator[T]:
    """Yield what the tasks return, in their order; where they are `few`, without threads. No more
    of them wait than there are threads, so that what they hold stays small."""
    count = thread_count()
    if few or count == 1:
        yield from (task() for task in tasks)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  10 ms, for many rows alone

    under_way: deque[Future[T]] = deque()
    with ThreadPoolExecutor(count) as pool:
        for task in tasks:
            under_way.append(pool.submit(task))
            if len(under_way) > 2 * count:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


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
    embedder: Embedder, codes: NDArray[np.uint8], fresh: NDArray[np.bool_], *, floor: float,
    limits: Limits, progress: Callable[[int], None] | None = None,
) -> Near:  # fmt: skip
    """Return the pairs of rows of `codes` (n, code_size) that may have a cosine of `floor`.

    Only pairs with a row of `fresh` (n,) are looked at. Every pair whose exact cosine is at
    least `floor` is among them, but for what `limits` cuts off: each fresh row keeps its most
    alike partners, the later row first when two are equally alike. The value of a pair does not
    depend on the rows beside it. `progress` is told the number of fresh rows that are done.
    """
    picked = np.flatnonzero(fresh)
    pairing = _Pairing(embedder, codes, fresh, floor - 2 * embedder.tolerance, limits)
    found: list[Near] = []
    for start in range(0, len(picked), _SLAB):
        slab = picked[start : start + _SLAB]
        found.append(pairing.of_slab(slab))
        if progress is not None:
            progress(start + len(slab))
    return _joined(found)


class _Pairing:
    """The search for the pairs of some rows with a cosine of `least` or more."""

    def __init__(
        self, embedder: Embedder, codes: NDArray[np.uint8], fresh: NDArray[np.bool_],
        least: float, limits: Limits,
    ) -> None:  # fmt: skip
        self._embedder, self._codes, self._fresh = embedder, codes, fresh
        self._least, self._limits = least, limits
        pairs = int(np.count_nonzero(fresh)) * len(codes)
        self._basis = basis_of(embedder, codes, least=least, pairs=pairs)

    def of_slab(self, slab: NDArray[np.int64]) -> Near:
        """Return the pairs of the rows `slab`; that of two fresh rows belongs to the later one."""
        limits, blocks, waiting = self._limits, list[Near](), 0
        for rows, columns, here, there in self._bounded(slab):
            is_crowded = len(here) > _CROWDED * len(rows) * len(columns)
            block = self._whole(rows, columns) if is_crowded else self._verified(here, there)
            if len(block.later):
                blocks.append(block)
                waiting += len(block.later)
            if waiting > len(slab) * (limits.most_twins + limits.most_others):
                blocks = [_limited(_joined(blocks), self._fresh, limits)]
                waiting = 0
        return _limited(_joined(blocks), self._fresh, limits)

    def _bounded(self, slab: Places) -> Iterator[tuple[Places, Places, Places, Places]]:
        """Yield blocks that may hold pairs: their rows and columns, and the pairs that reach the
        bound; a pair of fresh rows comes once. An embedder serves one thread, so the heads are made
        here."""
        fresh, mine = self._fresh, self._heads(self._codes[slab])

        def of_columns(columns: NDArray[np.int64], theirs: Heads) -> list[tuple[Any, ...]]:
            blocks: list[tuple[Any, ...]] = []
            fresh_columns = fresh[columns]
            for begin in range(0, len(slab), _ROWS):
                rows = slab[begin : begin + _ROWS]
                if fresh_columns.all() and rows[-1] < columns[0]:
                    continue  # later rows look at these, not these at them
                at, of = passing(mine.part(begin, begin + _ROWS), theirs, self._least)
                here, there = rows[at], columns[of]
                once = (there < here) | ~fresh[there]
                if once.any():
                    blocks.append((rows, columns, here[once], there[once]))
            return blocks

        def tasks() -> Iterator[Callable[[], list[tuple[Any, ...]]]]:
            for first in range(0, len(self._codes), _COLUMNS):
                columns = np.arange(first, min(first + _COLUMNS, len(self._codes)))
                if first <= slab[-1] or not fresh[columns].all():
                    yield partial(of_columns, columns, self._heads(self._codes[columns]))

        for blocks in in_order(tasks(), few=len(self._codes) <= _COLUMNS):
            yield from blocks

    def _heads(self, codes: NDArray[np.uint8]) -> Heads:
        """Return the heads of rows that codes stand for, made in small memory."""
        parts = [
            self._basis.heads(self._embedder.rows(codes[start : start + _COLUMNS]))
            for start in range(0, len(codes), _COLUMNS)
        ]
        return Heads(
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.second for part in parts]),
        )

    def _verified(self, here: NDArray[np.int64], there: NDArray[np.int64]) -> Near:
        """Return those of the pairs whose whole vectors are alike."""
        kept: list[Near] = []
        none = np.empty(0, np.int64)
        for start in range(0, len(here), _AT_ONCE):
            a, b = here[start : start + _AT_ONCE], there[start : start + _AT_ONCE]
            left, right = (self._embedder.rows(self._codes[side]) for side in (a, b))
            cosines = np.multiply(left, right, out=left).sum(axis=1)
            alike = cosines >= self._least
            a, b = a[alike], b[alike]
            kept.append(Near(np.maximum(a, b), np.minimum(a, b), cosines[alike], none))
        return _joined(kept)

    def _whole(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Near:
        """Return the most alike pairs of a block that is full of pairs."""
        fresh, limits = self._fresh, self._limits
        left, right = (self._embedder.rows(self._codes[side]) for side in (rows, columns))
        cosines = left @ right.T
        cosines[(columns >= rows[:, None]) & (fresh[columns] | (columns == rows[:, None]))] = -1.0
        twins = np.count_nonzero(cosines >= limits.twins, axis=1)
        most = min(limits.most_twins + limits.most_others, len(columns))
        # The last columns first: of two that are equally alike the later row is kept.
        best = len(columns) - 1 - np.argsort(-cosines[:, ::-1], axis=1, kind="stable")[:, :most]
        at, of = np.nonzero(np.take_along_axis(cosines, best, axis=1) >= self._least)
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
