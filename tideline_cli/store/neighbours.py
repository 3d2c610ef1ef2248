"""Facts that are one link away from others, and the links among some facts: of one origin."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import kinds_under
from tideline_cli.model.record import record
from tideline_cli.model.source import TRUSTED
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.facts import Filter


@record
class Hop:
    """A link from a fact to another, by number. `leaves`: it is stored from the first to the
    second."""

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


def between(db: Connection, seqs: Sequence[int], *, origin_number: int) -> list[Tie]:
    """Return all links between these facts of an origin."""
    rows: list[Any] = db.execute(_AMONG, (codec.dumps(list(seqs)), origin_number)).fetchall()
    return [
        Tie(start, end, kind, strength)
        for start, end, word, strength in rows
        for kind in kinds_under(word)
    ]


def linked(db: Connection, *, origin_number: int, limit: int, wanted: Filter) -> list[int]:
    """Return the weightiest of the facts of an origin that are asked for and have a link with
    another such fact."""
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
