"""Names of programs' things in their parts, `getUserName` and get_user_name; and words with an
apostrophe inside, `O'Brien` and obrien."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tideline_cli.model.forms.found import Forms

    Terms = Callable[[str], list[str]]

_LONGEST = 64
_MOST_PARTS = 8
_ENDS = "\"'()[]{}<>.,;:!?*`~|=\\“”„‘’«»…"


def add_parts(word: str, forms: Forms, terms: Terms) -> None:
    """Part a word where a small letter meets a capital one, and join one that underscores part."""
    core = word.strip(_ENDS)
    if len(core) > _LONGEST:
        return
    if "_" in core:
        _add_snake(core, forms, terms)
    for piece in _words(core):
        parts = list(_humps(piece))
        if 1 < len(parts) <= _MOST_PARTS and min(map(len, parts)) > 1:
            listed = [term for part in parts for term in terms(part)]
            forms.join(listed, terms(piece))


def add_joined(word: str, forms: Forms, terms: Terms) -> None:
    """Join a word with an apostrophe inside, unless it ends a word as in `Anna's`."""
    core = word.strip(_ENDS).replace("’", "'")
    parts = terms(core)
    joined = "".join(core.split("'"))
    if len(core) <= _LONGEST and joined.isalnum() and "'" in core:
        wholes = terms(joined)
        if len(parts) > 1 and core.rpartition("'")[2] != "t":
            forms.join_words(parts, wholes)


def _add_snake(core: str, forms: Forms, terms: Terms) -> None:
    parts = [part for part in core.split("_") if part]
    if 1 < len(parts) <= _MOST_PARTS and all(map(str.isalnum, parts)):
        forms.join([term for part in parts for term in terms(part)], terms("".join(parts)))


def _words(core: str) -> Iterator[str]:
    start = 0
    for at, char in enumerate(core):
        if not char.isalnum():
            yield core[start:at]
            start = at + 1
    yield core[start:]


def _humps(piece: str) -> Iterator[str]:
    """Yield the parts of a name in camel case: getUserName, HTTPServer."""
    start = 0
    for at in range(1, len(piece)):
        before, char = piece[at - 1], piece[at]
        follows = at + 1 < len(piece) and piece[at + 1].islower()
        if char.isupper() and (before.islower() or (before.isupper() and follows)):
            yield piece[start:at]
            start = at
    yield piece[start:]
