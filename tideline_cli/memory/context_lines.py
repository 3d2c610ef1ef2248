"""What stands before the text of a fact in a line of a context, by the profile."""

from __future__ import annotations

from tideline_cli.model.instant import iso
from tideline_cli.policy.render import prompt_text
from tideline_cli.ranking.priority import class_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit

_LONGEST = 60  # characters of a name, and of the headings


def head(hit: Hit, style: str) -> str:
    """Return the beginning of a line: nothing (`plain`), the id and the points of a fact, or when
    it was said, what it is, and its mark (`labelled`)."""
    fact = hit.fact
    match style:
        case "points":
            state = f"{_state(fact)}, weak match" if hit.weak else _state(fact)
            return f"- **{fact.id}** [{state}] score={hit.score:.4g} "
        case "labelled":
            weak = "(weak match) " if hit.weak else ""
            return f"[{iso(fact.created_at)}] ({_kind(hit)}) {_mark(hit)}{weak}"
        case _:
            return "- (weak match) " if hit.weak else "- "


def _state(fact: Fact) -> str:
    """Return how the work that an active fact states goes on, else its lifecycle."""
    return fact.progress or fact.lifecycle if fact.lifecycle == "active" else fact.lifecycle


def _kind(hit: Hit) -> str:
    return (hit.fact.kind or hit.why.group or hit.fact.segment).upper()


def _mark(hit: Hit) -> str:
    parts = hit.why.parts or {}
    found = class_label(int(parts["priority"])) if "priority" in parts else None
    return f"**[{found}]** " if found else ""


def citation(fact: Fact) -> str:
    """Return what stands before the text of a chunk, with a space behind it: `(guide.md, Setup)`.
    """
    parts = (_short(part) for part in (fact.document, fact.source_turn, fact.title) if part)
    return f"({', '.join(filter(None, parts))}) "


def _short(text: str) -> str:
    """Return the end of a name or of headings, which says most, as a prompt may hold it."""
    shown = prompt_text(text).strip()
    return shown if len(shown) <= _LONGEST else "…" + shown[1 - _LONGEST :]
