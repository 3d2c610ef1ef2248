"""What is asked about facts that a derived index has not reached yet: where they begin is known to
the server alone, so it is asked for by that, and answers the statement that names it."""

from __future__ import annotations

from tideline_cli.store import common_postings, facts, label_holders, lapsed
from tideline_cli.store import vectors as packed
from tideline_cli.store.postgres import bounds
from tideline_cli.store.postgres.by_number import list_sql

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.postgres.foresight import Foreseeing

    Rows = list[tuple[Any, ...]]

_UNBOUNDED = f"""
WITH held AS (SELECT {bounds.END.format("?1")} AS start)
SELECT held.start, (SELECT max(seq) FROM fact),
  (SELECT count(*) FROM fact WHERE origin = ?1 AND seq >= held.start), found.*
FROM held LEFT JOIN LATERAL (
  {bounds.WEIGHED} WHERE fact.origin = ?1 AND seq >= held.start
  ORDER BY seq LIMIT {bounds.AHEAD}) AS found ON true
"""
_LAPSING = f"""
SELECT min(lapsed.at, ?2), max(lapsed.at, ?2), sign, length, terms
FROM lapsed LEFT JOIN LATERAL (
  {lapsed.CHANGING.replace("?2", "min(lapsed.at, ?4)").replace("?3", "max(lapsed.at, ?4)")
                  .replace("?4", "?2")}) AS moved ON true
WHERE lapsed.origin = ?1
"""
_WAITING = """
WITH held AS (SELECT ifnull((SELECT seq FROM vector_progress
                             WHERE origin = ?1 AND embedder = ?2), 0) AS start)
SELECT held.start, found.* FROM held LEFT JOIN LATERAL (
  SELECT seq, content, id FROM fact WHERE seq > held.start AND origin = ?1
  ORDER BY seq LIMIT ?3) AS found ON true
"""
_LABELS = f"""
SELECT asked.term, found.fact, found.size FROM unnest(?2) AS asked (term) JOIN LATERAL (
  SELECT fact, size FROM label_term WHERE origin = ?1 AND label_term.term = asked.term
  ORDER BY fact DESC LIMIT {label_holders.MOST}) AS found ON true
"""
_FEW = 4  # rows of vectors that are sent before it is known whether they are needed
_VECTORS = f"""
SELECT number, facts, codes, lows FROM vector_chunk WHERE origin = ?1 AND embedder = ?2
  AND (SELECT count(*) FROM vector_chunk) <= {_FEW} ORDER BY number
"""


def unbounded(ahead: Foreseeing, origin_number: int) -> None:
    """Ask ahead for the facts of an origin after those whose bytes bound their scores, how many
    these are, and for the last fact."""

    def filled(rows: Rows) -> dict[str, Any]:
        start, last, missing = rows[0][0], rows[0][1] or 0, rows[0][2]
        known = (origin_number, start, bounds.AHEAD)
        there = [row[3:] for row in rows if row[3] is not None]
        return {
            bounds.OF_ORIGIN: lambda given: there if given == known else None,
            bounds.MISSING: lambda given: [(missing,)] if given == known[:1] else None,
            facts.LAST: lambda _: [(last,)],
        }

    texts = frozenset((bounds.OF_ORIGIN, bounds.MISSING, facts.LAST))
    ahead.fill(_UNBOUNDED, (origin_number,), filled, texts=texts)


def lapsing(ahead: Foreseeing, origin_number: int, *, now: int) -> None:
    """Ask ahead for the facts that begin or end between the instant of the counts and now."""

    def filled(rows: Rows) -> dict[str, Any]:
        known = (origin_number, *rows[0][:2]) if rows else None
        there = [row[2:] for row in rows if row[2] is not None]
        return {lapsed.CHANGING: lambda given: there if given == known else None}

    texts = frozenset((lapsed.CHANGING,))
    ahead.fill(_LAPSING, (origin_number, now), filled, texts=texts)


def waiting(ahead: Foreseeing, origin_number: int, embedder: str) -> None:
    """Ask ahead for the facts without a vector."""

    def filled(rows: Rows) -> dict[str, Any]:
        known = rows[0][0], origin_number, packed.BACKLOG
        there = [row[1:] for row in rows if row[1] is not None]
        return {packed.WAITING: lambda given: there if given == known else None}

    given = origin_number, embedder, packed.BACKLOG
    ahead.fill(_WAITING, given, filled, texts=frozenset((packed.WAITING,)))


