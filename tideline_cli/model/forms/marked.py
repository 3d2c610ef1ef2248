"""The further forms of words that are not ASCII: without marks, in other letters, by their stem."""

from __future__ import annotations

from unicodedata import combining, normalize

from tideline_cli.model.forms import folding, signs, stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.model.forms.found import Forms

    Terms = Callable[[str], list[str]]

_EASTERN = "\u3040"  # the first letter of Kana; Han comes later


def plain_of(word: str, forms: Forms, terms: Terms) -> str:
    """Add the forms of a word; return it in lower case, without marks, in its plain letters."""
    listed = terms(word)
    given = normalize("NFC", word.casefold())
    plain = folding.compatible(word)
    bare = folding.folded(plain)
    spelled = given
    for other in (plain, bare, folding.with_pairs(plain)):
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
    from tideline_cli.model.forms import eastern  # noqa: PLC0415  Han and Kana alone

    simple = eastern.simple(plain)
    if simple != plain:
        forms.spell_all(listed, terms(simple))


def _letters(text: str) -> str:
    """Return the letters and marks of a text."""
    return "".join([char for char in text if char.isalnum() or combining(char)])
