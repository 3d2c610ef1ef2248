"""Words without their marks, and in the letters that stand for theirs: `Zürich` as zurich, zuerich.

A mark is taken off where a reader of the script may leave it out. In scripts whose marks are
vowels or tones it stays.
"""

from __future__ import annotations

from unicodedata import category, combining, decimal, normalize

from tideline_cli.model.lean import once

_LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe",
    "þ": "th", "ß": "ss", "ĸ": "k", "ŋ": "n", "ґ": "г", "ѐ": "е", "ѝ": "и",
    "ٱ": "ا", "ى": "ي", "ی": "ي", "ې": "ي", "ة": "ه", "ۀ": "ه", "ە": "ه", "ک": "ك", "ګ": "ك",
    "ـ": "",  # tatweel
}  # fmt: skip
_PAIRS = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
_NUKTAS = frozenset("\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc")
# Latin, Greek, Cyrillic, Armenian; Hebrew; Arabic and Syriac: the scripts whose marks come off.
_MARKS = ((0x300, 0x370), (0x483, 0x488), (0x591, 0x5C8), (0x610, 0x61B), (0x64B, 0x660),
          (0x670, 0x671), (0x6D6, 0x6EE), (0x730, 0x74B), (0x1AB0, 0x1B00), (0x1DC0, 0x1E00),
          (0x20D0, 0x2100), (0xFE20, 0xFE30))  # fmt: skip
_KANA_MARKS = frozenset("\u3099\u309a")


def folded(text: str) -> str:
    """Return a text in lower case without the marks of its letters."""
    bare = normalize("NFD", text).translate(_table())
    return bare if bare.isascii() else normalize("NFC", bare)


def with_pairs(text: str) -> str | None:
    """Return a text with `ä ö ü ø å` as two letters each, without its other marks; None for a text
    that has none of them."""
    if _PAIRS.keys().isdisjoint(text):
        return None
    return folded("".join([_PAIRS.get(char, char) for char in text]))


def compatible(text: str) -> str:
    """Return a text in the letters that its letters stand for, with the digits 0 to 9: full-width,
    half-width, ligatures, raised and circled figures, the digits of every script."""
    plain = normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    return normalize("NFC", "".join([_digit(char) if char > "\x7f" else char for char in plain]))


def _digit(char: str) -> str:
    value = decimal(char, None)
    return char if value is None else str(value)


class _Bare(dict[int, int | str | None]):
    """A translation table that takes marks off; filled on demand."""

    def __missing__(self, code: int) -> int | str | None:
        char = chr(code)
        value: int | str | None = _LETTERS.get(char, code)
        if char in _NUKTAS or (combining(char) and _comes_off(code)):
            value = None
        self[code] = value
        return value


def _comes_off(code: int) -> bool:
    return any(low <= code < high for low, high in _MARKS) and category(chr(code)) == "Mn"


@once
def _table() -> _Bare:
    return _Bare()
