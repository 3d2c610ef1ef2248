"""How many facts have vectors, and how many wait for theirs."""

from __future__ import annotations

from tideline_cli.store import reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.store.reads import Read

PROGRESS = "SELECT seq FROM vector_progress WHERE origin = ? AND embedder = ?"
_SMALL = 50_000


def made_count(db: Connection, *, origin_number: int, embedder: str) -> int:
    """Return how many vectors an origin has."""
    return reads.alone(db, made(origin_number=origin_number, embedder=embedder))


def made(*, origin_number: int, embedder: str) -> Read[int]:
    """Read how many vectors an origin has."""
    rows = yield """
    SELECT ifnull(sum(length(facts) / 4), 0) FROM vector_chunk WHERE origin = ? AND embedder = ?
    """, (origin_number, embedder)
    return int(rows[0][0])


def embedded_up_to(db: Connection, *, origin_number: int, embedder: str) -> int:
    """Return the number of the fact up to which an origin's facts are embedded."""
    row = db.execute(PROGRESS, (origin_number, embedder)).fetchone()
    return int(row[0]) if row else 0


def waiting_count(
    db: Connection, *, origin_number: int, embedder: str, held: int, made: int
) -> int:
    """Return how many of an origin's `held` active facts lack a vector; `made` have one."""
    if made >= held:
        return 0
    after = embedded_up_to(db, origin_number=origin_number, embedder=embedder)
    # A small origin is read by its own index, past nobody's facts; a large one from the end on.
    if held <= _SMALL:
        return int(
            db.execute(
                "SELECT count(*) FROM fact INDEXED BY fact_active"
                " WHERE origin + 0 = ? AND lifecycle = 'active' AND seq > ?",
                (origin_number, after),
            ).get
        )
    sql = (
        "SELECT count(*) FROM (SELECT lifecycle FROM fact WHERE seq > ? AND origin = ? LIMIT ?)"
        " WHERE lifecycle = 'active'"
    )
    return int(db.execute(sql, (after, origin_number, held - made)).get)


def missing_counts(db: Connection, *, embedder: str) -> list[tuple[int, int]]:
    """Return (origin's number, facts without a vector) of every origin that has such facts."""
    sql = """
    SELECT origin, missing FROM (
      SELECT origin, sum(facts) - ifnull((
        SELECT sum(length(chunk.facts) / 4) FROM vector_chunk AS chunk
        WHERE chunk.origin = census.origin AND chunk.embedder = ?
      ), 0) AS missing
      FROM census GROUP BY origin
    ) WHERE missing > 0 ORDER BY origin
    """
    return list(db.execute(sql, (embedder,)))
