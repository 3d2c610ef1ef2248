"""How many messages of a conversation `extract` has done: the `cursor` table."""

from __future__ import annotations

from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from apsw import Connection

    from tideline_cli.model.origin import Origin

    Pass = Literal["facts", "items", "lessons", "identifiers"]

PASSES: tuple[Pass, ...] = ("facts", "items", "lessons", "identifiers")


def done(db: Connection, session: str, name: Pass, *, viewer: Origin) -> int:
    """Return how many messages of a session a pass has done."""
    return stored(db, session, name, viewer=viewer) or 0


def stored(db: Connection, session: str, name: Pass, *, viewer: Origin) -> int | None:
    """Return the cursor of a pass in a session, None where there is none."""
    row = db.execute(
        "SELECT done FROM cursor WHERE origin = (SELECT number FROM origin WHERE key = ?)"
        " AND session = ? AND pass = ?",
        (viewer.key, session, name),
    ).fetchone()
    return int(row[0]) if row else None


def put(db: Connection, session: str, name: Pass, count: int, *, viewer: Origin) -> None:
    """Set how many messages of a session a pass has done; needs an open transaction."""
    db.execute(
        "INSERT INTO cursor (origin, session, pass, done) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET done = excluded.done",
        (visibility.ensure_number(db, viewer), session, name, count),
    )
