"""The lexical lane of large memories, where reading the facts with the rarest words costs too much.

Where many facts hold a word of the question (`read_best`), the sums of idf of all facts are added
up at once, as bits, and only facts whose sum can be among the best are looked at one by one. A fact
that holds a term several times gets a share more of its idf for each time. How often is kept for
common terms; of others the byte of the fact bounds it.

Where facts are long (`read_best_of_long`), reading one costs as much as bounding a hundred. What
several spellings of a word may add is bounded as one word, few facts are read at a time, and of a
fact that is read its asked words are counted one by one, the rarest first: most facts fall below
the floor after a few, and are neither cut into terms nor scored.
"""

from __future__ import annotations

from _operator import itemgetter
from itertools import compress
from math import ceil

from tideline_cli.memory.scorer import FEW_LONG
from tideline_cli.model.record import Record
from tideline_cli.ranking import bm25, score_bounds
from tideline_cli.ranking.bit_sums import BitSums, at_least, bits_of, highest, numbers_of
from tideline_cli.ranking.bm25 import K1, norm_of
from tideline_cli.ranking.one_word import OTHER, SHARE
from tideline_cli.store import common_postings, facts, fts, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tideline_cli.memory.scorer import Reader
    from tideline_cli.memory.search import View
    from tideline_cli.ranking.bm25 import Statistics
    from tideline_cli.store.as_of import Then
    from tideline_cli.store.common_postings import Counted

_STEPS = 63  # the highest idf is counted as so many; each is rounded up
_BANDS = 4  # of sums that are looked at apart
_SLACK = 1.0 - 1e-9  # what is asked of a sum is lowered by a margin for rounding
_MANY = 30_000  # facts of a band that are asked first whether they reach the floor, at once
_SPARSE = 250  # a fact of so many is added by itself as fast as a set of all
_FIRST = 32  # facts that are read first, to know what a good score is


def read_best(
    view: View, reader: Reader, stats: Statistics, *, counted: Mapping[str, Counted] | None
) -> None:
    """Look all terms up, and read what can be among the best. A common term is added in 0.3 ms at a
    million facts; left out it would add to what each of them may score. `counted` are those of the
    terms that are kept, if somebody has looked."""
    sums = _Sums(view, reader, stats, counted)
    for term, idf in stats.idf.items():
        sums.add(term, idf)
    sums.end()
    sums.read_first()
    sums.read_on()


