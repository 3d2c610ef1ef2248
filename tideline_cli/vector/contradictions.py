"""Pairs of facts that share words and differ in their vectors, found among many facts.

The words are compared exactly. The cosines are approximate, with a bound: products of the rows that
packed vectors stand for, made for the pairs with most words in common first.
"""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.vector.arrays import np
from tideline_cli.vector.shared_terms import ROWS, SharedTerms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from tideline_cli.vector.asked_codes import AskedCodes
    from tideline_cli.vector.embedder import Embedder

    Rows = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_SLACK = 1e-6  # a float32 product of unit vectors is off by less
_CROWDED = 0.02  # above this share of wanted pairs a block is multiplied whole
_AT_ONCE = 1 << 14
_WAITING = 1 << 14  # pairs that are kept before the weakest are dropped
_FIRST = 256  # pairs whose cosines are made first, those with most words in common
_MORE = 4  # then as many again, or a fourth of those before


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
    codes: NDArray[np.uint8] | AskedCodes,
    terms: Sequence[Collection[str]],
    *,
    min_overlap: float,
    min_score: float,
    most: int,
) -> Iterator[Pairs]:
    """Yield the `most` pairs of rows that may have the highest scores, part by part.

    codes: (n, code_size); terms: those of each row, of which each counts once. A pair is wanted
    when the Jaccard index of its terms is at least `min_overlap` and index · (1 − cosine) may reach
    `min_score`; `bound` is the highest value that the exact cosine can give it. Whoever asks for
    the first parts alone pays for little more.
    """
    shared = SharedTerms(terms)
    search = _Search(embedder, codes, shared.order, min_score, most)
    # The bound is no higher than the overlap.
    for start, stop, i, j, overlap in shared.blocks(lambda: max(min_overlap, search.least)):
        search.add(start, stop, i, j, overlap)
    yield from search.best_first()


class _Search:
    """Pairs that share words, of rows in another order; `least` is what a bound must reach."""

    def __init__(
        self, embedder: Embedder, codes: NDArray[np.uint8] | AskedCodes, order: Numbers,
        least: float, most: int,
    ) -> None:  # fmt: skip
        self._embedder, self._codes, self._order = embedder, codes, order
        self._slack = _SLACK + (2 * embedder.tolerance if embedder.exact else 0.0)
        self.least, self._most = least, most
        self._all_rows: Rows | None = None
        self._found: list[Pairs] = []
        self._found_count = 0
        self._waiting: list[tuple[Numbers, Numbers, NDArray[np.float64]]] = []
        self._waiting_count = 0

    def add(
        self, start: int, stop: int, i: Numbers, j: Numbers, overlap: NDArray[np.float64]
    ) -> None:
        """Take the pairs of a block of rows. Their cosines are made when they are asked for, or
        when too many wait."""
        if stop - start <= ROWS and len(i) > _CROWDED * (stop - start) * (len(self._codes) - start):
            rows = self._rows()
            product = (rows[start:stop] @ rows[start:].T)[i - start, j - start]
            self._keep(self._pairs(i, j, overlap, product))
            return
        self._waiting.append((i, j, overlap))
        self._waiting_count += len(i)
        if self._waiting_count > max(_WAITING, 2 * self._most):
            self._rows()
            for waiting in self._waiting:
                self._keep(self._compared(*waiting))
            self._waiting, self._waiting_count = [], 0

    def best_first(self) -> Iterator[Pairs]:
        """Yield the best pairs, the highest bound first."""
        pool, left = _best(self._found, self._most), self._most
        i, j, overlap = (
            np.concatenate([part[at] for part in self._waiting] or [np.empty(0, np.int64)])
            for at in range(3)
        )
        order = np.argsort(-overlap, kind="stable")
        start, size = 0, _FIRST
        while start < len(order) and left:
            part = order[start : start + size]
            start, size = start + size, max(_FIRST, start // _MORE)
            fresh = self._compared(i[part], j[part], overlap[part])
            pool = _best([pool, fresh], left)
            # A pair that still waits has no higher bound than its overlap.
            ahead = overlap[order[start]] if start < len(order) else 0.0
            ready = int((pool.bound > ahead).sum())
            if ready:
                yield _part(pool, slice(0, ready))
                pool, left = _part(pool, slice(ready, None)), left - ready
        yield _part(pool, slice(0, left))

    def _keep(self, pairs: Pairs) -> None:
        self._found.append(pairs)
        self._found_count += len(pairs.i)
        if self._found_count > max(_WAITING, 2 * self._most):
            self._found = [_best(self._found, self._most)]
            self._found_count = self._most
            self.least = float(self._found[0].bound[-1])

    def _compared(self, i: Numbers, j: Numbers, overlap: NDArray[np.float64]) -> Pairs:
        """Return those of the pairs whose bound is high enough."""
        cosine = np.empty(len(i), np.float32)
        for at in range(0, len(i), _AT_ONCE):
            part = slice(at, at + _AT_ONCE)
            cosine[part] = np.einsum("ij,ij->i", self._rows_of(i[part]), self._rows_of(j[part]))
        return self._pairs(i, j, overlap, cosine)

    def _pairs(
        self, i: Numbers, j: Numbers, overlap: NDArray[np.float64], cosine: Rows
    ) -> Pairs:
        bound = overlap * np.minimum(1.0, 1.0 + self._slack - np.maximum(cosine, 0.0))
        near = bound >= self.least
        a, b = self._order[i[near]], self._order[j[near]]
        return Pairs(np.minimum(a, b), np.maximum(a, b), cosine[near], bound[near])

    def _rows(self) -> Rows:
        if self._all_rows is None:
            self._all_rows = self._embedder.rows(self._codes[self._order])
        return self._all_rows

    def _rows_of(self, places: Numbers) -> Rows:
        if self._all_rows is not None:
            return self._all_rows[places]
        return self._embedder.rows(self._codes[self._order[places]])


def _part(pairs: Pairs, part: slice) -> Pairs:
    return Pairs(pairs.i[part], pairs.j[part], pairs.cosine[part], pairs.bound[part])


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
