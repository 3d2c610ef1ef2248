"""Times as people write them: days, months and years of the calendar here, words such as 7d,
yesterday, "2 weeks ago"; durations; and how long ago a time was."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.instant import DAY_MS, EARLIEST_MS, LATEST_MS, LONGEST_SPAN_MS
from tideline_cli.model.lean import date, datetime, timedelta
from tideline_cli.model.record import Record

_UNITS_MS = {
    name: ms
    for names, ms in (
        (("s", "sec", "secs", "second", "seconds"), 1000),
        (("m", "min", "mins", "minute", "minutes"), 60_000),
        (("h", "hr", "hrs", "hour", "hours"), 3_600_000),
        (("d", "day", "days"), DAY_MS),
        (("w", "week", "weeks"), 7 * DAY_MS),
    )
    for name in names
}
"""Spans of time that are always equally long, by their names."""
_ROUGHLY_MS = {
    name: ms
    for names, ms in (
        (("mo", "month", "months"), 30 * DAY_MS),
        (("y", "year", "years"), 365 * DAY_MS),
    )
    for name in names
}
"""Spans of the calendar as durations take them: a month is 30 days, a year 365."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_OF_A_DATE = (4, 8)  # digits of a year and of a day; any other number is epoch milliseconds
_OF_A_DAY = frozenset("0123456789-W")
_LONGEST_NUMBER = 6
_LONGEST_COUNT = 18  # digits of a duration, leading zeros included
_MONTHS = {"mo": 1, "month": 1, "months": 1, "y": 12, "year": 12, "years": 12}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("mon monday", "tue tuesday", "wed wednesday", "thu thursday", "fri friday",
         "sat saturday", "sun sunday")
    )
    for name in names.split()
}  # fmt: skip
_TURNS = {"last": -1, "this": 0, "next": 1}
_HINT = ("use 2026-11-07, 2026-11, 2026, 2026-11-07T14:30, 7d, +30d, yesterday, \"2 weeks ago\", "
         '"in 3 days", "last week", friday, or epoch milliseconds')  # fmt: skip


class Meant(Record):
    """What a text means: the first millisecond, and the first one after it; both are the same for
    an instant. `is_bare` where nothing says whether it lies behind or ahead, as in 7d and friday:
    it then lies behind."""

    start: int
    end: int
    is_bare: bool = False


def meant(text: str, *, now: int) -> Meant:
    """Return what a text means at `now`, in the zone of this machine where it names none.

    Raises UsageError for anything else, and for years outside 1..9999.
    """
    words = text.lower().split()
    try:
        found = _exact(text) or _calendar(text.strip()) or _words(words, now=now)
    except (UsageError, OverflowError, ValueError, OSError) as error:  # also beyond the years
        raise not_understood(text) from error
    if found is None or not EARLIEST_MS <= found.start <= found.end <= LATEST_MS:
        raise not_understood(text)
    return found


def not_understood(text: str) -> UsageError:
    """Return the error of a text that means no time."""
    shown = text if len(text) <= 40 else text[:39] + "…"
    return UsageError(f"not a time: {shown!r}", hint=_HINT)


def _exact(text: str) -> Meant | None:
    """Return the instant of epoch milliseconds, or of a time of day; None for any other text."""
    raw = text.strip()
    digits = raw.removeprefix("-")
    if digits.isascii() and digits.isdigit():
        return None if raw == digits and len(raw) in _OF_A_DATE else _instant(instant.parse(raw))
    day, clock, _ = raw.upper().partition("T")
    if ":" not in raw and not (clock and day and _OF_A_DAY.issuperset(day)):
        return None
    moment = datetime.fromisoformat(raw)
    return _instant(_ms(moment) if moment.tzinfo is None else instant.parse(raw))


def _calendar(raw: str) -> Meant | None:
    """Return the day, the week, the month or the year that ISO 8601 names so."""
    if not raw.isascii() or not raw[:4].isdigit():
        return None
    if len(raw) == 4:
        return _months(int(raw), 1, 12)
    if len(raw) == 7 and raw[4] == "-" and raw[5:].isdigit():
        return _months(int(raw[:4]), int(raw[5:]), 1)
    try:
        first = date.fromisoformat(raw)
    except ValueError:
        return None
    is_week = "W" in raw and len(raw.replace("-", "")) == 7
    return _days(first, 7 if is_week else 1)


