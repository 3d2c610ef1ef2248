"""The lexical lane: exact BM25 over one origin's facts without reading most of them.

A fact's score is at most the sum of its terms' bounds. So facts are fetched in order of what they
can reach at most, the full-text index selecting those whose terms could add up to enough, until
the best ones found beat everything that is left.
"""

from __future__ import annotations

from tideline_cli.model.hit import Breakdown
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record
from tideline_cli.ranking import bm25, decay
from tideline_cli.ranking.trust import WEIGHTS, trust
from tideline_cli.store import fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.facts import Filter

_FIRST = 3  # facts to expect in the first fetch, for each one wanted
_STUDIED_TERMS = 8


@record
class Match:
    """A ranked fact before its text is read."""

    seq: int
    id: str
    created_at: int
    score: float
    why: Breakdown

    def order(self) -> tuple[float, int, str]:
        """Return the sort key: best first, then newer, then by id."""
        return -self.score, -self.created_at, self.id


def search(
    db: Connection, terms: Sequence[str], *, origin: int, now: int, limit: int, wanted: Filter,
    fading: bool = True,
) -> list[Match]:  # fmt: skip
    """Return the best `limit` facts of an origin for these distinct terms, in order."""
    if wanted.as_of is not None:
        return _search_as_of(db, terms, origin, limit, wanted, fading)
    count, tokens, sources = fts.totals(db, origin=origin, now=now)
    held = fts.frequencies(db, terms, origin=origin, now=now)
    stats = bm25.statistics(count, tokens, held)
    if not stats.idf:
        return []
    ceiling = max((WEIGHTS[source] for source in sources), default=1.0)  # type: ignore[index]
    bounds = {term: ceiling * bm25.bound(idf) for term, idf in stats.idf.items()}
    ordered = [term for term in terms if term in stats.idf]
    scorer = _Scorer(ordered, stats, ceiling, now, limit, fading)
    least = min(bounds.values())
    need = _promising(bounds, held, count, _FIRST * limit)
    besides: bm25.Condition | None = None
    while True:
        condition = bm25.at_least(bounds, need)
        if condition is not None and condition != besides:
            rows = fts.matching(
                db, condition, besides=besides, origin=origin, now=now, wanted=wanted
            )
            scorer.add(rows)
            besides = condition
        if need <= least:
            return scorer.matches
        floor = scorer.floor()
        if floor is not None and floor >= need:
            return scorer.matches
        need = _promising(bounds, held, count, 8 * limit, below=need) if floor is None else floor
        need = max(need, least)


def _promising(
    bounds: Mapping[str, float], held: Mapping[str, int], count: int, wanted: int,
    below: float = float("inf"),
) -> float:  # fmt: skip
    """Return a sum of bounds, less than `below`, that about `wanted` facts reach, were terms
    independent."""
    studied = list(bounds.items())[:_STUDIED_TERMS]
    subsets = [(0.0, float(count))]
    for term, weight in studied:
        share = held[term] / count
        subsets = [
            part
            for total, facts in subsets
            for part in ((total + weight, facts * share), (total, facts * (1.0 - share)))
        ]
    subsets.sort(reverse=True)
    expected = 0.0
    for total, facts in subsets:
        expected += facts
        if expected >= wanted and total < below:
            return total
    return 0.0


class _Scorer:
    """Scores rows and keeps those that can still be among the best `limit`."""

    def __init__(
        self, terms: Sequence[str], stats: bm25.Statistics, ceiling: float, now: int, limit: int,
        fading: bool,
    ) -> None:  # fmt: skip
        self._terms = terms
        self._stats = stats
        self._ceiling = ceiling
        self._now = now
        self._limit = limit
        self._fading = fading
        self.matches: list[Match] = []

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        """Score the rows; those that cannot reach the floor are dropped unscored."""
        floor = self.floor() or 0.0
        fresh: list[Match] = []
        for row in rows:
            value, matched = bm25.score(row[2].split(), self._terms, self._stats)
            if value * self._ceiling >= floor:
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

    def _match(self, row: Sequence[Any], value: float, matched: tuple[str, ...]) -> Match:
        (
            seq, fact_id, _, source, confidence, importance, decay_rate, tier, pinned, created_at,
            access_count, last_accessed_at,
        ) = row  # fmt: skip
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
    db: Connection, terms: Sequence[str], origin: int, limit: int, wanted: Filter, fading: bool
) -> list[Match]:
    """Search what was valid at an instant: every match is read, the past keeps no statistics."""
    instant = wanted.as_of or 0
    everything = type(wanted)(as_of=instant)
    count, tokens = fts.totals_as_of(db, origin=origin, instant=instant)
    rows = fts.matching_as_of(db, terms, origin=origin, wanted=everything)
    sets = [frozenset(row[2].split()) for row in rows]
    held = {term: sum(term in terms_of for terms_of in sets) for term in terms}
    stats = bm25.statistics(count, tokens, held)
    if not wanted.is_open():
        rows = fts.matching_as_of(db, terms, origin=origin, wanted=wanted)
    ordered = [term for term in terms if term in stats.idf]
    scorer = _Scorer(ordered, stats, 1.0, instant, limit, fading)
    scorer.add(rows)
    return scorer.matches
