"""The forms of Unicode that texts are brought into, in linear time. ASCII texts need none of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

_MANY_MARKS = 64  # in a text; so few are in order soon
_MADE_OF_MARKS = frozenset("\u0f73\u0f75\u0f81")  # and are no marks themselves
_MADE_OF_MARKS_IN_K = _MADE_OF_MARKS | frozenset("\uff9e\uff9f")


def composed(text: str) -> str:
    """Return a text in NFC."""
    return text if text.isascii() else in_form("NFC", text)


def is_mark(char: str) -> bool:
    """Say whether a character belongs to the letter before it: an accent, a vowel sign, a tone."""
    if char.isascii():
        return False
    from unicodedata import category  # noqa: PLC0415  as below

    return category(char).startswith("M")


def in_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a form of Unicode, in time proportional to its length.

    The library sorts the marks on one letter by insertion: 80,000 of them in bad order take 5 s.
    So long runs of marks are sorted before; the result is the same.
    """
    from unicodedata import combining, normalize  # noqa: PLC0415  who may not ask needs none of it

    apart: Literal["NFD", "NFKD"] = "NFD" if form == "NFC" else "NFKD"
    made = _MADE_OF_MARKS if form == "NFC" else _MADE_OF_MARKS_IN_K
    if sum(map(bool, map(combining, text))) < _MANY_MARKS and made.isdisjoint(text):
        return normalize(form, text)
    out: list[str] = []
    run: list[str] = []
    for char in text:
        if combining(char) or char in made:
            run.extend(normalize(apart, char))
            continue
        if run:
            out.extend(sorted(run, key=combining))
            run = []
        out.append(char)
    out.extend(sorted(run, key=combining))
    return normalize(form, "".join(out))
