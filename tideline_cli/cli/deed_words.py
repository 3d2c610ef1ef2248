"""What a batch did, in words for people: the text of its first fact, and counts of the rest."""

from __future__ import annotations

from tideline_cli.cli import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.store.deeds import BatchDeeds

_OF_FACTS = (("added", "added"), ("changed", "changed"), ("removed", "removed"))
_OF_LINKS = (("linked", "added"), ("relinked", "changed"), ("unlinked", "removed"))


def said(deeds: BatchDeeds) -> str:
    """Return what a batch did: `I deploy on Fridays`, `3 facts added: …`, `2 links added: …`. One
    fact alone is told by its text, since the verb says what became of it."""
    facts, links = (_counted(deeds, names) for names in (_OF_FACTS, _OF_LINKS))
    text = "" if deeds.text is None else output.one_line(deeds.text)
    if not facts and not links:
        return f"said again: {text}" if deeds.counts.used else text
    (count, word), *more = facts or links
    noun = "fact" if facts else "link"
    start = "" if facts and count == 1 and text else f"{count:,} {noun}{_s(count)} {word}"
    told = ": ".join(part for part in (start, text) if part)
    return " · ".join((told, *(f"{n:,} {noun}{_s(n)} {act}" for n, act in more)))


def _counted(deeds: BatchDeeds, names: Sequence[tuple[str, str]]) -> list[tuple[int, str]]:
    found = ((getattr(deeds.counts, name), word) for name, word in names)
    return [(count, word) for count, word in found if count]


def _s(count: int) -> str:
    return "" if count == 1 else "s"
