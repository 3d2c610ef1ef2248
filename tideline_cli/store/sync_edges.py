"""The registers of edges, as the file keeps them."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store.sync_rows import in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection


@record
class EdgeRow:
    """A row of `sync_edge`: whether the edge is there, by the word with this stamp."""

    source: str
    kind: str
    target: str
    clock: int
    replica: int
    version: int
    place: int
    present: bool
    reason: str | None
    strength: int | None
    created_at: int


_EDGE = """
SELECT source, kind, target, clock, replica, version, place, present, reason, strength, created_at
FROM sync_edge
"""


def edges_of(db: Connection, ids: Iterable[str]) -> list[EdgeRow]:
    """Return the edges that start or end at one of these facts."""
    found: dict[tuple[str, str, str], EdgeRow] = {}
    for some in in_parts(ids):
        for column in ("source", "target"):
            sql = f"{_EDGE} WHERE {column} IN (SELECT value FROM json_each(?))"
            for row in db.execute(sql, (some,)):
                found[row[:3]] = _edge(row)
    return list(found.values())


def edges_to(db: Connection, ids: Iterable[str], kinds: Sequence[str]) -> list[EdgeRow]:
    """Return the edges of some kinds that are there and end at one of these facts."""
    return _at_end(db, "target", ids, kinds)


def edges_from(db: Connection, ids: Iterable[str], kinds: Sequence[str]) -> list[EdgeRow]:
    """Return the edges of some kinds that are there and start at one of these facts."""
    return _at_end(db, "source", ids, kinds)


def _at_end(
    db: Connection, column: str, ids: Iterable[str], kinds: Sequence[str]
) -> list[EdgeRow]:
    sql = (
        f"{_EDGE} WHERE {column} IN (SELECT value FROM json_each(?1)) AND present = 1"
        " AND kind IN (SELECT value FROM json_each(?2)) ORDER BY source, kind, target"
    )
    wanted = codec.dumps(list(kinds))
    return [_edge(row) for some in in_parts(ids) for row in db.execute(sql, (some, wanted))]


def edge(db: Connection, source: str, kind: str, target: str) -> EdgeRow | None:
    """Return what is known of one edge."""
    sql = f"{_EDGE} WHERE (source, kind, target) = (?, ?, ?)"
    row: Any = db.execute(sql, (source, kind, target)).fetchone()
    return None if row is None else _edge(row)


def edges_since(db: Connection, version: int) -> list[EdgeRow]:
    """Return the edges of which anything became known after this version, oldest first."""
    sql = f"{_EDGE} WHERE version > ? ORDER BY version"
    return [_edge(row) for row in db.execute(sql, (version,))]


def put_edges(db: Connection, rows: Iterable[EdgeRow]) -> None:
    """Store what is known of edges."""
    db.executemany(
        f"INSERT OR REPLACE INTO sync_edge VALUES ({', '.join('?' * 11)})",
        [
            (
                row.source, row.kind, row.target, row.clock, row.replica, row.version, row.place,
                int(row.present), row.reason, row.strength, row.created_at,
            )
            for row in rows
        ],
    )  # fmt: skip


def _edge(row: Sequence[Any]) -> EdgeRow:
    source, kind, target, clock, replica, version, place, present, reason, strength, made = row
    return EdgeRow(
        source, kind, target, clock, replica, version, place, bool(present), reason, strength, made
    )
