"""What fades soonest, as the last dream foresaw: a short list for each origin, so that `status`
need not look at all facts."""

from __future__ import annotations

from tideline_cli.store.bulk_reads import FADING, fading_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.store.bulk_reads import Fading

MOST = 1000
"""So many facts of an origin are listed."""


def put(db: Connection, soonest: Iterable[tuple[int, int]], *, origin_number: int) -> None:
    """Replace the list of an origin: facts by number, and when each fades."""
    db.execute("DELETE FROM fade WHERE origin = ?", (origin_number,))
    for seq, at in soonest:
        db.execute(
            "INSERT OR REPLACE INTO fade (fact, origin, at) SELECT seq, origin, ?2 FROM fact"
            " WHERE seq = ?1 AND origin = ?3",
            (seq, at, origin_number),
        )


def soon(db: Connection, *, origin_number: int, until: int) -> list[Fading]:
    """Return the listed facts that were to fade before an instant and that still may."""
    rows = db.execute(
        f"{FADING} AND fact.seq IN (SELECT fact FROM fade WHERE origin = ?1 AND at < ?2)"
        " AND fact.origin = ?1",
        (origin_number, until),
    )
    return fading_of(rows)


def clear(db: Connection) -> None:
    """Forget what was foreseen for all origins, until their next dream."""
    db.execute("DELETE FROM fade")
