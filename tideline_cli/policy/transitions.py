"""What becomes of a fact that somebody forgets, restores, pins or judges. Pure."""

from __future__ import annotations

from tideline_cli.model.fact import clamped, initial_heat
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.periods import ended
from tideline_cli.policy.sameness import says_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.source import Source

UP = 0.05
DOWN = -0.10
LARGEST_DELTA = 0.3
_DIGITS = 12
REMOVED = "consolidated"  # the key of metadata that says why consolidate has archived a fact
_NOTES = {"replaced_by", "reason"}


def archived(fact: Fact, *, now: int) -> Fact:
    """Return an active fact as one that held until now, or its own end; others as they are."""
    return ended(fact, at=now, now=now) if fact.lifecycle == "active" else fact


def restored(fact: Fact, *, end: int | None = None) -> Fact:
    """Return an archived or pruned fact as an active one that holds until `end`, without the note
    of a pass about its removal."""
    if fact.lifecycle == "active":
        return fact
    noted = _without_removal(fact.metadata)
    return replace(fact, lifecycle="active", valid_to=end, metadata=noted)


def _without_removal(metadata: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    note = (metadata or {}).get(REMOVED)
    if metadata is None or not isinstance(note, dict) or not note or not note.keys() <= _NOTES:
        return metadata
    return {name: value for name, value in metadata.items() if name != REMOVED} or None


def pinned(fact: Fact) -> Fact:
    """Return the fact as one that never fades."""
    return replace(fact, pinned=True, heat="core") if not fact.pinned else fact


def unpinned(fact: Fact) -> Fact:
    """Return the fact as one that fades, as warm as it would be if it were new."""
    if not fact.pinned:
        return fact
    heat = initial_heat(fact.segment, fact.kind, fact.tier, fact.importance)
    return replace(fact, pinned=False, heat=heat)


def judged(fact: Fact, delta: float, *, now: int) -> Fact:
    """Return the fact with importance and confidence moved by `delta`, within 0..1.

    Praise counts as a use; blame does not change the time of the last use. A clock that is behind
    sets no use back.
    """
    moved = replace(
        fact,
        importance=_moved(fact.importance, delta),
        confidence=None if fact.confidence is None else _moved(fact.confidence, delta),
    )
    if delta <= 0:
        return moved
    last = max(fact.last_accessed_at, now)
    return replace(moved, access_count=fact.access_count + 1, last_accessed_at=last)


def _moved(value: float, delta: float) -> float:
    """Return a number moved within 0..1, as people write it: 0.95, not 0.9500000000000001."""
    return round(clamped(value + delta, value), _DIGITS)


def author(fact: Fact, text: str, *, editor: Source, typed: bool, vouched: bool) -> Source:
    """Return the source of a fact after an edit by `editor`, when it has the words `text`.

    A change of labels does not change it, and neither does a text that says the same. New words
    are the editor's; where the fact was untrusted, only if the editor has `typed` them. An editor
    who has `vouched` for the words makes them his own.
    """
    if vouched:
        return fact.source if is_trusted(fact.source) and text == fact.content else editor
    if text == fact.content:
        return fact.source
    if is_trusted(fact.source):
        return editor
    is_new = not says_same(fact.content, text, rule="strict")
    return editor if typed and is_new else fact.source
