"""Taking rows into the store: loss-free, resumable, in short transactions of 498 rows, and of four
times as many once there are thousands."""

from __future__ import annotations

from tideline_cli.errors import Interrupted, ReplacedError
from tideline_cli.exchange.importer.destination import Destination
from tideline_cli.exchange.importer.import_batch import ImportBatch
from tideline_cli.exchange.importer.read_chunks import CHUNK, ChunkReader
from tideline_cli.exchange.importer.store_chunks import ChunkInserter, ChunkMerger
from tideline_cli.exchange.importer.summary import ImportSummary
from tideline_cli.store import common_upkeep, key_lengths, score_bounds
from tideline_cli.store.connection import DatabaseError, setting
from tideline_cli.store.transactions import finish_bulk, prepare_for_bulk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.exchange.importer.prepare_rows import Ready
    from tideline_cli.exchange.importer.prepared import Rows
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.store_chunks import ChunkStorer
    from tideline_cli.model.text import Analyzer


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
        raise error.after(_told(run.summary)) from error
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
            on_server=key_lengths.are_bounded(db.filename),
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
                common_upkeep.settle_all(self._db)
                batch.note_secrets(0 if self._is_trusted else self.summary.secrets)
        self._batch.record_blocked(self.summary)

    def _store(self, chunks: list[list[Ready]]) -> None:
        """Store chunks in one transaction."""
        if not chunks:
            return
        with self._batch.transaction(load=self.storer.is_load) as batch:
            self._batch.number, self.summary.batch = batch.number, batch.ordinal
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


def _told(summary: ImportSummary) -> str:
    """Return how far an import has come that ends early."""
    taken = summary.added + summary.reinforced
    return f"{taken:,} rows had been stored in what was there before, and are not in this one"
