"""Typed edges between facts, and the facts of one origin that are a link away from others."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import (
    INVERSE,
    MOST_OF_A_KIND,
    SYMMETRIC,
    TWOFOLD,
    kinds_under,
    words_for,
)
from tideline_cli.model.record import record
from tideline_cli.model.source import TRUSTED
from tideline_cli.store import visibility
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin
    from tideline_cli.store.facts import Filter


@record
class Link:
    """An edge from one fact to another; `source` and `target` are ids."""

    source: str
    kind: str
    target: str
    reason: str | None = None
    strength: int | None = None
    created_at: int = 0


_SELECT = """
SELECT fact.id, link.kind, target.id, reason, strength, link.created_at
FROM link JOIN fact ON fact.seq = link.from_fact JOIN fact AS target ON target.seq = link.to_fact
"""

_ENDS = "FROM fact AS a, fact AS b WHERE a.id = ?1 AND b.id = ?2 AND a.seq <> b.seq"
_BOTH_ACTIVE = "a.origin = b.origin AND a.lifecycle = 'active' AND b.lifecycle = 'active'"
_FILL = f"""
UPDATE link SET reason = ifnull(reason, ?4), strength = ifnull(strength, ?5)
WHERE kind = ?3 AND (from_fact, to_fact) = (SELECT a.seq, b.seq {_ENDS} AND {_BOTH_ACTIVE})
  AND (reason IS NULL AND ?4 IS NOT NULL OR strength IS NULL AND ?5 IS NOT NULL)
"""
_RELATE = f"""
INSERT INTO link (from_fact, to_fact, kind, reason, strength, created_at)
SELECT a.seq, b.seq, ?3, ?4, ?5, ?6 {_ENDS} AND {_BOTH_ACTIVE}
ON CONFLICT DO NOTHING
"""
_EXISTS = f"""
SELECT EXISTS (
  SELECT 1 FROM link WHERE kind IN (SELECT value FROM json_each(?3))
    AND (from_fact, to_fact) = (SELECT a.seq, b.seq {_ENDS})
)
"""
_COUNT = """
SELECT count(*) FROM link
WHERE kind IN (SELECT value FROM json_each(?2)) AND from_fact = (SELECT seq FROM fact WHERE id = ?1)
"""
_TWOFOLD = f"""
SELECT number, from_fact, to_fact, kind, reason, strength, created_at FROM link
WHERE kind IN (SELECT value FROM json_each(?3))
  AND (from_fact, to_fact) = (SELECT a.seq, b.seq {_ENDS} {{}})
"""
_ANY = _TWOFOLD.format("")
_LACKING = _TWOFOLD.format(f"AND {_BOTH_ACTIVE}") + """
  AND (reason IS NULL AND ?4 IS NOT NULL OR strength IS NULL AND ?5 IS NOT NULL)
