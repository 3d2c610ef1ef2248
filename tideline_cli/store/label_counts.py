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


_WITHIN = """EXISTS (
  SELECT 1 FROM fact AS around
  WHERE around.origin = fact.origin AND around.slot = fact.slot AND around.scope IS fact.scope
    AND around.lifecycle = 'active' AND (around.valid_to IS NULL OR around.valid_to > fact.valid_to)
    AND ifnull(around.valid_from, around.created_at) < ifnull(fact.valid_from, fact.created_at))"""


def values(
    db: Connection, *, viewer: Origin, wanted: Filter
) -> list[Fact]:
    """Return the active facts of all slots, by slot and scope, then in order of arrival; and those
    that have interrupted one of them."""
    condition, names = _seen(viewer, wanted)
    rows: list[Any] = db.execute(
        f"{SELECT} WHERE {condition} AND slot IS NOT NULL"
        f" AND (lifecycle = 'active' OR lifecycle = 'archived' AND {_WITHIN})"
        " ORDER BY slot, scope NULLS FIRST, fact.seq",
        names,
    ).fetchall()
    return [fact_of(row) for row in rows]


def values_ever(
    db: Connection, *, viewer: Origin, wanted: Filter, now: int
) -> dict[tuple[str, str | None], tuple[int, int | None]]:
    """Return how many values each slot of each scope has and had, and when the last one ended that
    has ended by now, by slot and scope."""
    condition, names = _seen(viewer, wanted)
    rows: list[Any] = db.execute(
        "SELECT slot, scope, count(*), max(CASE WHEN valid_to <= ? THEN valid_to END) FROM fact"
        f" WHERE {condition} AND slot IS NOT NULL AND lifecycle <> 'pruned'"
        " GROUP BY slot, scope ORDER BY slot, scope NULLS FIRST",
        (now, *names),
    ).fetchall()
    return {(slot, scope): (count, ended) for slot, scope, count, ended in rows}


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
