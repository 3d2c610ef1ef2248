"""How many facts held at an instant of the past, and in how many of them a term occurs.

What the index says of all facts of an origin is exact; the facts that hold at the instant are told
by times alone. Facts are mostly numbered as they are made: up to some number nearly all held, and
after it hardly any. So those that stand on the wrong side are told, and the text of a fact is read
only where few facts make the difference.
"""

from __future__ import annotations

from bisect import bisect_right

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import arrivals, fts, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

_FEW = 2000  # facts whose terms are read; of more, the lists of those that hold a term
# What reads one row of a fact reads so many numbers, or passes so many, in an index of times.
_READ, _PASSED = 4, 16
_NEIGHBOURS = 16
_ALL = 1 << 62  # no fact has a higher number
_HELD = "ifnull(valid_from, created_at) <= ?2 AND (valid_to IS NULL OR valid_to > ?2)"
_HELD_AMONG = f"""
SELECT seq FROM fact WHERE seq IN (SELECT value FROM json_each(?3)) AND origin = ?1 AND {_HELD}
  AND lifecycle <> 'pruned'
"""
_NEAREST = """
SELECT seq FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at {} ?2
ORDER BY created_at {} LIMIT ?3
"""
_MADE = """
SELECT seq FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at {} ?2 AND seq {} ?3 LIMIT ?4
"""
# What begins or ends at a time of its own, and therefore held without being made, or the reverse.
_TIMED = f"""
SELECT seq FROM fact INDEXED BY fact_begins
WHERE origin = ?1 AND lifecycle = 'active' AND valid_from IS NOT NULL
  AND ({_HELD}) <> (created_at <= ?2)
UNION ALL
SELECT seq FROM fact INDEXED BY fact_ends
WHERE origin = ?1 AND lifecycle = 'active' AND valid_to IS NOT NULL AND valid_from IS NULL
  AND ({_HELD}) <> (created_at <= ?2)
"""
_ARCHIVED = f"""
SELECT seq FROM fact INDEXED BY fact_inactive
WHERE origin + 0 = ?1 AND lifecycle <> 'active'
  AND ({_HELD} AND lifecycle <> 'pruned') <> (seq <= ?3)
"""
# Of the hour that an instant cuts, the part that is read is the one after it.
_LATER = """
SELECT count(*), ifnull(sum(length), 0) FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at > ?2
  AND created_at < (?3 + 1) * 3600000 AND created_at / 3600000 = ?3
"""
_UNTIL = "SELECT ifnull(sum(facts), 0), ifnull(sum(tokens), 0) FROM arrival WHERE origin = ?"
# What facts that begin or end change in the count by the time at which they were made.
_MOVED = """
SELECT ifnull(sum(held - made), 0), ifnull(sum((held - made) * length), 0) FROM (
  SELECT length, created_at <= ?2 AS made,
         valid_from <= ?2 AND (valid_to IS NULL OR valid_to > ?2) AS held
  FROM fact INDEXED BY fact_begins
  WHERE origin = ?1 AND lifecycle = 'active' AND valid_from IS NOT NULL
  UNION ALL
  SELECT length, created_at <= ?2, created_at <= ?2 AND valid_to > ?2
  FROM fact INDEXED BY fact_ends
  WHERE origin = ?1 AND lifecycle = 'active' AND valid_to IS NOT NULL AND valid_from IS NULL)
"""
_HELD_ARCHIVED = """
SELECT count(*), ifnull(sum(length), 0) FROM fact INDEXED BY fact_inactive
WHERE origin + 0 = ?1 AND lifecycle <> 'active' AND lifecycle <> 'pruned'
  AND ifnull(valid_from, created_at) <= ?2 AND (valid_to IS NULL OR valid_to > ?2)
"""


@record
class Then:
    """What held at an instant: how many facts, with how many terms in all, archived facts included,
    and in how many of them each asked term occurs. Of the facts with an asked term those up to
    number `upto` held and those after it did not, but for `astray`, where it is the reverse."""

    facts: int
    tokens: int
    holders: dict[str, int]
    upto: int = _ALL
    astray: frozenset[int] = frozenset()

    def among(self, seqs: list[int]) -> list[int]:
        """Return those that held, of facts with an asked term in the order of their numbers."""
        place = bisect_right(seqs, self.upto)
        astray = self.astray
        if not astray:
            return seqs[:place]
        held = [seq for seq in seqs[:place] if seq not in astray]
        return held + [seq for seq in seqs[place:] if seq in astray]


