"""One value of a row of a file: its type and range checked, or a UsageError that names it."""

from __future__ import annotations

from math import isfinite

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.closed_set import one_of
from tideline_cli.model.fact import PROGRESSES
from tideline_cli.model.lists import parted
from tideline_cli.model.short_text import storable
from tideline_cli.model.utterance import turn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_LARGEST_COUNT = 2**31


def cell_text(row: Mapping[str, Any], name: str) -> str | None:
    """Return a short text; a whole number counts as one."""
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise UsageError(f"{name} is not a text")
    return storable(value, name)


def strings(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts, each once."""
    values = row.get(name)
    if values is None:
        return ()
    if isinstance(values, str):
        values = parted(values)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UsageError(f"{name} is not a list of texts")
    return tuple(dict.fromkeys(storable(value, name) for value in values))


def unit(row: Mapping[str, Any], name: str, *, clamp: bool, default: float | None) -> float | None:
    """Return a number within 0..1; outside it is clamped or refused."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{name} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not clamp and not 0.0 <= number <= 1.0:
        raise UsageError(f"{name} is not a number from 0 to 1")
    if not isfinite(number):
        return default
    return min(1.0, max(0.0, number))


def instants(row: Mapping[str, Any], name: str, default: int | None) -> int | None:
    """Return a time in milliseconds, from ISO 8601 or epoch milliseconds."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise UsageError(f"{name} is not a time")
    return instant.parse(str(value))


def past(row: Mapping[str, Any], name: str, now: int) -> int | None:
    """Return a time of the past; one to come is now."""
    stated = instants(row, name, None)
    return None if stated is None else min(stated, now)


def flag(row: Mapping[str, Any], name: str) -> bool:
    """Return a truth value, false when there is none."""
    value = row.get(name)
    if value in (None, 0, 1):
        return bool(value)
    raise UsageError(f"{name} is not true or false")


def count(row: Mapping[str, Any], name: str) -> int:
    """Return a number of uses."""
    value = row.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST_COUNT:
        raise UsageError(f"{name} is not a whole number")
    return value


def rate(row: Mapping[str, Any], default: float) -> float:
    """Return the decay rate that a row states."""
    value = row.get("decay_rate")
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
        raise UsageError("decay_rate is not a number from 0 to 100")
    return float(value)


def place(row: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number that puts facts in order, None when there is none."""
    value = row.get(name)
    if value is None:
        return None
    found = turn_of(value)
    if found is None:
        raise UsageError(f"{name} is not a whole number from 0")
    return found


def time(row: Mapping[str, Any], name: str) -> int | None:
    """Return a time in milliseconds, None when there is none."""
    return None if row.get(name) is None else instants(row, name, None)


def word(row: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str | None:
    """Return one of the words that are allowed."""
    value = row.get(name)
    return None if value is None else one_of(str(value), allowed, name)


def with_progress(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row that says under `status` how far its work is, as lists of tasks and the option
    call it, with that under the name of the field. Any other status stays.

    Raises UsageError for a row that says two things.
    """
    status, stated = row.get("status"), row.get("progress")
    if status not in PROGRESSES:
        return row
    if stated not in (None, "", status):
        raise UsageError(
            f"two words for how far the work is: status {status!r}, progress {stated!r}",
            hint="leave one of them out",
        )
    return {name: value for name, value in row.items() if name != "status"} | {"progress": status}


BY_FORM: Mapping[str, Callable[[Mapping[str, Any], str], Any]] = {
    "text": cell_text,
    "texts": strings,
    "time": time,
    "place": place,
    "flag": flag,
}
"""How a value is read by the form of its field, where nothing else decides what it may be."""
