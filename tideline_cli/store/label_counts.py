"""Which slots and tags there are: counts, and the values that slots have."""

from __future__ import annotations

from tideline_cli.model.record import replace
from tideline_cli.store import visibility
from tideline_cli.store.fact_rows import SELECT, fact_of
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter


def values(
    db: Connection, *, viewer: Origin, wanted: Filter
) -> list[Fact]:
    """Return the active facts of all slots, by slot and scope, then in order of arrival."""
    condition, names = _seen(viewer, wanted)
    rows: list[Any] = db.execute(
        f"{SELECT} WHERE {condition} AND slot IS NOT NULL AND lifecycle = 'active'"
        " ORDER BY slot, scope NULLS FIRST, fact.seq",
        names,
    ).fetchall()
    return [fact_of(row) for row in rows]


def values_ever(
    db: Connection, *, viewer: Origin, wanted: Filter
) -> dict[tuple[str, str | None], int]:
    """Return how many values each slot of each scope has and had."""
    condition, names = _seen(viewer, wanted)
    rows: list[Any] = db.execute(
        f"SELECT slot, scope, count(*) FROM fact WHERE {condition} AND slot IS NOT NULL"
        " AND lifecycle <> 'pruned' GROUP BY slot, scope",
        names,
    ).fetchall()
    return {(slot, scope): count for slot, scope, count in rows}


def tags(
    db: Connection, *, viewer: Origin, wanted: Filter
) -> list[tuple[str, int, int]]:
    """Return (tag, number of active facts, when the newest was made), the most frequent first."""
    condition, names = _seen(viewer, wanted)
    rows: list[Any] = db.execute(
        "SELECT value, count(*) AS uses, max(created_at) FROM fact, json_each(fact.tags)"
        f" WHERE {condition} AND lifecycle = 'active' AND fact.tags IS NOT NULL"
        " GROUP BY value ORDER BY uses DESC, value",
        names,
    ).fetchall()
    return rows


def _seen(viewer: Origin, wanted: Filter) -> tuple[str, tuple[Any, ...]]:
    """Return the condition for facts that a filter asks for, whatever their lifecycle."""
    condition, names = visibility.where(viewer)
    narrowed, values = narrowing(replace(wanted, lifecycle=None))
    return condition + narrowed, (*names, *values)
