"""Taking rows into the store: loss-free, resumable, one short transaction per 498 facts."""

from __future__ import annotations

from tideline_cli.errors import ReplacedError, TidelineError
from tideline_cli.exchange.importer.destination import Destination
from tideline_cli.exchange.importer.import_vectors import ChunkEmbedder
from tideline_cli.exchange.importer.merge import Merger
from tideline_cli.exchange.importer.prepared import Prepared, prepared
from tideline_cli.exchange.importer.summary import ImportSummary
from tideline_cli.memory.screening import refusal
from tideline_cli.memory.semantic import DEFAULT_EMBEDDER, embed_backlog
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import terms
from tideline_cli.store import facts, fts, journal, score_bounds, vectors
from tideline_cli.store.connection import setting
from tideline_cli.store.transactions import finish_bulk, prepare_for_bulk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.importer.prepared import Rows
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer

CHUNK = vectors.CHUNK  # each transaction of a new store fills a row of vectors, and rewrites none


def import_rows(
    db: Connection, rows: Rows, context: ImportContext, *, merge: bool,
    progress: Callable[[int], None] | None = None,
) -> ImportSummary:  # fmt: skip
    """Store the rows as they are, or with `merge` by the rules of remember.

    Rows that are there already are left alone, so an import that was cut short is finished by
    running it again. A bad row is reported and skipped. Raises ReplacedError, with how far it
    came, when another content takes the place of the store's meanwhile.
    """
    prepare_for_bulk(db)
    run = _Run(db, context, merge=merge)
    try:
        return run.run(rows, progress)
    except ReplacedError as error:
        raise error.after(run.told()) from error
    finally:
        run.close()


