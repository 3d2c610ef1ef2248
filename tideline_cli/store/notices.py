"""What nights leave to be told: passes that archived facts while nobody looked, until somebody is
told; and what fades soonest, as the last dream foresaw."""

from __future__ import annotations

from tideline_cli.errors import ReplacedError
from tideline_cli.model.record import record
from tideline_cli.store.bulk_reads import FADING, fading_of
from tideline_cli.store.connection import DatabaseError
from tideline_cli.store.transactions import in_passing, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.bulk_reads import Fading

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


MOST_FADING = 1000
"""So many facts of an origin are listed."""


def put_fading(db: Connection, soonest: Iterable[tuple[int, int]], *, origin_number: int) -> None:
    """Replace the list of an origin: facts by number, and when each fades."""
    db.execute("DELETE FROM fade WHERE origin = ?", (origin_number,))
    for seq, at in soonest:
        db.execute(
            "INSERT OR REPLACE INTO fade (fact, origin, at) SELECT seq, origin, ?2 FROM fact"
            " WHERE seq = ?1 AND origin = ?3",
            (seq, at, origin_number),
        )


def fading_soon(db: Connection, *, origin_number: int, until: int) -> list[Fading]:
    """Return the listed facts that were to fade before an instant and that still may."""
    rows = db.execute(
        f"{FADING} AND fact.seq IN (SELECT fact FROM fade WHERE origin = ?1 AND at < ?2)"
        " AND fact.origin = ?1",
        (origin_number, until),
    )
    return fading_of(rows)


def clear_fading(db: Connection) -> None:
    """Forget what was foreseen for all origins, until their next dream."""
    db.execute("DELETE FROM fade")
