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
_HOLDERS = """
SELECT string_agg(int8send(fact), ''::bytea)
FROM (SELECT fact FROM posting WHERE term = replace(?, '"', '') ORDER BY fact) AS listed
"""
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
        for term, stored, archived, lapsed, facts, upto, more, packed in rows:
            known = KnownTerm(
                term, archived or 0, lapsed or 0, (facts, upto), (facts or 0) + more,
                unpacked_numbers(packed),
            )  # fmt: skip
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


def unpacked_numbers(packed: bytes | None) -> tuple[int, ...]:
    return unpack(f"!{len(packed) // 8}q", packed) if packed else ()


LIGHTER = {fts.POSTINGS: (_HOLDERS, lambda rows: [(seq,) for seq in unpacked_numbers(rows[0][0])])}
"""The holders of a term, which come as one value."""
FILLED = frozenset(fillers([], origin_number=0))
"""The statements that are answered so."""
