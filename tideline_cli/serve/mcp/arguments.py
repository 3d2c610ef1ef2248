"""The arguments of a call, checked: a model may send anything, and some clients cut the schema."""

from __future__ import annotations

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.serve.mcp.tools import Given, Tool

_LONGEST = 16 * 1024  # characters; the store has a limit of its own for facts
_LONGEST_ID = 64


def checked(tool: Tool, given: Any) -> dict[str, Any]:
    """Return the arguments of a call by name, None for those that are not given; raise UsageError
    for what the tool does not take."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise UsageError("arguments must be an object")
    takes = ", ".join(tool.arguments)
    for name in given:
        if name not in tool.arguments:
            raise UsageError(f"unknown argument {name!r:.60}; {tool.name} takes {takes}")
    values = {
        name: None if given.get(name) is None else _value(name, one, given[name])
        for name, one in tool.arguments.items()
    }
    for name in tool.needed:
        if values[name] is None:
            raise UsageError(f"{name} is missing; {tool.name} takes {takes}")
    return values


def instant_of(values: Mapping[str, Any], name: str, *, now: int, ends: bool = False) -> int | None:
    """Return the instant that an argument means: the beginning, or the end, of its day."""
    text = values[name]
    if text is None:
        return None
    from tideline_cli.model.time_words import meant  # noqa: PLC0415  most calls name no time

    try:
        found = meant(text, now=now)
    except UsageError as error:
        raise UsageError(f"{name}: {error.message}", hint=error.hint) from error
    if not ends:
        return found.start
    return found.end - 1 if found.end > found.start else found.end


def _value(name: str, one: Given, value: Any) -> Any:
    match one.kind:
        case "count":
            return _count(name, one, value)
        case "ids":
            return _ids(name, one, value)
        case "choice":
            if value in one.choices:
                return value
            raise UsageError(f"{name}: use one of " + ", ".join(one.choices))
        case "time" if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return _text(name, value, _LONGEST)


def _text(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} must be a text that says something")
    if len(value) > longest:
        raise UsageError(f"{name} has {len(value):,} characters; {longest:,} are taken")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} is not valid Unicode") from error
    return value


def _count(name: str, one: Given, value: Any) -> int:
    """Return a number; models send it as a text as well, or as 5.0."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= one.most:
        raise UsageError(f"{name} must be a whole number from 1 to {one.most}")
    return value


def _ids(name: str, one: Given, value: Any) -> list[str]:
    """Return the ids; one alone may stand without a list."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not 1 <= len(listed) <= one.most:
        raise UsageError(f"{name} must be a list of 1 to {one.most} ids")
    ids = [_text(name, each, _LONGEST_ID).strip() for each in listed]
    if any(each.startswith("@") for each in ids):
        raise UsageError(f"{name}: @N counts for people at a terminal; use ids that recall gave")
    return list(dict.fromkeys(ids))
