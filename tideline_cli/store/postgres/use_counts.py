"""Counting uses on a server: what is needed to know is asked once, and all is stored at once."""

from __future__ import annotations

from tideline_cli.ranking.score_bounds import ROW, bound_of_fact, changes_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

_READ = """
SELECT seq, origin, fact.id, terms, source,
  iif((SELECT value FROM setting WHERE name = 'analyzer') IS 'reference', NULL, role) AS role,
  importance, tier, pinned, ifnull(access_count, 0) AS uses
FROM fact LEFT JOIN usage ON usage.fact = seq WHERE seq IN (SELECT value FROM json_each(?))
"""
_COUNT = """
INSERT INTO usage (fact, access_count, last_accessed_at)
SELECT seq, 1, max(created_at, ?1) FROM fact WHERE seq IN (SELECT value FROM json_each(?2))
ON CONFLICT (fact) DO UPDATE SET access_count = usage.access_count + 1,
  last_accessed_at = max(usage.last_accessed_at, ?1)
"""
_BOUND = """
UPDATE score_bound SET codes = set_byte(codes, ?1::integer, ?2::integer)
WHERE number = ?3 AND origin = ?4 AND length(codes) > ?1
"""


def _read(db: Connection, seqs: Sequence[int]) -> dict[int, Any]:
    """Return what is needed to count uses of facts, by number."""
    rows: list[Any] = db.execute(_READ, ("[" + ", ".join(map(str, seqs)) + "]",)).fetchall()
    return {row[0]: row[1:] for row in rows}


def foresee(db: Connection, seqs: Sequence[int]) -> None:
    """Ask ahead for what is needed to count uses of facts."""
    _read(db, seqs)


def touch(db: Connection, seqs: Sequence[int], *, now: int, ids: Sequence[str] | None) -> None:
    """Do what `uses.touch` does, in a transaction that holds the lock of writers."""
    there = _read(db, seqs)
    named: Sequence[str | None] = ids or [None] * len(seqs)
    asked = zip(seqs, named, strict=True)
    found = [seq for seq, one in asked if seq in there and one in (None, there[seq][1])]
    if not found:
        return
    db.execute(_COUNT, (now, "[" + ", ".join(map(str, found)) + "]"))
    for seq in found:
        origin, _, terms, source, role, importance, tier, pinned, uses = there[seq]
        if changes_at(uses + 1):
            byte = bound_of_fact(terms, source, role, importance, tier, pinned, uses + 1)
            number, place = divmod(seq, ROW)
            db.execute(_BOUND, (place, byte, number, origin))
