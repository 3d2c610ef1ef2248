"""Which rows share many of their terms: an exact count of all pairs, by one of two ways.

Rows that must share two terms are found by pairs of terms: rows with the same pair stand together
once the pairs are sorted, and s shared terms are s (s - 1) / 2 shared pairs. Few rows do. Long rows
have too many pairs, short ones may share a single term, and rows cut to one pattern share most
pairs: these are counted along posting lists, a row at a time.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from math import ceil

from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    # First row, row after the last one, i, j, Jaccard index: start <= i < stop, i < j.
    Block = tuple[int, int, Numbers, Numbers, NDArray[np.float64]]

ROWS = 256
"""Rows of a block that is counted along posting lists, at most."""
_LONGEST = 24  # terms of a row whose pairs are made
_BAND = 1 << 16  # pairs of rows that are counted at once
_PER_ROW, _PER_POSTING = 256, 64  # what a row costs along posting lists, in pairs of rows
_MOST_BITS = 62
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
        pairs = self._pairs(first, last) if first < last else None
        if pairs is None:
            yield from self._along_lists(0, len(sizes), least)
            return
        yield from self._along_lists(0, first, least)
        yield from self._by_pairs(*pairs, least)
        yield from self._along_lists(last, len(sizes), least)

    def _pairs(self, first: int, last: int) -> tuple[Numbers, Numbers] | None:
        """Return the rows from `first` on by the pairs of their terms, rows with the same pair
        beside each other, ascending, and how many there follow with the same pair, 0 for rows from
        `last` on; None where posting lists are cheaper."""
        bits = len(self._sizes).bit_length()
        if 2 * self._vocabulary.bit_length() + bits > _MOST_BITS:
            return None
        parts = [np.empty(0, np.int64), *self._pairs_by_size(first, bits)]
        packed = np.concatenate(parts)
        packed.sort()
        rows, pair = packed & ((1 << bits) - 1), packed >> bits
        ends = np.flatnonzero(np.append(pair[1:] != pair[:-1], True)) + 1 if len(pair) else pair
        lengths = np.diff(ends, prepend=0)
        following = np.repeat(ends, lengths) - np.arange(1, len(rows) + 1)
        following[rows >= last] = 0
        most = (last - first) * (_PER_ROW + len(self._sizes) // _PER_POSTING)
        return (rows, following) if following.sum() <= most else None

    def _pairs_by_size(self, first: int, bits: int) -> Iterator[Numbers]:
        """Yield the pairs of terms of rows of one size, with the row in the low bits."""
        sizes = self._sizes
        for size in _distinct(sizes[first:][sizes[first:] > 1]).tolist():
            start, stop = (
                int(np.searchsorted(-sizes, -size, side=side)) for side in ("left", "right")
            )
            terms = self._flat[self._starts[start] : self._starts[stop]].reshape(-1, size)
            terms = np.sort(terms, axis=1)
            a, b = np.triu_indices(size, 1)
            row = np.repeat(np.arange(start, stop), len(a))
            packed: Numbers = (terms[:, a] * self._vocabulary + terms[:, b]).ravel() << bits | row
            yield packed

    def _by_pairs(
        self, rows: Numbers, following: Numbers, least: Callable[[], float]
    ) -> Iterator[Block]:
        """Yield the pairs of rows that share pairs of terms."""
        asked = np.flatnonzero(following)
        bits = len(rows).bit_length()
        by_row = rows[asked] << bits | asked  # a sort is faster than the order of a sort
        by_row.sort()
        asked = by_row & ((1 << bits) - 1)
        following = following[asked]
        until = np.cumsum(following)
        ends = np.flatnonzero(np.diff(rows[asked], append=-1)) + 1  # of the entries of a row
        low = 0
        while low < len(asked):
            begun = until[low - 1] if low else 0
            fit = int(np.searchsorted(until[ends - 1], begun + _BAND, side="right")) - 1
            high = int(ends[max(fit, int(np.searchsorted(ends, low, side="right")))])
            part = asked[low:high]
            counted = self._counted(rows, part, following[low:high], least())
            yield int(rows[part[0]]), int(rows[part[-1]]) + 1, *counted
            low = high

    def _counted(
        self, rows: Numbers, asked: Numbers, following: Numbers, least: float
    ) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Return the pairs of the rows at places `asked` with those that follow each there."""
        bits = len(self._sizes).bit_length()
        skipped = np.cumsum(following) - following
        other = np.repeat(asked + 1 - skipped, following)
        other += np.arange(len(other))
        both = np.repeat(rows[asked] << bits, following)
        both |= rows[other]
        both.sort()
        likely = self._likely(both, int(self._sizes[rows[asked[-1]]]), least)
        first, end = (np.searchsorted(both, likely, side=side) for side in ("left", "right"))
        i, j = likely >> bits, likely & ((1 << bits) - 1)
        shared = np.rint((1.0 + np.sqrt(1.0 + 8.0 * (end - first))) / 2.0).astype(np.int64)
        overlap = shared / (self._sizes[i] + self._sizes[j] - shared)
        wanted = overlap >= least
        return i[wanted], j[wanted], overlap[wanted]

    def _likely(self, both: Numbers, size: int, least: float) -> Numbers:
        """Return those of sorted pairs of rows that may share enough; no first row of a pair has
        fewer terms than `size`."""
        fewest = max(2, ceil(least * size - _ROUNDED))
        times = max(3, fewest * (fewest - 1) // 2)
        often = both[times - 1 :][both[times - 1 :] == both[: max(0, len(both) - times + 1)]]
        if fewest == 2:
            # Of rows that share two terms, the second has few.
            longest = 2.0 / least + 2.0 - size + _ROUNDED
            short = int(np.searchsorted(-self._sizes, -longest))
            last = both & ((1 << len(self._sizes).bit_length()) - 1)
            often = np.concatenate([often, both[last >= short]])
            often.sort()
        return _distinct(often)

    def _along_lists(self, start: int, stop: int, least: Callable[[], float]) -> Iterator[Block]:
        """Yield the pairs of rows from `start` on, counted along posting lists."""
        if start < stop and self._lists is None:
            self._lists = _Lists(self._flat, self._sizes, self._starts, self._vocabulary)
        for low in range(start, stop, ROWS):
            high = min(low + ROWS, stop)
            assert self._lists is not None  # noqa: S101  made above
            yield low, high, *self._lists.overlaps(low, high, least())


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
