"""Scoring facts by their words, exactly, and keeping the best."""

from __future__ import annotations

from tideline_cli.memory.query import Match, word_keys
from tideline_cli.model.fact import SEGMENTS, role_weight, trust
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking import bm25, decay
from tideline_cli.ranking.score_bounds import UNKNOWN, bound_factors, faded_shares
from tideline_cli.store import facts, fts, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tideline_cli.memory.search import Retained, View
    from tideline_cli.ranking.bm25 import Statistics
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow

    # Strength, modulator, trust and role of a fact. A tuple, since most facts that are scored get
    # no further.
    Weights = tuple[float, float, float, float]
    # A fact that was scored: what facts are sorted by (the score and the time with the other sign,
    # the id), its row, its BM25 score, the terms that matched, and its weights.
    Scored = tuple[float, int, str, RankingRow, float, tuple[str, ...], Weights]
    # Says of what was scored, below which score a fact is none of the best.
    Least = Callable[[Sequence[Scored]], float]
    # Says of a fact, by number and terms, whether its sum times a weight may reach a floor.
    Reaches = Callable[[int, str, float, float], bool]

_LONG = 16  # terms of a question, of which most facts hold few

FEW = 400  # facts that are cheaper to read than to bound
FEW_LONG = 24  # the same of long ones
_MANY = 1000  # facts that are cheaper to read than to ask first whether they have faded
STEP = 0.8  # the bounds of one reading go down to this share of the highest one left
_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding


