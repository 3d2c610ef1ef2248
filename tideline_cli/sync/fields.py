"""The fields of a fact as they travel: JSON values, checked when they come. Pure."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.closed_set import one_of
from tideline_cli.model.fact import (
    HEATS,
    KINDS,
    LARGEST_TURN,
    LIFECYCLES,
    PROGRESSES,
    ROLES,
    SEGMENTS,
    STATUSES,
    TIERS,
    Fact,
)
from tideline_cli.model.fields import CHANGEABLE, FIELDS, NAMES
from tideline_cli.model.origin import Origin, parse_origin
from tideline_cli.model.saying import as_told
from tideline_cli.model.source import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

FIXED = ("content", "created_at", "source", "origin")
"""What never changes of a fact, beside its id."""
CHANGING = CHANGEABLE
"""What each has a register for."""
_FORM = {field.name: field.form for field in FIELDS}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "segment": tuple(SEGMENTS), "tier": TIERS, "heat": HEATS, "lifecycle": LIFECYCLES,
    "status": STATUSES, "role": ROLES, "progress": PROGRESSES, "source": SOURCES,
    "kind": tuple(KINDS),
}  # fmt: skip
_NEEDED = ("segment", "tier", "heat", "lifecycle", "importance", "pinned", *FIXED)
_LONGEST = 1 << 20  # characters of a text: no fact and no label is longer


def wire(fact: Fact) -> dict[str, Any]:
    """Return the fields of a fact that travel, by name, as JSON values."""
    return {name: wire_value(fact, name) for name in (*FIXED, *CHANGING)}


def wire_as_said(fact: Fact) -> dict[str, Any]:
    """Return the same as it was said of the fact, whatever its slot shows: so it travels."""
    return wire(as_told(fact))


def wire_value(fact: Fact, name: str) -> Any:
    """Return one field of a fact as it travels. A decay rate that is that of the segment follows
    the segment: it travels as None."""
    value = getattr(fact, name)
    if name == "decay_rate":
        return None if value == SEGMENTS[fact.segment].decay_rate else value
    if name == "origin":
        return value.key
    if _FORM[name] == "object":
        return None if value is None else dict(value)
    return list(value) if isinstance(value, tuple) else value


def made_fact(fact_id: str, values: Mapping[str, Any], *, count: int, last: int) -> Fact:
    """Return the fact of these fields, which was used `count` times, the last time at `last`."""
    made = dict(values) | {"id": fact_id, "access_count": count, "last_accessed_at": last}
    made["origin"] = Origin(values["origin"])
    if made["decay_rate"] is None:
        made["decay_rate"] = SEGMENTS[made["segment"]].decay_rate
    for name in ("tags", "derived_from"):
        made[name] = tuple(values[name])
    return Fact(*[made[name] for name in NAMES])


def checked_value(name: str, value: Any) -> Any:
    """Return a value that has come, or raise UsageError when a field cannot hold it."""
    if name not in _FORM or name not in _READ_BY_NAME:
        raise UsageError(f"unknown field: {name!r}", hint="it was written by a newer version")
    if value is None and name not in _NEEDED:
        return [] if _FORM[name] == "texts" else None
    return _READ_BY_NAME[name](value, name)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or "\x00" in value:
        raise UsageError(f"{name} is not a text that can be stored")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} is not UTF-8") from error
    return value


def _word(value: Any, name: str) -> str:
    return one_of(_text(value, name), _WORDS[name], name)


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e9:
        raise UsageError(f"{name} is not a number that is allowed")
    return float(value)


def _share(value: Any, name: str) -> float:
    if _number(value, name) > 1:
        raise UsageError(f"{name} is not between 0 and 1")
    return float(value)


def _time(value: Any, name: str) -> int:
    is_time = isinstance(value, int) and not isinstance(value, bool)
    if not is_time or not instant.EARLIEST_MS <= value <= instant.LATEST_MS:
        raise UsageError(f"{name} is not a time")
    return int(value)


def _flag(value: Any, name: str) -> bool:
    if value not in (True, False):
        raise UsageError(f"{name} is neither true nor false")
    return bool(value)


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is not a list")
    return [_text(one, name) for one in value]


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} is not an object")
    return value


def _place(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_TURN:
        raise UsageError(f"{name} is not a whole number that is allowed")
    return value


def _origin(value: Any, name: str) -> str:
    return parse_origin(_text(value, name)).key


_READ: dict[str, Callable[[Any, str], Any]] = {
    "text": _text, "texts": _texts, "object": _object, "number": _number, "time": _time,
    "flag": _flag, "place": _place, "origin": _origin, "word": _word,
}  # fmt: skip
_READ_BY_NAME: dict[str, Callable[[Any, str], Any]] = {
    name: _READ[_FORM[name]] for name in (*FIXED, *CHANGING)
} | {"importance": _share, "confidence": _share}
