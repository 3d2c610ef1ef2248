"""The further forms of a text, and of a question."""

from __future__ import annotations

from tideline_cli.model.forms.found import Forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Terms = Callable[[str], list[str]]

def further_forms(
    text: str, listed: Sequence[str], *, terms: Terms, languages: Sequence[str], is_plain: bool
) -> Forms:
    """Return the further forms of the text of a fact.

    `terms` gives the terms of a text, `languages` are the codes of those whose stems are wanted.
    `is_plain` says that it has nothing but words of ASCII letters.
    """
    forms = Forms(listed)
    _add(text, forms, terms, languages, is_plain=is_plain)
    return forms


# What else a question with a term asks for: where somebody lives is said by where they moved, too.
_ALSO = {"dotnet": ("net",), "live": ("move",), "wohn": ("gezogen", "umgezogen"),
         "habit": ("déménagé",), "viv": ("mudé", "mudado")}  # fmt: skip


def question_forms(
    text: str, listed: Sequence[str], *, terms: Terms, languages: Sequence[str], is_plain: bool
) -> Forms | None:
    """Return the further forms of a question, as above; and those that a question alone asks for:
    irregular forms, and which terms are parts of one word with hyphens."""
    from tideline_cli.model.forms.irregular import forms_of  # noqa: PLC0415  questions alone

    forms = Forms(listed)
    for term in listed:
        for other in forms_of(term):
            forms.spell(term, other)
        for other in _ALSO.get(term, ()):
            forms.spell(term, other)
    is_plain = is_plain and "-" not in text
    if is_plain and not languages:
        return forms if forms.others else None
    _add(text, forms, terms, languages, is_plain=is_plain)
    return forms


def _add(
    text: str, forms: Forms, terms: Terms, languages: Sequence[str], *, is_plain: bool
) -> None:
    from tideline_cli.model.forms import words  # noqa: PLC0415  plain English needs none of it

    if not is_plain:
        words.add_forms(text, forms, terms)
    if languages:
        words.add_stems(text, languages, forms, terms)
