"""The further forms of a text: whether there is anything to look for, and all of them."""

from __future__ import annotations

from tideline_cli.model.forms.found import Forms
from tideline_cli.model.forms.irregular import BASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Terms = Callable[[str], list[str]]

# What a text in ASCII has that may have further forms: a digit, a capital letter behind a small
# one, an apostrophe, a sign.
_SHAPE = {
    code: "0" if chr(code).isdigit() else "a" if chr(code).islower() else
    "A" if chr(code).isupper() else "+" if chr(code) in "_+#$%" else chr(code)
    for code in range(128)
}  # fmt: skip
_SHAPES = ("0", "aA", "a'a", "A'A", "+", "a/a", "A/A", "-", ".A", ".a")
_IRREGULAR = frozenset(BASE)


def further_forms(
    text: str, listed: Sequence[str], *, terms: Terms, languages: Sequence[str] = ()
) -> Forms | None:
    """Return the further forms of a text whose terms are listed; None where there are none.

    `terms` gives the terms of a text, `languages` are the codes of those whose stems are wanted.
    """
    is_plain = text.isascii() and _is_plain(text)
    if is_plain and not languages and _IRREGULAR.isdisjoint(listed):
        return None
    forms = Forms(listed)
    for term in listed:
        if term in BASE:
            forms.spell(term, BASE[term])
    if not is_plain:
        from tideline_cli.model.forms import words  # noqa: PLC0415  plain English needs none of it

        words.add_forms(text, forms, terms)
    if languages:
        from tideline_cli.model.forms import words  # noqa: PLC0415  a setting

        words.add_stems(text, languages, forms, terms)
    return forms


def _is_plain(text: str) -> bool:
    """Say whether a text in ASCII has nothing but words."""
    shape = text.translate(_SHAPE)
    return not any(map(shape.__contains__, _SHAPES))