"""


def add(db: Connection, link: Link) -> bool:
    """Store an edge between two facts of one origin. Return False when it is there already, when an
    end is missing, when both ends are one fact, or when it would lead into another origin."""
    if len(words_for(link.kind)) > 1 and is_held(db, link.source, (link.kind,), link.target):
        return False
    store(db, (link,))
    return db.changes() > 0


def store(db: Connection, some: Iterable[Link]) -> None:
    """Store edges as `add` does, of kinds that stand under one word alone."""
    db.executemany(
        """
        INSERT INTO link (from_fact, to_fact, kind, reason, strength, created_at)
        SELECT a.seq, b.seq, ?3, ?4, ?5, ?6 FROM fact AS a, fact AS b
        WHERE a.id = ?1 AND b.id = ?2 AND a.seq <> b.seq AND a.origin = b.origin
        ON CONFLICT DO NOTHING
        """,
        [(link.source, link.target, link.kind, link.reason, link.strength, link.created_at)
         for link in some],
    )  # fmt: skip


def add_all(
    db: Connection, source: str, kinds: tuple[str, ...], target: str, *, now: int,
    reason: str | None = None, is_new: bool = False,
) -> None:  # fmt: skip
    """Store an edge of each kind between two facts, as one row where a word is for both kinds."""
    words = tuple(word for word, both in TWOFOLD.items() if both == kinds)
    if not words or (not is_new and is_held(db, source, kinds, target)):
        for kind in kinds:
            add(db, Link(source, kind, target, reason, None, now))
        return
    store(db, [Link(source, word, target, reason, None, now) for word in words])


def relate(
    db: Connection,
    source: str,
    kind: str,
    target: str,
    *,
    reason: str | None,
    strength: int | None,
    now: int,
    at_most: int = MOST_OF_A_KIND,
) -> int:
    """Link two active facts of one origin; return how many edges are new: one, or for a symmetric
    kind two, one from each end.

    An edge that says so already, also by the inverse kind from the other end, gets a reason and a
    strength where it has none. Where a fact would get more than `at_most` edges of one kind,
    nothing is stored.
    """
    for start, word, end in equal(source, kind, target):
        if reason is not None or strength is not None:
            if len(words_for(word)) > 1:
                _part(db, _LACKING, (start, end, _twofold(word), reason, strength))
            db.execute(_FILL, (start, end, word, reason, strength))
    if full_end(db, source, kind, target, at_most=at_most) is not None:
        return 0
    made = 0
    for start, word, end in _missing(db, source, kind, target):
        db.execute(_RELATE, (start, end, word, reason, strength, now))
        made += db.changes()
    return made


def full_end(
    db: Connection, source: str, kind: str, target: str, *, at_most: int = MOST_OF_A_KIND
) -> str | None:
    """Return the fact with too many edges of a kind to be linked so, None where there is room."""
    for start, word, _ in _missing(db, source, kind, target):
        if int(db.execute(_COUNT, (start, codec.dumps(words_for(word)))).get) >= at_most:
            return start
    return None


def equal(source: str, kind: str, target: str) -> tuple[tuple[str, str, str], ...]:
    """Return the edges that make one statement: the stated one, and that from the other end."""
    stated = (source, kind, target)
    if kind in SYMMETRIC:
        return stated, (target, kind, source)
    return (stated, (target, INVERSE[kind], source)) if kind in INVERSE else (stated,)


def is_stated(db: Connection, source: str, kind: str, target: str) -> bool:
    """Say whether there is an edge that states this, also by the inverse kind."""
    return any(is_held(db, start, (word,), end) for start, word, end in equal(source, kind, target))


def _missing(
    db: Connection, source: str, kind: str, target: str
) -> tuple[tuple[str, str, str], ...]:
    """Return the edges to store for a statement: none of a directed kind that is stated already."""
    if kind not in SYMMETRIC:
        return () if is_stated(db, source, kind, target) else ((source, kind, target),)
    return tuple(
        (start, word, end)
        for start, word, end in equal(source, kind, target)
        if not is_held(db, start, (word,), end)
    )


def is_held(db: Connection, source: str, kinds: tuple[str, ...], target: str) -> bool:
    return bool(db.execute(_EXISTS, (source, target, codec.dumps(words_for(*kinds)))).get)


def _twofold(kind: str) -> str:
    """Return the words, as JSON, under which edges of a kind are stored with another."""
    return codec.dumps(words_for(kind)[1:])


def _part(db: Connection, query: str, values: tuple[Any, ...], *, but: str = "") -> int:
    """Store two edges as rows of their own, but for that of kind `but`; return the row count."""
    rows: list[Any] = db.execute(query, values).fetchall()
    for number, start, end, word, *rest in rows:
        db.execute("DELETE FROM link WHERE number = ?", (number,))
        for kind in kinds_under(word):
            if kind == but:
                continue
            db.execute(
                "INSERT INTO link (from_fact, to_fact, kind, reason, strength, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (start, end, kind, *rest),
            )
    return len(rows)


def remove(db: Connection, source: str, kind: str, target: str) -> int:
    """Delete the edges that state this, from either end; return how many there were."""
    gone = 0
    for start, word, end in equal(source, kind, target):
        if len(words_for(word)) > 1:
            gone += _part(db, _ANY, (start, end, _twofold(word)), but=word)
        sql = """
        DELETE FROM link WHERE kind = ? AND from_fact = (SELECT seq FROM fact WHERE id = ?)
          AND to_fact = (SELECT seq FROM fact WHERE id = ?)
        """
        db.execute(sql, (word, start, end))
        gone += db.changes()
    return gone


def between(db: Connection, one: str, other: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges between two facts, both ways, in the order in which they were made."""
    pairs = "(fact.id, target.id) IN (VALUES (?, ?), (?, ?))"
    return list(_read(db, pairs, (one, other, other, one), viewer))