class Scorer:
    """Scores rows and keeps those that can still be among the best `limit`."""

    def __init__(
        self, terms: Sequence[str], stats: bm25.Statistics, now: int, limit: int, fading: float, *,
        asked: int, weighs_roles: bool = True, retained: Retained | None = None,
    ) -> None:  # fmt: skip
        self._terms = terms
        is_long = len(terms) > _LONG
        self._places = {term: n for n, term in enumerate(terms)} if is_long else None
        self._stats = stats
        self._now = now
        self._limit = limit
        self.fading = fading
        self.retained = retained  # the strength of a row by another curve than the half-life
        self.reaches: Reaches | None = None  # asked before a long fact is scored
        self.dated: Least | None = None  # where the time of a fact weighs too
        self._least = 0.0  # of what was scored, the rest is none of the best
        self._asked = asked  # words of the question, those that no fact holds too
        self._weighs_roles = weighs_roles
        self._keys: dict[str, str] = {}  # of terms, the one that stands for the word
        self._best: list[Scored] = []  # made into matches when all are read
        self._matches: list[Match] | None = None
        self.is_mostly_unknown = False  # the question, to the memory
        self.labelled: dict[int, Match] = {}  # facts with an asked word in a label, by number

    @property
    def mean_length(self) -> float:
        """Return the mean number of terms of the facts that the scores compare."""
        return self._stats.mean_length

    def weighed(self, rows: Iterable[RankingRow]) -> list[Match]:
        """Return facts with their scores, however low, those that hold no asked term too."""
        return [self.labelled.get(row[0]) or self.match(row, *self._worth(row)) for row in rows]

    def _worth(self, row: RankingRow) -> tuple[float, tuple[str, ...]]:
        terms = row[fts.TERMS].split()
        if self._stats.idf.keys().isdisjoint(terms):
            return 0.0, ()  # as most neighbours
        return bm25.score(terms, self._terms, self._stats)

    def add(self, rows: Iterable[RankingRow]) -> None:
        """Score the rows; those that cannot reach the floor are dropped unscored."""
        floor = self.floor() or 0.0
        reaches = self.reaches
        fresh: list[Scored] = []
        for row in rows:
            if reaches is not None and not reaches(
                row[0], row[fts.TERMS], self._factor(row), floor
            ):
                continue
            listed = row[fts.TERMS].split()
            value, matched = bm25.score(listed, self._asked_of(listed), self._stats)
            if value < floor:
                continue
            weights = self._weights(row)
            _, factor, weight, spoken = weights
            score = value * weight * factor * spoken
            if score >= floor:
                fresh.append((-score, -row[fts.CREATED], row[1], row, value, matched, weights))
                if len(fresh) >= 4 * self._limit + 64:
                    self._merge(fresh)
                    fresh = []
                    floor = self.floor() or 0.0
        self._merge(fresh)

    def floor(self) -> float | None:
        """Return the score of the last of the best `limit`, or a higher one below which a fact is
        none of the best in view of its time; None while there is neither."""
        if len(self._best) >= self._limit:
            return max(-self._best[self._limit - 1][0], self._least)
        return self._least or None

    @property
    def matches(self) -> list[Match]:
        """Return the best, in order."""
        if self._matches is None:
            self._matches = [
                self._match(row, value, matched, (), weights)
                for *_, row, value, matched, weights in self._best
            ]
        return self._matches

    @matches.setter
    def matches(self, found: list[Match]) -> None:
        self._matches = found

    def _factor(self, row: RankingRow) -> float:
        _, factor, weight, spoken = self._weights(row)
        return weight * factor * spoken

    def _asked_of(self, listed: list[str]) -> Sequence[str]:
        """Return the terms of the question to look for in a fact with these terms, in order."""
        if self._places is None or len(listed) > bm25.SHORT:
            return self._terms
        return sorted(self._places.keys() & listed, key=self._places.__getitem__)

    def _merge(self, fresh: list[Scored]) -> None:
        self._best = sorted([*self._best, *fresh])[: self._limit]
        if self.dated is not None:
            self._least = max(self._least, self.dated(self._best))
            self._best = [one for one in self._best if -one[0] >= self._least]
        self._matches = None

    def match(
        self, row: RankingRow, value: float, matched: tuple[str, ...],
        label_terms: tuple[str, ...] = (),
    ) -> Match:  # fmt: skip
        """Return what a fact with this BM25 score is worth."""
        return self._match(row, value, matched, label_terms, self._weights(row))

    @property
    def wants_heat(self) -> bool:
        """Say whether the heat of a fact says how strong it is."""
        return self.retained is not None and self.retained.by_heat

    def _weights(self, row: RankingRow) -> Weights:
        retained = self.retained
        (
            *_, source, confidence, importance, decay_rate, segment, tier, pinned, _, access_count,
            last_accessed_at, role,
        ) = row if retained is None else row[: fts.WIDTH]  # fmt: skip
        if decay_rate is None:
            decay_rate = SEGMENTS[segment].decay_rate
        days = (self._now - last_accessed_at) / DAY_MS
        immune = decay.is_immune(tier, bool(pinned)) or not self.fading
        power = (
            decay.strength(importance, decay_rate, access_count, days, immune=immune)
            if retained is None else retained.strength(row)
        )  # fmt: skip
        spoken = role_weight(role) if self._weighs_roles else 1.0
        return power, decay.modulator(power, self.fading), trust(source, confidence), spoken

    def _match(
        self, row: RankingRow, value: float, matched: tuple[str, ...],
        label_terms: tuple[str, ...], weights: Weights,
    ) -> Match:  # fmt: skip
        power, factor, weight, spoken = weights
        return Match(
            row[0],
            row[1],
            row[fts.CREATED],
            value * weight * factor * spoken,
            Breakdown(  # by place: twice as fast as by name, and made for each fact that is read
                value, matched, power, factor, weight, "lexical", None, None, None, label_terms,
                spoken,
            ),
            (len(matched) == 1 or self._stats.forms is not None) and self._is_weak(matched),
        )

    def _are_one_word(self, matched: tuple[str, ...]) -> bool:
        forms = self._stats.forms
        if forms is None:
            return len(matched) == 1
        new = [term for term in matched if term not in self._keys]
        if new:
            self._keys |= word_keys(new, forms)
        return len({self._keys[term] for term in matched}) == 1

    def _is_weak(self, matched: tuple[str, ...]) -> bool:
        """Say whether what matched is one common word of a longer question; a word in parts is as
        common as the rarest of them."""
        if self._asked == 1 or not self._are_one_word(matched):
            return False
        from tideline_cli.ranking import worth  # noqa: PLC0415  most hits share more words

        facts = self._stats.facts
        return all(
            worth.is_weak_match((term,), asked=self._asked, facts=facts,
                                holders=bm25.holders_of(self._stats, term))
            for term in matched
        )  # fmt: skip


