"""Facts that are one link away from others, and the links among some facts: of one origin."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import kinds_under
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection


@record
class Hop:
    """A link from a fact to another, by number. `leaves`: it is stored from the first to the
    second."""

    seq: int
    other: int
    kind: str
    leaves: bool
    strength: int | None = None


# A link never leads into another origin: both ends are asked for all the same.
_NEXT = """
SELECT other, word, leaves, strength FROM (
  SELECT to_fact AS other, kind AS word, 1 AS leaves, strength, number
    FROM link WHERE from_fact = ?1
  UNION ALL
  SELECT from_fact, kind, 0, strength, number FROM link WHERE to_fact = ?1
) JOIN fact ON fact.seq = other
WHERE fact.origin = ?2 AND (lifecycle = 'active' OR (?3 AND lifecycle <> 'pruned'))
GROUP BY other
ORDER BY max(ifnull(strength, 0)) DESC, min(number) LIMIT ?4
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
_LINKED = """
SELECT fact.seq FROM fact WHERE fact.origin = ?1 AND (lifecycle = 'active' OR ?2)
  AND lifecycle <> 'pruned'
  AND (EXISTS (SELECT 1 FROM link WHERE from_fact = fact.seq)
       OR EXISTS (SELECT 1 FROM link WHERE to_fact = fact.seq))
ORDER BY importance DESC, created_at DESC, id LIMIT ?3
"""


def steps(
    db: Connection, seqs: Sequence[int], *, origin_number: int, limit: int, archived: bool = False
) -> list[Hop]:
    """Return the links of each of these facts of an origin with active facts, and with `archived`
    ones too: at most `limit` a fact, the strongest first, then the oldest. Of several between two
    facts one is told."""
    found: list[Hop] = []
    for seq in seqs:
        rows: list[Any] = db.execute(_NEXT, (seq, origin_number, archived, limit)).fetchall()
        found += (
            Hop(seq, other, kinds_under(kind)[0], bool(leaves), strength)
            for other, kind, leaves, strength in rows
        )
    return found


def degrees(db: Connection, seqs: Sequence[int], *, origin_number: int) -> dict[int, int]:
    """Return with how many active facts each of these facts of an origin is linked."""
    rows: list[Any] = db.execute(_DEGREES, (codec.dumps(list(seqs)), origin_number)).fetchall()
    return dict(rows)


def between(db: Connection, seqs: Sequence[int], *, origin_number: int) -> list[Hop]:
    """Return all links between these facts of an origin, as they are stored."""
    rows: list[Any] = db.execute(_AMONG, (codec.dumps(list(seqs)), origin_number)).fetchall()
    return [
        Hop(start, end, kind, True, strength)
        for start, end, word, strength in rows
        for kind in kinds_under(word)
    ]


def linked(
    db: Connection, *, origin_number: int, limit: int, archived: bool = False
) -> list[int]:
    """Return the weightiest facts of an origin that have a link."""
    rows: list[Any] = db.execute(_LINKED, (origin_number, archived, limit)).fetchall()
    return [seq for (seq,) in rows]
