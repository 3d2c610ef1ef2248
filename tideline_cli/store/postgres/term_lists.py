"""What is known of the terms of a question by one statement: how many facts hold each, and which.

Its rows answer the statements that the store asks term by term.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from struct import unpack

from tideline_cli.model.record import record
from tideline_cli.store import common_postings, fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Rows = list[tuple[Any, ...]]
    Filler = Callable[[Sequence[Any]], Rows | None]

_PIECE = re.compile(r'"[^"]*"|\(|\)|AND|OR')
_LARGE = 1 << 16  # facts from which on the holders of common terms are not sent unasked
TERMS = f"""
WITH kept AS MATERIALIZED (
  SELECT asked.term, asked.stored, sum(facts) AS facts, max(upto) AS upto
  FROM unnest(?2, ?3) AS asked (term, stored) LEFT JOIN common_posting AS common
    ON common.origin = ?1 AND common.term = asked.term
  GROUP BY 1, 2),
few AS (SELECT sum(facts) < {_LARGE} AS are FROM tally WHERE origin = ?1)
SELECT term, stored,
  (SELECT facts FROM archived_term WHERE origin = ?1 AND archived_term.term = kept.term),
  (SELECT facts FROM lapsed_term WHERE origin = ?1 AND lapsed_term.term = kept.term),
  facts, upto, later, packed
FROM kept, few, LATERAL (
  SELECT count(*) FILTER (WHERE fact >= ifnull(upto, 0)) AS later,
    string_agg(int8send(fact), ''::bytea) AS packed FROM (
      SELECT fact FROM posting WHERE posting.term = stored
        AND fact >= CASE WHEN few.are THEN 0 ELSE ifnull(upto, 0) END
      ORDER BY fact) AS listed) AS held
"""
"""Of an origin, by a list of its terms and one of the same terms as the index has them."""
HOLDERS = """
SELECT string_agg(int8send(fact), ''::bytea)
FROM (SELECT fact FROM posting WHERE term = ? ORDER BY fact) AS listed
"""
"""Of a term as the index has it."""
MANY_OF = """
WITH counted AS MATERIALIZED (
  SELECT stored, (SELECT count(*) FROM posting WHERE term = stored) AS doc
  FROM unnest(?1) AS asked (stored))
SELECT array_agg(fact) FROM (
  SELECT fact FROM counted JOIN posting ON term = stored WHERE doc <= 5000
  GROUP BY fact
  HAVING count(*) >= max(1, ?2 - (SELECT count(*) FROM counted WHERE doc > 5000))
  ORDER BY fact LIMIT ?3) AS found
"""
"""The facts that hold so many of some terms, and perhaps some more."""
FOUND = """
WITH counted AS MATERIALIZED (
  SELECT stored, weight, (SELECT sum(facts) FROM common_posting WHERE origin = ?5
                          AND common_posting.term = asked.term) AS common
  FROM unnest(?1, ?2, ?6) AS asked (stored, weight, term)),
few AS MATERIALIZED (
  SELECT stored, doc, weight * ln(1 + 1e6::float8 / doc) AS idf,
    sum(doc) OVER (ORDER BY doc, stored) AS upto FROM (
      SELECT stored, weight, ifnull(common, (SELECT count(*) FROM posting WHERE term = stored))
        AS doc FROM counted) AS known
  WHERE doc > 0)
SELECT array_agg(fact) FROM (
  SELECT fact FROM few JOIN posting ON term = stored WHERE upto <= ?3 OR upto = doc
  GROUP BY fact ORDER BY sum(idf) DESC, fact DESC
  LIMIT (SELECT CASE WHEN max(upto) <= ?4 THEN ?4 ELSE ?4 / 4 END FROM few)) AS best
"""
"""The facts that hold most of some terms, by their weights: of the rarest terms, as long as they
have few holders together."""


@record
class Term:
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
    by_name: dict[str, Term] = {}
    by_query: dict[str, Term] = {}
    for term, stored, archived, lapsed, facts, upto, more, packed in rows:
        count = (facts or 0) + more
        known = Term(term, archived or 0, lapsed or 0, (facts, upto), count,
                     unpacked(packed))  # fmt: skip
        by_name[term], by_query[f'"{stored}"'] = known, known

    def named(bindings: Sequence[Any]) -> Term | None:
        return by_name.get(bindings[1]) if bindings[0] == origin_number else None

    def frequency(bindings: Sequence[Any], *, is_lapsed: bool) -> Rows | None:
        one = named(bindings)
        if one is None:
            return None
        gone = one.archived + (one.lapsed if is_lapsed else 0)
        return [(one.count - gone,)] if one.count else []

    def counted(bindings: Sequence[Any], *, is_lapsed: bool) -> Rows | None:
        one = named(bindings)
        if one is None:
            return None
        return [(bindings[2] - one.archived - (one.lapsed if is_lapsed else 0),)]

    def archived_count(bindings: Sequence[Any]) -> Rows | None:
        one = named(bindings)
        if one is None:
            return None
        return [(one.archived,)] if one.archived > 0 else []

    def kept(bindings: Sequence[Any]) -> Rows | None:
        one = named(bindings)
        return None if one is None else [one.kept]

    def postings(bindings: Sequence[Any]) -> Rows | None:
        one = by_query.get(bindings[0])
        return None if one is None or not one.is_whole else [(seq,) for seq in one.holders]

    def later(bindings: Sequence[Any]) -> Rows | None:
        one = by_query.get(bindings[0])
        if one is None or not (one.is_whole or bindings[1] >= (one.kept[1] or 0)):
            return None
        return [(seq,) for seq in one.holders[bisect_left(one.holders, bindings[1]) :]]

    def held_by(bindings: Sequence[Any]) -> Rows | None:
        one = by_query.get(f'"{bindings[0]}"')
        if one is None:
            return None
        return [(one.count,)] if one.count else []

    def rarity(bindings: Sequence[Any]) -> Rows | None:
        one = by_query.get(bindings[0])
        return None if one is None else [(min(one.count, bindings[1]),)]

    def holding(bindings: Sequence[Any]) -> Rows | None:
        found = _fulfilling(bindings[0], by_query)
        if found is None:
            return None
        rows = [(seq,) for seq in sorted(found)]
        return rows if bindings[1] < 0 else rows[: bindings[1]]

    plain, less = fts.FREQUENCY.format(""), fts.FREQUENCY.format(fts.LAPSED)
    return {
        plain: lambda values: frequency(values, is_lapsed=False),
        less: lambda values: frequency(values, is_lapsed=True),
        fts.COUNTED.format(""): lambda values: counted(values, is_lapsed=False),
        fts.COUNTED.format(fts.LAPSED): lambda values: counted(values, is_lapsed=True),
        fts.ARCHIVED: archived_count, fts.POSTINGS: postings, fts.HOLDERS: held_by,
        fts.RARITY: rarity, fts.HOLDING: holding, common_postings.COUNT: kept,
        common_postings.LATER: later,
    }  # fmt: skip


def _fulfilling(condition: str, known: Mapping[str, Term]) -> set[int] | None:
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


def unpacked(packed: bytes | None) -> tuple[int, ...]:
    return unpack(f"!{len(packed) // 8}q", packed) if packed else ()


FILLED = frozenset(fillers([], origin_number=0))
"""The statements that are answered so."""
