"""The further forms of words that are not ASCII: without marks and in the letters that stand for
theirs, `Zürich` as zurich, zuerich; by their stem; Chinese characters in their simplified form,
katakana as hiragana.

A mark is taken off where a reader of the script may leave it out. In scripts whose marks are
vowels or tones it stays.
"""

from __future__ import annotations

from unicodedata import category, combining, decimal, normalize

from tideline_cli.model.forms import signs, stems
from tideline_cli.model.lean import once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.model.forms.found import Forms

    Terms = Callable[[str], list[str]]

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
    """Return a text with `ä ö ü ø å` as two letters, without other marks; None without these."""
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


_EASTERN = "\u3040"  # the first letter of Kana; Han comes later


def plain_of(word: str, forms: Forms, terms: Terms) -> str:
    """Add the forms of a word; return it in lower case, without marks, in its plain letters."""
    listed = terms(word)
    given = normalize("NFC", word.casefold())
    plain = compatible(word)
    bare = folded(plain)
    spelled = given
    for other in (plain, bare, with_pairs(plain)):
        if other and other != spelled and _letters(other) != _letters(given):
            forms.spell_all(listed, terms(other))
            spelled = other
    _add_stems(listed, terms(bare) if bare != given else listed, forms)
    if max(word) >= _EASTERN:
        _add_eastern(plain, listed, forms, terms)
    return bare


def add_signs(text: str, forms: Forms) -> None:
    """Add the terms of signs, each once."""
    forms.sign(*dict.fromkeys(signs.of(text)))


def _add_stems(listed: Sequence[str], bare: Sequence[str], forms: Forms) -> None:
    if len(listed) != len(bare):
        return
    for term, word in zip(listed, bare, strict=True):
        if not word.isascii():
            for stem in stems.by_script(word):
                forms.spell(term, stem)


def _add_eastern(plain: str, listed: Sequence[str], forms: Forms, terms: Terms) -> None:
    simple = simplified(plain)
    if simple != plain:
        forms.spell_all(listed, terms(simple))


def _letters(text: str) -> str:
    """Return the letters and marks of a text."""
    return "".join([char for char in text if char.isalnum() or combining(char)])


_HAN = "\u3400"
_KATAKANA = range(0x30A1, 0x30F7)
_TO_HIRAGANA = 0x60


def simplified(text: str) -> str:
    """Return a text in simplified characters and hiragana; one character for each."""
    return text.translate(_simple_table())


@once
def _simple_table() -> dict[int, str]:
    from tideline_cli.model.forms.han_variants import SIMPLE  # noqa: PLC0415  these scripts alone

    return SIMPLE | {code: chr(code - _TO_HIRAGANA) for code in _KATAKANA}
