"""What is known of the terms of a question by one statement: how many facts hold each, and which.

Its rows answer the statements that the store asks term by term.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from struct import Struct, unpack, unpack_from

from tideline_cli.model.record import record
from tideline_cli.store import common_postings, fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Rows = list[tuple[Any, ...]]
    Filler = Callable[[Sequence[Any]], Rows | None]

_PIECE = re.compile(r'"[^"]*"|\(|\)|AND|OR')
_BLOCK_HEAD = Struct("!q12xi4x")  # what stands before the items of an array is passed over
_LARGE = 1 << 16  # facts from which on the holders of common terms are not sent unasked
# The facts of a term from both tables, and how many they are. The numbers of blocks come as they
# are stored: what they cost the server is by the block, not by the fact.
_HELD = """
LATERAL (SELECT fact FROM posting WHERE posting.term = stored
         UNION ALL SELECT first + unnest(offsets) FROM posting_block AS block
         WHERE block.term = stored) AS held
"""
_COUNT = """
((SELECT count(*) FROM posting WHERE posting.term = stored)
 + (SELECT ifnull(sum(cardinality(offsets)), 0) FROM posting_block AS block
    WHERE block.term = stored))
"""
_TAIL = "string_agg(int8send(fact), ''::bytea) FROM posting WHERE posting.term"
_BLOCKS = """
string_agg(int8send(first) || array_send(offsets), ''::bytea) FROM posting_block AS block
WHERE block.term
"""
TERMS = f"""
WITH kept AS MATERIALIZED (
  SELECT asked.term, asked.stored, sum(facts) AS facts, max(upto) AS upto,
    CASE WHEN (SELECT sum(facts) < {_LARGE} FROM tally WHERE origin = ?1) THEN 0
         ELSE ifnull(max(upto), 0) END AS least
  FROM unnest(?2, ?3) AS asked (term, stored) LEFT JOIN common_posting AS common
    ON common.origin = ?1 AND common.term = asked.term
  GROUP BY 1, 2)
SELECT term, stored,
  (SELECT facts FROM archived_term WHERE origin = ?1 AND archived_term.term = kept.term),
  (SELECT facts FROM lapsed_term WHERE origin = ?1 AND lapsed_term.term = kept.term),
  facts, upto, (SELECT {_TAIL} = stored AND fact >= least),
  (SELECT {_BLOCKS} = stored AND block.origin = ?1 AND first >= CASE WHEN least = 0 THEN 0 ELSE
     ifnull((SELECT first FROM posting_block AS around
             WHERE around.term = stored AND around.origin = ?1 AND around.first <= least
             ORDER BY around.first DESC LIMIT 1), 0) END)
FROM kept
"""
"""Of an origin, by a list of its terms and one of the same terms as the index has them. Of a common
term of many facts the first block begins before what is asked for."""
_HOLDERS = f"""
SELECT (SELECT {_TAIL} = stored), (SELECT {_BLOCKS} = stored)
FROM (SELECT replace(?, '"', '') AS stored) AS asked
"""
MANY_OF = f"""
WITH counted AS MATERIALIZED (
  SELECT stored, {_COUNT} AS doc FROM unnest(?1) AS asked (stored))
SELECT array_agg(fact) FROM (
  SELECT fact FROM counted, {_HELD} WHERE doc <= 5000
  GROUP BY fact
  HAVING count(*) >= max(1, ?2 - (SELECT count(*) FROM counted WHERE doc > 5000))
  ORDER BY fact LIMIT ?3) AS found
"""
"""The facts that hold so many of some terms, and perhaps some more."""
FOUND = f"""
WITH counted AS MATERIALIZED (
  SELECT stored, weight, ifnull((SELECT sum(facts) FROM common_posting WHERE origin = ?5
                                 AND common_posting.term = asked.term), {_COUNT}) AS doc
  FROM unnest(?1, ?2, ?6) AS asked (stored, weight, term)),
few AS MATERIALIZED (
  SELECT stored, doc, weight * ln(1 + 1e6::float8 / doc) AS idf,
    sum(doc) OVER (ORDER BY doc, stored) AS upto
  FROM counted WHERE doc > 0)
SELECT array_agg(fact) FROM (
  SELECT fact FROM few, {_HELD} WHERE upto <= ?3 OR upto = doc
  GROUP BY fact ORDER BY sum(idf) DESC, fact DESC
  LIMIT (SELECT CASE WHEN max(upto) <= ?4 THEN ?4 ELSE ?4 / 4 END FROM few)) AS best
"""
"""The facts that hold most of some terms, by their weights: of the rarest terms, as long as they
have few holders together."""


@record
class KnownTerm:
    """What is known of a term of an origin. Of a common one `kept` says how many facts before which
    number hold it, and `holders` may be the later ones alone."""

    term: str
    archived: int
    lapsed: int
    kept: tuple[Any, Any]
    count: int
    holders: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether `holders` are all."""
        return len(self.holders) == self.count