class _Sums:
    """The sums of idf of all facts, in units that are rounded up."""

    def __init__(
        self, view: View, reader: Reader, stats: Statistics, counted: Mapping[str, Counted] | None
    ) -> None:
        self._db = view.db
        self._counted = counted
        self._reader = reader
        self._origin = view.number
        self._unit = max(stats.idf.values()) / _STEPS
        self._sums = BitSums()
        self._few: dict[int, int] = {}  # of facts with rare terms, what these add
        # Of each byte, whether its fact may hold a term once, twice or more often: 0, 1, 2.
        self._repeating = bytes(map(sum, zip(*score_bounds.repeats_at_least(), strict=True)))
        self._codes = reader.codes(facts.last_number(view.db))
        self._seen = reader.seen - {0}  # which stands for no fact
        self._shares = score_bounds.repeat_shares(self._seen, stats.mean_length)
        self._factors = [
            factor / _SLACK
            for factor in score_bounds.once_factors(stats.mean_length, reader.depth)
        ]
        self._highest = max(self._factors[code] for code in self._seen)

    def add(self, term: str, idf: float) -> None:
        """Add the idf of a term for the facts that hold it."""
        kept, later = self._looked_up(term)
        if not kept.upto and _SPARSE * len(later) < len(self._codes):
            self._add_few(later, idf)
            return
        holders = kept.holders | bits_of(later, later[-1]) if later else kept.holders
        self._sums.add(holders, self._units(idf))
        repeats = [*kept.repeats]
        twice, thrice = map(self._among, (later, later), score_bounds.repeats_at_least())
        for f, share in enumerate(self._shares, 2):
            more = at_least(repeats, f - 1) | (twice if f == 2 else 0)
            if not more:
                break
            self._sums.add(more, self._units(idf * share))
        if thrice:
            self._sums.add(thrice, self._units(idf * sum(self._shares[1:])))

    def _add_few(self, seqs: list[int], idf: float) -> None:
        """Add the idf of a rare term fact by fact, which `end` adds to the sums of all."""
        if not seqs:
            return
        once = self._units(idf)
        twice = once + self._units(idf * self._shares[0])
        worth = (once, twice, twice + self._units(idf * sum(self._shares[1:])))
        few, known = self._few, self._few.get
        found = bytes(itemgetter(*seqs, 0)(self._codes)[:-1]).translate(self._repeating)
        for seq, repeats in zip(seqs, found, strict=True):
            few[seq] = known(seq, 0) + worth[repeats]

    def end(self) -> None:
        """Add what rare terms add: a set for each binary digit of it."""
        for digit in range(max(self._few.values(), default=0).bit_length()):
            held = [seq for seq, units in self._few.items() if units >> digit & 1]
            if held:
                self._sums.add(bits_of(held, max(held)), 1 << digit)

    def _looked_up(self, term: str) -> tuple[common_postings.Posting, list[int]]:
        """Return what is kept of a term, and the facts behind that."""
        known = None if self._counted is None else self._counted.get(term, common_postings.NEVER)
        kept = common_postings.NONE
        if known is None or known[1]:
            kept = common_postings.posting(self._db, term, origin_number=self._origin)
        if known is not None and known[0]:
            return kept, known[2]
        return kept, common_postings.looked_up(
            self._db, term, origin_number=self._origin, least=kept.upto
        )

    def read_first(self) -> None:
        """Read the facts with the highest sums: some, and more while too few of them are wanted."""
        digits, enough = self._sums.digits(), _FIRST
        while enough < _MANY and not self._reader.floor():
            best = self._highest_of(digits, enough)
            self._reader.read([seq for seq in best if seq not in self._reader.done])
            enough *= _FIRST

    def _highest_of(self, digits: list[int], enough: int) -> list[int]:
        """Return so many of the facts with the highest sums, the shortest of equals."""
        low, high = 1, (1 << len(digits)) - 1
        while low < high:  # the highest sum that enough facts have
            middle = (low + high + 1) // 2
            if at_least(digits, middle).bit_count() >= enough:
                low = middle
            else:
                high = middle - 1
        best = numbers_of(at_least(digits, low))
        if len(best) <= enough:
            return best
        bounds = self._bounded(best, low * self._unit, 0.0)
        return sorted(bounds, key=bounds.__getitem__, reverse=True)[:enough]

    def read_on(self) -> None:
        """Read whatever can still be among the best."""
        digits = self._sums.digits()
        floor, done = self._reader.floor(), self._reader.done
        bounds = self._banded(digits, floor)
        reached: dict[int, bytes] = {}
        for code in set(map(self._codes.__getitem__, bounds)):
            members = at_least(digits, self._least(floor, self._factors[code]))
            reached[code] = members.to_bytes(len(self._codes), "little")
        codes = self._codes
        self._reader.read_on({
            seq: bound for seq, bound in bounds.items()
            if reached[codes[seq]][seq >> 3] >> (seq & 7) & 1 and seq not in done
        })  # fmt: skip

    def _banded(self, digits: list[int], floor: float) -> dict[int, float]:
        """Return the facts that may reach a floor, each with what the highest sum of its band
        makes of it."""
        top = highest(digits)
        least = self._least(floor, self._highest)
        step = max(1, (top + 1 - least) // _BANDS)
        bounds: dict[int, float] = {}
        over = 0
        for low in range(top + 1 - step, least - step, -step):
            members = at_least(digits, max(low, least))
            known = (low + step - 1) * self._unit
            band = members ^ over
            if band.bit_count() > _MANY:
                band &= self._reaching(known, floor)
            bounds.update(self._bounded(numbers_of(band), known, floor))
            over = members
        return bounds

    def _bounded(self, seqs: list[int], known: float, floor: float) -> dict[int, float]:
        """Return what facts can score whose sum is at most `known`, where they reach a floor."""
        if not seqs:
            return {}
        bounds = [known * factor for factor in self._factors]
        found = bytes(itemgetter(*seqs, 0)(self._codes)[:-1])
        reaching = found.translate(bytes([bound >= floor for bound in bounds]))
        return {
            seq: bounds[code]
            for seq, code in zip(compress(seqs, reaching), compress(found, reaching), strict=True)
        }

    def _reaching(self, known: float, floor: float) -> int:
        """Return the set of the facts that reach a floor with such a sum."""
        table = bytes([48 + (known * factor >= floor) for factor in self._factors])
        return int(self._codes[::-1].translate(table), 2)

    def _among(self, seqs: list[int], fitting: bytes) -> int:
        """Return the set of those facts of whose bytes a table says 1."""
        if not seqs:
            return 0
        found = bytes(itemgetter(*seqs, 0)(self._codes)[:-1])
        return bits_of(compress(seqs, found.translate(fitting)), seqs[-1])

    def _units(self, idf: float) -> int:
        return ceil(idf / self._unit - 1e-9)

    def _least(self, floor: float, factor: float) -> int:
        """Return the least sum with which a fact of this factor can reach a floor."""
        return max(1, ceil(floor / factor / self._unit - 1e-6))


_RAISED = 1.0 + 1e-9  # bounds are raised by a margin for rounding
_WORTH = 32  # facts whose numbers are looked up in the time in which one is read
_SURE = 10  # so much more than is left has to be known before facts are read


class AskedWord(Record):
    """A word as it is looked up: its spellings, the one that adds most first, each with its idf in
    full or in the part that another spelling counts for; `most` is what all of them add."""

    most: float
    spellings: tuple[tuple[str, float], ...]


def read_best_of_long(view: View, reader: Reader, stats: Statistics, *, then: Then | None) -> None:
    """Look words up, rarest first, and read what can be among the best."""
    reader.few = min(reader.few, FEW_LONG)
    asked = spelled(stats)
    known = _Known(reader, stats)
    counted, left = 0.0, sum(word.most for word in asked)
    for word in asked:
        if left * reader.highest < reader.floor() and known.is_enough(word, left):
            break
        counted, left = counted + word.most, left - word.most
        for term, idf in word.spellings:
            seqs = reads.alone(view.db, fts.postings(term, origin_number=view.number))
            known.add(seqs if then is None else then.among(seqs), idf)
        known.end(word)
        if counted > _SURE * left and not reader.floor():
            known.read_first(left)
    known.read_on(max(left, 0.0))


def spelled(stats: Statistics) -> list[AskedWord]:
    """Return the words of a question that facts hold, those first that add most."""
    heads = {} if stats.forms is None else {
        other: term for term, others in stats.forms.others.items() for other in others
    }
    spellings: dict[str, list[tuple[str, float]]] = {}
    for term, idf in stats.idf.items():
        head = heads.get(term)
        worth = idf if head is None else OTHER * idf
        spellings.setdefault(head or term, []).append((term, worth))
    found = []
    for each in spellings.values():
        each.sort(key=lambda pair: -pair[1])
        found.append(AskedWord(together(worth for _, worth in each), tuple(each)))
    return sorted(found, key=lambda word: -word.most)


def together(values: Iterable[float]) -> float:
    """Return what the spellings of a word add at most, by what each adds alone."""
    best = rest = 0.0
    for value in values:
        best, rest = max(best, value), rest + value
    return best + SHARE * (rest - best)


class _Known:
    """The facts known to hold a word of the question, and what these add: `sums`, as for facts that
    hold each word without end, by the idf alone."""

    def __init__(self, reader: Reader, stats: Statistics) -> None:
        self._reader = reader
        self._stats = stats
        self._sums: dict[int, float] = {}
        self._holders: list[tuple[AskedWord, dict[int, float]]] = []
        self._here: dict[int, float] = {}
        self._is_closed = False  # no further fact can be among the best

    def add(self, seqs: list[int], idf: float) -> None:
        """Count a spelling of the word that is looked up, for the facts that hold it."""
        if not self._here:
            self._here = dict.fromkeys(seqs, idf)
            return
        here, known = self._here, self._here.get
        for seq in seqs:
            first = known(seq)
            here[seq] = idf if first is None else first + SHARE * idf

    def end(self, word: AskedWord) -> None:
        """Count the word, of which all spellings are looked up."""
        sums, known, here = self._sums, self._sums.get, self._here
        for seq in sums.keys() & here.keys() if self._is_closed else here:
            sums[seq] = known(seq, 0.0) + here[seq]
        self._holders.append((word, here))
        self._here = {}

    def is_enough(self, word: AskedWord, left: float) -> bool:
        """Leave out the facts that cannot be among the best any more, where no further fact can be;
        say whether reading the others costs less than looking up who holds a word."""
        bounds = self._reader.bounds(self._sums, left)
        self._sums = {seq: self._sums[seq] for seq in bounds}
        self._is_closed = True
        holders = sum(bm25.holders_of(self._stats, term) for term, _ in word.spellings)
        return holders > _WORTH * len(bounds)

    def read_first(self, left: float) -> None:
        """Read the most promising facts; `left` is what the words add that are not looked up."""
        bounds = self._reader.bounds(self._sums, left)
        best = sorted(bounds, key=bounds.__getitem__, reverse=True)
        self._reader.read(best[: self._reader.few])

    def read_on(self, left: float) -> None:
        """Read whatever can still be among the best."""
        bounds = self._reader.bounds(self._sums, left)
        held = _Held(self._stats, left)
        for word, holders in self._holders:
            held.add(word, bounds.keys() & holders.keys())
        self._reader.ask_first(held.reaches)
        self._reader.read_on(bounds)


class _Held:
    """Which words of the question facts hold, best first; `left` is what others may add."""

    def __init__(self, stats: Statistics, left: float) -> None:
        self._stats = stats
        self._left = left
        self._words: dict[int, list[AskedWord]] = {}

    def add(self, word: AskedWord, seqs: Iterable[int]) -> None:
        """Note the facts that hold a word."""
        for seq in seqs:
            self._words.setdefault(seq, []).append(word)

    def reaches(self, seq: int, terms: str, weight: float, floor: float) -> bool:
        """Say whether a fact may reach a floor whose sum counts with a weight."""
        held = self._words.get(seq)
        if held is None:
            return True
        rest = self._left + sum([word.most for word in held])
        text = f" {terms} "
        norm = norm_of(terms.count(" "), self._stats)
        weight *= (K1 + 1.0) * _RAISED
        value = 0.0
        for word in held:
            if (value + rest) * weight < floor:
                return False
            rest -= word.most
            if len(word.spellings) == 1:
                value += _counted(*word.spellings[0], text, norm)
            else:
                value += together([_counted(*each, text, norm) for each in word.spellings])
        return (value + rest) * weight >= floor


def _counted(term: str, worth: float, text: str, norm: float) -> float:
    """Return what a spelling adds to a text, as a share of k1 + 1, at most."""
    f = text.count(f" {term} ")
    if not f:
        return 0.0
    if f" {term} {term} " in text:  # one behind the other count once
        f *= 2
    return worth * f / (f + norm)
