"""A word of a closed set, as a user or a file names it."""

from __future__ import annotations

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    Word = TypeVar("Word", bound=str)


def one_of(value: str, allowed: Sequence[Word], name: str) -> Word:
    """Return the allowed word that `value` is, or raise UsageError naming what is allowed."""
    for word in allowed:
        if word == value:
            return word
    raise UsageError(f"unknown {name}: {value!r}", hint="use one of " + ", ".join(allowed))
