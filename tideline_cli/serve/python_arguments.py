"""What the methods of Memory are given: each value checked, so that a mistake is a UsageError that
names it."""

from __future__ import annotations

import os
import sys
from math import inf

from tideline_cli.config import own_address
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.server_address import refuse_other
from tideline_cli.model.time_words import meant
from tideline_cli.store import SERVERS, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.config import Config
    from tideline_cli.model.fact import NewFact
    from tideline_cli.model.origin import Origin

    Time = int  # milliseconds since 1970


_MOST = (1 << 63) - 1  # what a memory file can hold
_GREATEST = sys.float_info.max


def path_of(given: Any) -> str:
    """Return the whole path of a memory file, or the address of one on a server, without its
    password."""
    try:
        path = os.fsdecode(given)
    except TypeError as error:
        raise _other("path", "a path", given) from error
    if not path or "\x00" in path:
        raise UsageError("not a path: the name of the file is empty", hint="Memory.open(PATH)")
    if path.startswith(SERVERS):
        return remote.kept(path)
    refuse_other(path)
    return os.path.abspath(os.path.expanduser(path))


def usual_path(settings: Config, origin: Origin) -> str:
    """Return the memory that the settings name for an origin."""
    if settings.get(TABLE) and (own := own_address.address_of(settings, origin.key)):
        return own
    path: str = settings.get("database")
    return path


def text(name: str, value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise _other(name, "a text", value)
    return value


def optional_text(name: str, value: Any) -> str | None:
    """Return a text, or None."""
    return None if value is None else text(name, value)


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Return a list of texts; one text alone is a mistake that would be taken letter by letter."""
    if isinstance(values, str):
        raise UsageError(f"{name} is a list of texts", hint=f"{name}=[{values!r:.40}]")
    try:
        listed = tuple(values)
    except TypeError as error:
        raise _other(name, "a list of texts", values) from error
    if not all(isinstance(one, str) for one in listed):
        raise _other(name, "a list of texts", values)
    return listed


def whole(name: str, value: Any, *, least: int = 0) -> int:
    """Return a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _other(name, "a whole number", value)
    if value < least:
        raise UsageError(f"{name} must be {least} or more")
    if value > _MOST:
        raise UsageError(f"{name} must be {_MOST} or less")
    return value


def check_word(name: str, value: Any, words: Sequence[str]) -> None:
    """Raise UsageError for a value that is none of these words; None is none that was said."""
    if value is not None and value not in words:
        raise UsageError(f"unknown {name}: {value!r:.60}", hint="use one of " + ", ".join(words))


def check_stated(new: NewFact) -> None:
    """Raise UsageError for values that no option would take."""
    if not (new.metadata is None or isinstance(new.metadata, dict)):
        raise UsageError("metadata is a mapping")
    for name, value, most in (
        ("confidence", new.confidence, 1.0), ("importance", new.importance, inf),
    ):  # fmt: skip
        if value is None:
            continue
        wanted = "a number from 0 to 1" if most == 1 else "a number from 0 on"
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _other(name, wanted, value)
        if not 0 <= value <= min(most, _GREATEST):
            raise _other(name, wanted, value)
    for at in (new.valid_from, new.valid_to):
        if at is not None and not instant.EARLIEST_MS <= at <= instant.LATEST_MS:
            raise UsageError(f"{at!r:.60} is no time", hint="milliseconds since 1970")
    if new.valid_from is not None and new.valid_to is not None and new.valid_to <= new.valid_from:
        raise UsageError("valid_to is not after valid_from")
    if not all(tag.strip() for tag in new.tags):
        raise UsageError("a tag is empty")


def time(value: Time | str | None, now: int, *, ends: bool = False) -> int | None:
    """Return an instant that is given as milliseconds, or in words as options take them."""
    if isinstance(value, bool) or not isinstance(value, int | str | None):
        raise UsageError(f"{value!r:.60} is no time", hint='milliseconds since 1970, or "7d"')
    if isinstance(value, int) and not instant.EARLIEST_MS <= value <= instant.LATEST_MS:
        raise UsageError("no time: it is not in the years 1 to 9999",
                         hint='milliseconds since 1970, or "7d"')  # fmt: skip
    if not isinstance(value, str):
        return value
    found = meant(value, now=now)
    return found.end if ends else found.start


def last(value: Time | str | None, now: int) -> int | None:
    """Return the last instant of what is given: of a day, its end."""
    if not isinstance(value, str):
        return time(value, now)
    start, end = time(value, now), time(value, now, ends=True)
    return end if end is None or end == start else end - 1


def _other(name: str, wanted: str, value: Any) -> UsageError:
    try:
        return UsageError(f"{name} is {wanted}, not {value!r:.60}")
    except ValueError:  # a number with more digits than Python writes
        return UsageError(f"{name} is {wanted}")
