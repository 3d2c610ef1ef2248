"""What the times that a question names add to facts, and how much that can be; and the facts of a
time, where a question names nothing else."""

from __future__ import annotations

from tideline_cli.memory.query import Match
from tideline_cli.model import times_in_text
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.lean import date
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import surroundings as worth
from tideline_cli.ranking import time_questions
from tideline_cli.store import arrivals, fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.scorer import Least, Scored
    from tideline_cli.memory.search import Search, View
    from tideline_cli.model.window import Part, Window

_SLACK = 1.0 - 1e-9  # a floor is lowered by a margin for rounding
_NO_FACTS: frozenset[int] = frozenset()


def named_in(view: View, text: str) -> NamedDates | None:
    """Return the times that a question names at its moment, None where it names none."""
    found = times_in_text.windows(text, now=view.now)
    if not found:
        return None
    is_of_saying = time_questions.is_of_saying(text)
    return NamedDates(view.db, found, origin_number=view.number, by_day=not is_of_saying)


_MOST = 1000  # facts of a time that are looked at


def of_time(view: View, search: Search, *, alone: bool) -> list[Match]:
    """Return the facts of a time that a question names: `alone`, with no word beside it that asks
    for more, or in whatever way, as weak ones. Those that were said then, if it asks for what was
    said; else those that speak of it or end then, and behind them those that speak of no day and
    were said then. What lies ahead comes first, the nearest to now, and last what nobody trusts."""
    text, now, db = search.query.text, view.now, view.db
    if not time_questions.asks_for_time(text, now, alone=alone):
        return []
    found: dict[int, int] = {}
    then: dict[int, int] = {}
    is_of_saying = time_questions.is_of_saying(text)
    own: Any = {"origin_number": view.number, "limit": _MOST, "wanted": search.wanted}
    for span in times_in_text.spans(text, now):
        start, end = map(times_in_text.midnight, (span.first, span.last + 1))
        made = arrivals.made_between(db, start, end, **own)
        if is_of_saying:
            then |= made
            continue
        elsewhere = _noons(arrivals.days_of(db, made, origin_number=view.number))
        then |= {seq: at for seq, at in made.items() if seq not in elsewhere}
        found |= arrivals.ending_between(db, start, end, **own)
        found |= _noons(arrivals.spoken_of(db, *span.days(), **own))
    at = then | found
    rows = fts.ranking_rows(
        db, list(at), origin_number=view.number, now=view.instant(search.wanted),
        wanted=search.wanted,
    ) if at else []  # fmt: skip
    today = times_in_text.midnight(date.fromtimestamp(now // 1000).toordinal())
    rows.sort(key=lambda row: (
        not is_trusted(row[fts.SOURCE]), row[0] not in found, at[row[0]] < today,
        abs(at[row[0]] - now), row[1],
    ))  # fmt: skip
    return [
        Match(row[0], row[1], row[fts.CREATED], score,
              Breakdown(None, (), 1.0, 1.0, 1.0, "lexical", parts={"time": score}), not alone)
        for place, row in enumerate(rows[: search.limit]) for score in (1.0 / (1.0 + place),)
    ]  # fmt: skip


def _noons(days: Mapping[int, str]) -> dict[int, int]:
    """Return the middle of days in ISO 8601 here, in ms; what is no such day is left out."""
    found: dict[int, int] = {}
    for seq, day in days.items():
        try:
            ordinal = date.fromisoformat(str(day)).toordinal()
            found[seq] = times_in_text.midnight(ordinal) + DAY_MS // 2
        except (ValueError, OverflowError, OSError):
            continue
    return found


class NamedDates:
    """The times that a question names, and how rare each part of their dates is in an origin."""

    def __init__(
        self, db: Connection, windows: Sequence[Window], *, origin_number: int, by_day: bool
    ) -> None:
        self._windows = windows
        self._by_day = by_day and arrivals.speak_of_days(db, origin_number=origin_number)
        self._days: Mapping[int, int] = {}
        self._db = db
        self._origin = origin_number
        parts = {part for window in windows for part in window.parts}
        self._weights = _part_weights(db, parts, origin_number=origin_number) if parts else {}

    def of(self, match: Match, length: int, mean_length: float) -> tuple[float, float]:
        """Return what its date adds to the words of a fact, and its factor."""
        at = self._days.get(match.seq, match.created_at)
        time = worth.nearness(at, self._windows)
        if not (self._weights and match.why.bm25):
            return 0.0, time
        parts = times_in_text.parts_at(at)
        return worth.date_score(parts, self._weights, length=length, mean_length=mean_length), time

    def look_up(self, seqs: Iterable[int]) -> None:
        """Look up which days facts speak of: these count, where a question asks for no saying."""
        if self._by_day:
            self._days = _noons(arrivals.days_of(self._db, seqs, origin_number=self._origin))

    def floor(self, limit: int) -> DatedFloor:
        """Return what tells how low an active fact may score by its words and be among the best
        `limit`, in a memory in which nothing else but the time moves a score."""
        instants = arrivals.nearest(self._db, self._windows, origin_number=self._origin)
        return DatedFloor(
            limit,
            self._windows,
            most_time=worth.TIME if self._by_day else max(
                [worth.nearness(at, self._windows) for at in instants], default=1.0
            ),
            most_date=worth.most_date_score(self._weights),
            is_even=arrivals.evenly_trusted(self._db, origin_number=self._origin),
            by_day=self._by_day,
        )  # fmt: skip


class DatedFloor:
    """How low a fact may score by its words where the times of a question weigh too.

    `most_time` is the highest factor, and `most_date` the most that a date adds to BM25. Where
    trusted facts stand beside such that nobody trusts (`is_even` is False), the time of the latter
    may be held back; where facts speak of days (`by_day`), that of any may be another.
    """

    def __init__(
        self, limit: int, windows: Sequence[Window], *, most_time: float, most_date: float,
        is_even: bool, by_day: bool,
    ) -> None:  # fmt: skip
        self._apart: Collection[int] = _NO_FACTS
        self._limit = limit
        self._windows = windows
        self._most_time = most_time
        self._most_date = most_date
        self._is_even = is_even
        self._by_day = by_day

    def beside(self, labelled: Mapping[str, Iterable[int]]) -> Least:
        """Return `of`, but for facts whose labels may change their scores: those by asked term."""
        self._apart = {seq for listed in labelled.values() for seq in listed}
        return self.of

    def of(self, best: Sequence[Scored]) -> float:
        """Return the score by words below which a fact is behind the best `limit` of these, however
        near its time is; 0 where they are fewer."""
        if len(best) < self._limit:
            return 0.0
        sure = sorted([self._least(one) for one in best if one[3][0] not in self._apart])
        if len(sure) < self._limit:
            return 0.0
        return max(0.0, (sure[-self._limit] / self._most_time - self._most_date) * _SLACK)

    def _least(self, one: Scored) -> float:
        """Return the least score that a fact can end with."""
        score, row = -one[0], one[3]
        if self._by_day or (not self._is_even and not is_trusted(row[fts.SOURCE])):
            return score
        return score * worth.nearness(row[fts.CREATED], self._windows)


def _part_weights(db: Connection, parts: set[Part], *, origin_number: int) -> dict[Part, float]:
    """Return the idf of parts of dates among the active facts of the origin."""
    days = arrivals.by_day(db, origin_number=origin_number)
    facts = sum(count for *_, count in days)
    place = {"year": 0, "month": 1, "day": 2}
    return {
        (name, value): worth.date_weight(
            sum(day[3] for day in days if day[place[name]] == value), facts
        )
        for name, value in parts
    }
