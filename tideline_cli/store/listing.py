"""Facts one after the other, in an order, as a list shows them or as a search without an index
reads them; and the slots and tags that there are."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import replace
from tideline_cli.store import facts, recent, visibility
from tideline_cli.store.connection import has_synced
from tideline_cli.store.fact_rows import SELECT, fact_of
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Everyone
    from tideline_cli.store.facts import Filter
    Wording = tuple[int, str, str, str | None, int, int]

_AT_ONCE = 5_000  # facts that are read in one statement
ORDERS = {
    "new": "fact.created_at DESC, fact.id",
    "old": "fact.created_at, fact.id",
    "importance": "importance DESC, fact.created_at DESC, fact.id",
    "used": "ifnull(usage.last_accessed_at, fact.created_at) DESC, fact.id",
}


def each(
    db: Connection,
    *,
    viewer: Origin | Everyone,
    wanted: Filter,
    limit: int | None = None,
    oldest_first: bool = False,
    order: str = "new",
    offset: int = 0,
) -> Iterator[Fact]:
    """Yield the facts that `viewer` may see and `wanted` asks for, newest first, or in another of
    the `ORDERS`, without the first `offset`.

    Ties are in order of id. Oldest first means in order of arrival; in a memory that syncs, in
    order of ids, which is the same on every machine.
    """
    is_newest = order == "new" and not oldest_first
    if limit is not None and is_newest and isinstance(viewer, Origin):
        for part in _newest(db, wanted, viewer, limit, offset):
            found = facts.get(db, part, viewer=viewer)
            yield from (found[seq] for seq in part if seq in found)
        return
    condition, values = visibility.where(viewer)
    narrowed, more = facts.narrowing(wanted)
    by = _oldest_first(db) if oldest_first else ORDERS[order]
    sql = f"{SELECT} WHERE {condition}{narrowed} ORDER BY {by} LIMIT ? OFFSET ?"
    for row in db.execute(sql, (*values, *more, -1 if limit is None else limit, offset)):
        yield fact_of(row)


def _oldest_first(db: Connection) -> str:
    return "fact.id" if has_synced(db) else "fact.seq"


def _newest(
    db: Connection, wanted: Filter, viewer: Origin, limit: int, offset: int
) -> Iterator[Sequence[int]]:
    """Yield the numbers of the newest facts of an origin that a filter asks for, in parts."""
    choice = recent.Choice(*facts.narrowing(wanted), *_states(wanted))
    number = visibility.number(db, viewer)
    seqs = recent.numbers(db, choice, origin_number=number, limit=limit + offset)
    for start in range(offset, len(seqs), _AT_ONCE):
        yield seqs[start : start + _AT_ONCE]


def _states(wanted: Filter) -> tuple[Literal["active", "inactive", "both"], int | None]:
    """Return which facts a filter reaches, by whether they are active today; and its instant."""
    state = wanted.state if wanted.as_of is not None else wanted.lifecycle
    reached: Literal["active", "inactive", "both"] = (
        "both" if state is None else "active" if state == "active" else "inactive"
    )
    return reached, wanted.as_of


def wordings(db: Connection, *, origin_number: int, wanted: Filter, now: int) -> Iterable[Wording]:
    """Yield the wordings of the facts that hold now, and that `wanted` asks for."""
    narrowed, values = narrowing(wanted, valid_at=now)
    sql = (
        "SELECT seq, id, concat_ws(char(10), content, title, kind), tags, created_at,"
        " lifecycle = 'active' AND ifnull(progress, 'active') = 'active'"
        f" FROM fact WHERE origin = ?{narrowed}"
    )
    return db.execute(sql, (origin_number, *values))


_WITHIN = """EXISTS (
  SELECT 1 FROM fact AS around
  WHERE around.origin = fact.origin AND around.slot = fact.slot AND around.scope IS fact.scope
    AND around.lifecycle = 'active' AND (around.valid_to IS NULL OR around.valid_to > fact.valid_to)
    AND ifnull(around.valid_from, around.created_at) < ifnull(fact.valid_from, fact.created_at))"""


def slot_values(db: Connection, *, viewer: Origin, wanted: Filter) -> list[Fact]:
    """Return the active facts of all slots, by slot and scope, then in order of arrival; and those
    that have interrupted one of them."""
    condition, names = _seen(viewer, wanted)
    sql = (
        f"{SELECT} WHERE {condition} AND slot IS NOT NULL"
        f" AND (lifecycle = 'active' OR lifecycle = 'archived' AND {_WITHIN})"
        " ORDER BY slot, scope NULLS FIRST, fact.seq"
    )
    return [fact_of(row) for row in db.execute(sql, names)]


def slot_histories(
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


def tags(db: Connection, *, viewer: Origin, wanted: Filter) -> list[tuple[str, int, int]]:
    """Return (tag, number of active facts, when the newest was made), the most frequent first."""
    condition, names = _seen(viewer, wanted)
    sql = (
        "SELECT value, count(*) AS uses, max(created_at) FROM fact, json_each(fact.tags)"
        f" WHERE {condition} AND lifecycle = 'active' AND fact.tags IS NOT NULL"
        " GROUP BY value ORDER BY uses DESC, value"
    )
    return list(db.execute(sql, names))


def _seen(viewer: Origin, wanted: Filter) -> tuple[str, tuple[Any, ...]]:
    """Return the condition for facts that a filter asks for, whatever their lifecycle."""
    condition, names = visibility.where(viewer)
    narrowed, values = narrowing(replace(wanted, lifecycle=None))
    return condition + narrowed, (*names, *values)


def values_of_slot(db: Connection, slot: str, *, viewer: Origin) -> list[Fact]:
    """Return all facts that a slot has and had, in order of arrival."""
    condition, names = visibility.where(viewer)
    sql = f"{SELECT} WHERE {condition} AND slot = ? ORDER BY fact.seq"
    return [fact_of(row) for row in db.execute(sql, (*names, slot))]


def slots_among(db: Connection, seqs: Iterable[int], *, viewer: Origin | Everyone) -> list[Fact]:
    """Return those of some facts that are values of a slot, one for each slot of each scope."""
    condition, names = visibility.where(viewer)
    rows: Iterable[tuple[Any, ...]] = db.execute(
        f"{SELECT} WHERE {condition} AND slot IS NOT NULL"
        " AND fact.seq IN (SELECT value FROM json_each(?))",
        (*names, codec.dumps(list(seqs))),
    )
    found = (fact_of(row) for row in rows)
    return list({(one.origin.key, one.slot, one.scope): one for one in found}.values())


def newest_slots(db: Connection, *, viewer: Origin, limit: int) -> list[tuple[str, int, int]]:
    """Return the slots that were spoken of last: the name, the number of values, and when the last
    one came."""
    condition, names = visibility.where(viewer)
    sql = (
        f"SELECT slot, count(*), max(created_at) AS at FROM fact WHERE {condition}"
        " AND slot IS NOT NULL GROUP BY slot ORDER BY at DESC, slot LIMIT ?"
    )
    return list(db.execute(sql, (*names, limit)))
