"""Short texts as users and files give them: a title, a tag, a reference, a word of a closed set, a
list of some."""

from __future__ import annotations

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    Word = TypeVar("Word", bound=str)

MAX_SHORT = 1024  # characters


def storable(value: str, name: str) -> str:
    """Return a short text that can be stored as it is.

    Raises UsageError for one that is too long, holds a NUL, or is not valid Unicode.
    """
    if len(value) > MAX_SHORT:
        raise UsageError(f"{name} has more than {MAX_SHORT:,} characters")
    if "\x00" in value:
        raise UsageError(f"{name} holds a NUL character")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{name} is not valid Unicode", hint="pass it as UTF-8") from error
    return value


def one_of(value: str, allowed: Sequence[Word], name: str) -> Word:
    """Return the allowed word that `value` is, or raise UsageError naming what is allowed."""
    for word in allowed:
        if word == value:
            return word
    raise UsageError(f"unknown {name}: {value!r}", hint="use one of " + ", ".join(allowed))


def parted(text: str) -> list[str]:
    """Return the parts of a text that lists some: "home, bike", or "home;bike"."""
    parts = text.split(";" if ";" in text else ",")
    return [part.strip() for part in parts if part.strip()]
