"""Taking rows into the store: loss-free, resumable, in short transactions of 498 rows, and of four
times as many once there are thousands."""

from __future__ import annotations

from tideline_cli.errors import Interrupted, ReplacedError, TidelineError
from tideline_cli.exchange.importer.destination import Destination
from tideline_cli.exchange.importer.merge import Merger
from tideline_cli.exchange.importer.preparation import CHUNK, ChunkReader
from tideline_cli.exchange.importer.prepared import PlainRow
from tideline_cli.exchange.importer.summary import ImportSummary
from tideline_cli.exchange.importer.workers import ChunkVectors, catch_up
from tideline_cli.store import (
    bulk_inserts,
    common_postings,
    facts,
    fts,
    journal,
    labels,
    remote,
    score_bounds,
)
from tideline_cli.store.connection import DatabaseError, finish_bulk, prepare_for_bulk, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from apsw import Connection

    from tideline_cli.exchange.importer.preparation import Ready
    from tideline_cli.exchange.importer.prepared import Rows
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer

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


GO_ON = "rows are in; run it again to go on"
"""How the note of an error ends that stopped an import."""

_ALONE = 4  # chunks with a transaction of their own
_AT_ONCE = 4
"""Chunks of a transaction from then on. It writes each page of the index of ids once, which the ids
of 498 rows are strewn all over."""


def import_rows(
    db: Connection, rows: Rows, context: ImportContext, *, merge: bool,
    progress: Callable[[int], None] | None = None, are_many: bool = False,
) -> ImportSummary:  # fmt: skip
    """Store the rows as they are, or with `merge` by the rules of remember. `are_many` says that
    there are thousands: processes beside work from the first ones on.

    Rows that are there already are left alone, so an import that was cut short is finished by
    running it again. A bad row is reported and skipped. Raises ReplacedError, with how far it
    came, when another content takes the place of the store's meanwhile, and Interrupted when the
    user stops it. An error of the file has a note of how far it came.
    """
    prepare_for_bulk(db)
    run = _Run(db, context, merge=merge, are_many=are_many)
    try:
        run.store_all(rows, progress)
        run.settle()
        run.store_links()
        run.finish()
    except ReplacedError as error:
        raise error.after(_progress_of(run.summary)) from error
    except KeyboardInterrupt as stop:
        rows_in = f"{run.committed:,} rows are in"
        hint = "run it again to go on"
        raise Interrupted.of(stop, rows_in, hint=hint, done=run.committed) from stop
    except (DatabaseError, OSError) as error:  # a full disk, a lock that stays
        if run.committed:
            error.add_note(f"{run.committed:,} {GO_ON}")
        raise
    finally:
        run.storer.close()
    return run.summary


class _Run:
    """One import: the order in which its parts work."""

    def __init__(
        self, db: Connection, context: ImportContext, *, merge: bool, are_many: bool
    ) -> None:
        self._db = db
        self.summary = ImportSummary()
        self.committed = 0  # rows that are in the store
        self._reader = ChunkReader(
            context, self.summary, analyzer=_analyzer(db), merge=merge, are_many=are_many,
            on_server=remote.keys_are_bounded(db.filename),
        )  # fmt: skip
        self._is_trusted = context.trusted
        self._batch = ImportBatch(db, context)
        self._destination = Destination(db, context, self.summary)
        self.storer: ChunkStorer = (
            ChunkMerger(db, context, self._destination, self.summary)
            if merge
            else ChunkInserter(db, self._destination, are_many=are_many)
        )

    def store_all(self, rows: Rows, progress: Callable[[int], None] | None) -> None:
        """Store all rows; each chunk is begun before those ahead of it are stored."""
        ahead: list[list[Ready]] = []
        for begun, chunk in enumerate(self._reader.chunks(rows)):
            self.storer.begin(chunk)
            if len(ahead) == (_AT_ONCE if self.storer.is_load and begun > _ALONE else 1):
                self._store(ahead)
                ahead = []
            ahead.append(chunk)
            if progress is not None and len(chunk) == CHUNK:
                progress(chunk[-1].line)
        self._store(ahead)

    def settle(self) -> None:
        """Settle what only all rows together tell."""
        if self._batch.number is not None:
            with self._batch.transaction(load=False):
                self.storer.settle()

    def store_links(self) -> None:
        """Store what the rows say of one another: now all of them are there."""
        for part in self._destination.row_links.parts(CHUNK):
            with self._batch.transaction(load=False):
                self._destination.row_links.store(part)

    def finish(self) -> None:
        """Complete the bounds, and make everything durable with a last commit."""
        finish_bulk(self._db)
        if self._batch.number is not None:
            with self._batch.transaction(load=False) as batch:
                _extend_bounds(self._db)
                common_postings.settle_all(self._db)
                batch.explain(None)
                batch.note_secrets(0 if self._is_trusted else self.summary.secrets)
        self._batch.record_blocked(self.summary)

    def _store(self, chunks: list[list[Ready]]) -> None:
        """Store chunks in one transaction."""
        if not chunks:
            return
        with self._batch.transaction(load=self.storer.is_load) as batch:
            self._batch.begun(batch)
            self.summary.number, self.summary.batch = batch.number, batch.ordinal
            for chunk in chunks:
                ready = self._reader.analysed(chunk, _analyzer(self._db))
                self.storer.store(ready, batch, is_last=chunk is chunks[-1])
            if score_bounds.missing_count(self._db, origin_number=None) >= score_bounds.CHUNK:
                _extend_bounds(self._db)
        self.committed = self.summary.taken


