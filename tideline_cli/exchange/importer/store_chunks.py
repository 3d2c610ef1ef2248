"""Storing the chunks of an import: as they are, or by the rules of remember."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.chunk_vectors import ChunkVectors, catch_up
from tideline_cli.exchange.importer.merge import Merger
from tideline_cli.exchange.importer.plain_rows import PlainRow
from tideline_cli.exchange.importer.row_groups import RowGroups
from tideline_cli.model.origin import Origin
from tideline_cli.store import facts, fts, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from apsw import Connection

    from tideline_cli.exchange.importer.destination import Destination
    from tideline_cli.exchange.importer.prepare_rows import Ready
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.store import journal

    class ChunkStorer(Protocol):
        """Stores chunks, each in an open batch; in a load it indexes and counts what is new."""

        is_load: bool

        def begin(self, chunk: list[Ready]) -> None:
            """Begin with what can be done for a chunk before its transaction."""

        def store(self, chunk: list[Ready], batch: journal.batch, *, is_last: bool) -> None:
            """Store a chunk, the last of its transaction or not, and the vectors of its facts."""

        def settle(self) -> None:
            """Settle in an open batch what only all rows together tell."""

        def close(self) -> None:
            """End what works beside."""


class ChunkInserter:
    """Stores rows as they are. Vectors of a chunk are made while the chunk before is stored."""

    is_load = True

    def __init__(self, db: Connection, destination: Destination, *, are_many: bool) -> None:
        self._db = db
        self._destination = destination
        self._vectors = ChunkVectors(db, are_many=are_many)
        self._bounds = score_bounds.NewBounds()
        self._indexed: int | None = None  # the last fact in the index, where later ones wait for it

    def begin(self, chunk: list[Ready]) -> None:
        """Begin with the vectors of a chunk."""
        self._vectors.begin([ready.content for ready in chunk])

    def store(
        self, chunk: list[Ready], batch: journal.batch, *, is_last: bool  # noqa: ARG002  a shape
    ) -> None:
        """Insert what is new, index it, and store its vectors."""
        catch_up(self._db, _origin_numbers(chunk, self._destination))
        last = facts.last_number(self._db)
        rows = RowGroups(self._db, self._destination, chunk)
        for place, ready in enumerate(chunk):
            rows.put(place, ready)
        rows.flush()
        self._index(last, is_last=is_last)
        rows.count(last, self._bounds)
        seqs = facts.numbers_after(self._db, last)
        numbered = [(seq, *added) for seq, added in zip(seqs, rows.added, strict=True)]
        self._vectors.store(numbered, chunk_size=len(chunk))
        self._destination.settle(rows.apart)
        self._destination.times.flush()

    def _index(self, last: int, *, is_last: bool) -> None:
        """Index the facts after a number. A server is given those of a transaction at once: each
        time it writes the rows of their terms anew."""
        if self._indexed is None:
            self._indexed = last
        if is_last or not fts.gathers(self._db):
            fts.index_after(self._db, self._indexed)
            self._indexed = None
        if is_last:
            fts.write_out(self._db)

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

    def begin(self, chunk: list[Ready]) -> None:
        """Do nothing: which rows become facts is not known before the transaction."""

    def store(
        self, chunk: list[Ready], batch: journal.batch, *, is_last: bool  # noqa: ARG002  a shape
    ) -> None:
        """Store or restate each row, then make the vectors of what is new."""
        origin_numbers = _origin_numbers(chunk, self._destination)
        catch_up(self._db, origin_numbers)
        for ready in chunk:
            whole = ready.prepared() if isinstance(ready, PlainRow) else ready
            try:
                self._merger.take(whole, batch)
            except TidelineError as error:
                self._summary.refuse(ready.line, error)
        self._destination.times.flush()
        catch_up(self._db, origin_numbers)

    def settle(self) -> None:
        """Let every slot that the rows have named hold one value."""
        self._merger.settle()

    def close(self) -> None:
        """Do nothing: nothing works beside."""


def _origin_numbers(chunk: list[Ready], destination: Destination) -> list[int]:
    keys = {ready.origin_key for ready in chunk}
    return sorted(destination.number(Origin(key)) for key in keys)
