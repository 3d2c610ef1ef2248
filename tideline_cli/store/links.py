"""Typed edges between facts."""

from __future__ import annotations

from tideline_cli.model.edge import MOST_OF_A_KIND
from tideline_cli.model.record import record
from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin


@record
class Link:
    """An edge from one fact to another; `source` and `target` are ids."""

    source: str
    kind: str
    target: str
    reason: str | None = None
    strength: int | None = None
    created_at: int = 0


_SELECT = """
SELECT fact.id, link.kind, target.id, reason, strength, link.created_at
FROM link JOIN fact ON fact.seq = link.from_fact JOIN fact AS target ON target.seq = link.to_fact
"""

_ENDS = "FROM fact AS a, fact AS b WHERE a.id = ?1 AND b.id = ?2 AND a.seq <> b.seq"
_BOTH_ACTIVE = "a.origin = b.origin AND a.lifecycle = 'active' AND b.lifecycle = 'active'"
_FILL = f"""
UPDATE link SET reason = ifnull(reason, ?4), strength = ifnull(strength, ?5)
WHERE kind = ?3 AND (from_fact, to_fact) = (SELECT a.seq, b.seq {_ENDS} AND {_BOTH_ACTIVE})
  AND (reason IS NULL AND ?4 IS NOT NULL OR strength IS NULL AND ?5 IS NOT NULL)
"""
_RELATE = f"""
INSERT INTO link (from_fact, to_fact, kind, reason, strength, created_at)
SELECT a.seq, b.seq, ?3, ?4, ?5, ?6 {_ENDS} AND {_BOTH_ACTIVE}
  AND (SELECT count(*) FROM link WHERE from_fact = a.seq AND kind = ?3) < ?7
ON CONFLICT DO NOTHING
"""


def add(db: Connection, link: Link) -> bool:
    """Store an edge between two facts of one origin. Return False when it is there already, when an
    end is missing, when both ends are one fact, or when it would lead into another origin."""
    db.execute(
        """
        INSERT INTO link (from_fact, to_fact, kind, reason, strength, created_at)
        SELECT a.seq, b.seq, ?3, ?4, ?5, ?6 FROM fact AS a, fact AS b
        WHERE a.id = ?1 AND b.id = ?2 AND a.seq <> b.seq AND a.origin = b.origin
        ON CONFLICT DO NOTHING
        """,
        (link.source, link.target, link.kind, link.reason, link.strength, link.created_at),
    )
    return db.changes() > 0


def relate(
    db: Connection,
    source: str,
    kind: str,
    target: str,
    *,
    reason: str | None,
    strength: int | None,
    now: int,
    at_most: int = MOST_OF_A_KIND,
) -> int:
    """Link two active facts of one origin both ways, back by the inverse kind; return how many of
    the two edges are new.

    An edge that is there already gets a reason and a strength where it has none. A fact gets no
    more than `at_most` edges of one kind. Each direction is decided on its own.
    """
    made = 0
    for start, word, end in _both_ways(source, kind, target):
        values = (start, end, word, reason, strength)
        if reason is not None or strength is not None:
            db.execute(_FILL, values)
        db.execute(_RELATE, (*values, now, at_most))
        made += db.changes()
    return made


def remove(db: Connection, source: str, kind: str, target: str) -> int:
    """Delete the edge between two facts and the one that leads back; return how many there were."""
    gone = 0
    for start, word, end in _both_ways(source, kind, target):
        db.execute(
            """
            DELETE FROM link WHERE kind = ? AND from_fact = (SELECT seq FROM fact WHERE id = ?)
              AND to_fact = (SELECT seq FROM fact WHERE id = ?)
            """,
            (word, start, end),
        )
        gone += db.changes()
    return gone


def between(db: Connection, one: str, other: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges between two facts, both ways, in the order in which they were made."""
    condition, values = visibility.where(viewer)
    rows = db.execute(
        f"{_SELECT} WHERE (fact.id, target.id) IN (VALUES (?, ?), (?, ?)) AND {condition} "
        "ORDER BY link.number",
        (one, other, other, one, *values),
    )
    return [Link(*row) for row in rows]


def leaving(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges that start at a fact, in the order in which they were made."""
    condition, values = visibility.where(viewer)
    rows = db.execute(
        f"{_SELECT} WHERE fact.id = ? AND {condition} ORDER BY link.number", (fact_id, *values)
    )
    return [Link(*row) for row in rows]


def arriving(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges that end at a fact, in the order in which they were made."""
    condition, values = visibility.where(viewer)
    rows = db.execute(
        f"{_SELECT} WHERE target.id = ? AND {condition} ORDER BY link.number", (fact_id, *values)
    )
    return [Link(*row) for row in rows]


def each(db: Connection, *, viewer: Origin | Everyone) -> Iterator[Link]:
    """Yield all edges that `viewer` may see, by the order of the facts they start at."""
    condition, values = visibility.where(viewer)
    for row in db.execute(
        f"{_SELECT} WHERE {condition} ORDER BY link.from_fact, link.number", values
    ):
        yield Link(*row)


def _both_ways(source: str, kind: str, target: str) -> tuple[tuple[str, str, str], ...]:
    from tideline_cli.model.edge import INVERSE  # noqa: PLC0415  hot commands make no such edges

    return (source, kind, target), (target, INVERSE[kind], source)
