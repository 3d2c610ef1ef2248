"""How many facts held at an instant of the past, and in how many of them a term occurs.

What the index says of all facts of an origin is exact; the facts that hold at the instant are told
by times alone. So the text of a fact is read only where few facts make the difference.
"""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.store import arrivals, fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

_FEW = 2000  # facts whose terms are read; of more, the lists of those that hold a term
_AT_ONCE = 500
_TIMES_CHEAPER = 4  # to read a number from an index of times, against a row of a fact
_HELD = "ifnull(valid_from, created_at) <= ?2 AND (valid_to IS NULL OR valid_to > ?2)"
_MADE = """
SELECT seq FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at {} ?2
"""
# What begins or ends at a time of its own, and whether it held.
_TIMED = f"""
SELECT seq, {_HELD} FROM fact INDEXED BY fact_begins
WHERE origin = ?1 AND lifecycle = 'active' AND valid_from IS NOT NULL
UNION ALL
SELECT seq, {_HELD} FROM fact INDEXED BY fact_ends
WHERE origin = ?1 AND lifecycle = 'active' AND valid_to IS NOT NULL AND valid_from IS NULL
"""
_ARCHIVED = f"""
SELECT seq FROM fact INDEXED BY fact_inactive
WHERE origin + 0 = ?1 AND lifecycle <> 'active' AND ({_HELD} AND lifecycle <> 'pruned') = ?3
"""


@record
class Then:
    """What held at an instant: how many facts, with how many terms in all, archived facts included,
    and in how many of them each asked term occurs. `held` are the numbers of these facts, or
    `others` those of all other facts; where both are None, nothing is told by numbers."""

    facts: int
    tokens: int
    holders: dict[str, int]
    held: frozenset[int] | None = None
    others: frozenset[int] | None = None

    def among(self, seqs: list[int]) -> list[int]:
        """Return those of the facts with an asked term that held."""
        if self.held is not None:
            return [seq for seq in seqs if seq in self.held]
        return [seq for seq in seqs if seq not in self.others] if self.others else seqs


def at(db: Connection, terms: Sequence[str], *, origin_number: int, instant: int) -> Then:
    """Return what held of an origin at an instant; each of `terms` is counted."""
    count, tokens = arrivals.held_at(db, instant, origin_number=origin_number)
    holders = fts.holder_counts(db, terms, origin_number=origin_number)
    total, archived = _totals(db, origin_number)
    if count == total:
        return Then(count, tokens, holders)
    known = [term for term in terms if holders[term]]
    others = total - count
    if sum(holders.values()) <= archived + min(count, others) // _TIMES_CHEAPER:
        found, told = _among_holders(db, known, origin_number, instant)
    else:
        # Of those that held and those that did not, the fewer are told.
        told = _numbers(db, origin_number, instant, is_held=count <= others)
        found = _among(db, known, told, origin_number)
        if count > others:
            left = {term: holders[term] - found.get(term, 0) for term in terms}
            return Then(count, tokens, left, others=told)
    return Then(count, tokens, {term: found.get(term, 0) for term in terms}, held=told)


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
    lists = {term: fts.postings(db, term, origin_number=origin_number) for term in terms}
    asked = list(set().union(*lists.values()))
    held: set[int] = set()
    for start in range(0, len(asked), _AT_ONCE):
        marks = ", ".join(map(str, asked[start : start + _AT_ONCE]))
        rows = db.execute(
            f"SELECT seq FROM fact WHERE seq IN ({marks}) AND origin = ?1 AND {_HELD}"
            " AND lifecycle <> 'pruned'",
            (origin_number, instant),
        )
        held.update(seq for (seq,) in rows)
    return {term: len(held.intersection(seqs)) for term, seqs in lists.items()}, frozenset(held)


def _numbers(
    db: Connection, origin_number: int, instant: int, *, is_held: bool
) -> frozenset[int]:
    """Return the numbers of the facts that held at an instant, or of all others."""
    made = db.execute(_MADE.format("<=" if is_held else ">"), (origin_number, instant))
    found = {seq for (seq,) in made}
    timed: Iterable[Any] = db.execute(_TIMED, (origin_number, instant))
    for seq, held in timed:
        if held == is_held:
            found.add(seq)
        else:
            found.discard(seq)
    archived = db.execute(_ARCHIVED, (origin_number, instant, is_held))
    found.update(seq for (seq,) in archived)
    return frozenset(found)


def _among(
    db: Connection, terms: Sequence[str], told: frozenset[int], origin_number: int
) -> dict[str, int]:
    """Return in how many of the told facts each term occurs."""
    if len(told) > _FEW:
        return {
            term: len(told.intersection(fts.postings(db, term, origin_number=origin_number)))
            for term in terms
        }
    found = dict.fromkeys(terms, 0)
    numbers = list(told)
    for start in range(0, len(numbers), _AT_ONCE):
        marks = ", ".join(map(str, numbers[start : start + _AT_ONCE]))
        for (held,) in db.execute(f"SELECT terms FROM fact WHERE seq IN ({marks})"):
            for term in found.keys() & str(held).split():
                found[term] += 1
    return found
