"""Sums and products that are wrapped between their parts: `× trust 1.00` stays on one line."""

from __future__ import annotations

import re

from rich.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rich.containers import Lines

_BOND = "\ufdd0"  # stands for a blank that does not end a line; no text has it, it is no character
_WORDS = re.compile(r"(?<!,) ")
_PARENTHESIS = re.compile(r"\([^()]*\)")


def joined(sums: str) -> str:
    """Return sums and products with what belongs together joined. What stands in parentheses may be
    parted from what it explains, and behind its commas, as it may be long."""
    parts = re.split(r" (?=[×+=] )", sums)
    return " ".join(_joined_part(part) for part in parts)


def _joined_part(part: str) -> str:
    inside = [_WORDS.sub(_BOND, found[0]) for found in _PARENTHESIS.finditer(part)]
    outside = [piece.replace(" ", _BOND) for piece in _PARENTHESIS.split(part)]
    told = outside[0]
    for text, after in zip(inside, outside[1:], strict=True):
        told = told.removesuffix(_BOND) + (" " if told.endswith(_BOND) else "") + text + after
    return told


class Joined(Text):
    """A text with joined blanks, which are blanks again once it is wrapped."""

    def wrap(self, *given: Any, **options: Any) -> Lines:
        """Return the lines of the text."""
        lines = super().wrap(*given, **options)
        for line in lines:
            line.plain = line.plain.replace(_BOND, " ")
        return lines
