"""When something was last stated of a fact, which decides which of two states is the later one; and
what was said of a value of a slot, apart from what its slot shows of it. Pure."""

from __future__ import annotations

from tideline_cli.model.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact


@record
class Times:
    """changed_at: when somebody last stated anything about a fact. said_at: when somebody last said
    that it holds, by saying it, saying it again or restoring it."""

    changed_at: int
    said_at: int


@record
class StatedAt:
    """The same, with who said it apart: `spoken` is when this memory last heard it said, by words
    that nobody has taken back since, and `brought` when it was said elsewhere, as an import or a
    sync has told; 0 stands for never since it was made."""

    changed_at: int
    spoken: int
    brought: int


SHOWN = ("lifecycle", "valid_from", "valid_to", "statement")
"""What a value shows by its slot: the fields that change when another value paints over it."""


def unpainted(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return these fields of a fact as they were said: as if nothing had painted over it. One that
    only another value has archived is active: a word leaves an end, or what it shows as said."""
    shown = {name: state[name] for name in SHOWN}
    known = shown["statement"]
    if state["slot"] is None or known is None:
        return shown
    since, until = known.get("from"), known.get("until", known.get("to"))
    is_by_word = "until" in known or (shown["valid_from"], shown["valid_to"]) == (since, until)
    if shown["lifecycle"] == "archived" and not is_by_word:
        shown["lifecycle"] = "active"
    if shown["lifecycle"] == "active" and known.keys() <= {"from", "to"}:
        known = None
    return shown | {"valid_from": since, "valid_to": until, "statement": known}


def as_told(fact: Fact) -> Fact:
    """Return a fact as it was said, whatever its slot shows of it."""
    if fact.slot is None or fact.statement is None:
        return fact
    return replace(fact, **unpainted({name: getattr(fact, name) for name in ("slot", *SHOWN)}))