def at(db: Connection, terms: Sequence[str], *, origin_number: int, instant: int) -> Then:
    """Return what held of an origin at an instant; each of `terms` is counted."""
    count, tokens = held_at(db, instant, origin_number=origin_number)
    holders = fts.holder_counts(db, terms, origin_number=origin_number)
    total, archived = _totals(db, origin_number)
    if count == total:
        return Then(count, tokens, holders)
    known = [term for term in terms if holders[term]]
    fewer = min(count, total - count)
    if sum(holders.values()) <= archived + min(fewer // _READ, total // _PASSED):
        found, held = _among_holders(db, known, origin_number, instant)
        return Then(count, tokens, dict.fromkeys(terms, 0) | found, upto=0, astray=held)
    upto, astray = _told(db, origin_number, instant, count, total)
    found = {term: _up_to(db, term, upto, holders[term], origin_number) for term in known}
    for seqs, sign in _sides(astray, upto):
        for term, strays in _among(db, known, seqs, origin_number).items():
            found[term] += sign * strays
    return Then(count, tokens, dict.fromkeys(terms, 0) | found, upto, astray)


def held_at(db: Connection, instant: int, *, origin_number: int) -> tuple[int, int]:
    """Return how many facts were valid at an instant, archived ones too, and how many terms."""
    hour = arrivals.hour_of(instant)
    until = _pair(db, f"{_UNTIL} AND hour <= ?", (origin_number, hour))
    later = _pair(db, _LATER, (origin_number, instant, hour))
    moved = _pair(db, _MOVED, (origin_number, instant))
    archived = _pair(db, _HELD_ARCHIVED, (origin_number, instant))
    return (
        until[0] - later[0] + moved[0] + archived[0],
        until[1] - later[1] + moved[1] + archived[1],
    )


def _pair(db: Connection, sql: str, values: tuple[int, ...]) -> tuple[int, int]:
    row: Any = db.execute(sql, values).fetchone()
    return int(row[0]), int(row[1])


def _totals(db: Connection, origin_number: int) -> tuple[int, int]:
    """Return how many facts an origin has, and how many of them are not active."""
    row: Any = db.execute(
        "SELECT ifnull(sum(facts), 0), ifnull(sum(iif(lifecycle = 'active', 0, facts)), 0)"
        " FROM census WHERE origin = ?",
        (origin_number,),
    ).fetchone()
    return int(row[0]), int(row[1])


def _among_holders(
    db: Connection, terms: Sequence[str], origin_number: int, instant: int
) -> tuple[dict[str, int], frozenset[int]]:
    """Return in how many of the facts that held each term occurs, and which facts these are."""
    found = reads.together(db, *(fts.postings(term, origin_number=origin_number) for term in terms))
    lists = dict(zip(terms, found, strict=True))
    asked = codec.dumps(list(set().union(*lists.values())))
    held = {seq for (seq,) in db.execute(_HELD_AMONG, (origin_number, instant, asked))}
    return {term: len(held.intersection(seqs)) for term, seqs in lists.items()}, frozenset(held)


def _told(
    db: Connection, origin_number: int, instant: int, count: int, total: int
) -> tuple[int, frozenset[int]]:
    """Return a number up to which the facts of an origin held at an instant, those after it not,
    and the facts for which it is the reverse."""
    fewer = min(count, total - count)
    upto, found = 0 if count == fewer else _ALL, None
    if fewer // _READ > total // _PASSED:
        turn = _turn(db, origin_number, instant)
        found = _misplaced(db, origin_number, instant, turn, most=fewer // 2)
        upto = upto if found is None else turn
    if found is None:
        found = _misplaced(db, origin_number, instant, upto, most=_ALL) or set()
    timed: Iterable[Any] = db.execute(_TIMED, (origin_number, instant))
    found.symmetric_difference_update([seq for (seq,) in timed])
    archived = db.execute(_ARCHIVED, (origin_number, instant, upto))
    found.update(seq for (seq,) in archived)
    return upto, frozenset(found)


def _turn(db: Connection, origin_number: int, instant: int) -> int:
    """Return the number that parts best the facts made by an instant from those made after it."""
    before, after = (
        [int(seq) for (seq,) in db.execute(sql, (origin_number, instant, _NEIGHBOURS))]
        for sql in (_NEAREST.format("<=", "DESC"), _NEAREST.format(">", "ASC"))
    )

    def misplaced(turn: int) -> int:
        return sum(seq > turn for seq in before) + sum(seq <= turn for seq in after)

    return min(before, key=misplaced, default=0)


def _misplaced(
    db: Connection, origin_number: int, instant: int, upto: int, *, most: int
) -> set[int] | None:
    """Return the facts made after an instant up to this number, and those made before with a higher
    one; None where they are more than `most`."""
    found: set[int] = set()
    for is_possible, made, numbered in ((upto > 0, ">", "<="), (upto < _ALL, "<=", ">")):
        if is_possible:
            rows = db.execute(
                _MADE.format(made, numbered), (origin_number, instant, upto, most + 1)
            )
            found.update(seq for (seq,) in rows)
        if len(found) > most:
            return None
    return found


def _up_to(db: Connection, term: str, upto: int, holders: int, origin_number: int) -> int:
    """Return how many of the `holders` of a term have no higher number."""
    if upto in (0, _ALL):
        return holders if upto else 0
    return fts.holder_count(db, term, origin_number=origin_number, upto=upto)


def _sides(astray: frozenset[int], upto: int) -> Iterable[tuple[frozenset[int], int]]:
    """Yield the facts astray on either side of a number, and what one adds to the count of held."""
    before = frozenset(seq for seq in astray if seq <= upto)
    return (before, -1), (astray - before, 1)


def _among(
    db: Connection, terms: Sequence[str], told: frozenset[int], origin_number: int
) -> dict[str, int]:
    """Return in how many of the told facts each term occurs."""
    if len(told) > _FEW:
        lists = reads.together(
            db, *(fts.postings(term, origin_number=origin_number) for term in terms)
        )
        return {term: len(told.intersection(its)) for term, its in zip(terms, lists, strict=True)}
    found = dict.fromkeys(terms, 0)
    sql = "SELECT terms FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
    for (held,) in db.execute(sql, (codec.dumps(list(told)),)):
        for term in found.keys() & str(held).split():
            found[term] += 1
    return found
