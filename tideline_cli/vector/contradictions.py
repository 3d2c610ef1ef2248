"""Pairs of facts that share words and differ in their vectors, found among many facts.

The words are compared exactly: facts that share a term are counted along posting lists. The cosines
are approximate, with a bound: blocked products of the rows that packed vectors stand for.
"""

from __future__ import annotations

from itertools import chain
from math import ceil

from tideline_cli.model.record import record
from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tideline_cli.vector.embedder import Embedder

    Rows = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_ROWS = 256
_ROUNDED = 1e-9  # more than the rounding of a quotient
_SLACK = 1e-6  # a float32 product of unit vectors is off by less
_CROWDED = 0.02  # above this share of wanted pairs a block is multiplied whole
_AT_ONCE = 1 << 14
_WAITING = 1 << 14  # pairs that are kept before the weakest are dropped


@record
class Pairs:
    """Rows i < j that share words, with approximate cosines; the highest bound of the score
    first."""

    i: Numbers
    j: Numbers
    cosine: Rows
    bound: NDArray[np.float64]


def codes_of(
    embedder: Embedder, numbers: Sequence[int], chunks: Iterable[tuple[bytes, bytes]]
) -> tuple[NDArray[np.uint8], Numbers]:
    """Return the codes (n, code_size) of facts by number, and the indices of those without one."""
    wanted = np.asarray(numbers, np.int64)
    codes = np.zeros((len(wanted), embedder.code_size), np.uint8)
    missing = np.ones(len(wanted), np.bool_)
    by_number = np.argsort(wanted, kind="stable")
    ordered = wanted[by_number]
    for known, packed in chunks:
        here = np.frombuffer(known, "<u4").astype(np.int64)
        place = np.searchsorted(ordered, here)
        held = np.flatnonzero(ordered[np.minimum(place, len(ordered) - 1)] == here)
        rows = by_number[place[held]]
        codes[rows] = np.frombuffer(packed, np.uint8).reshape(len(here), -1)[held]
        missing[rows] = False
    return codes, np.flatnonzero(missing)


def likely(
    embedder: Embedder,
    codes: NDArray[np.uint8],
    terms: Sequence[Iterable[str]],
    *,
    min_overlap: float,
    min_score: float,
    most: int,
) -> Pairs:
    """Return the `most` pairs of rows that may have the highest scores.

    codes: (n, code_size); terms: the distinct terms of each row. A pair is wanted when the
    Jaccard index of its terms is at least `min_overlap` and index · (1 − cosine) may reach
    `min_score`; `bound` is the highest value that the exact cosine can give it.
    """
    postings = _Postings(terms)
    rows = embedder.rows(codes)
    slack = _SLACK + (2 * embedder.tolerance if embedder.exact else 0.0)
    found: list[Pairs] = []
    waiting, least = 0, min_score
    for start in range(0, len(rows), _ROWS):
        # The bound is no higher than the overlap.
        shared = max(min_overlap, least)
        i, j, overlap = postings.overlaps(start, min(start + _ROWS, len(rows)), shared)
        cosine = _cosines(rows, start, i, j)
        bound = overlap * np.minimum(1.0, 1.0 + slack - np.maximum(cosine, 0.0))
        near = bound >= least
        found.append(Pairs(i[near], j[near], cosine[near], bound[near]))
        waiting += len(found[-1].i)
        if waiting > max(_WAITING, 2 * most):
            found = [_best(found, most)]
            waiting, least = most, float(found[0].bound[-1])
    return _best(found, most)


class _Postings:
    """Which terms a row holds, and which rows hold a term."""

    def __init__(self, terms: Sequence[Iterable[str]]) -> None:
        listed = [list(row) for row in terms]
        words = list(chain.from_iterable(listed))
        numbers = {term: number for number, term in enumerate(dict.fromkeys(words))}
        self._sizes = np.array([len(row) for row in listed], np.int64)
        flat = np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        owner = np.repeat(np.arange(len(listed)), self._sizes)
        order = np.argsort(flat, kind="stable")
        self._postings = owner[order]
        # For each term of each row: where in the postings the rows after it begin and end.
        self._next = np.empty(len(flat), np.int64)
        self._next[order] = np.arange(1, len(flat) + 1)
        self._end = np.cumsum(np.bincount(flat, minlength=len(numbers)))[flat]

    def overlaps(
        self, start: int, stop: int, least: float
    ) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Return the pairs (i, j) with start <= i < stop, i < j and a Jaccard index of `least`."""
        parts = [self._overlaps_of(i, least) for i in range(start, stop)]
        i = np.repeat(np.arange(start, stop), [len(j) for j, _ in parts])
        return i, np.concatenate([j for j, _ in parts]), np.concatenate([o for _, o in parts])

    def _overlaps_of(self, i: int, least: float) -> tuple[Numbers, NDArray[np.float64]]:
        own = slice(self._starts[i], self._starts[i + 1])
        spans = zip(self._next[own].tolist(), self._end[own].tolist(), strict=True)
        lists = [self._postings[begin:end] for begin, end in spans if begin < end]
        if not lists:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        after = i + 1  # no row before it is in its lists
        shared = np.bincount(np.concatenate(lists) - after)
        # The rows share no fewer terms than this: few rows are left to divide for.
        fewest = max(1, ceil(least * int(self._sizes[i]) - _ROUNDED))
        common = (shared >= fewest).nonzero()[0]
        j = common + after
        shared = shared[common]
        overlap = shared / (self._sizes[i] + self._sizes[j] - shared)
        wanted = overlap >= least
        return j[wanted], overlap[wanted]


def _cosines(rows: Rows, start: int, i: Numbers, j: Numbers) -> Rows:
    """Return the product of each pair of rows; all `i` are in the block that begins at `start`."""
    block = rows[start : start + _ROWS]
    if len(i) > _CROWDED * len(block) * len(rows):
        product: Rows = (block @ rows[start:].T)[i - start, j - start]
        return product
    parts = [
        np.einsum("ij,ij->i", rows[i[at : at + _AT_ONCE]], rows[j[at : at + _AT_ONCE]])
        for at in range(0, len(i), _AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty(0, np.float32)


def _best(parts: Sequence[Pairs], most: int) -> Pairs:
    if not parts:
        none = np.empty(0, np.int64)
        return Pairs(none, none, np.empty(0, np.float32), np.empty(0, np.float64))
    bound = np.concatenate([part.bound for part in parts])
    i, j = (np.concatenate([getattr(part, name) for part in parts]) for name in "ij")
    cosine = np.concatenate([part.cosine for part in parts])
    if len(bound) > most:
        good = np.flatnonzero(bound >= np.partition(bound, len(bound) - most)[len(bound) - most])
        i, j, cosine, bound = i[good], j[good], cosine[good], bound[good]
    best = np.lexsort((j, i, -bound))[:most]
    return Pairs(i[best], j[best], cosine[best], bound[best])
