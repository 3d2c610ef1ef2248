"""Members of a memory on a server who ask for an origin that is not theirs, and see nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session

ASKS = frozenset({
    "context", "contradictions", "edit", "export", "fading", "feedback", "forget", "graph",
    "history", "library", "link", "list", "pin", "purge", "recall", "redo", "relink", "restore",
    "retention", "show", "slots", "status", "tags", "timeline", "undo", "unpin",
})  # fmt: skip
"""Commands that find nothing in an origin of others, and no error says why."""


def explain_wall(session: Session) -> None:
    """Say that what was asked for is not the member's, where that is known without asking again and
    was not said."""
    db: Any = session.opened
    if db is None or db.is_lost or not db.is_there or session.is_wall_told:
        return
    from tideline_cli.store.postgres.first_look import MOST_ORIGINS  # noqa: PLC0415  as above

    if len(db.origins) < MOST_ORIGINS and session.viewer.key not in db.origins:
        note(session, db)


def note(session: Session, db: Any) -> bool:
    """Say so where a role is held back; return whether it is."""
    from tideline_cli.store.postgres import members  # noqa: PLC0415  servers alone
    from tideline_cli.store.visibility import NOBODY, number  # noqa: PLC0415  as above

    if number(db, session.viewer) != NOBODY or members.sees_all(db):
        return False
    session.is_wall_told = True
    session.note(
        f"your role is no member of {session.viewer.key}: `tideline member list` shows what it "
        "sees, and --origin names it"
    )
    return True
