"""How long ago, and when by the clock on the wall: times as people read them."""

from __future__ import annotations

import time

from tideline_cli.model.instant import DAY_MS, iso

_MINUTE_MS = 60_000
_HOUR_MS = 3_600_000
# From how many milliseconds on a unit is used, its length, its name and its letters.
_UNITS = (
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


def until(ms: int) -> str:
    """Return an end as people write it: midnight is the end of the day before."""
    before = local(ms - 1)
    at_midnight = local(ms).endswith(" 00:00") and ms % _MINUTE_MS == 0
    return f"the end of {before[:10]}" if at_midnight else local(ms)


def _counted(ms: int, now: int) -> tuple[int, str, str] | None:
    """Return how many whole units lie between two times, the unit's name and its letters."""
    apart = abs(now - ms)
    for least, length, name, letters in _UNITS:
        if apart >= least:
            return int(apart // length), name, letters
    return None
