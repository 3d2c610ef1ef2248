"""The ids of facts as people type them: `@1`, or a part of an id."""

from __future__ import annotations

from tideline_cli.cli import last_hits
from tideline_cli.store import references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session


def id_of(session: Session, text: str, *, on_terminal: bool) -> str:
    """Return the id that `@1`, `@2` … stands for, or the id that a text ends; any other text as it
    is. Raises NotFoundError for a `@1` that stands for nothing."""
    if text.startswith("@"):
        return last_hits.id_of(text, on_terminal=on_terminal)
    db = session.reading() if references.is_part(text.removeprefix("…")) else None
    return text if db is None else references.whole(db, text, viewer=session.viewer)
