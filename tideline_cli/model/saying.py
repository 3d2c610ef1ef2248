"""What was said of a value of a slot, apart from what its slot shows of it. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SHOWN = ("lifecycle", "valid_from", "valid_to", "statement")
"""What a value shows by its slot: the fields that change when another value paints over it."""


def said(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return these fields of a fact as they were said: as if nothing had painted over it. One that
    only another value has archived is active; one that a word has archived ends as that says."""
    shown = {name: state[name] for name in SHOWN}
    known, end = shown["statement"], shown["valid_to"]
    if state["slot"] is None or known is None:
        return shown
    since, until = known.get("from"), known.get("until", known.get("to"))
    is_as_said = end == until and ("until" in known or shown["valid_from"] == since)
    if shown["lifecycle"] == "archived" and not is_as_said:
        shown["lifecycle"] = "active"
    if shown["lifecycle"] == "active" and known.keys() <= {"from", "to"}:
        known = None
    return shown | {"valid_from": since, "valid_to": until, "statement": known}
