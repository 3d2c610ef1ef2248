"""Facts one after the other, in an order, as a list shows them or as a search without an index
reads them; and the slots and tags that there are."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import record, replace
from tideline_cli.store import SERVERS, facts, fts, visibility
from tideline_cli.store.connection import has_synced
from tideline_cli.store.fact_rows import SELECT, fact_of
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Everyone, Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow

    Wording = tuple[int, str, str, str | None, int, int]
    Values = tuple[Any, ...]

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
    choice = Choice(*facts.narrowing(wanted), *_states(wanted))
    number = visibility.number(db, viewer)
    seqs = newest_numbers(db, choice, origin_number=number, limit=limit + offset)
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
    """Return the slots spoken of last: name, number of values, and when the last one came."""
    condition, names = visibility.where(viewer)
    sql = (
        f"SELECT slot, count(*), max(created_at) AS at FROM fact WHERE {condition}"
        " AND slot IS NOT NULL GROUP BY slot ORDER BY at DESC, slot LIMIT ?"
    )
    return list(db.execute(sql, (*names, limit)))


_CROWD = 5_000  # facts of one instant
_TRIED = 1_000  # ids that are looked at before a crowd is sorted


@record
class Choice:
    """Which facts: SQL conditions on `fact`, each led by AND, and their parameters; those active
    today, the others or both; and whether they are asked for as of an instant."""

    narrowed: str
    values: tuple[Any, ...]
    lifecycles: Literal["active", "inactive", "both"]
    as_of: int | None = None


def newest_numbers(db: Connection, choice: Choice, *, origin_number: int, limit: int) -> list[int]:
    """Return the numbers of the first `limit` facts, newest first, of one instant by id."""
    if db.filename.startswith(SERVERS):
        return _at_once(db, choice, origin_number=origin_number, limit=limit)
    found: set[int] = set()
    for source, condition, more in sources(choice):
        values = (origin_number, *more, *choice.values)
        found |= _first(db, source, f"{condition}{choice.narrowed}", values, limit)
    sql = (
        "SELECT seq FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
        " ORDER BY created_at DESC, id LIMIT ?"
    )
    return [seq for (seq,) in db.execute(sql, (codec.dumps(list(found)), limit))]


def sources(choice: Choice) -> list[tuple[str, str, Values]]:
    """Return where the facts are: an index, the conditions that go with it, their parameters."""
    active = "fact.origin + 0 = ? AND fact.lifecycle = 'active'"
    found: list[tuple[str, str, Values]] = []
    if choice.lifecycles != "inactive" and choice.as_of is None:
        found.append(("fact_active", active, ()))
    elif choice.lifecycles != "inactive":
        # What says when it begins is not in the order in which it was made.
        at = (choice.as_of,)
        made = f"{active} AND fact.valid_from IS NULL AND fact.created_at <= ?"
        begins = "fact.origin = ? AND fact.lifecycle = 'active' AND fact.valid_from IS NOT NULL"
        found.append(("fact_active", made, at))
        found.append(("fact_begins", f"{begins} AND fact.valid_from <= ?", at))
    if choice.lifecycles != "active":
        inactive = "fact.origin + 0 = ? AND fact.lifecycle <> 'active'"
        found.append(("fact_inactive", inactive, ()))
    return found


def _first(db: Connection, index: str, condition: str, values: Values, limit: int) -> set[int]:
    """Return the numbers of the first `limit` facts of one index."""
    source = f"FROM fact INDEXED BY {index} WHERE {condition}"
    sql = f"SELECT fact.seq, fact.created_at {source} ORDER BY fact.created_at DESC LIMIT ?"
    rows: list[Any] = db.execute(sql, (*values, limit)).fetchall()
    if len(rows) < limit:
        return {seq for seq, _ in rows}
    last = rows[-1][1]
    newer = {seq for seq, made in rows if made > last}
    return newer | _of_instant(
        db, index, f"{condition} AND fact.created_at = ?", (*values, last), limit - len(newer)
    )


def _of_instant(db: Connection, index: str, condition: str, values: Values, limit: int) -> set[int]:
    """Return the numbers of the facts of one instant that have the least ids.

    An import without times gives all its facts one instant. Where these are most of the store, the
    first ids of the store are among them, and nothing has to be sorted.
    """
    source = f"FROM fact INDEXED BY {index} WHERE {condition}"
    crowd = db.execute(f"SELECT count(*) FROM (SELECT 1 {source} LIMIT ?)", (*values, _CROWD)).get
    if crowd == _CROWD:
        rows: list[Any] = db.execute(
            "SELECT fact.seq FROM (SELECT * FROM fact INDEXED BY sqlite_autoindex_fact_1"
            " ORDER BY id LIMIT ?) AS fact"
            f" WHERE {condition} LIMIT ?",
            (_TRIED, *values, limit),
        ).fetchall()
        if len(rows) == limit:
            return {seq for (seq,) in rows}
    sql = f"SELECT fact.seq {source} ORDER BY fact.id LIMIT ?"
    return {seq for (seq,) in db.execute(sql, (*values, limit))}


def _at_once(db: Connection, choice: Choice, *, origin_number: int, limit: int) -> list[int]:
    """Return the same by one statement: a server sorts what is of one instant."""
    parts: list[str] = []
    given: list[Any] = []
    for place, (_, condition, more) in enumerate(sources(choice)):
        parts.append(
            "SELECT * FROM (SELECT fact.seq, fact.created_at, fact.id FROM fact"
            f" WHERE {condition}{choice.narrowed}"
            f" ORDER BY fact.created_at DESC, fact.id LIMIT ?) AS part{place}"
        )
        given += origin_number, *more, *choice.values, limit
    every = " UNION ".join(parts)
    sql = f"SELECT seq FROM ({every}) AS each ORDER BY created_at DESC, id LIMIT ?"
    return [seq for (seq,) in db.execute(sql, (*given, limit))]


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
    """Return the numbers of facts asked for that hold and were used since, the last first."""
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
_MOST_OPEN = 200  # more fit no share of a budget


def open_numbers(
    db: Connection, kind: str, *, viewer: Origin, now: int, wanted: Filter
) -> list[int]:
    """Return the numbers of the active facts of a kind of work that hold now and are asked for, the
    weightiest first, then the oldest."""
    condition, values = narrowing(wanted, valid_at=now)
    sql = f"{_OPEN}{condition} ORDER BY importance DESC, created_at, id LIMIT {_MOST_OPEN}"
    return [seq for (seq,) in db.execute(sql, (visibility.number(db, viewer), kind, *values))]


def rows_written(
    db: Connection, patterns: Sequence[str], *, origin_number: int, now: int, wanted: Filter,
    limit: int, heat: bool = False,
) -> list[tuple[RankingRow, str]]:  # fmt: skip
    """Return the newest facts whose text fits one of the GLOB patterns, each as a ranking row and
    its text: those that are active and valid now, and that `wanted` asks for. All texts of the
    origin are looked at, newest first."""
    narrowed, values = narrowing(wanted, valid_at=now)
    fits = " OR ".join(["content GLOB ?"] * len(patterns))
    is_active = wanted.as_of is None and wanted.lifecycle == "active"
    # By the index of an origin's active facts: what others store costs nothing.
    index = "INDEXED BY fact_active" if is_active else ""
    also = " AND lifecycle = 'active'" if is_active else ""
    columns = f"SELECT {fts.COLUMNS.strip()}{', heat' if heat else ''}"
    rows: list[Any] = db.execute(
        f"{columns}, content FROM fact {index} LEFT JOIN usage ON usage.fact = fact.seq "
        f"WHERE fact.origin + 0 = ?{also} AND ({fits}){narrowed}"
        " ORDER BY created_at DESC, seq DESC LIMIT ?",
        (origin_number, *patterns, *values, limit),
    ).fetchall()
    return [(row[:-1], row[-1]) for row in rows]
