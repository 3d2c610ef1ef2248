"""contradictions: pairs of facts that may contradict each other, shown and never settled here."""

from __future__ import annotations

from functools import partial
from heapq import heappush, heappushpop
from itertools import compress

from tideline_cli.memory import lanes
from tideline_cli.model.record import record
from tideline_cli.model.text import FURTHER, said_terms
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
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.bulk_reads import Stated
    from tideline_cli.vector.asked_codes import AskedCodes
    from tideline_cli.vector.contradictions import Pairs
    from tideline_cli.vector.embedder import Embedder

NEWEST = 20_000  # facts that are compared unless all are asked for
_EXAMINED = 20_000  # pairs of a segment that exact cosines decide among, at least
_FIRST = 16  # pairs whose exact cosines are made at once; most often these are enough
_AT_ONCE = 256
_STREWN = 15  # numbers a fact from which on fewer vectors are made than rows of them are read
_MADE = 4000  # vectors that are made of texts, at most


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
        rows = bulk_reads.stated_terms(
            db,
            viewer=viewer,
            segments=segments,
            now=now,
            limit=None if newest is None else newest + 1,
        )
        is_partial = newest is not None and len(rows) > newest
        rows = rows[:newest]
        embedder = lanes.embedder_of(db) if len(rows) > 1 else None
        made = embedder and _Vectors(db, embedder, origin_number, [seq for seq, _, _ in rows])
    best: list[tuple[Any, ...]] = []
    if made:
        for segment in dict.fromkeys(its for _, its, _ in rows):
            own = [(seq, terms) for seq, its, terms in rows if its == segment]
            _collect(best, _Facts(db, viewer, made, own), min_score=min_score, limit=limit)
    found = sorted((item[-1] for item in best), key=order)
    return ContradictionReport(tuple(found), len(rows), is_partial)


class _Vectors:
    """The packed vectors of the facts that are compared. Those of facts that lie close to one
    another are read at once; where they are strewn over the store, as the newest of a million facts
    of one instant are, each row of vectors has few of them: then few are made of their texts, and
    all are read when many are asked for."""

    def __init__(
        self, db: Connection, embedder: Embedder, origin_number: int, numbers: Sequence[int]
    ) -> None:
        self.embedder = embedder
        self._read = partial(
            vectors.chunks_of, db, numbers, origin_number=origin_number, embedder=embedder.name
        )
        is_strewn = max(numbers) - min(numbers) > _STREWN * len(numbers)
        self._chunks = None if embedder.exact and is_strewn else [*self._read()]
        self._made = 0

    def codes(self, facts: _Facts) -> NDArray[np.uint8] | AskedCodes:
        """Return the codes of the facts of a segment, by their places."""
        from tideline_cli.vector.asked_codes import AskedCodes  # noqa: PLC0415  numpy

        if self._chunks is not None:
            return self._read_codes(facts, range(len(facts.numbers)))
        return AskedCodes(
            len(facts.numbers), self.embedder.code_size, partial(self._codes_at, facts)
        )

    def _codes_at(self, facts: _Facts, places: Sequence[int]) -> NDArray[np.uint8]:
        self._made += len(places)
        if self._made <= _MADE and self._chunks is None:
            return self._of_texts(facts, places)
        if self._chunks is None:
            self._chunks = [*self._read()]
        return self._read_codes(facts, places)

    def _read_codes(self, facts: _Facts, places: Sequence[int]) -> NDArray[np.uint8]:
        from tideline_cli.vector.contradictions import codes_of  # noqa: PLC0415  numpy

        numbers = [facts.numbers[place] for place in places]
        codes, missing = codes_of(self.embedder, numbers, self._chunks or ())
        if len(missing):
            codes[missing] = self._of_texts(facts, [places[at] for at in missing.tolist()])
        return codes

    def _of_texts(self, facts: _Facts, places: Sequence[int]) -> NDArray[np.uint8]:
        held = facts.at(places)  # of one that is gone no pair is made
        texts = [held[place].content if place in held else "" for place in places]
        return self.embedder.embed_packed(texts)


class _Facts:
    """The facts of a segment: their terms at once, and the rest of those that are asked for. What
    has gone since, or is another by now, is none of them."""

    def __init__(
        self, db: Connection, viewer: Origin, made: _Vectors, rows: Sequence[tuple[int, str]]
    ) -> None:
        self.made = made
        self.embedder = made.embedder
        self.numbers = [seq for seq, _ in rows]
        self._terms = [terms for _, terms in rows]
        self._db = db
        self._viewer = viewer

    def terms(self) -> list[list[str]]:
        """Return the terms that each fact is compared by, repeats kept."""
        return [
            (joined if FURTHER not in joined else joined.partition(FURTHER)[0]).split()
            for joined in self._terms
        ]

    def at(self, places: Iterable[int]) -> dict[int, ComparedFact]:
        """Return facts by their places."""
        wanted = {self.numbers[place]: place for place in places}
        stated = bulk_reads.statements(self._db, wanted, viewer=self._viewer)
        return {
            wanted[seq]: _fact(row)
            for seq, row in stated.items()
            if row.terms == self._terms[wanted[seq]]
        }


def _collect(
    best: list[tuple[Any, ...]],
    facts: _Facts,
    *,
    min_score: float,
    limit: int,
) -> None:
    """Put the strongest pairs of one segment on the heap `best` of at most `limit`."""
    for bound, found in _contradictions(facts, min_score=min_score, limit=limit):
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
    facts: _Facts,
    *,
    min_score: float,
    limit: int,
) -> Iterator[tuple[float, Contradiction]]:
    """Yield (highest score it could have had, pair), the bounds descending."""
    most = max(_EXAMINED, 4 * limit)
    for pairs in _likely_pairs(facts, min_score=min_score, most=most):
        start, size = 0, _FIRST
        while start < len(pairs.i):
            part = slice(start, start + size)
            start, size = start + size, min(2 * size, _AT_ONCE)
            places = [*zip(pairs.i[part].tolist(), pairs.j[part].tolist(), strict=True)]
            held = facts.at({place for both in places for place in both})
            there = [i in held and j in held for i, j in places]
            both = [(held[i], held[j]) for i, j in compress(places, there)]
            near = compress(pairs.cosine[part].tolist(), there)
            bounds = compress(pairs.bound[part].tolist(), there)
            exact = _cosines(facts.embedder, both, [*near])
            for (a, b), cosine, bound in zip(both, exact, bounds, strict=True):
                found = compared(a, b, cosine)
                if found is not None:
                    yield bound, found


def _likely_pairs(facts: _Facts, *, min_score: float, most: int) -> Iterator[Pairs]:
    """Return the pairs that may score enough, with approximate cosines, the best first."""
    from tideline_cli.vector.contradictions import likely  # noqa: PLC0415  numpy

    return likely(
        facts.embedder,
        facts.made.codes(facts),
        facts.terms(),
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
