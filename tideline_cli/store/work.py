"""Facts about work that are open: constraints, tasks and the like, by an index of their own."""

from __future__ import annotations

from tideline_cli.store import visibility
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter

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