def appending(
    db: Connection, ahead: Foreseeing, upto: int, *, origin_number: int, embedder: str, after: int,
    last: int,
) -> None:  # fmt: skip
    """Ask ahead for what `vectors.append` asks: of facts after and up to a number, and of the last
    chunk."""
    ahead.foresee(
        lambda: packed.embedded_up_to(db, origin_number=origin_number, embedder=embedder),
        lambda: packed.ids_between(db, after, upto, origin_number=origin_number),
        lambda: packed.last_chunk(db, origin_number=origin_number, embedder=embedder),
        lambda: packed.held(db, last),
    )


def vectors(ahead: Foreseeing, origin_number: int, embedder: str) -> None:
    """Ask ahead for the vectors of an origin, where the memory has few."""

    def filled(rows: Rows) -> dict[str, Any]:
        whose = origin_number, embedder

        def both(given: Sequence[Any]) -> Rows | None:
            found = [row[2:] for row in rows if (row[0], origin_number) == tuple(given)]
            return found or None

        return {
            packed.HALVES: lambda given: [row[:3] for row in rows] if given == whose else None,
            packed.CHUNKS: lambda given: [row[1:] for row in rows] if given == whose else None,
            packed.BOTH: both,
        } if rows else {}  # fmt: skip

    texts = frozenset((packed.HALVES, packed.CHUNKS, packed.BOTH))
    ahead.fill(_VECTORS, (origin_number, embedder), filled, texts=texts)


def of_rows(ahead: Foreseeing, place: int) -> None:
    """Ask ahead for what the derived indexes keep of the facts in a list of the server's."""
    from tideline_cli.store import common_upkeep  # noqa: PLC0415  an undo alone

    facts_of = f"SELECT DISTINCT one / {{}} FROM unnest({list_sql(place)}) AS each (one)"

    def of_bounds(rows: Rows) -> dict[str, Any]:
        reached = {row[0] for row in rows}
        held = [row for row in rows if row[1] is not None]

        def of_number(given: Sequence[Any]) -> Rows | None:
            if given[0] not in reached:
                return None
            return [row[1:] for row in held if row[0] == given[0]]

        def of_row(given: Sequence[Any]) -> Rows | None:
            if given[1] not in reached:
                return None
            return [row[2:] for row in held if (row[1], row[0]) == tuple(given)]

        return {bounds.OF_NUMBER: of_number, bounds.OF_ROW: of_row}

    def common(rows: Rows) -> dict[str, Any]:
        reached = {row[0] for row in rows}

        def of_chunk(given: Sequence[Any]) -> Rows | None:
            if given[0] not in reached:
                return None
            return [row[1:] for row in rows if row[0] == given[0] and row[1] is not None]

        return {common_upkeep.ROWS_OF: of_chunk}

    inside = facts_of.format(bounds.CHUNK)
    ahead.fill(
        f"SELECT chunk.number, origin, codes FROM ({inside}) AS chunk (number)"
        " LEFT JOIN score_bound AS held ON held.number = chunk.number",
        (), of_bounds, texts=frozenset((bounds.OF_NUMBER, bounds.OF_ROW)),
    )  # fmt: skip
    inside = facts_of.format(common_postings.CHUNK)
    ahead.fill(
        f"SELECT chunk.number, origin, term, upto, holders, repeats FROM ({inside})"
        " AS chunk (number) LEFT JOIN common_posting AS held ON held.number = chunk.number",
        (), common, texts=frozenset((common_upkeep.ROWS_OF,)),
    )  # fmt: skip


def labels(ahead: Foreseeing, origin_number: int, terms: Sequence[str]) -> None:
    """Ask ahead for the facts whose labels hold some terms."""

    def filled(rows: Rows) -> dict[str, Any]:
        found: dict[str, Rows] = {term: [] for term in terms}
        for term, *row in rows:
            found[term].append(tuple(row))

        def holders(given: Sequence[Any]) -> Rows | None:
            is_asked = (given[0], given[2]) == (origin_number, label_holders.MOST)
            return found.get(given[1]) if is_asked else None

        return {label_holders.HOLDERS: holders}

    ahead.fill(
        _LABELS, (origin_number, terms), filled, texts=frozenset((label_holders.HOLDERS,))
    )
