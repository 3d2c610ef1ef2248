"""What is known of a fact by its whole id: whether it is there, whose it is, who said it."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin
    from tideline_cli.model.source import Source


def exists(db: Connection, fact_id: str, *, viewer: Origin) -> bool:
    """Say whether a viewer has a fact with exactly this id."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT 1 FROM fact WHERE id = ? AND {condition}"
    return db.execute(sql, (fact_id, *values)).fetchone() is not None


def is_taken(db: Connection, fact_id: str) -> bool:
    """Say whether a fact of any origin has exactly this id."""
    return db.execute("SELECT 1 FROM fact WHERE id = ?", (fact_id,)).fetchone() is not None


def has_text(db: Connection, fact_id: str, content: str, *, viewer: Origin) -> bool:
    """Say whether a viewer has a fact with exactly this id and this text."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT 1 FROM fact WHERE id = ? AND content = ? AND {condition}"
    return db.execute(sql, (fact_id, content, *values)).fetchone() is not None


def source_of(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> Source | None:
    """Return who said the fact with exactly this id, None where a viewer has none."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT source FROM fact WHERE id = ? AND {condition}"
    row: Any = db.execute(sql, (fact_id, *values)).fetchone()
    return None if row is None else row[0]


def active(db: Connection, *, viewer: Origin) -> set[str]:
    """Return the ids of all active facts of an origin."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT id FROM fact WHERE lifecycle = 'active' AND {condition}"
    return {fact_id for (fact_id,) in db.execute(sql, values)}


def every(db: Connection, *, viewer: Origin) -> set[str]:
    """Return the ids of all facts of an origin, archived ones too."""
    condition, values = visibility.where(viewer)
    return {fact_id for (fact_id,) in db.execute(f"SELECT id FROM fact WHERE {condition}", values)}


def owners(db: Connection, ids: Sequence[str], *, viewer: Origin | Everyone) -> dict[str, str]:
    """Return, for each of these ids that a viewer has, the key of the origin that it belongs to."""
    condition, values = visibility.where(viewer)
    sql = (
        "SELECT fact.id, origin.key FROM fact JOIN origin ON origin.number = fact.origin"
        f" WHERE fact.id IN (SELECT value FROM json_each(?)) AND {condition} ORDER BY fact.seq"
    )
    return dict(db.execute(sql, (codec.dumps([*ids]), *values)))
