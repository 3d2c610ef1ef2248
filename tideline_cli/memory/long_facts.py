"""The lexical lane where facts are long: reading one costs as much as bounding a hundred.

What several spellings of a word may add is bounded as one word, few facts are read at a time, and
of a fact that is read its asked words are counted one by one, the rarest first: most facts fall
below the floor after a few, and are neither cut into terms nor scored.
"""

from __future__ import annotations

from tideline_cli.memory.scorer import FEW_LONG
from tideline_cli.model.record import Record
from tideline_cli.ranking import bm25
from tideline_cli.ranking.bm25 import K1, norm_of
from tideline_cli.ranking.one_word import OTHER, SHARE
from tideline_cli.store import fts, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.memory.scorer import Reader
    from tideline_cli.memory.search import View
    from tideline_cli.ranking.bm25 import Statistics
    from tideline_cli.store.held_then import Then

_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding
_WORTH = 32  # facts whose numbers are looked up in the time in which one is read
_SURE = 10  # so much more than is left has to be known before facts are read


class AskedWord(Record):
    """A word as it is looked up: its spellings, the one that adds most first, each with its idf in
    full or in the part that another spelling counts for; `most` is what all of them add."""

    most: float
    spellings: tuple[tuple[str, float], ...]


def read_best(
    view: View, reader: Reader, stats: Statistics, *, then: Then | None
) -> None:
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
    """Which words of the question facts hold, the ones that add most first; `left` is what others
    may add."""

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
        weight *= (K1 + 1.0) * _SLACK
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
