"""Stretches of days around a day: last week, the next Friday, a date."""

from __future__ import annotations

from tideline_cli.model.lean import date
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.window import Part

    Key = tuple[str, int]  # day, week, month, quarter or year, and the first day of it

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"hour": 0, "day": 1, "week": 7, "weekend": 7, "fortnight": 14}


class Span(Record):
    """The days that words mean, first and last as ordinals. They have a `unit` where they count
    from the day on which they are said. `parts` are those of a date. What lies behind or ahead, a
    weekday or a date without a year, is two spans that are `either`."""

    first: int
    last: int
    unit: str = ""
    parts: tuple[Part, ...] = ()
    either: str = ""

    def days(self) -> tuple[str, str]:
        """Return the first and the last day in ISO 8601."""
        return date.fromordinal(self.first).isoformat(), date.fromordinal(self.last).isoformat()

    @property
    def key(self) -> Key:
        """What is equal for relative words that mean the same."""
        return self.unit, (self.first + self.last) // 2 if self.unit == "day" else self.first


def turned(today: date, turn: int, unit: str) -> Span:
    """Return the week, weekend, month, quarter or year so many away from that of a day; of a day,
    that day."""
    if unit in ("week", "weekend"):
        monday = today.toordinal() - today.weekday() + 7 * turn
        return Span(monday + (5 if unit == "weekend" else 0), monday + 6, unit)
    if unit == "day":
        return Span(today.toordinal() + turn, today.toordinal() + turn, unit)
    size = _MONTHS[unit]
    month = (today.year * 12 + today.month - 1) // size * size + turn * size
    return Span(_first_of(month), _first_of(month + size) - 1, unit)


def weekday(today: date, turn: int, number: int) -> Span:
    """Return the last one before a day, the next one after it, or that of its week."""
    ahead = (number - today.weekday()) % 7
    days = {-1: ahead - 7, 0: number - today.weekday(), 1: ahead or 7}[max(-1, min(turn, 1))]
    return turned(today, days, "day")


def on(today: date, count: int, unit: str) -> int:
    """Return the day so many units before or after a day."""
    if unit in _DAYS:
        return today.toordinal() + count * _DAYS[unit]
    month = today.year * 12 + today.month - 1 + count * _MONTHS[unit]
    return min(_first_of(month) + today.day, _first_of(month + 1)) - 1


def of_date(today: date, year: int, month: int = 0, day: int = 0) -> Sequence[Span]:
    """Return a year, a month or a day; without a year the last one that has begun, and the next."""
    named = (("year", year), ("month", month), ("day", day))
    parts = tuple(part for part in named if part[1])
    if year:
        return (_of(year, month, day, parts, ""),)
    found = [
        _of(one, month, day, parts, "date")
        for one in range(today.year - 4, today.year + 5)
        if not (month == 2 and day == 29 and one % 4)
    ]
    before = [one for one in found if one.first <= today.toordinal()]
    return before[-1], found[len(before)]


def _of(year: int, month: int, day: int, parts: tuple[Part, ...], either: str) -> Span:
    if not month:
        return Span(_first_of(year * 12), _first_of(year * 12 + 12) - 1, "", parts, either)
    if not day:
        start = year * 12 + month - 1
        return Span(_first_of(start), _first_of(start + 1) - 1, "", parts, either)
    only = date(year, month, day).toordinal()
    return Span(only, only, "", parts, either)


def _first_of(month: int) -> int:
    """Return the first day of a month that is counted from year 0."""
    if month // 12 > date.max.year:
        return date.max.toordinal() + 1
    return date(month // 12, month % 12 + 1, 1).toordinal()
