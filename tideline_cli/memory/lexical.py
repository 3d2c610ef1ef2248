"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

The full-text index tells which facts hold a term, rarest term first; a byte per fact bounds what
it can score. Facts are read and scored in the order of their bounds, until the best ones found
beat whatever is left.
"""

from __future__ import annotations

from tideline_cli.memory.query import Match
from tideline_cli.model.fact import SEGMENTS, trust
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking import bm25, decay
from tideline_cli.ranking.score_bounds import UNKNOWN, bound_factors
from tideline_cli.store import facts, fts, lapsed, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow
    from tideline_cli.store.lapsed import Lapsed

_FEW = 400  # facts that are cheaper to read than to bound
_STEP = 0.8  # the bounds of one reading go down to this share of the highest one left
_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding


def search(
    db: Connection,
    terms: Sequence[str],
    *,
    origin_number: int,
    now: int,
    limit: int,
    wanted: Filter,
    fading: bool = True,
    gone: Lapsed | None = None,
) -> list[Match]:
    """Return the best `limit` facts of an origin for these distinct terms, in order; `gone` are its
    facts that do not hold now, where the caller knows them."""
    if wanted.as_of is not None:
        return _search_as_of(db, terms, origin_number, limit, wanted, fading)
    gone = gone or lapsed.at(db, origin_number=origin_number, now=now)
    count, tokens = fts.totals(db, origin_number=origin_number, gone=gone)
    held = fts.frequencies(db, terms, origin_number=origin_number, gone=gone)
    stats = bm25.statistics(count, tokens, held)
    if not stats.idf:
        return []
    ordered = [term for term in terms if term in stats.idf]
    scorer = _Scorer(ordered, stats, now, limit, fading)
    reader = _Reader(db, scorer, stats, origin_number, now, wanted)
    counted, left = 0.0, sum(stats.idf.values())
    sampled_at = left
    for term, idf in stats.idf.items():
        floor = scorer.floor()
        if floor is not None and left * reader.highest < floor:
            break
        counted, left = counted + idf, left - idf
        reader.add(fts.postings(db, term, origin_number=origin_number), idf)
        if counted > left and left <= sampled_at / 2:
            reader.sample(left)
            sampled_at = left
    reader.finish(max(left, 0.0))
    return scorer.matches


class _Reader:
    """The facts known to hold a term, their bounds, and which of them were read."""

    def __init__(
        self, db: Connection, scorer: _Scorer, stats: bm25.Statistics, origin_number: int, now: int,
        wanted: Filter,
    ) -> None:  # fmt: skip
        self._db = db
        self._scorer = scorer
        self._origin = origin_number
        self._now = now
        self._wanted = wanted
        self._factors = [factor * _SLACK for factor in bound_factors(stats.mean_length)]
        self._codes = b""
        self._sums: dict[int, float] = {}
        self._done: set[int] = set()
        self.highest = max(self._factors)

    def add(self, seqs: list[int], idf: float) -> None:
        """Count a term for the facts that hold it."""
        sums = self._sums
        if not sums:
            self._sums = dict.fromkeys(seqs, idf)
            return
        known = sums.get
        for seq in seqs:
            sums[seq] = known(seq, 0.0) + idf

    def sample(self, left: float) -> None:
        """Read the most promising facts; `left` is the idf of the terms not looked up yet."""
        if len(self._sums) <= _FEW:
            self._score([seq for seq in self._sums if seq not in self._done])
            return
        top = max(self._sums.values())
        bounds = self._bounds(left, least=_STEP * top)
        if bounds:
            cut = _STEP * max(bounds.values())
            self._score([seq for seq, bound in bounds.items() if bound >= cut][:_FEW])

    def finish(self, left: float) -> None:
        """Read whatever can still be among the best."""
        bounds = self._bounds(left)
        while bounds:
            floor = self._scorer.floor() or 0.0
            cut = max(floor, _STEP * max(bounds.values()))
            self._score([seq for seq, bound in bounds.items() if bound >= cut])
            floor = self._scorer.floor() or 0.0
            done = self._done
            bounds = {
                seq: bound for seq, bound in bounds.items() if bound >= floor and seq not in done
            }

    def _bounds(self, left: float, *, least: float = 0.0) -> dict[int, float]:
        """Return what each unread fact that can be among the best may score, of those whose terms
        add up to `least`."""
        sums, factors, done = self._sums, self._factors, self._done
        floor = self._scorer.floor() or 0.0
        self._load()
        codes = self._codes
        least = max(least, floor / self.highest - left)
        return {
            seq: bound
            for seq, known in sums.items()
            if known >= least
            and (bound := (known + left) * factors[codes[seq]]) >= floor
            and seq not in done
        }

    def _score(self, seqs: list[int]) -> None:
        for start in range(0, len(seqs), _FEW):
            part = seqs[start : start + _FEW]
            self._scorer.add(
                fts.ranking_rows(
                    self._db, part, origin_number=self._origin, now=self._now, wanted=self._wanted
                )
            )
        self._done.update(seqs)

    def _load(self) -> None:
        """Read the bytes once; facts beyond the last one get the one that bounds nothing."""
        if not self._codes:
            self._codes = score_bounds.codes(self._db)
            if facts.last_number(self._db) < len(self._codes):
                self.highest = max(map(self._factors.__getitem__, set(self._codes)))
        last = max(self._sums, default=0) + 1
        if len(self._codes) < last:
            self._codes += bytes([UNKNOWN]) * (last - len(self._codes))


class _Scorer:
    """Scores rows and keeps those that can still be among the best `limit`."""

    def __init__(
        self, terms: Sequence[str], stats: bm25.Statistics, now: int, limit: int, fading: bool
    ) -> None:
        self._terms = terms
        self._stats = stats
        self._now = now
        self._limit = limit
        self._fading = fading
        self.matches: list[Match] = []

    def add(self, rows: Iterable[RankingRow]) -> None:
        """Score the rows; those that cannot reach the floor are dropped unscored."""
        floor = self.floor() or 0.0
        fresh: list[Match] = []
        for row in rows:
            value, matched = bm25.score(row[fts.TERMS].split(), self._terms, self._stats)
            if value >= floor:
                fresh.append(self._match(row, value, matched))
                if len(fresh) >= 4 * self._limit + 64:
                    self._merge(fresh)
                    fresh = []
                    floor = self.floor() or 0.0
        self._merge(fresh)

    def floor(self) -> float | None:
        """Return the score of the last of the best `limit`, None while there are fewer."""
        return self.matches[self._limit - 1].score if len(self.matches) >= self._limit else None

    def _merge(self, fresh: list[Match]) -> None:
        self.matches = sorted([*self.matches, *fresh], key=Match.order)[: self._limit]

    def _match(self, row: RankingRow, value: float, matched: tuple[str, ...]) -> Match:
        (
            seq, fact_id, _, source, confidence, importance, decay_rate, segment, tier, pinned,
            created_at, access_count, last_accessed_at,
        ) = row  # fmt: skip
        if decay_rate is None:
            decay_rate = SEGMENTS[segment].decay_rate
        days = (self._now - last_accessed_at) / DAY_MS
        immune = decay.is_immune(tier, bool(pinned)) or not self._fading
        power = decay.strength(importance, decay_rate, access_count, days, immune=immune)
        weight = trust(source, confidence)
        factor = decay.modulator(power)
        return Match(
            seq,
            fact_id,
            created_at,
            value * weight * factor,
            Breakdown(value, matched, power, factor, weight, "lexical"),
        )


def _search_as_of(
    db: Connection,
    terms: Sequence[str],
    origin_number: int,
    limit: int,
    wanted: Filter,
    fading: bool,
) -> list[Match]:
    """Search what was valid at an instant: every match is read, the past keeps no statistics."""
    instant = wanted.as_of or 0
    everything = type(wanted)(as_of=instant)
    count, tokens = fts.totals_as_of(db, origin_number=origin_number, instant=instant)
    rows = fts.matching_as_of(db, terms, origin_number=origin_number, wanted=everything)
    sets = [frozenset(row[fts.TERMS].split()) for row in rows]
    held = {term: sum(term in terms_of for terms_of in sets) for term in terms}
    stats = bm25.statistics(count, tokens, held)
    if not wanted.is_open():
        rows = fts.matching_as_of(db, terms, origin_number=origin_number, wanted=wanted)
    ordered = [term for term in terms if term in stats.idf]
    scorer = _Scorer(ordered, stats, instant, limit, fading)
    scorer.add(rows)
    return scorer.matches
