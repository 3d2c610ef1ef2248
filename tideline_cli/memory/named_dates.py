"""What the times that a question names add to facts."""

from __future__ import annotations

from tideline_cli.model.question_times import parts_at
from tideline_cli.ranking import surroundings as worth
from tideline_cli.store import arrivals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.model.window import Part, Window


class NamedDates:
    """The times that a question names, and how rare each part of their dates is in an origin."""

    def __init__(
        self, db: Connection, windows: Sequence[Window], mean_length: float, *, origin_number: int
    ) -> None:
        self._windows = windows
        self._mean_length = mean_length
        parts = {part for window in windows for part in window.parts}
        self._weights = _part_weights(db, parts, origin_number=origin_number) if parts else {}

    def of(self, match: Match, length: int) -> tuple[float, float]:
        """Return what its date adds to the words of a fact, and its factor."""
        time = worth.nearness(match.created_at, self._windows)
        if not (self._weights and match.why.bm25):
            return 0.0, time
        parts = parts_at(match.created_at)
        return worth.date_score(
            parts, self._weights, length=length, mean_length=self._mean_length
        ), time


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
