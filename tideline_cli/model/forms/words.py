"""The further forms of a text, word by word."""

from __future__ import annotations

from tideline_cli.model.forms import names, numbers, signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.model.forms.found import Forms

    Terms = Callable[[str], list[str]]

_ENDS = "\"'()[]{}<>.,;:!?*`~|=\\“”„‘’«»…"
_DIGITS = frozenset("0123456789")
_APOSTROPHES = ("'", "’")


def add_forms(text: str, forms: Forms, terms: Terms) -> None:
    """Add the forms of each word of a text, and of numbers that are written as several words."""
    plain: list[str] = []
    last = count = 0
    for word in text.split():
        core = word.strip(_ENDS)
        if not (core.isalpha() and core.isascii()):
            word = _add_word(word, forms, terms)
            count += last
            last = not _DIGITS.isdisjoint(word)
        else:
            last = 0
            if not (core.islower() or core[1:].islower() or core.isupper()):
                names.add_parts(core, forms, terms)
            name = signs.named(word) if core != word else None
            if name is not None:
                _add_name(word, name, forms, terms)
        plain.append(word)
    if count:
        numbers.add_runs(plain, forms)
    if not text.isascii():
        from tideline_cli.model.forms import marked  # noqa: PLC0415  ASCII needs none of it

        marked.add_signs(text, forms)


def _add_word(word: str, forms: Forms, terms: Terms) -> str:
    """Add the forms of a word with something else than letters in it; return it without marks."""
    if word.isascii():
        bare = word.lower()
        _add_ascii_signs(word, forms, terms)
    else:
        from tideline_cli.model.forms import marked  # noqa: PLC0415  as above

        bare = marked.plain_of(word, forms, terms)
    if any(mark in word.strip(_ENDS) for mark in _APOSTROPHES):
        names.add_joined(word, forms, terms)
    numbers.add_forms(bare, forms, terms)
    names.add_parts(word, forms, terms)
    return bare


def _add_name(word: str, name: str, forms: Forms, terms: Terms) -> None:
    listed = terms(word)
    if len(listed) == 1:
        forms.spell(listed[0], name)
    else:
        forms.sign(name)


def _add_ascii_signs(word: str, forms: Forms, terms: Terms) -> None:
    name = signs.named(word)
    if name is not None:
        _add_name(word, name, forms, terms)
    for sign in ("$", "%"):
        if sign in word:
            forms.sign(signs.MONEY[sign])


def add_stems(text: str, languages: Sequence[str], forms: Forms, terms: Terms) -> None:
    """Add the stems of the words of a text in the languages that a user names."""
    from tideline_cli.model.forms import stems  # noqa: PLC0415  a setting

    for word in text.casefold().replace("-", " ").split():
        core = word.strip(_ENDS).rpartition("'")[2]
        listed = terms(core)
        if len(listed) == 1 and core.isalpha():
            for stem in stems.in_languages(core, languages):
                forms.spell(listed[0], stem)