def fillers(rows: Rows, *, origin_number: int) -> dict[str, Filler]:
    """Return by statement what answers it for the terms of these rows of TERMS."""
    known = _Terms(rows, origin_number)
    plain, less = fts.FREQUENCY.format(""), fts.FREQUENCY.format(fts.LAPSED)
    return {
        plain: lambda given: known.frequency(given, is_lapsed=False),
        less: lambda given: known.frequency(given, is_lapsed=True),
        fts.COUNTED.format(""): lambda given: known.counted(given, is_lapsed=False),
        fts.COUNTED.format(fts.LAPSED): lambda given: known.counted(given, is_lapsed=True),
        fts.ARCHIVED: known.archived, fts.POSTINGS: known.postings, fts.HOLDERS: known.held_by,
        fts.RARITY: known.rarity, fts.HOLDING: known.holding, common_postings.COUNT: known.kept,
        common_postings.LATER: known.later,
    }  # fmt: skip


class _Terms:
    """Terms of an origin; each method answers a statement by the values that it is given, or says
    with None that it does not know."""

    def __init__(self, rows: Rows, origin_number: int) -> None:
        self._origin = origin_number
        self._by_name: dict[str, KnownTerm] = {}
        self._by_query: dict[str, KnownTerm] = {}
        for term, stored, archived, lapsed, facts, upto, tail, blocks in rows:
            holders = unpacked_numbers(tail, blocks)
            more = len(holders) - bisect_left(holders, upto or 0)
            known = KnownTerm(
                term, archived or 0, lapsed or 0, (facts, upto), (facts or 0) + more, holders
            )
            self._by_name[term], self._by_query[f'"{stored}"'] = known, known

    def _named(self, given: Sequence[Any]) -> KnownTerm | None:
        return self._by_name.get(given[1]) if given[0] == self._origin else None

    def frequency(self, given: Sequence[Any], *, is_lapsed: bool) -> Rows | None:
        one = self._named(given)
        if one is None:
            return None
        gone = one.archived + (one.lapsed if is_lapsed else 0)
        return [(one.count - gone,)] if one.count else []

    def counted(self, given: Sequence[Any], *, is_lapsed: bool) -> Rows | None:
        one = self._named(given)
        if one is None:
            return None
        return [(given[2] - one.archived - (one.lapsed if is_lapsed else 0),)]

    def archived(self, given: Sequence[Any]) -> Rows | None:
        one = self._named(given)
        if one is None:
            return None
        return [(one.archived,)] if one.archived > 0 else []

    def kept(self, given: Sequence[Any]) -> Rows | None:
        one = self._named(given)
        return None if one is None else [one.kept]

    def postings(self, given: Sequence[Any]) -> Rows | None:
        one = self._by_query.get(given[0])
        return None if one is None or not one.is_whole else [(seq,) for seq in one.holders]

    def later(self, given: Sequence[Any]) -> Rows | None:
        one = self._by_query.get(given[0])
        if one is None or not (one.is_whole or given[1] >= (one.kept[1] or 0)):
            return None
        return [(seq,) for seq in one.holders[bisect_left(one.holders, given[1]) :]]

    def held_by(self, given: Sequence[Any]) -> Rows | None:
        one = self._by_query.get(f'"{given[0]}"')
        if one is None:
            return None
        return [(one.count,)] if one.count else []

    def rarity(self, given: Sequence[Any]) -> Rows | None:
        one = self._by_query.get(given[0])
        return None if one is None else [(min(one.count, given[1]),)]

    def holding(self, given: Sequence[Any]) -> Rows | None:
        found = _fulfilling(given[0], self._by_query)
        if found is None:
            return None
        rows = [(seq,) for seq in sorted(found)]
        return rows if given[1] < 0 else rows[: given[1]]


def _fulfilling(condition: str, known: Mapping[str, KnownTerm]) -> set[int] | None:
    """Return the facts whose terms fulfil a condition as the store writes it, `("a" AND "b")`; None
    where it names a term of which that is not known."""
    stack: list[list[Any]] = [[]]
    for piece in _PIECE.findall(condition):
        if piece == "(":
            stack.append([])
        elif piece in ("AND", "OR"):
            stack[-1].append(piece)
        else:
            if piece == ")":
                stack[-2].append(_joined(stack.pop()))
            else:
                one = known.get(piece)
                if one is None or not one.is_whole:
                    return None
                stack[-1].append(set(one.holders))
    return _joined(stack[0])


def _joined(parts: list[Any]) -> set[int]:
    """Return what sets with one word between them mean together."""
    sets: list[set[int]] = parts[::2]
    return set.union(*sets) if "OR" in parts[1:2] else set.intersection(*sets)


def unpacked_numbers(tail: bytes | None, blocks: bytes | None) -> tuple[int, ...]:
    """Return the numbers of facts, ascending, which came as whole numbers of eight bytes, and as
    blocks: the first number, and an array of offsets in the binary form of the server."""
    found = [*unpack(f"!{len(tail) // 8}q", tail)] if tail else []
    at = 0
    while blocks and at < len(blocks):
        first, count = _BLOCK_HEAD.unpack_from(blocks, at)
        at += _BLOCK_HEAD.size
        # Each item has its length before it.
        found += [first + one for one in unpack_from(f"!{2 * count}i", blocks, at)[1::2]]
        at += 8 * count
    return tuple(sorted(found))


LIGHTER = {fts.POSTINGS: (_HOLDERS, lambda rows: [(seq,) for seq in unpacked_numbers(*rows[0])])}
"""The holders of a term, which come as two values."""
FILLED = frozenset(fillers([], origin_number=0))
"""The statements that are answered so."""
