"""Storing the chunks of an import: as they are, or by the rules of remember."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.chunk_vectors import ChunkVectors, catch_up
from tideline_cli.exchange.importer.merge import Merger
from tideline_cli.store import fact_counts, facts, fts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from apsw import Connection

    from tideline_cli.exchange.importer.destination import Destination
    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact
    from tideline_cli.store import journal

    class ChunkStorer(Protocol):
        """Stores chunks, each in an open batch; in a load it indexes and counts what is new."""

        is_load: bool

        def begin(self, chunk: list[Prepared]) -> None:
            """Begin with what can be done for a chunk before its transaction."""

        def store(self, chunk: list[Prepared], batch: journal.batch) -> None:
            """Store a chunk, and the vectors of its facts."""

        def settle(self) -> None:
            """Settle in an open batch what only all rows together tell."""

        def close(self) -> None:
            """End what works beside."""


class ChunkInserter:
    """Stores rows as they are. Vectors of a chunk are made while the chunk before is stored."""

    is_load = True

    def __init__(self, db: Connection, destination: Destination) -> None:
        self._db = db
        self._destination = destination
        self._vectors = ChunkVectors(db)

    def begin(self, chunk: list[Prepared]) -> None:
        """Begin with the vectors of a chunk."""
        self._vectors.begin([ready.fact.content for ready in chunk])

    def store(self, chunk: list[Prepared], batch: journal.batch) -> None:  # noqa: ARG002  a shape
        """Insert what is new, index it, and store its vectors."""
        catch_up(self._db, _origin_numbers(chunk, self._destination))
        last = facts.last_number(self._db)
        added: list[tuple[int, Fact]] = []
        for place, ready in enumerate(chunk):
            fact = self._destination.put(ready)
            if fact is not None:
                added.append((place, fact))
        fts.index_after(self._db, last)
        fact_counts.count_after(self._db, last)
        seqs = facts.numbers_after(self._db, last)
        number = self._destination.number
        numbered = [
            (seq, number(fact.origin), place)
            for seq, (place, fact) in zip(seqs, added, strict=True)
        ]
        self._vectors.store(numbered, chunk_size=len(chunk))
        self._destination.settle(fact for _, fact in added)
        self._destination.times.flush()

    def settle(self) -> None:
        """Do nothing: each chunk has settled its slots."""

    def close(self) -> None:
        """End the process that embeds beside the import."""
        self._vectors.close()


class ChunkMerger:
    """Stores rows by the rules of remember; a row that they forbid goes to the summary."""

    is_load = False

    def __init__(
        self, db: Connection, context: ImportContext, destination: Destination,
        summary: ImportSummary,
    ) -> None:  # fmt: skip
        self._db = db
        self._destination = destination
        self._summary = summary
        self._merger = Merger(db, context, destination, summary)

    def begin(self, chunk: list[Prepared]) -> None:
        """Do nothing: which rows become facts is not known before the transaction."""

    def store(self, chunk: list[Prepared], batch: journal.batch) -> None:
        """Store or restate each row, then make the vectors of what is new."""
        origin_numbers = _origin_numbers(chunk, self._destination)
        catch_up(self._db, origin_numbers)
        for ready in chunk:
            try:
                self._merger.take(ready, batch)
            except TidelineError as error:
                self._summary.refuse(ready.line, error)
        self._destination.times.flush()
        catch_up(self._db, origin_numbers)

    def settle(self) -> None:
        """Let every slot that the rows have named hold one value."""
        self._merger.settle()

    def close(self) -> None:
        """Do nothing: nothing works beside."""


def _origin_numbers(chunk: list[Prepared], destination: Destination) -> list[int]:
    return sorted({destination.number(ready.fact.origin) for ready in chunk})
