"""The facts of slots: the values that a slot has and had. Each scope has slots of its own."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store import visibility
from tideline_cli.store.fact_rows import SELECT, SELECT_WITH_TERMS, fact_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Everyone, Origin


_MOST_PAST = 200  # older ones show what they have shown


def values_in(
    db: Connection, slot: str, *, scope: str | None, viewer: Origin
) -> list[tuple[Fact, str]]:
    """Return the active facts of a slot in order of arrival, each with its terms."""
    condition, names = visibility.where(viewer)
    rows: Iterable[tuple[Any, ...]] = db.execute(
        f"{SELECT_WITH_TERMS} WHERE {condition} AND slot = ? AND scope IS ?"
        " AND lifecycle = 'active' ORDER BY fact.seq",
        (*names, slot, scope),
    )
    return [(fact_of(row), row[-1]) for row in rows]


def all_values(db: Connection, slot: str, *, viewer: Origin) -> list[Fact]:
    """Return all facts that a slot has and had, in order of arrival."""
    condition, names = visibility.where(viewer)
    rows: Iterable[tuple[Any, ...]] = db.execute(
        f"{SELECT} WHERE {condition} AND slot = ? ORDER BY fact.seq", (*names, slot)
    )
    return [fact_of(row) for row in rows]


def among(db: Connection, seqs: Iterable[int], *, viewer: Origin | Everyone) -> list[Fact]:
    """Return those of some facts that are values of a slot, one for each slot of each scope."""
    condition, names = visibility.where(viewer)
    rows: Iterable[tuple[Any, ...]] = db.execute(
        f"{SELECT} WHERE {condition} AND slot IS NOT NULL"
        " AND fact.seq IN (SELECT value FROM json_each(?))",
        (*names, codec.dumps(list(seqs))),
    )
    found = (fact_of(row) for row in rows)
    return list({(one.origin.key, one.slot, one.scope): one for one in found}.values())


def newest(db: Connection, *, viewer: Origin, limit: int) -> list[tuple[str, int, int]]:
    """Return the slots that were spoken of last: the name, the number of values, and when the last
    one came."""
    condition, names = visibility.where(viewer)
    rows: list[Any] = db.execute(
        f"SELECT slot, count(*), max(created_at) AS at FROM fact WHERE {condition}"
        " AND slot IS NOT NULL GROUP BY slot ORDER BY at DESC, slot LIMIT ?",
        (*names, limit),
    ).fetchall()
    return rows


def told(db: Connection, slot: str, *, scope: str | None, viewer: Origin) -> list[Fact]:
    """Return the values of a slot that its time line is painted of, in order of arrival: the active
    ones, and the newest of those that others have painted over."""
    condition, names = visibility.where(viewer)
    place = f"{condition} AND slot = ? AND scope IS ?"
    values = (*names, slot, scope)
    rows: Iterable[tuple[Any, ...]] = db.execute(
        f"{SELECT} WHERE {place} AND (lifecycle = 'active' OR fact.seq IN (SELECT seq FROM fact"
        f" WHERE {place} AND lifecycle <> 'active' AND statement IS NOT NULL"
        " ORDER BY seq DESC LIMIT ?)) ORDER BY fact.seq",
        (*values, *values, _MOST_PAST),
    )
    return [fact_of(row) for row in rows]
