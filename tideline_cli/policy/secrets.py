"""Passwords, keys and card numbers: what no memory needs and no model is told, by its form."""

from __future__ import annotations

from tideline_cli.policy import secret_cues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Look = Callable[[str], list[tuple[int, int, str]]]

MARK = "[secret]"


def without(text: str) -> tuple[str, int]:
    """Return `text` with a mark in the place of each secret, and how many there were."""
    text, kinds = _replaced(text)
    return text, len(kinds)


def kinds_in(text: str) -> tuple[str, ...]:
    """Return the kinds of the secrets that stand in a text, each once."""
    return tuple(dict.fromkeys(_replaced(text)[1]))


def holds(text: str) -> bool:
    """Say whether a text holds a secret, or the mark of one that was taken out."""
    return MARK in text or bool(_replaced(text)[1])


def _replaced(text: str) -> tuple[str, list[str]]:
    """Return `text` with marks in the place of its secrets, and the kind of each."""
    kinds: list[str] = []
    for look in _looks(text):
        found = look(text)
        if found:
            text = _marked(text, found)
            kinds += (kind for _, _, kind in found)
    return text, kinds


def _marked(text: str, found: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with marks in the places that were found, which stand in order."""
    parts: list[str] = []
    done = 0
    for start, end, _ in found:
        parts += (text[done:start], MARK)
        done = end
    return "".join((*parts, text[done:]))


def _looks(text: str) -> Iterator[Look]:
    """Yield what to look at a text with. Most texts have no cue, and load no regular expression."""
    if secret_cues.may_be_marked(text) or "-----BEGIN" in text or secret_cues.may_be_in_url(text):
        from tideline_cli.policy import key_forms  # noqa: PLC0415  re, 5 ms

        yield from (key_forms.key_blocks, key_forms.keys, key_forms.in_urls)
    if secret_cues.may_be_named(text):
        from tideline_cli.policy import key_forms, stated_secrets  # noqa: PLC0415  re, 5 ms

        yield from (stated_secrets.values, key_forms.random_keys)
    if secret_cues.may_be_card(text):
        from tideline_cli.policy import card_numbers  # noqa: PLC0415  re, 5 ms

        yield card_numbers.card_numbers
