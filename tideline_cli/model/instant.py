"""Points in time: integer milliseconds UTC inside, ISO 8601 at the doors, and by the clock on the
wall as people read them."""

from __future__ import annotations

import time

from tideline_cli.errors import UsageError

DAY_MS = 86_400_000
EARLIEST_MS = -62_135_596_800_000  # 0001-01-01
_LONGEST = 18  # digits of epoch milliseconds, sign and leading zeros included
LATEST_MS = 253_402_300_799_999  # 9999-12-31
LONGEST_SPAN_MS = 36_525 * DAY_MS  # a century


def now_ms() -> int:
    """Return the clock; only the doors call it."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """Return `ms` as ISO 8601 UTC with milliseconds, e.g. 2026-02-01T08:30:00.000Z."""
    seconds, millis = divmod(ms, 1000)
    t = time.gmtime(seconds)
    return (
        f"{t.tm_year:04d}-{t.tm_mon:02d}-{t.tm_mday:02d}"
        f"T{t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d}.{millis:03d}Z"
    )


_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def short_day(end: int, *, now: int) -> str:
    """Return the day of which an end is the end, as people write it: 20 Nov, and in another year
    20 Nov 2025. A day that was given as such is one of UTC."""
    told = time.gmtime if end % DAY_MS == 0 else time.localtime
    try:
        day, this = told((end - 1) // 1000), told(now // 1000)
    except (OverflowError, OSError, ValueError):  # years that the C library does not know
        return iso(end - 1)[:10]
    shown = f"{day.tm_mday} {_MONTHS[day.tm_mon - 1]}"
    return shown if day.tm_year == this.tm_year else f"{shown} {day.tm_year}"


def local(ms: int) -> str:
    """Return a time in the zone of this machine, to the minute: 2026-11-07 14:30."""
    try:
        t = time.localtime(ms // 1000)
    except (OverflowError, OSError, ValueError):  # years that the C library does not know
        return iso(ms)[:16].replace("T", " ")
    return f"{t.tm_year:04d}-{t.tm_mon:02d}-{t.tm_mday:02d} {t.tm_hour:02d}:{t.tm_min:02d}"


def day(ms: int) -> str:
    """Return a time as people write it: midnight is a day, anything else is to the minute."""
    return local(ms).removesuffix(" 00:00")


def named_day(ms: int) -> str:
    """Return the day of a time in the zone of this machine, with its name: Thursday 2026-03-05."""
    try:
        return time.strftime("%A %Y-%m-%d", time.localtime(ms // 1000))
    except (OverflowError, OSError, ValueError):  # years that the C library does not know
        return iso(ms)[:10]


def until(ms: int) -> str:
    """Return an end as people write it: midnight is the end of the day before."""
    before = local(ms - 1)
    at_midnight = local(ms).endswith(" 00:00") and ms % 60_000 == 0
    return f"the end of {before[:10]}" if at_midnight else local(ms)


def parse(text: str) -> int:
    """Return the milliseconds of an ISO 8601 time (UTC when it names no zone) or of epoch ms.

    Raises UsageError for anything else, and for years outside 1..9999.
    """
    raw = text.strip()
    if raw.isascii() and raw.removeprefix("-").isdigit() and (len(raw) != 8 or raw[0] == "-"):
        if len(raw) > _LONGEST:
            raise _not_a_time(text)
        return _within(int(raw), text)
    from datetime import UTC, datetime  # noqa: PLC0415  2 ms, and most calls name no time

    try:
        moment = datetime.fromisoformat(raw)
    except ValueError as error:
        raise _not_a_time(text) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return _within(delta.days * DAY_MS + delta.seconds * 1000 + delta.microseconds // 1000, text)


def _within(ms: int, text: str) -> int:
    """Return `ms`; raise UsageError for a time outside the years 1..9999."""
    if not EARLIEST_MS <= ms <= LATEST_MS:
        raise _not_a_time(text)
    return ms


def _not_a_time(text: str) -> UsageError:
    shown = text if len(text) <= 40 else text[:39] + "…"
    return UsageError(
        f"not a time: {shown!r}",
        hint="use ISO 8601 such as 2026-02-01 or 2026-02-01T08:30:00Z, or epoch milliseconds",
    )
