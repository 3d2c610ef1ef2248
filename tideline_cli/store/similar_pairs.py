"""The table of pairs of similar facts, and how far the facts of an origin have been compared."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection


_COMPARED = "lifecycle = 'active' AND document IS NULL"


@record
class Reach:
    """All facts up to number `seq` have been compared, for cosines of at least `floor`."""

    embedder: str
    floor: float
    seq: int


def reached(db: Connection, *, origin_number: int) -> Reach | None:
    """Return how far the facts of an origin have been compared, None when never."""
    row = db.execute(
        "SELECT embedder, floor, seq FROM near_progress WHERE origin = ?", (origin_number,)
    ).fetchone()
    return Reach(*row) if row else None


def put_reached(db: Connection, made: Reach, *, origin_number: int) -> None:
    """Store how far the facts of an origin have been compared."""
    db.execute(
        "INSERT OR REPLACE INTO near_progress (origin, embedder, floor, seq) VALUES (?, ?, ?, ?)",
        (origin_number, made.embedder, made.floor, made.seq),
    )


def forget(db: Connection, *, origin_number: int) -> None:
    """Forget every pair of an origin, so that all its facts are compared again."""
    db.execute(
        "DELETE FROM near WHERE fact IN (SELECT seq FROM fact WHERE origin = ?)", (origin_number,)
    )
    db.execute(
        "DELETE FROM unpaired WHERE fact IN (SELECT seq FROM fact WHERE origin = ?)",
        (origin_number,),
    )
    db.execute("DELETE FROM near_progress WHERE origin = ?", (origin_number,))


def active(db: Connection, *, origin_number: int) -> list[int]:
    """Return the numbers of an origin's active facts, ascending. Chunks of documents are not
    compared: they repeat one another."""
    rows: list[Any] = db.execute(
        f"SELECT seq FROM fact WHERE origin = ? AND {_COMPARED} ORDER BY seq",
        (origin_number,),
    ).fetchall()
    return [row[0] for row in rows]


def newest_active(db: Connection, *, origin_number: int) -> int:
    """Return the number of the newest of these, 0 when there is none."""
    row = db.execute(
        f"SELECT seq FROM fact WHERE origin = ? AND {_COMPARED} ORDER BY seq DESC LIMIT 1",
        (origin_number,),
    ).fetchone()
    return int(row[0]) if row else 0


def unpaired(db: Connection, *, origin_number: int) -> list[int]:
    """Return the numbers of an origin's facts that the comparison has passed without comparing."""
    rows: list[Any] = db.execute(
        "SELECT unpaired.fact FROM unpaired JOIN fact ON fact.seq = unpaired.fact WHERE origin = ?",
        (origin_number,),
    ).fetchall()
    return [row[0] for row in rows]


def add_unpaired(db: Connection, seqs: Iterable[int]) -> None:
    """Note that these facts must be compared again; those that are gone are left out."""
    for seq in seqs:
        db.execute(
            "INSERT OR IGNORE INTO unpaired (fact) SELECT seq FROM fact WHERE seq = ?", (seq,)
        )


def remove_unpaired(db: Connection, seqs: Iterable[int]) -> None:
    """Note that these facts have been compared with all others."""
    for seq in seqs:
        db.execute("DELETE FROM unpaired WHERE fact = ?", (seq,))


def put(db: Connection, pairs: Sequence[tuple[int, int, float]]) -> None:
    """Store pairs (later, earlier, cosine) of facts that are still there."""
    db.executemany(
        """
        INSERT OR REPLACE INTO near (fact, other, cosine)
        SELECT a.seq, b.seq, ?3 FROM fact AS a, fact AS b WHERE a.seq = ?1 AND b.seq = ?2
        """,
        pairs,
    )


def pairs(db: Connection, *, origin_number: int, floor: float) -> list[tuple[int, int, float]]:
    """Return the pairs (later, earlier, cosine) of active facts of an origin."""
    rows: list[Any] = db.execute(
        """
        SELECT near.fact, near.other, near.cosine FROM near
        JOIN fact AS a ON a.seq = near.fact JOIN fact AS b ON b.seq = near.other
        WHERE a.origin = ? AND a.lifecycle = 'active' AND b.lifecycle = 'active'
          AND near.cosine >= ?
        """,
        (origin_number, floor),
    ).fetchall()
    return rows


def last_change(db: Connection) -> int:
    """Return the number of the newest change in the journal."""
    return int(db.execute("SELECT ifnull(max(number), 0) FROM change").get)


def revived(db: Connection, *, since: int, origin_number: int, until: int) -> list[int]:
    """Return the active facts up to number `until` that have changed after change `since`."""
    rows: list[Any] = db.execute(
        """
        SELECT DISTINCT fact.seq FROM change JOIN fact ON fact.seq = change.row
        WHERE change.number > ? AND change.entity = 'fact' AND fact.origin = ?
          AND fact.lifecycle = 'active' AND fact.document IS NULL AND fact.seq <= ?
        """,
        (since, origin_number, until),
    ).fetchall()
    return [row[0] for row in rows]
