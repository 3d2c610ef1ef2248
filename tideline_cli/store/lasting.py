"""Facts that a conversation begins with: those that never fade, those used of late, and those about
open work."""

from __future__ import annotations

from tideline_cli.store import visibility
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter

_PART = 50_000  # numbers that are looked at before it is asked whether all are found
_IMMUNE = "(pinned = 1 OR tier = 'permanent')"
_USED = """
SELECT usage.fact FROM usage JOIN fact ON fact.seq = usage.fact
WHERE last_accessed_at >= ? AND fact.origin = ?
"""


def immune_numbers(
    db: Connection, *, viewer: Origin, now: int, wanted: Filter, limit: int
) -> list[int]:
    """Return the numbers of the active facts that never fade, hold now and are asked for: pinned
    ones first, then the weightiest. The facts are read from the newest on, and no further than to
    the last one that there is."""
    origin_number = visibility.number(db, viewer)
    left: int = db.execute(
        f"SELECT ifnull(sum(facts), 0) FROM census WHERE origin = ? AND lifecycle = 'active' AND "
        f"{_IMMUNE}", (origin_number,),
    ).get  # fmt: skip
    found: list[Any] = []
    condition, values = narrowing(wanted, valid_at=now)
    high: int = db.execute("SELECT ifnull(max(seq), 0) FROM fact").get
    while left > 0 and high > 0:
        rows: list[Any] = db.execute(
            f"SELECT -pinned, -importance, -fact.created_at, id, seq, (true{condition}) FROM fact "
            f"WHERE seq > ? AND seq <= ? AND origin = ? AND lifecycle = 'active' AND {_IMMUNE}",
            (*values, high - _PART, high, origin_number),
        ).fetchall()
        found += [row[:5] for row in rows if row[5]]
        left -= len(rows)
        high -= _PART
    return [row[4] for row in sorted(found)[:limit]]


def used_numbers(
    db: Connection, *, viewer: Origin, now: int, since: int, wanted: Filter, limit: int
) -> list[int]:
    """Return the numbers of the facts that hold now, are asked for and were used since an instant,
    the last ones first."""
    condition, values = narrowing(wanted, valid_at=now)
    rows: list[Any] = db.execute(
        f"{_USED}{condition} ORDER BY last_accessed_at DESC, id LIMIT ?",
        (since, visibility.number(db, viewer), *values, limit),
    ).fetchall()
    return [seq for (seq,) in rows]


_OPEN = """
SELECT fact.seq FROM fact INDEXED BY fact_work
WHERE fact.origin = ? AND fact.kind = ? AND progress = 'active' AND lifecycle = 'active'
"""
_MOST = 200  # more fit no share of a budget


def open_numbers(
    db: Connection, kind: str, *, viewer: Origin, now: int, wanted: Filter
) -> list[int]:
    """Return the numbers of the active facts of a kind of work that hold now and are asked for, the
    weightiest first, then the oldest."""
    condition, values = narrowing(wanted, valid_at=now)
    rows: list[Any] = db.execute(
        f"{_OPEN}{condition} ORDER BY importance DESC, created_at, id LIMIT {_MOST}",
        (visibility.number(db, viewer), kind, *values),
    ).fetchall()
    return [seq for (seq,) in rows]
