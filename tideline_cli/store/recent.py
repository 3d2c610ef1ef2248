"""What a list or a conversation begins with: the newest facts of an origin, read from the newest on
and no further; those used of late, those that never fade, and those about open work."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import SERVERS, visibility
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter

    Values = tuple[Any, ...]


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


def numbers(db: Connection, choice: Choice, *, origin_number: int, limit: int) -> list[int]:
    """Return the numbers of the first `limit` facts, newest first, of one instant in order of
    id."""
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
_MOST_OPEN = 200  # more fit no share of a budget


def open_numbers(
    db: Connection, kind: str, *, viewer: Origin, now: int, wanted: Filter
) -> list[int]:
    """Return the numbers of the active facts of a kind of work that hold now and are asked for, the
    weightiest first, then the oldest."""
    condition, values = narrowing(wanted, valid_at=now)
    sql = f"{_OPEN}{condition} ORDER BY importance DESC, created_at, id LIMIT {_MOST_OPEN}"
    return [seq for (seq,) in db.execute(sql, (visibility.number(db, viewer), kind, *values))]
