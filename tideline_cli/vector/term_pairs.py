"""Rows that share two terms or more, found by pairs of terms: rows with the same pair stand beside
one another once the pairs are sorted, and s shared terms are s (s - 1) / 2 shared pairs.

Pairs of the commonest terms are those that most rows share, and say least. Of a row that must share
k of its terms the k - 2 commonest are left out here (its `skipped` ones): of whatever it shares two
are left. What they would have counted bounds which rows have to be compared, term by term. Source:
the prefix filter of similarity joins (Chaudhuri, Ganti and Kaushik 2006), by pairs.
"""

from __future__ import annotations

from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    # First row, row after the last one, i, j, Jaccard index: start <= i < stop, i < j.
    Block = tuple[int, int, Numbers, Numbers, NDArray[np.float64]]

_BAND = 1 << 16  # pairs of rows that are counted at once
_PER_ROW, _PER_POSTING = 256, 64  # what a row costs along posting lists, in pairs of rows
_MOST_BITS = 62
_SMALL_BITS = 31
_ROUNDED = 1e-9  # more than the rounding of a quotient


class TermPairs:
    """The rows from `first` on by pairs of their terms; of pairs of rows the first one is before
    `last`.

    sizes: (n,) terms of each row, descending, those from `first` on short. starts: (n + 1,) where
    the terms of each row begin in `flat`, which has the numbers of the terms of a row ascending:
    the commonest term has the smallest number. single: the numbers from this one on stand in one
    row each. least: the Jaccard index below which no pair is asked for.
    """

    def __init__(
        self, flat: Numbers, sizes: Numbers, starts: Numbers, *, first: int, last: int, single: int,
        least: float,
    ) -> None:  # fmt: skip
        self._flat, self._sizes, self._starts = flat, sizes, starts
        self._first, self._last, self._single = first, last, single
        fewest = np.ceil(least * sizes - _ROUNDED).astype(np.int64)
        self._skipped = np.maximum(fewest - 2, 0)
        self._bits = len(sizes).bit_length()
        self._rows = self._following = np.empty(0, np.int64)
        self._vocabulary = int(flat.max(initial=0)) + 1
        # Ascending: the terms of a row are.
        self._keys = self._keys_of(np.repeat(np.arange(len(sizes)), sizes), flat)

    def are_few(self) -> bool:
        """Make the pairs; say whether counting them costs less than counting along posting lists.
        """
        if 2 * self._single.bit_length() + self._bits > _MOST_BITS:
            return False
        packed = np.concatenate([np.empty(0, np.int64), *self._packed()])
        packed.sort()
        same = packed[1:] >> self._bits == packed[:-1] >> self._bits
        held = np.zeros(len(packed) + 1, np.bool_)  # pairs of terms that several rows have
        held[1:-1] = same
        kept = held[1:] | held[:-1]
        packed, goes_on = packed[kept], held[1:][kept]
        ends = np.flatnonzero(~goes_on) + 1
        lengths = np.diff(ends, prepend=0)
        # Small numbers are sorted and looked up in half the time.
        small = np.int32 if 2 * self._bits <= _SMALL_BITS else np.int64
        self._rows = (packed & ((1 << self._bits) - 1)).astype(small)
        following = np.repeat(ends, lengths) - np.arange(1, len(packed) + 1)
        following[self._rows >= self._last] = 0
        self._following = following
        rows = self._last - self._first
        most = rows * (_PER_ROW + len(self._sizes) // _PER_POSTING)
        return bool(following.sum() <= most)

    def _packed(self) -> Iterator[Numbers]:
        """Yield the pairs of terms, with the row in the low bits, of rows with as many that count.
        """
        rows = np.arange(self._first, len(self._sizes))
        several = np.concatenate([[0], np.cumsum(self._flat < self._single)])
        count = several[self._starts[rows + 1]] - several[self._starts[rows]] - self._skipped[rows]
        order = np.argsort(-count, kind="stable")
        ends = np.searchsorted(-count[order], -np.arange(count.max(initial=0) + 2), side="right")
        for size in range(len(ends) - 2, 1, -1):
            its = rows[order[ends[size + 1] : ends[size]]]
            begins = self._starts[its] + self._skipped[its]
            terms = self._flat[begins + np.arange(size)[:, None]] << self._bits
            heads = terms * self._single | its
            packed = np.empty((size * (size - 1) // 2, len(its)), np.int64)
            at = 0
            for one in range(size - 1):
                after = size - 1 - one
                np.add(heads[one], terms[one + 1 :], out=packed[at : at + after])
                at += after
            yield packed.ravel()

    def blocks(self, least: Callable[[], float]) -> Iterator[Block]:
        """Yield all pairs with a Jaccard index of `least`, which may rise."""
        asked = np.flatnonzero(self._following)
        bits = len(self._rows).bit_length()
        # A sort is faster than the order of a sort.
        by_row = self._rows[asked].astype(np.int64) << bits | asked
        by_row.sort()
        asked = by_row & ((1 << bits) - 1)
        following = self._following[asked]
        until = np.cumsum(following)
        ends = np.flatnonzero(np.diff(self._rows[asked], append=-1)) + 1  # of the entries of a row
        low = 0
        while low < len(asked):
            begun = until[low - 1] if low else 0
            fit = int(np.searchsorted(until[ends - 1], begun + _BAND, side="right")) - 1
            high = int(ends[max(fit, int(np.searchsorted(ends, low, side="right")))])
            part = asked[low:high]
            i, j, overlap = self._counted(part, following[low:high], least())
            yield int(self._rows[part[0]]), int(self._rows[part[-1]]) + 1, i, j, overlap
            low = high

    def _counted(
        self, asked: Numbers, following: Numbers, least: float
    ) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Return the pairs of the rows at places `asked` with those that follow each there."""
        skipped = np.cumsum(following) - following
        other = np.repeat(asked + 1 - skipped, following)
        other += np.arange(len(other))
        both = np.repeat(self._rows[asked] << self._bits, following)
        both |= self._rows[other]
        both.sort()
        first = np.flatnonzero(np.diff(both, prepend=-1))
        both, hits = both[first], np.diff(first, append=len(both))
        i, j = both >> self._bits, both & ((1 << self._bits) - 1)
        together = self._sizes[i] + self._sizes[j]
        # What both share of the terms that one of them skips are the commonest of what they share:
        # no more than i skips, for j, which is no longer, skips no more.
        fewest = least * together / (1.0 + least) - self._skipped[i] - _ROUNDED
        likely = np.flatnonzero(2 * hits >= fewest * (fewest - 1.0))
        i, j, together = (part[likely].astype(np.int64) for part in (i, j, together))
        shared = np.rint((1.0 + np.sqrt(1.0 + 8.0 * hits[likely])) / 2.0).astype(np.int64)
        shared += self._shared_of_skipped(i, j)
        overlap = shared / (together - shared)
        wanted = overlap >= least
        return i[wanted], j[wanted], overlap[wanted]

    def _shared_of_skipped(self, i: Numbers, j: Numbers) -> Numbers:
        """Return how many terms the rows of each pair share of those that one of them skips."""
        shared = np.zeros(len(i), np.int64)
        for place in range(int(self._skipped[i].max(initial=0))):
            shared += self._holds(j, i, place, 0)
            # Those of j that stand among the skipped ones of i are counted.
            shared += self._holds(i, j, place, self._skipped[i])
        return shared

    def _holds(
        self, rows: Numbers, of: Numbers, place: int, behind: Numbers | int
    ) -> NDArray[np.bool_]:
        """Say whether rows hold, after so many of their terms, the term that stands at a place of
        other rows and is skipped there."""
        has = place < self._skipped[of]
        wanted = self._keys_of(rows, self._flat[np.where(has, self._starts[of] + place, 0)])
        at = np.searchsorted(self._keys, wanted)
        found: NDArray[np.bool_] = has & (at < len(self._keys))
        found[found] = self._keys[at[found]] == wanted[found]
        return found & (at >= self._starts[rows] + behind)

    def _keys_of(self, rows: Numbers, terms: Numbers) -> Numbers:
        return rows * self._vocabulary + terms