class _Run:
    """One run: its journal batch, its summary, and what it must remember between chunks."""

    def __init__(self, db: Connection, context: ImportContext, *, merge: bool) -> None:
        self._db = db
        self._context = context
        self._analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
        self._summary = ImportSummary()
        self._batch: int | None = None
        self._vectors = ChunkEmbedder(db)
        self._ready_chunk: list[Prepared] = []
        self._destination = Destination(db, context, self._summary)
        self._merger = Merger(db, context, self._destination, self._summary) if merge else None

    def close(self) -> None:
        """End what works beside."""
        self._vectors.close()

    def told(self) -> str:
        """Return how far the run has come, for a run that ends early."""
        taken = self._summary.added + self._summary.reinforced
        return f"{taken:,} rows had been stored in what was there before, and are not in this one"

    def run(self, rows: Rows, progress: Callable[[int], None] | None) -> ImportSummary:
        """Store all rows, then what they say of one another."""
        chunk: list[Prepared] = []
        for line, row in rows:
            self._summary.heard(row)
            try:
                chunk.append(self._ready(line, row))
            except TidelineError as error:
                self._summary.refuse(line, error)
            if len(chunk) >= CHUNK:
                self._begin(chunk)
                chunk = []
                if progress is not None:
                    progress(line)
        self._begin(chunk)
        self._begin([])
        for part in self._destination.edges.parts(CHUNK):
            with self._batch_on(bulk=False):
                self._destination.edges.store(part)
        self._finish()
        return self._summary

    def _finish(self) -> None:
        """Complete the bounds, and make everything durable with a last commit."""
        finish_bulk(self._db)
        if self._batch is not None:
            with self._batch_on(bulk=False):
                self._bound()
        refused = (("threat scan", self._summary.threats), ("write-gate", self._summary.gated))
        parts = [f"{what}: {count:,} rows of an import" for what, count in refused if count]
        if parts:
            journal.record_blocked(
                self._db, verb="import", by=self._context.origin, now=self._context.now,
                reason="; ".join(parts),
            )  # fmt: skip

    def _batch_on(self, *, bulk: bool) -> journal.batch:
        """Return the one batch of this run, begun or gone on with."""
        return journal.batch(
            self._db, verb="import", by=self._context.origin, now=self._context.now,
            resume=self._batch, bulk=bulk,
        )  # fmt: skip

    def _ready(self, line: int, row: dict[str, Any] | TidelineError) -> Prepared:
        """Return a row as it can be stored; texts are scanned here, before the lock."""
        ready = prepared(line, row, self._context, self._analyzer)
        if self._merger is not None and not is_trusted(ready.fact.source):
            ready.screen.found(ready.fact.content)  # who merges asks, with the lock held
        if not self._context.trusted:
            found = ready.screen.found(ready.fact.content)
            if found:
                raise refusal(
                    found, "", "read it; if you vouch for the file, import it with --trust"
                )
        return ready

    def _begin(self, chunk: list[Prepared]) -> None:
        """Have the vectors of a chunk made, and store the chunk before it."""
        if chunk and self._merger is None:
            self._vectors.start([ready.fact.content for ready in chunk])
        ready, self._ready_chunk = self._ready_chunk, chunk
        if ready:
            self._store(ready)

    def _store(self, chunk: list[Prepared]) -> None:
        with self._batch_on(bulk=self._merger is None) as batch:
            self._batch = batch.number
            self._summary.batch = batch.ordinal
            chunk = self._analysed(chunk)
            origins = sorted({self._destination.number(ready.fact.origin) for ready in chunk})
            self._catch_up(origins)
            if self._merger is None:
                self._insert_all(chunk)
            else:
                self._merge_all(self._merger, chunk, batch)
                self._catch_up(origins)
            if score_bounds.missing_count(self._db) >= score_bounds.CHUNK:
                self._bound()

    def _merge_all(self, merger: Merger, chunk: list[Prepared], batch: journal.batch) -> None:
        for ready in chunk:
            try:
                merger.take(ready, batch)
            except TidelineError as error:
                self._summary.refuse(ready.line, error)

    def _analysed(self, chunk: list[Prepared]) -> list[Prepared]:
        """Return a chunk with the terms of the analyser that the index is made by now: it may have
        changed since the chunk was read."""
        analyzer: Analyzer = setting(self._db, "analyzer", "standard")  # type: ignore[assignment]
        self._analyzer = analyzer
        return [
            ready
            if ready.analyzer == analyzer
            else replace(
                ready, analyzer=analyzer, terms=terms(ready.fact.content, analyzer=analyzer)
            )
            for ready in chunk
        ]

    def _insert_all(self, chunk: list[Prepared]) -> None:
        """Insert what is new, index it, and store its vectors, which are made meanwhile."""
        last = facts.last_number(self._db)
        added: list[tuple[int, Fact]] = []
        for place, ready in enumerate(chunk):
            fact = self._destination.put(ready)
            if fact is not None:
                added.append((place, fact))
        fts.index_after(self._db, last)
        numbered = [(place, self._destination.number(fact.origin)) for place, fact in added]
        self._store_vectors(facts.numbers_after(self._db, last), numbered, len(chunk))
        self._destination.settle(fact for _, fact in added)

    def _store_vectors(self, seqs: list[int], added: list[tuple[int, int]], of: int) -> None:
        """Store the vectors of the facts added: their numbers, their places in a chunk of `of`
        facts with their origins."""
        codes = self._vectors.finish()
        if self._vectors.name != setting(self._db, "embedder", DEFAULT_EMBEDDER):
            self._change_embedder()  # `_catch_up` makes these vectors
            return
        size = len(codes) // of
        by_origin: dict[int, tuple[list[int], list[bytes]]] = {}
        for seq, (place, origin) in zip(seqs, added, strict=True):
            numbers, parts = by_origin.setdefault(origin, ([], []))
            numbers.append(seq)
            parts.append(codes[place * size : (place + 1) * size])
        embedder = self._vectors.name
        for origin, (numbers, parts) in by_origin.items():
            joined = b"".join(parts)
            vectors.append(self._db, numbers, joined, origin_number=origin, embedder=embedder)

    def _change_embedder(self) -> None:
        """Go on with the embedder that the file has now."""
        self._vectors.close()
        self._vectors = ChunkEmbedder(self._db)
        if self._ready_chunk:
            self._vectors.start([ready.fact.content for ready in self._ready_chunk])

    def _catch_up(self, origins: list[int]) -> None:
        """Make the vectors of facts that came another way, for vectors follow the order."""
        for origin in origins:
            while embed_backlog(self._db, origin_number=origin, limit=2 * CHUNK):
                pass

    def _bound(self) -> None:
        """Make the bytes that bound the scores of the new facts."""
        score_bounds.extend(self._db, limit=2 * score_bounds.CHUNK)
