"""The patterns of the table as `re` takes them: written out, and with what it can skip by."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Possessive, so that a text is cut into spaces and words in one way only: a regular expression that
# can cut it in many tries them all.
_SPACE = "[ _*\"'`,:()\\[\\]-]{1,4}+"
_WORD = r"[^ _-]{1,40}+(?<![.!?;])[ _-]{1,3}+"


def compiled(alternative: str) -> re.Pattern[str]:
    """Return an alternative of the table as an expression.

    The engine skips to a letter that an expression begins with, but not over a `\\b`: so the first
    letter is asked for first, and the alternative from one step back.
    """
    whole = expanded((alternative,))
    begun = "".join(sorted(set(beginnings(alternative))))
    return re.compile(rf"[{begun}](?<=\b.)(?<=(?={whole}).)" if begun else whole)


def expanded(alternatives: Iterable[str]) -> str:
    """Return a pattern as `re` reads it, without the short forms of the table."""
    whole = "|".join(alternatives).replace(" ", _SPACE)
    for most in range(1, 13):
        whole = whole.replace(f"«{most}»", f"(?:{_WORD}){{0,{most}}}?")
    return whole


def beginnings(pattern: str) -> str:
    """Return the letters that words may begin with which a pattern of the table begins at; nothing
    where it may begin elsewhere."""
    found = ""
    for one in _options(pattern):
        begun = _beginnings(one[2:]) if one[:2] == r"\b" else ""
        if not begun:
            return ""
        found += begun
    return found


def _beginnings(rest: str) -> str:
    if rest[:1].isalnum():
        return "" if rest[1:2] in ("?", "*", "{") else rest[0]
    if rest[:3] != "(?:":
        return ""
    end = _end_of_group(rest)
    begun = [_beginnings(option) for option in _options(rest[3:end])]
    if rest[end + 1 :].startswith("?"):
        begun.append(_beginnings(rest[end + 2 :]))
    elif rest[end + 1 :].startswith(("*", "{")):
        return ""
    return "".join(begun) if all(begun) else ""


def _end_of_group(rest: str) -> int:
    """Return where the group ends that a pattern begins with."""
    depth = 0
    for place, char in enumerate(rest):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return place
    return len(rest)


def _options(pattern: str) -> list[str]:
    """Return the alternatives at the top of a pattern that has no brackets but those of groups
    before the end of its first words."""
    out, depth = [""], 0
    for char in pattern:
        depth += (char in "([") - (char in ")]")
        if char == "|" and depth == 0:
            out.append("")
        else:
            out[-1] += char
    return out