class Reader:
    """Reads facts for a scorer, each once, and knows by what factor a sum of idf bounds a score.

    `factors` are by the byte of a fact; `highest` is the highest that a fact can have; `seen` are
    the bytes that there are, once they are read.
    """

    def __init__(self, view: View, scorer: Scorer, stats: Statistics, wanted: Filter) -> None:
        self._db = view.db
        self._scorer = scorer
        self._origin = view.number
        self._now = view.instant(wanted)
        self._wanted = wanted
        self._codes = b""
        self.seen: frozenset[int] = frozenset()
        self.depth = scorer.fading if scorer.retained is None else 0.0
        self._fading = bool(self.depth)
        factors = bound_factors(stats.mean_length, self.depth)
        self.factors = [factor * _SLACK for factor in factors]
        self.highest = max(self.factors)
        self.done: set[int] = set()
        self.few = FEW  # facts of one reading

    def floor(self) -> float:
        """Return the score of the last of the best, 0 while there are fewer."""
        return self._scorer.floor() or 0.0

    def codes(self, last: int) -> bytes:
        """Return the bytes of the facts up to number `last`, read once; those beyond the last one
        stored get the one that bounds nothing."""
        if not self._codes:
            self._codes = score_bounds.codes(self._db, origin_number=self._origin)
            self.seen = frozenset(_distinct(self._codes))
            if facts.last_number(self._db) < len(self._codes):
                there = self.seen - {0}
                self.highest = max(map(self.factors.__getitem__, there), default=0.0)
        if len(self._codes) <= last:
            self._codes += bytes([UNKNOWN]) * (last + 1 - len(self._codes))
            self.seen |= {UNKNOWN}
        return self._codes

    def bounds(
        self, sums: Mapping[int, float], left: float, *, least: float = 0.0
    ) -> dict[int, float]:
        """Return what each unread fact that can be among the best may score, of those whose terms
        add up to `least` in `sums`; `left` is what terms add that are not in these sums."""
        codes = self.codes(max(sums, default=0))
        factors, done, floor = self.factors, self.done, self.floor()
        least = max(least, floor / self.highest - left)
        return {
            seq: bound
            for seq, known in sums.items()
            if known >= least
            and (bound := (known + left) * factors[codes[seq]]) >= floor
            and seq not in done
        }

    def ask_first(self, reaches: Reaches) -> None:
        """Have this asked of each fact that is read before it is scored."""
        self._scorer.reaches = reaches

    def read(self, seqs: Sequence[int]) -> None:
        """Read facts and score them."""
        for start in range(0, len(seqs), self.few):
            part = seqs[start : start + self.few]
            rows = fts.ranking_rows(
                self._db, part, origin_number=self._origin, now=self._now, wanted=self._wanted,
                heat=self._scorer.wants_heat,
            )  # fmt: skip
            self._scorer.add(rows)
        self.done.update(seqs)

    def read_on(self, bounds: dict[int, float]) -> None:
        """Read all facts of which the bounds are given that can still be among the best."""
        while bounds:
            cut = max(self.floor(), STEP * max(bounds.values()))
            likely = [seq for seq, bound in bounds.items() if bound >= cut]
            if len(likely) > self.few:
                likely.sort(key=bounds.__getitem__, reverse=True)
            bounds = self._without(bounds, self._read_likely(likely, bounds))

    def _read_likely(self, likely: list[int], bounds: dict[int, float]) -> float:
        """Read facts in the order of their bounds, until those that are left are below the floor,
        or it has to be asked first whether they have faded; return the floor."""
        floor = self.floor()
        for start in range(0, len(likely), self.few):
            part = likely[start : start + self.few]
            if bounds[part[-1]] < floor:
                part = [seq for seq in part if bounds[seq] >= floor]
            self.read(part)
            floor = self.floor()
            if len(part) < self.few or (self._fading and len(bounds) > _MANY):
                break
        return floor

    def _without(self, bounds: dict[int, float], floor: float) -> dict[int, float]:
        """Return the bounds of those that are not read and may reach a floor."""
        done = self.done
        left = {seq: bound for seq, bound in bounds.items() if bound >= floor and seq not in done}
        return self._without_faded(left, floor) if self._fading and len(left) > _MANY else left

    def _without_faded(self, bounds: dict[int, float], floor: float) -> dict[int, float]:
        """Leave out the facts that would reach the floor only if they had not faded."""
        from tideline_cli.store import arrivals  # noqa: PLC0415  many facts are almost alike

        self._fading = False  # they are looked at once
        if not arrivals.fresh_are_rare(self._db, origin_number=self._origin, now=self._now):
            return bounds
        strongest = decay.highest_strength(arrivals.FADED_DAYS, arrivals.FADED_USES)
        factor = decay.modulator(strongest, self._scorer.fading)
        shares, codes = faded_shares(factor, self._scorer.fading), self._codes
        doubtful = [seq for seq, bound in bounds.items() if bound * shares[codes[seq]] < floor]
        strong = arrivals.fresh_among(self._db, doubtful, origin_number=self._origin, now=self._now)
        out = set(doubtful).difference(strong)
        return {seq: bound for seq, bound in bounds.items() if seq not in out}


def _distinct(codes: bytes) -> set[int]:
    """Return the bytes that occur: most of them do so early."""
    early = set(codes[:4096])
    return early | set(codes.translate(None, bytes(early)))
