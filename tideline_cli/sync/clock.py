"""The hybrid clock that puts the words of many machines in one order. Pure.

A time of it is one number: milliseconds since 1970 in the upper 48 bits, a counter in the lower 16.
It follows the clock of the machine, and is later than all that was known when a word was said.
Source: Kulkarni and others, Logical Physical Clocks, 2014.
"""

from __future__ import annotations

_COUNTER_BITS = 16
AHEAD_MS = 24 * 3600 * 1000
"""A word that is said so much later than it is now is not believed."""


def tick(last: int, at: int) -> int:
    """Return the time of a word said at `at`, in milliseconds; `last` is the latest known one."""
    return max(max(at, 0) << _COUNTER_BITS, last + 1)


def clock_ms(clock: int) -> int:
    """Return the milliseconds of a time."""
    return clock >> _COUNTER_BITS


def is_ahead(clock: int, now: int) -> bool:
    """Say whether a time is so far ahead that the clock which made it must be wrong."""
    return clock_ms(clock) > now + AHEAD_MS
