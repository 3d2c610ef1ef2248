"""How often and when a fact was used: apart from the facts, so that reads stay out of history."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact


def touch(
    db: Connection, seqs: Sequence[int], *, now: int, ids: Sequence[str] | None = None
) -> None:
    """Count one use of each fact that is still there: what a reader has found may have been taken
    out since, and its connection keeps no foreign keys. With `ids`, one that has another id is
    another fact. The last use never moves backwards, and none was before the fact was made."""
    for place, seq in enumerate(seqs):
        fact_id = None if ids is None else ids[place]
        db.execute(
            """
            INSERT INTO usage (fact, access_count, last_accessed_at)
            SELECT seq, 1, max(created_at, ?2) FROM fact WHERE seq = ?1 AND id = ifnull(?3, id)
            ON CONFLICT DO UPDATE SET access_count = access_count + 1,
              last_accessed_at = max(last_accessed_at, ?2)
            """,
            (seq, now, fact_id),
        )


def put_of(db: Connection, fact: Fact) -> None:
    """Set the use of a fact to what the fact says."""
    put(db, fact.id, access_count=fact.access_count, last_accessed_at=fact.last_accessed_at)


def put(db: Connection, fact_id: str, *, access_count: int, last_accessed_at: int) -> None:
    """Set the use of a fact."""
    db.execute(
        """
        INSERT INTO usage (fact, access_count, last_accessed_at)
        SELECT seq, ?2, ?3 FROM fact WHERE id = ?1
        ON CONFLICT DO UPDATE SET access_count = ?2, last_accessed_at = ?3
        """,
        (fact_id, access_count, last_accessed_at),
    )
