"""Notices of passes that archived facts while nobody looked, until somebody is told."""

from __future__ import annotations

from tideline_cli.errors import ReplacedError
from tideline_cli.model.record import record
from tideline_cli.store.connection import DatabaseError, in_passing, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_MINE = "origin = (SELECT number FROM origin WHERE key = ?)"


@record
class Notice:
    """A pass by the number that users see, when it was, and how many facts it archived."""

    batch: int
    at: int
    facts: int


def add(db: Connection, ordinal: int, *, facts: int, viewer: Origin) -> None:
    """Note that the viewer's batch with this number has archived so many facts."""
    with writing(db):
        db.execute(
            "INSERT OR IGNORE INTO notice (origin, batch, facts) SELECT origin, number, ?"
            f" FROM batch WHERE ordinal = ? AND {_MINE}",
            (facts, ordinal, viewer.key),
        )


def take(db: Connection, *, viewer: Origin) -> list[Notice]:
    """Return the notices of an origin, the newest first, and forget them: who gets them tells them.

    What was undone meanwhile is left out. Nothing is returned where nothing can be written now.
    """
    if db.execute(f"SELECT 1 FROM notice WHERE {_MINE} LIMIT 1", (viewer.key,)).fetchone() is None:
        return []
    try:
        with in_passing(db), writing(db):
            found: list[Any] = db.execute(
                "SELECT ordinal, at, facts FROM notice JOIN batch ON batch.number = notice.batch"
                f" WHERE notice.{_MINE} AND NOT EXISTS"
                " (SELECT 1 FROM batch AS later WHERE later.number > notice.batch"
                " AND later.undoes = notice.batch) ORDER BY ordinal DESC",
                (viewer.key,),
            ).fetchall()
            db.execute(f"DELETE FROM notice WHERE {_MINE}", (viewer.key,))
    except (DatabaseError, ReplacedError):
        return []
    return [Notice(*row) for row in found]
