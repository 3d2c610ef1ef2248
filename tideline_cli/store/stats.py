"""Counts for status, of one origin at a time."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.store import vectors, visibility
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_GROUPS = ("lifecycle", "segment", "tier", "heat", "source")
_VECTOR_BYTES = 132
_ROW_BYTES = 160  # what a fact takes beside its texts: columns, index entries, journal


@record
class Counts:
    """What an origin holds. `groups` maps a column to counts of active facts by value, except
    lifecycle, which counts all; `size` is what its facts take in the file, in bytes."""

    groups: dict[str, dict[str, int]]
    pinned: int
    added: int
    size: int
    embedder: str
    embedded: int
    last: dict[str, int]


def counts(db: Connection, *, viewer: Origin, since: int, default_embedder: str) -> Counts:
    """Count an origin's facts; `added` are those made since that instant."""
    origin = visibility.number(db, viewer)
    groups: dict[str, dict[str, int]] = {name: {} for name in _GROUPS}
    pinned = added = size = 0
    for *values, n, pins, fresh, octets in db.execute(
        f"""
        SELECT {", ".join(_GROUPS)}, count(*), sum(pinned), sum(created_at >= ?),
               sum(octet_length(content) + octet_length(terms))
        FROM fact WHERE origin = ? GROUP BY {", ".join(_GROUPS)}
        """,
        (since, origin),
    ):
        size += octets + n * _ROW_BYTES
        active = values[0] == "active"
        for name, value in zip(_GROUPS, values, strict=True):
            if active or name == "lifecycle":
                groups[name][value] = groups[name].get(value, 0) + n
        if active:
            pinned += pins
            added += fresh
    embedder = setting(db, "embedder", default_embedder)
    embedded = vectors.count(db, origin=origin, embedder=embedder)
    last: dict[str, int] = dict(
        _rows(
            db,
            "SELECT verb, max(at) FROM batch WHERE origin = ? AND outcome = 'done'"
            " AND verb IN ('dream', 'consolidate') GROUP BY verb",
            (origin,),
        )
    )
    return Counts(groups, pinned, added, size + embedded * _VECTOR_BYTES, embedder, embedded, last)


def origins(db: Connection) -> list[tuple[str, int]]:
    """Return (key, number of active facts) of every origin, the owner first."""
    return _rows(
        db,
        """
        SELECT key, ifnull((SELECT sum(facts) FROM tally WHERE tally.origin = origin.number), 0)
        FROM origin ORDER BY number = 1 DESC, key
        """,
        (),
    )


def _rows(db: Connection, sql: str, values: tuple[Any, ...]) -> list[Any]:
    return db.execute(sql, values).fetchall()
