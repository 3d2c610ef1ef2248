"""Storing the chunks of documents: some at a time, each time in a short transaction of one batch.
"""

from __future__ import annotations

from tideline_cli.exchange.importer.workers import ChunkVectors, catch_up
from tideline_cli.exchange.ingest.notes import with_note
from tideline_cli.exchange.ingest.written import with_fact
from tideline_cli.model.edge import SUPERSEDES
from tideline_cli.model.record import record, replace
from tideline_cli.policy.transitions import archived
from tideline_cli.store import (
    bulk_inserts,
    documents,
    facts,
    fts,
    journal,
    labels,
    links,
    score_bounds,
    writes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.ingest.changes import Changes
    from tideline_cli.exchange.ingest.written import IngestContext, Written
    from tideline_cli.model.fact import Fact

BATCH = 25
"""So many chunks are stored in one transaction: what a run that is stopped may have to do again."""


@record
class Revision:
    """What one document becomes: the new chunks by place, what becomes of the others, and the note
    of its file."""

    name: str
    new: Mapping[int, Written]
    changes: Changes
    note: Mapping[str, Any]


@record
class _Part:
    """New chunks to store in one transaction, and the documents that are whole with them."""

    chunks: list[Written]
    whole: list[Revision]


class Storage:
    """Takes documents, and stores them in the order in which they come."""

    def __init__(self, db: Connection, context: IngestContext) -> None:
        self._db = db
        self._context = context
        self._vectors = ChunkVectors(db)
        self._waiting = _Part([], [])
        self._number: int | None = None
        self.batch: int | None = None
        self.stored = 0

    def put(self, revision: Revision) -> None:
        """Store a document: at once, or with the next ones when it is short."""
        for written in revision.new.values():
            if len(self._waiting.chunks) == BATCH:
                self.flush()
            self._waiting.chunks.append(written)
        self._waiting.whole.append(revision)
        if len(self._waiting.chunks) + len(self._waiting.whole) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Store what waits."""
        part, self._waiting = self._waiting, _Part([], [])
        if not (part.chunks or part.whole):
            return
        if part.chunks:
            self._vectors.begin([one.fact.content for one in part.chunks])
        with self._transaction() as batch:
            self._number, self.batch = batch.number, batch.ordinal
            if part.chunks:
                self._insert(_noted(part), batch.origin_number)
            for revision in part.whole:
                self._finish(revision)
            of = batch.origin_number
            if score_bounds.missing_count(self._db, origin_number=of) >= score_bounds.CHUNK:
                score_bounds.extend(self._db, limit=2 * score_bounds.CHUNK, origin_number=of)
        self.stored += len(part.chunks)

    def finish(self, secrets: int) -> None:
        """Store what waits, complete the bounds, and note how many secrets were taken out."""
        self.flush()
        if self._number is not None:
            with self._transaction() as batch:
                score_bounds.extend(
                    self._db, limit=2 * score_bounds.CHUNK, origin_number=batch.origin_number
                )
                batch.note_secrets(secrets)

    def close(self) -> None:
        """End what works beside."""
        self._vectors.close()

    def _transaction(self) -> journal.batch:
        return journal.batch(
            self._db, verb="ingest", by=self._context.origin, now=self._context.now,
            resume=self._number, load=True,
        )  # fmt: skip

    def _insert(self, chunks: Sequence[Written], origin_number: int) -> None:
        """Insert chunks, index and count them, and store their vectors."""
        catch_up(self._db, [origin_number])
        last = facts.last_number(self._db)
        rows = [bulk_inserts.numbered(one.columns, origin_number) for one in chunks]
        bulk_inserts.insert(self._db, rows)
        fts.index_after(self._db, last)
        counts = bulk_inserts.NewCounts()
        counts.add(rows)
        counts.store(self._db)
        seqs = facts.numbers_after(self._db, last)
        titled = [
            (seq, one.fact.title, one.terms)
            for seq, one in zip(seqs, chunks, strict=True) if one.fact.title
        ]  # fmt: skip
        labels.add_chunks(self._db, titled, origin_number=origin_number)
        added = [(seq, origin_number, place) for place, seq in enumerate(seqs)]
        self._vectors.store(added, chunk_size=len(chunks))

    def _finish(self, revision: Revision) -> None:
        """Bring the other chunks of a document to what they are now that the new ones are there."""
        now, viewer = self._context.now, self._context.origin
        for fact, by in revision.changes.gone:
            writes.change(self._db, fact, archived(fact, now=now))
            successor = None if by is None else revision.new.get(by)
            if successor is not None:
                links.add_all(self._db, successor.fact.id, SUPERSEDES, fact.id, now=now)
        for before, after in _moved(revision.changes):
            writes.change(self._db, before, after)
        for first in documents.chunks(self._db, revision.name, viewer=viewer, limit=1):
            writes.change(self._db, first, with_note(first, revision.note))


def _noted(part: _Part) -> list[Written]:
    """Return the new chunks, the first one of each document that is whole with them with its note:
    so that is no change of a chunk that was just added."""
    notes = {whole.new[0].fact.id: whole.note for whole in part.whole if 0 in whole.new}
    return [
        with_fact(one, with_note(one.fact, notes[one.fact.id])) if one.fact.id in notes else one
        for one in part.chunks
    ]


def _moved(changes: Changes) -> Iterator[tuple[Fact, Fact]]:
    """Yield the kept chunks as they are and as they become: another place, no note of before."""
    for fact, new in changes.kept:
        after = replace(with_note(fact, None), turn=new.turn, source_turn=new.source_turn)
        if after != fact:
            yield fact, after