def _words(words: list[str], *, now: int) -> Meant | None:
    today = datetime.fromtimestamp(now // 1000).date()
    match words:
        case ["now"]:
            return _instant(now)
        case [word] if word in _DAYS:
            return _days(today + timedelta(_DAYS[word]), 1)
        case [word] if word in _WEEKDAYS:
            back = (today.weekday() - _WEEKDAYS[word]) % 7
            return _bare(_days(today - timedelta(back), 1))
        case [turn, word] if turn in _TURNS:
            return _turned(_TURNS[turn], word, today)
        case ["in", *rest]:
            return _shifted(rest, 1, now=now)
        case [*rest, "ago"]:
            return _shifted(rest, -1, now=now)
        case [first, *rest] if first[:1] == "+":
            return _shifted([first[1:], *rest], 1, now=now)
        case [first, *rest] if first[:1] == "-":
            return _shifted([first[1:], *rest], -1, now=now)
        case _:
            found = _shifted(words, -1, now=now)
            return found and _bare(found)


def _turned(turn: int, word: str, today: date) -> Meant | None:
    """Return the last, this or the next week, month, year or weekday."""
    if word in _WEEKDAYS:
        ahead = (_WEEKDAYS[word] - today.weekday()) % 7
        if turn > 0:
            ahead = ahead or 7
        elif turn < 0:
            ahead -= 7
        return _days(today + timedelta(ahead), 1)
    if word == "week":
        return _days(today + timedelta(7 * turn - today.weekday()), 7)
    if word == "month":
        month = today.year * 12 + today.month - 1 + turn
        return _months(month // 12, month % 12 + 1, 1)
    return _months(today.year + turn, 1, 12) if word == "year" else None


def _shifted(words: list[str], sign: int, *, now: int) -> Meant | None:
    """Return the instant that lies a span of time before or after `now`: 7d, 7 days, a week."""
    match words:
        case [joined]:
            digits = joined.rstrip(_LETTERS)
            unit = joined[len(digits) :]
        case [digits, unit]:
            digits = "1" if digits in ("a", "an", "one") else digits
        case _:
            return None
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER):
        return None
    count = sign * int(digits)
    if unit in _UNITS_MS:
        return _instant(now + count * _UNITS_MS[unit])
    return _instant(_months_on(now, count * _MONTHS[unit])) if unit in _MONTHS else None


def _months_on(now: int, count: int) -> int:
    """Return the same day and time of day so many months on, or the last day that month has."""
    here = datetime.fromtimestamp(now // 1000)
    month = here.year * 12 + here.month - 1 + count
    year, number = month // 12, month % 12 + 1
    last = (date(year + number // 12, number % 12 + 1, 1) - timedelta(1)).day
    return _ms(here.replace(year=year, month=number, day=min(here.day, last))) + now % 1000


def _bare(found: Meant) -> Meant:
    return Meant(found.start, found.end, is_bare=True)


def _instant(ms: int) -> Meant:
    return Meant(ms, ms)


def _days(first: date, count: int) -> Meant:
    last = first + timedelta(count - 1)  # the day after 9999-12-31 has no date
    end = LATEST_MS if last == date.max else _midnight(last + timedelta(1))
    return Meant(_midnight(first), end)


def _months(year: int, month: int, count: int) -> Meant:
    after = year * 12 + month - 1 + count
    is_last = after // 12 > date.max.year
    end = LATEST_MS if is_last else _midnight(date(after // 12, after % 12 + 1, 1))
    return Meant(_midnight(date(year, month, 1)), end)


def _midnight(day: date) -> int:
    """Return when a day begins here. Where summer time leaves out midnight, it begins after it."""
    return max(EARLIEST_MS, _ms(datetime(day.year, day.month, day.day)))


def _ms(local: datetime) -> int:
    """Return the instant of a time of the clock here; of one that comes twice, the first."""
    try:
        seconds = int(local.replace(microsecond=0).timestamp())
    except (OverflowError, ValueError, OSError):  # at the edge of the years, where no zone is known
        return instant.parse(local.isoformat())
    return seconds * 1000 + local.microsecond // 1000


_MINUTE_MS = 60_000
_HOUR_MS = 3_600_000
# From how many milliseconds on a unit is used, its length, its name and its letters.
_AGES = (
    (730 * DAY_MS, 365.25 * DAY_MS, "year", "y"),
    (60 * DAY_MS, 30.4375 * DAY_MS, "month", "mo"),
    (14 * DAY_MS, 7 * DAY_MS, "week", "w"),
    (DAY_MS, DAY_MS, "day", "d"),
    (_HOUR_MS, _HOUR_MS, "hour", "h"),
    (_MINUTE_MS, _MINUTE_MS, "minute", "min"),
)


def ago(ms: int, now: int) -> str:
    """Return how far `ms` is from `now` in words: just now, 3 days ago, in 2 weeks."""
    counted = _counted(ms, now)
    if counted is None:
        return "just now"
    count, name, _ = counted
    span = f"{count} {name}{'' if count == 1 else 's'}"
    return f"{span} ago" if ms <= now else f"in {span}"


def brief(ms: int, now: int) -> str:
    """Return how far `ms` is from `now` in at most 5 letters: now, 3d, +2w; a plus is ahead."""
    counted = _counted(ms, now)
    if counted is None:
        return "now"
    count, _, letters = counted
    return f"{'' if ms <= now else '+'}{count}{letters}"


def _counted(ms: int, now: int) -> tuple[int, str, str] | None:
    """Return how many whole units lie between two times, the unit's name and its letters."""
    apart = abs(now - ms)
    for least, length, name, letters in _AGES:
        if apart >= least:
            return int(apart // length), name, letters
    return None


def parse_duration(text: str) -> int:
    """Return the milliseconds of a duration: a whole number and a unit, such as 7d, 7 days or 6mo.

    Raises UsageError for anything else, and for more than a century.
    """
    raw = text.strip().lower()
    count = raw.rstrip(_LETTERS)
    unit, digits = raw[len(count) :], count.rstrip(" ")
    length = _UNITS_MS.get(unit) or _ROUGHLY_MS.get(unit)
    if length and digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_COUNT:
        ms = int(digits) * length
        if ms <= LONGEST_SPAN_MS:
            return ms
    shown = text if len(text) <= 40 else text[:39] + "…"
    raise UsageError(
        f"not a duration: {shown!r}", hint="use one such as 90s, 30m, 24h, 7d, 2w, 6mo or 1y"
    )
