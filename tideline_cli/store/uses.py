"""How often and when a fact was used: apart from the facts, so that reads stay out of history."""

from __future__ import annotations

from tideline_cli.ranking.score_bounds import changes_at
from tideline_cli.store import score_bounds
from tideline_cli.store.transactions import foresight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact


def touch(
    db: Connection, seqs: Sequence[int], *, now: int, ids: Sequence[str] | None = None
) -> None:
    """Count one use of each fact that is still there: what a reader has found may have been taken
    out since, and its connection keeps no foreign keys. With `ids`, one that has another id is
    another fact. The last use never moves backwards, and none was before the fact was made."""
    if foresight(db):
        from tideline_cli.store.postgres import use_counts  # noqa: PLC0415  a server alone

        use_counts.touch(db, seqs, now=now, ids=ids)
        return
    reached: list[int] = []
    for place, seq in enumerate(seqs):
        fact_id = None if ids is None else ids[place]
        row: Any = db.execute(
            """
            INSERT INTO usage (fact, access_count, last_accessed_at)
            SELECT seq, 1, max(created_at, ?2) FROM fact WHERE seq = ?1 AND id = ifnull(?3, id)
            ON CONFLICT DO UPDATE SET access_count = access_count + 1,
              last_accessed_at = max(usage.last_accessed_at, ?2)
            RETURNING access_count
            """,
            (seq, now, fact_id),
        ).fetchone()
        if row and changes_at(row[0]):
            reached.append(seq)
    score_bounds.put_of(db, reached)


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
    rows: list[Any] = db.execute("SELECT seq FROM fact WHERE id = ?", (fact_id,)).fetchall()
    score_bounds.put_of(db, [seq for (seq,) in rows])