def _analyzer(db: Connection) -> Analyzer:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return analyzer


def _extend_bounds(db: Connection) -> None:
    """Make the bytes that bound the scores of the new facts."""
    score_bounds.extend(db, limit=2 * score_bounds.CHUNK, origin_number=None)


def _progress_of(summary: ImportSummary) -> str:
    """Return how far an import has come that ends early."""
    taken = summary.added + summary.reinforced
    return f"{taken:,} rows had been stored in what was there before, and are not in this one"


class ImportBatch:
    """The batch of one import. `number` is None until a chunk is stored, unless the import goes on
    with one that did not come to its end: that one's reason says of what it is."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self._reason = journal.UNFINISHED + context.name if context.name else None
        self.number: int | None = None
        if self._reason:
            self.number = journal.unfinished(db, self._reason, viewer=context.origin)

    def begun(self, batch: journal.batch) -> None:
        """Note which batch it is, and in it that it is not at its end."""
        if self._reason and batch.number != self.number:
            batch.explain(self._reason)
        self.number = batch.number

    def transaction(self, *, load: bool) -> journal.batch:
        """Return the next transaction of the import: it begins the batch, or goes on with it."""
        return journal.batch(
            self._db, verb="import", by=self._context.origin, now=self._context.now,
            resume=self.number, load=load,
        )  # fmt: skip

    def record_blocked(self, summary: ImportSummary) -> None:
        """Record how many rows the scan and the write-gate refused, if any."""
        refused = (("threat scan", summary.threats), ("write-gate", summary.gated))
        parts = [f"{what}: {count:,} rows of an import" for what, count in refused if count]
        if parts:
            journal.record_blocked(
                self._db, verb="import", by=self._context.origin, now=self._context.now,
                reason="; ".join(parts),
            )  # fmt: skip


class ChunkInserter:
    """Stores rows as they are. Vectors of a chunk are made while the chunk before is stored."""

    is_load = True

    def __init__(self, db: Connection, destination: Destination, *, are_many: bool) -> None:
        self._db = db
        self._destination = destination
        self._vectors = ChunkVectors(db, are_many=are_many)
        self._bounds = bulk_inserts.NewBounds()
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
        new = _NewFacts(self._db, self._destination)
        new.insert(chunk)
        self._index(last, is_last=is_last)
        seqs = facts.numbers_after(self._db, last)
        labels.put(self._db, [seqs[place] for place in new.labelled])
        new.count(last, self._bounds)
        numbered = [(seq, *added) for seq, added in zip(seqs, new.added, strict=True)]
        self._vectors.store(numbered, chunk_size=len(chunk))
        self._destination.settle(new.apart)
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


class _NewFacts:
    """The facts that a chunk adds, in the order in which they are stored: in groups those of plain
    rows, one by one the others, which are `apart`. `added` has of each the number of its origin and
    the place of its row in the chunk, `labelled` the places in `added` of those whose labels are
    not indexed yet."""

    def __init__(self, db: Connection, destination: Destination) -> None:
        self._db = db
        self._destination = destination
        self._waiting: list[list[Any]] = []
        self._bounds = bytearray()
        self.added: list[tuple[int, int]] = []
        self.labelled: list[int] = []
        self.apart: list[Fact] = []

    def insert(self, chunk: Sequence[Ready]) -> None:
        """Store the rows that are not there yet."""
        ids = [ready.id for ready in chunk if isinstance(ready, PlainRow)]
        taken = bulk_inserts.taken(self._db, ids) if ids else set()
        for place, ready in enumerate(chunk):
            if isinstance(ready, PlainRow) and ready.id not in taken:
                taken.add(ready.id)
                self._wait(place, ready)
                continue
            self._flush()
            fact = self._destination.put(ready.prepared() if isinstance(ready, PlainRow) else ready)
            if fact is not None:
                taken.add(fact.id)
                self.added.append((self._destination.number(fact.origin.key), place))
                self.apart.append(fact)
        self._flush()

    def _wait(self, place: int, ready: PlainRow) -> None:
        """Let a plain row wait for others."""
        number = self._destination.number(ready.origin_key)
        self._waiting.append(bulk_inserts.numbered(ready.columns, number))
        self._bounds.append(ready.columns[bulk_inserts.BOUND])
        if bulk_inserts.are_labelled(ready.columns):
            self.labelled.append(len(self.added))
        self.added.append((number, place))

    def _flush(self) -> None:
        """Store the rows that wait."""
        if self._waiting:
            bulk_inserts.insert(self._db, self._waiting)
            self._destination.added_plain(len(self._waiting))
            self._waiting = []

    def count(self, last: int, bounds: bulk_inserts.NewBounds) -> None:
        """Count the facts that were stored, which have the numbers after `last`, and bound their
        scores, as far as that can be done without reading them again."""
        if self.added:
            bulk_inserts.count_after(self._db, last)
        if self.apart:
            bounds.drop()
        elif self._bounds:
            bounds.add(self._db, bytes(self._bounds))


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
    return sorted(destination.number(key) for key in keys)
