"""Facts one after the other, in an order, as a list shows them or as a search without an index
reads them."""

from __future__ import annotations

from tideline_cli.model.origin import Origin
from tideline_cli.store import facts, newest, visibility
from tideline_cli.store.connection import has_synced
from tideline_cli.store.fact_rows import SELECT, fact_of
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

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
    rows = db.execute(
        f"{SELECT} WHERE {condition}{narrowed} ORDER BY {by} LIMIT ? OFFSET ?",
        (*values, *more, -1 if limit is None else limit, offset),
    )
    for row in rows:
        yield fact_of(row)


def _oldest_first(db: Connection) -> str:
    return "fact.id" if has_synced(db) else "fact.seq"


def _newest(
    db: Connection, wanted: Filter, viewer: Origin, limit: int, offset: int
) -> Iterator[Sequence[int]]:
    """Yield the numbers of the newest facts of an origin that a filter asks for, in parts."""
    choice = newest.Choice(*facts.narrowing(wanted), *_states(wanted))
    number = visibility.number(db, viewer)
    seqs = newest.numbers(db, choice, origin_number=number, limit=limit + offset)
    for start in range(offset, len(seqs), _AT_ONCE):
        yield seqs[start : start + _AT_ONCE]


def _states(wanted: Filter) -> tuple[Literal["active", "inactive", "both"], int | None]:
    """Return which facts a filter reaches, by whether they are active today; and its instant."""
    state = wanted.state if wanted.as_of is not None else wanted.lifecycle
    reached: Literal["active", "inactive", "both"] = (
        "both" if state is None else "active" if state == "active" else "inactive"
    )
    return reached, wanted.as_of


def wordings(
    db: Connection, *, origin_number: int, wanted: Filter, now: int
) -> Iterable[Wording]:
    """Yield the wordings of the facts that hold now, and that `wanted` asks for."""
    narrowed, values = narrowing(wanted, valid_at=now)
    rows: Iterable[Wording] = db.execute(
        "SELECT seq, id, concat_ws(char(10), content, title, kind), tags, created_at,"
        " lifecycle = 'active' AND ifnull(progress, 'active') = 'active'"
        f" FROM fact WHERE origin = ?{narrowed}",
        (origin_number, *values),
    )
    return rows
