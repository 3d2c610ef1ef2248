"""A short text as it is stored: a title, a tag, a reference."""

from __future__ import annotations

from tideline_cli.errors import UsageError

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
