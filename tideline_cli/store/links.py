"""Typed edges between facts."""

from __future__ import annotations

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


def add(db: Connection, link: Link) -> bool:
    """Store an edge between two facts of one origin; return False when it is there already, when
    an end is missing, or when it would lead back to itself or into another origin."""
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


def leaving(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges that start at a fact, in order of their making."""
    condition, values = visibility.where(viewer)
    rows = db.execute(
        f"{_SELECT} WHERE fact.id = ? AND {condition} ORDER BY link.number", (fact_id, *values)
    )
    return [Link(*row) for row in rows]


def arriving(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges that end at a fact, in order of their making."""
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