def leaving(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges that start at a fact, in the order in which they were made."""
    return list(_read(db, "fact.id = ?", (fact_id,), viewer))


def arriving(db: Connection, fact_id: str, *, viewer: Origin | Everyone) -> list[Link]:
    """Return the edges that end at a fact, in the order in which they were made."""
    return list(_read(db, "target.id = ?", (fact_id,), viewer))


def each(db: Connection, *, viewer: Origin | Everyone) -> Iterator[Link]:
    """Yield all edges that `viewer` may see, by the order of the facts they start at."""
    yield from _read(db, "true", (), viewer, order="link.from_fact, link.number")


def _read(
    db: Connection, which: str, values: tuple[str, ...], viewer: Origin | Everyone,
    order: str = "link.number",
) -> Iterator[Link]:  # fmt: skip
    condition, seen = visibility.where(viewer)
    sql = f"{_SELECT} WHERE {which} AND {condition} ORDER BY {order}"
    for source, word, *rest in db.execute(sql, (*values, *seen)):
        for kind in kinds_under(word):
            yield Link(source, kind, *rest)


@record
class Hop:
    """A link from a fact to another, by number. `leaves`: it is stored from first to second."""

    seq: int
    other: int
    kind: str
    leaves: bool


@record
class Tie:
    """A link between two facts, by number, as it is stored."""

    start: int
    end: int
    kind: str
    strength: int | None


@record
class Steps:
    """Links of some facts, and with how many facts each of those is linked."""

    hops: tuple[Hop, ...]
    neighbours: dict[int, int]


_TRUSTED = ", ".join(f"'{source}'" for source in TRUSTED)
# A link never leads into another origin: both ends are asked for all the same. Of several links
# between two facts the strongest counts, then the oldest. A link says of itself how strong it is:
# one to a fact that nobody trusts takes no place of one to a trusted fact.
_NEXT = f"""
SELECT other, word, leaves, count(*) OVER () FROM (
  SELECT other, word, leaves, power, number,
    row_number() OVER (PARTITION BY other ORDER BY power DESC, number) AS place
  FROM (
    SELECT to_fact AS other, kind AS word, 1 AS leaves, ifnull(strength, 0) AS power, number
      FROM link WHERE from_fact = ?
    UNION ALL
    SELECT from_fact, kind, 0, ifnull(strength, 0), number FROM link WHERE to_fact = ?
  )
) JOIN fact ON fact.seq = other
WHERE place = 1 AND fact.origin = ? AND lifecycle <> 'pruned'{{narrowed}}
ORDER BY source IN ({_TRUSTED}) DESC, power DESC, number LIMIT ?
"""
_DEGREES = """
SELECT own.seq, (SELECT count(*) FROM (
    SELECT to_fact FROM link JOIN fact ON fact.seq = to_fact
      WHERE from_fact = own.seq AND fact.lifecycle = 'active'
    UNION SELECT from_fact FROM link JOIN fact ON fact.seq = from_fact
      WHERE to_fact = own.seq AND fact.lifecycle = 'active'))
FROM fact AS own
WHERE own.seq IN (SELECT value FROM json_each(?)) AND own.origin = ?
"""
_AMONG = """
SELECT from_fact, to_fact, kind, strength FROM link
WHERE from_fact IN (SELECT value FROM json_each(?1))
  AND to_fact IN (SELECT value FROM json_each(?1))
  AND (SELECT origin FROM fact WHERE seq = from_fact) = ?2 ORDER BY number
"""
# What is linked with facts alone that are not asked for has no link to show.
_LINKED = """
WITH seen AS MATERIALIZED (
  SELECT fact.seq, importance, fact.created_at, fact.id FROM fact
  WHERE fact.seq IN (SELECT from_fact FROM link UNION SELECT to_fact FROM link)
    AND fact.origin = ? AND lifecycle <> 'pruned'{narrowed}
)
SELECT {what} FROM seen
WHERE EXISTS (SELECT 1 FROM link WHERE from_fact = seen.seq AND to_fact IN (SELECT seq FROM seen))
  OR EXISTS (SELECT 1 FROM link WHERE to_fact = seen.seq AND from_fact IN (SELECT seq FROM seen))
"""
_BESIDE = """
SELECT count(*) FROM (
  SELECT to_fact AS other FROM link WHERE from_fact IN (SELECT value FROM json_each(?))
  UNION SELECT from_fact FROM link WHERE to_fact IN (SELECT value FROM json_each(?))
) JOIN fact ON fact.seq = other
WHERE fact.origin = ? AND lifecycle <> 'pruned'{narrowed}
"""


def steps(
    db: Connection, seqs: Sequence[int], *, origin_number: int, limit: int, wanted: Filter,
    valid_at: int | None = None,
) -> Steps:  # fmt: skip
    """Return the links of each of these facts of an origin with the facts that are asked for, and
    that hold at an instant: at most `limit` a fact, to trusted facts first, then the strongest,
    then the oldest. Of several between two facts one is told."""
    narrowed, values = narrowing(wanted, valid_at=valid_at)
    sql = _NEXT.format(narrowed=narrowed)
    found: list[Hop] = []
    counts: dict[int, int] = {}
    for seq in seqs:
        rows: list[Any] = db.execute(sql, (seq, seq, origin_number, *values, limit)).fetchall()
        counts[seq] = rows[0][3] if rows else 0
        found += (
            Hop(seq, other, kinds_under(kind)[0], bool(leaves)) for other, kind, leaves, _ in rows
        )
    return Steps(tuple(found), counts)


def degrees(db: Connection, seqs: Sequence[int], *, origin_number: int) -> dict[int, int]:
    """Return with how many active facts each of these facts of an origin is linked."""
    return dict(db.execute(_DEGREES, (codec.dumps(list(seqs)), origin_number)))


def ties_between(db: Connection, seqs: Sequence[int], *, origin_number: int) -> list[Tie]:
    """Return all links between these facts of an origin."""
    rows: list[Any] = db.execute(_AMONG, (codec.dumps(list(seqs)), origin_number)).fetchall()
    return [
        Tie(start, end, kind, strength)
        for start, end, word, strength in rows
        for kind in kinds_under(word)
    ]


def linked(db: Connection, *, origin_number: int, limit: int, wanted: Filter) -> list[int]:
    """Return the weightiest facts of an origin that are asked for and linked with such a fact."""
    narrowed, values = narrowing(wanted)
    sql = _LINKED.format(narrowed=narrowed, what="seq")
    rows: list[Any] = db.execute(
        f"{sql} ORDER BY importance DESC, created_at DESC, id LIMIT ?",
        (origin_number, *values, limit),
    ).fetchall()
    return [seq for (seq,) in rows]


def linked_count(db: Connection, *, origin_number: int, wanted: Filter) -> int:
    """Return how many facts `linked` would return without a limit."""
    narrowed, values = narrowing(wanted)
    sql = _LINKED.format(narrowed=narrowed, what="count(*)")
    return int(db.execute(sql, (origin_number, *values)).get)


def beside_count(db: Connection, seqs: Sequence[int], *, origin_number: int, wanted: Filter) -> int:
    """Return how many facts that are asked for are linked with one of these facts."""
    narrowed, values = narrowing(wanted)
    numbers = codec.dumps(list(seqs))
    sql = _BESIDE.format(narrowed=narrowed)
    return int(db.execute(sql, (numbers, numbers, origin_number, *values)).get)
