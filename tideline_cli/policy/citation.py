"""How a chunk of a document is cited in a prompt: its document, its page, its headings. Pure."""

from __future__ import annotations

from tideline_cli.policy.render import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact

_LONGEST = 60  # characters of a name, and of the headings


def citation(fact: Fact) -> str:
    """Return what stands before the text of a chunk, with a space behind it: `(guide.md, Setup)`.
    """
    parts = (_short(part) for part in (fact.document, fact.source_turn, fact.title) if part)
    return f"({', '.join(filter(None, parts))}) "


def _short(text: str) -> str:
    """Return the end of a name or of headings, which says most, as a prompt may hold it."""
    shown = prompt_text(text).strip()
    return shown if len(shown) <= _LONGEST else "…" + shown[1 - _LONGEST :]
