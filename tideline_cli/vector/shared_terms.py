"""Which rows share many of their terms: an exact count of all pairs, by one of two ways.

Rows that must share two terms are found by pairs of terms (`term_pairs`): few rows do. Long rows
have too many pairs, short ones may share a single term, and rows cut to one pattern share most
pairs: these are counted along posting lists, a row at a time.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from math import ceil

from tideline_cli.vector.arrays import np
from tideline_cli.vector.term_pairs import TermPairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from tideline_cli.vector.term_pairs import Block

    Numbers = NDArray[np.int64]

ROWS = 256
"""Rows of a block that is counted along posting lists, at most."""
_LONGEST = 24  # terms of a row whose pairs are made
_ROUNDED = 1e-9  # more than the rounding of a quotient


class SharedTerms:
    """The rows in order of their number of distinct terms, those with most first: `order` are
    their places in what was given, where a row may repeat a term. All numbers of rows below are of
    that order."""

    def __init__(self, terms: Sequence[Collection[str]]) -> None:
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        given = np.fromiter(map(len, terms), np.int64, len(terms))
        words = chain.from_iterable(terms)
        flat = np.fromiter(map(numbers.__getitem__, words), np.int64, int(given.sum()))
        self._vocabulary = len(numbers)
        flat, self._single = _by_rank(flat, self._vocabulary)
        owner, flat = _each_once(given, flat, self._vocabulary.bit_length())
        sizes = np.bincount(owner, minlength=len(terms))
        self.order: Numbers = np.argsort(-sizes, kind="stable")
        self._sizes = sizes[self.order]
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        before = (np.cumsum(sizes) - sizes)[self.order]
        self._flat = flat[np.repeat(before - self._starts[:-1], self._sizes) + np.arange(len(flat))]
        self._lists: _Lists | None = None

    def blocks(self, least: Callable[[], float]) -> Iterator[Block]:
        """Yield all pairs with a Jaccard index of `least`, which is asked anew for each block and
        may rise."""
        sizes = self._sizes
        first = int(np.searchsorted(-sizes, -_LONGEST))
        last = int(np.searchsorted(-sizes, -(1.0 + _ROUNDED) / least()))  # they share two terms
        pairs = TermPairs(
            self._flat, sizes, self._starts, first=first, last=last, single=self._single,
            least=least(),
        )  # fmt: skip
        if first >= last or not pairs.are_few():
            yield from self._along_lists(0, len(sizes), least)
            return
        yield from self._along_lists(0, first, least)
        yield from pairs.blocks(least)
        yield from self._along_lists(last, len(sizes), least)

    def _along_lists(self, start: int, stop: int, least: Callable[[], float]) -> Iterator[Block]:
        """Yield the pairs of rows from `start` on, counted along posting lists."""
        if start < stop and self._lists is None:
            self._lists = _Lists(self._flat, self._sizes, self._starts, self._vocabulary)
        for low in range(start, stop, ROWS):
            high = min(low + ROWS, stop)
            assert self._lists is not None  # noqa: S101  made above
            yield low, high, *self._lists.overlaps(low, high, least())


def _by_rank(flat: Numbers, vocabulary: int) -> tuple[Numbers, int]:
    """Return terms by their place among all, the most frequent one first, and the number from which
    on they stand once."""
    times = np.bincount(flat, minlength=vocabulary)
    rank = np.empty(vocabulary, np.int64)
    rank[np.argsort(-times, kind="stable")] = np.arange(vocabulary)
    return rank[flat], int((times > 1).sum())


def _each_once(sizes: Numbers, flat: Numbers, bits: int) -> tuple[Numbers, Numbers]:
    """Return the row and the term of each distinct term of each row, by row; `sizes` says how many
    of the terms, which have so many bits, belong to each row."""
    packed = np.repeat(np.arange(len(sizes)), sizes) << bits | flat
    packed.sort()
    packed = _distinct(packed)
    return packed >> bits, packed & ((1 << bits) - 1)


def _distinct(ordered: Numbers) -> Numbers:
    """Return each of some numbers once, which stand in order. `np.unique` loads numpy.ma, 20 ms."""
    if not len(ordered):
        return ordered
    is_first = np.append(True, ordered[1:] != ordered[:-1])
    found: Numbers = ordered[is_first]
    return found


class _Lists:
    """Which terms a row holds, and which rows hold a term."""

    def __init__(self, flat: Numbers, sizes: Numbers, starts: Numbers, vocabulary: int) -> None:
        self._sizes, self._starts = sizes, starts
        owner = np.repeat(np.arange(len(sizes)), sizes)
        order = np.argsort(flat, kind="stable")
        self._postings = owner[order]
        # For each term of each row: where in the postings the rows after it begin and end.
        self._next = np.empty(len(flat), np.int64)
        self._next[order] = np.arange(1, len(flat) + 1)
        self._end = np.cumsum(np.bincount(flat, minlength=vocabulary))[flat]

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
