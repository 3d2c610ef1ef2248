"""contradictions: pairs of facts that may contradict each other, shown and never settled here."""

from __future__ import annotations

from heapq import heappush, heappushpop

from tideline_cli.memory import lanes
from tideline_cli.model.record import record
from tideline_cli.model.text import said_terms
from tideline_cli.policy.contradictions import (
    MIN_OVERLAP,
    MIN_SCORE,
    ComparedFact,
    Contradiction,
    compared,
    order,
)
from tideline_cli.store import bulk_reads, vectors, visibility
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.bulk_reads import Stated
    from tideline_cli.vector.contradictions import Pairs
    from tideline_cli.vector.embedder import Embedder

NEWEST = 20_000  # facts that are compared unless all are asked for
_EXAMINED = 20_000  # pairs of a segment that exact cosines decide among, at least
_FIRST = 16  # pairs whose exact cosines are made at once; most often these are enough
_AT_ONCE = 256


@record
class ContradictionReport:
    """The pairs, strongest first; how many facts were compared, and whether there are more."""

    found: tuple[Contradiction, ...]
    compared: int
    is_partial: bool


def contradictions(
    db: Connection,
    *,
    viewer: Origin,
    now: int,
    limit: int,
    segments: Sequence[str] = (),
    min_score: float = MIN_SCORE,
    newest: int | None = NEWEST,
) -> ContradictionReport:
    """Return the `limit` strongest pairs among the active facts of `viewer` that have not ended.

    Writes nothing. `newest` None compares all facts.
    """
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        stated = bulk_reads.statements(
            db,
            viewer=viewer,
            segments=segments,
            now=now,
            limit=None if newest is None else newest + 1,
        )
        is_partial = newest is not None and len(stated) > newest
        stated = stated[:newest]
        chunks: list[tuple[bytes, bytes]] = []
        embedder = None
        if len(stated) > 1:
            embedder = lanes.embedder_of(db)
            oldest = min(fact.seq for fact in stated)
            chunks = list(
                vectors.chunks_since(
                    db, oldest, origin_number=origin_number, embedder=embedder.name
                )
            )
    best: list[tuple[Any, ...]] = []
    if embedder is not None:
        for segment in dict.fromkeys(fact.segment for fact in stated):
            rows = [fact for fact in stated if fact.segment == segment]
            _collect(best, embedder, rows, chunks, min_score=min_score, limit=limit)
    found = sorted((item[-1] for item in best), key=order)
    return ContradictionReport(tuple(found), len(stated), is_partial)


def _collect(
    best: list[tuple[Any, ...]],
    embedder: Embedder,
    rows: Sequence[Stated],
    chunks: Sequence[tuple[bytes, bytes]],
    *,
    min_score: float,
    limit: int,
) -> None:
    """Put the strongest pairs of one segment on the heap `best` of at most `limit`."""
    for bound, found in _contradictions(embedder, rows, chunks, min_score=min_score, limit=limit):
        if len(best) == limit and bound < best[0][0]:
            return
        item = (found.score, found.a.created_at, found.b.created_at, found.a.id, found.b.id, found)
        is_stronger = len(best) < limit or item > best[0]
        if found.score < min_score or not is_stronger or _is_restated(found):
            continue
        if len(best) < limit:
            heappush(best, item)
        else:
            heappushpop(best, item)


def _is_restated(found: Contradiction) -> bool:
    from tideline_cli.policy.difference import is_restated  # noqa: PLC0415  only for likely pairs

    return is_restated(found.a.content, found.b.content)


def _contradictions(
    embedder: Embedder,
    rows: Sequence[Stated],
    chunks: Sequence[tuple[bytes, bytes]],
    *,
    min_score: float,
    limit: int,
) -> Iterator[tuple[float, Contradiction]]:
    """Yield (highest score it could have had, pair), the bounds descending."""
    for pairs in _likely_pairs(
        embedder, rows, chunks, min_score=min_score, most=max(_EXAMINED, 4 * limit)
    ):
        start, size = 0, _FIRST
        while start < len(pairs.i):
            part = slice(start, start + size)
            start, size = start + size, min(2 * size, _AT_ONCE)
            both = [
                (_fact(rows[i]), _fact(rows[j]))
                for i, j in zip(pairs.i[part].tolist(), pairs.j[part].tolist(), strict=True)
            ]
            exact = _cosines(embedder, both, pairs.cosine[part].tolist())
            for (a, b), cosine, bound in zip(both, exact, pairs.bound[part].tolist(), strict=True):
                found = compared(a, b, cosine)
                if found is not None:
                    yield bound, found


def _likely_pairs(
    embedder: Embedder, rows: Sequence[Stated], chunks: Sequence[tuple[bytes, bytes]], *,
    min_score: float, most: int,
) -> Iterator[Pairs]:  # fmt: skip
    """Return the pairs that may score enough, with approximate cosines, the best first."""
    from tideline_cli.vector.contradictions import codes_of, likely  # noqa: PLC0415  numpy

    codes, missing = codes_of(embedder, [row.seq for row in rows], chunks)
    if len(missing):
        codes[missing] = embedder.embed_packed([rows[place].content for place in missing])
    return likely(
        embedder,
        codes,
        [set(said_terms(row.terms)) for row in rows],
        min_overlap=MIN_OVERLAP,
        min_score=min_score,
        most=most,
    )


def _fact(row: Stated) -> ComparedFact:
    terms = frozenset(said_terms(row.terms))
    return ComparedFact(row.id, row.content, row.created_at, terms, row.scope)


def _cosines(
    embedder: Embedder,
    both: Sequence[tuple[ComparedFact, ComparedFact]],
    approximate: Sequence[float],
) -> Sequence[float]:
    """Return the cosines of pairs; the approximate ones where the embedder has no exact ones."""
    if not embedder.exact:
        return approximate
    from tideline_cli.vector.embedder import cosines  # noqa: PLC0415  numpy, 80 ms

    return cosines(embedder, [(a.content, b.content) for a, b in both])
