"""What the times that a question names add to facts, and how much that can be."""

from __future__ import annotations

from tideline_cli.model import question_times
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import surroundings as worth
from tideline_cli.store import arrivals, fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.memory.scorer import Least, Scored
    from tideline_cli.memory.search import View
    from tideline_cli.model.window import Part, Window

_SLACK = 1.0 - 1e-9  # a floor is lowered by a margin for rounding
_NO_FACTS: frozenset[int] = frozenset()


def named_in(view: View, text: str) -> NamedDates | None:
    """Return the times that a question names at its moment, None where it names none."""
    found = question_times.windows(text, now=view.now)
    return NamedDates(view.db, found, origin_number=view.number) if found else None


class NamedDates:
    """The times that a question names, and how rare each part of their dates is in an origin."""

    def __init__(self, db: Connection, windows: Sequence[Window], *, origin_number: int) -> None:
        self._windows = windows
        self._db = db
        self._origin = origin_number
        parts = {part for window in windows for part in window.parts}
        self._weights = _part_weights(db, parts, origin_number=origin_number) if parts else {}

    def of(self, match: Match, length: int, mean_length: float) -> tuple[float, float]:
        """Return what its date adds to the words of a fact, and its factor."""
        time = worth.nearness(match.created_at, self._windows)
        if not (self._weights and match.why.bm25):
            return 0.0, time
        parts = question_times.parts_at(match.created_at)
        return worth.date_score(parts, self._weights, length=length, mean_length=mean_length), time

    def floor(self, limit: int) -> DatedFloor:
        """Return what tells how low an active fact may score by its words and be among the best
        `limit`, in a memory in which nothing else but the time moves a score."""
        instants = arrivals.nearest(self._db, self._windows, origin_number=self._origin)
        return DatedFloor(
            limit,
            self._windows,
            most_time=max([worth.nearness(at, self._windows) for at in instants], default=1.0),
            most_date=worth.most_date_score(self._weights),
            is_even=arrivals.evenly_trusted(self._db, origin_number=self._origin),
        )


class DatedFloor:
    """How low a fact may score by its words where the times of a question weigh too.

    `most_time` is the highest factor, and `most_date` the most that a date adds to BM25. Where
    trusted facts stand beside such that nobody trusts (`is_even` is False), the time of the latter
    may be held back.
    """

    def __init__(
        self, limit: int, windows: Sequence[Window], *, most_time: float, most_date: float,
        is_even: bool,
    ) -> None:  # fmt: skip
        self._apart: Collection[int] = _NO_FACTS
        self._limit = limit
        self._windows = windows
        self._most_time = most_time
        self._most_date = most_date
        self._is_even = is_even

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
        if not self._is_even and not is_trusted(row[fts.SOURCE]):
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
