"""From the chunks of documents to facts, without secrets, scanned and analysed before any lock; and
storing them: some at a time, each time in a short transaction of one batch."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.workers import ChunkVectors, catch_up
from tideline_cli.memory.remember import checked_text
from tideline_cli.memory.screening import Screen, threats_in
from tideline_cli.memory.secret_screening import searched
from tideline_cli.model import instant
from tideline_cli.model.edge import SUPERSEDES
from tideline_cli.model.fact import NewFact, birth
from tideline_cli.model.record import record, replace
from tideline_cli.model.text import index_terms
from tideline_cli.policy.transitions import archived
from tideline_cli.store import (
    bulk_inserts,
    facts,
    fts,
    journal,
    labels,
    links,
    score_bounds,
    sequences,
    uses,
    writes,
)
from tideline_cli.store.sequences import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.ingest.chunks import Changes, Chunk
    from tideline_cli.exchange.ingest.files import Form
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer, IndexTerms
    from tideline_cli.store.sequences import Document

BATCH = 25
"""So many chunks are stored in one transaction: what a run that is stopped may have to do again."""


@record
class Cut:
    """How a document is cut: characters of a chunk, and of its overlap with the one before."""

    size: int
    overlap: int


@record
class Reading:
    """How the file of a document is read: its form, and the encoding that the user has said."""

    form: Form
    encoding: str | None


def note(
    path: str | None, digest: str, size: int, cut: Cut, reading: Reading, *, chunks: int, now: int
) -> Mapping[str, Any]:
    """Return the note of a document: where it lies, None where it came by standard input; SHA-256
    and bytes of its content; how it was cut, into how many chunks, and when; how it was read."""
    return {
        "path": path, "sha256": digest, "bytes": size, "chunk_size": cut.size,
        "overlap": cut.overlap, "chunks": chunks, "ingested_at": instant.iso(now),
        "format": reading.form, "encoding": reading.encoding,
    }  # fmt: skip


def begun(path: str | None) -> Mapping[str, Any]:
    """Return the note of a document that is not whole yet: where it lies, so that another run knows
    it again."""
    return {NOTE: {"path": path}}


def is_whole(known: Document, digest: str, cut: Cut, reading: Reading) -> bool:
    """Say whether a document is of this content, read and cut in this way. More chunks than were
    noted are those of a run that was stopped; fewer are what somebody has taken out."""
    said = known.note
    stated = said.get("sha256"), said.get("chunk_size"), said.get("overlap")
    count = said.get("chunks")
    is_of = stated == (digest, cut.size, cut.overlap)
    was_read = said.get("format", reading.form), said.get("encoding", reading.encoding)
    is_of = is_of and was_read == (reading.form, reading.encoding)
    return is_of and isinstance(count, int) and known.chunks <= count


def with_note(fact: Fact, said: Mapping[str, Any] | None) -> Fact:
    """Return a chunk with this note in its metadata; None takes away the one that it has."""
    rest = {name: value for name, value in (fact.metadata or {}).items() if name != NOTE}
    if said is not None:
        rest[NOTE] = said
    return replace(fact, metadata=rest or None)


@record
class IngestContext:
    """What holds for every document of one run; `new_id` makes the id of a fact. `has_bounded_keys`
    says that the memory is, or will be, where long words cannot be indexed."""

    origin: Origin
    now: int
    scope: str | None
    cut: Cut
    new_id: Callable[[], str]
    agent: str | None = None
    has_bounded_keys: bool = False


@record
class Written:
    """A chunk as it is stored: the fact, its index terms, what made them, and the columns of its
    row."""

    fact: Fact
    terms: IndexTerms
    analyzer: Analyzer
    columns: list[Any]


def stated_by(
    chunks: Iterable[Chunk], name: str, context: IngestContext, warn: Callable[[str], None]
) -> tuple[list[NewFact], int]:
    """Return what the chunks of a document say, with marks in the place of secrets, and how many
    secrets there were. `warn` is told of a chunk that cannot be a fact."""
    found: list[NewFact] = []
    count = 0
    for chunk in chunks:
        try:
            stated, secrets = searched({"content": chunk.text, "title": chunk.title})
            content = checked_text(stated["content"])
        except TidelineError as error:
            warn(f"a chunk is left out: {error.message}")
            continue
        count += secrets
        found.append(
            NewFact(
                content, "knowledge", "retrieved_document", context.origin, kind="document",
                title=stated["title"], scope=context.scope, turn=len(found) + 1,
                source_turn=None if chunk.page is None else f"page {chunk.page}", document=name,
                agent=context.agent,
            )
        )  # fmt: skip
    return found, count


def renumbered(wanted: Sequence[NewFact], blocked: Iterable[int]) -> list[NewFact]:
    """Return chunks without the blocked ones, by place, numbered anew from 1."""
    left_out = set(blocked)
    kept = (new for place, new in enumerate(wanted) if place not in left_out)
    return [replace(new, turn=number) for number, new in enumerate(kept, 1)]


def threats_of(new: NewFact, titles: Screen) -> tuple[str, ...]:
    """Return what the scan finds in the text of a chunk, or in the headings above it; `titles` has
    what was found in those of chunks before."""
    return threats_in(new.content) or (titles.found(new.title) if new.title else ())


def written(
    new: NewFact, context: IngestContext, analyzer: Analyzer, at: int | None = None
) -> Written:
    """Return a chunk as it is stored: as old as its file says, and used when it is taken in."""
    fact = birth(new, fact_id=context.new_id(), now=context.now)
    fact = replace(fact, created_at=context.now if at is None else at)
    terms = index_terms(fact.content, analyzer=analyzer)
    return Written(fact, terms, analyzer, bulk_inserts.sealed(fact, terms, analyzer))


def with_fact(one: Written, fact: Fact) -> Written:
    """Return a chunk as it is stored with other labels."""
    columns = bulk_inserts.sealed(fact, one.terms, one.analyzer)
    return Written(fact, one.terms, one.analyzer, columns)


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
        bulk_inserts.count_after(self._db, last)
        seqs = facts.numbers_after(self._db, last)
        titled = [
            (seq, one.fact.title, one.terms)
            for seq, one in zip(seqs, chunks, strict=True) if one.fact.title
        ]  # fmt: skip
        for one in chunks:
            if one.fact.last_accessed_at != one.fact.created_at:
                uses.put(
                    self._db, one.fact.id, access_count=0,
                    last_accessed_at=one.fact.last_accessed_at,
                )  # fmt: skip
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
        for first in sequences.chunks(self._db, revision.name, viewer=viewer, limit=1):
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
    """Yield the kept chunks as they are and as they become: another place, another name where the
    file has moved, no note of before."""
    for fact, new in changes.kept:
        after = replace(
            with_note(fact, None), turn=new.turn, source_turn=new.source_turn, title=new.title,
            document=new.document,
        )  # fmt: skip
        if after != fact:
            yield fact, after
