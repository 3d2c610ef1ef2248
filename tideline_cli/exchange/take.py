"""Taking rows into the store: loss-free, resumable, one short transaction per 498 facts."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError, WriteBlockedError
from tideline_cli.exchange.edges_of_rows import RowEdges, edge_of
from tideline_cli.exchange.embedding import ChunkEmbedder
from tideline_cli.exchange.rows import (
    ORIGINAL_ID,
    Ground,
    fact_from,
    links_of,
    vouched_id,
    was_confined,
    was_limited,
)
from tideline_cli.memory import remember as memory
from tideline_cli.memory.recovery import embed_backlog
from tideline_cli.memory.screening import Screen, refusal
from tideline_cli.model.fact import Fact, NewFact
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import terms
from tideline_cli.store import (
    ceilings,
    facts,
    fts,
    journal,
    uses,
    vectors,
    visibility,
    writes,
)
from tideline_cli.store.connection import finish_bulk, prepare_for_bulk, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer

    Rows = Iterable[tuple[int, "dict[str, Any] | TidelineError"]]

CHUNK = vectors.CHUNK  # each transaction of a new store fills a row of vectors, and rewrites none
MAX_REPORTED = 100


class Summary:
    """What became of the rows of an import."""

    def __init__(self) -> None:
        self.added = 0
        self.reinforced = 0
        self.superseded = 0
        self.present = 0
        self.blocked = 0
        self.skipped = 0
        self.confined = 0
        self.links = 0
        self.similar = 0
        self.not_taken = 0
        self.limited = 0  # rows that claimed more use, weight or time to come than they were given
        self.renamed = 0  # rows whose id was not taken
        self.batch: int | None = None
        self.errors: list[tuple[int, TidelineError]] = []

    def refuse(self, line: int, error: TidelineError) -> None:
        """Count a row that was not taken, and keep the first hundred reasons."""
        if isinstance(error, WriteBlockedError):
            self.blocked += 1
        else:
            self.skipped += 1
        if len(self.errors) < MAX_REPORTED:
            self.errors.append((line, error))


@record
class Prepared:
    """A row that is ready to be stored."""

    line: int
    row: dict[str, Any]
    fact: Fact
    terms: list[str]
    screen: Screen


def check(rows: Rows, ground: Ground) -> tuple[int, TidelineError] | None:
    """Return the first row that an import would not take, and why; None when it takes all."""
    for line, row in rows:
        try:
            _prepared(line, row, ground, "standard")
        except TidelineError as error:
            return line, error
    return None


def take(
    db: Connection, rows: Rows, ground: Ground, *, merge: bool,
    progress: Callable[[int], None] | None = None,
) -> Summary:  # fmt: skip
    """Store the rows as they are, or with `merge` by the rules of remember.

    Rows that are there already are left alone, so an import that was cut short is finished by
    running it again. A bad row is reported and skipped.
    """
    prepare_for_bulk(db)
    run = _Import(db, ground, merge=merge)
    try:
        return run.run(rows, progress)
    finally:
        run.close()


class _Import:
    """One run: its journal batch, its summary, and what it must remember between chunks."""

    def __init__(self, db: Connection, ground: Ground, *, merge: bool) -> None:
        self._db = db
        self._ground = ground
        self._merge = merge
        self._analyzer: Analyzer = setting(db, "analyzer", "standard")  # type: ignore[assignment]
        self._summary = Summary()
        self._batch: int | None = None
        self._repeats: dict[str, int] = {}
        self._heard: set[str] = set()  # what a file says again and again is said once
        self._numbers: dict[str, int] = {}
        self._vectors = ChunkEmbedder(db)
        self._ready_chunk: list[Prepared] = []
        self._edges = RowEdges(ground)
        self._last_before = facts.last_number(db)

    def close(self) -> None:
        """End what works beside."""
        self._vectors.close()

    def run(self, rows: Rows, progress: Callable[[int], None] | None) -> Summary:
        chunk: list[Prepared] = []
        for line, row in rows:
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
        for part in self._edges.parts(CHUNK):
            with self._batch_on(bulk=False):
                self._summary.links += self._edges.store(self._db, part)
        self._finish()
        return self._summary

    def _finish(self) -> None:
        """Complete the bounds, and make everything durable with a last commit."""
        finish_bulk(self._db)
        if self._batch is not None:
            with self._batch_on(bulk=False):
                self._bound()
        if self._summary.blocked:
            reason = f"threat scan or write-gate: {self._summary.blocked:,} rows of an import"
            journal.record_blocked(
                self._db, verb="import", by=self._ground.origin, now=self._ground.now,
                reason=reason,
            )  # fmt: skip

    def _batch_on(self, *, bulk: bool) -> journal.batch:
        """Return the one batch of this run, begun or gone on with."""
        return journal.batch(
            self._db, verb="import", by=self._ground.origin, now=self._ground.now,
            resume=self._batch, bulk=bulk,
        )  # fmt: skip

    def _ready(self, line: int, row: dict[str, Any] | TidelineError) -> Prepared:
        ready = _prepared(line, row, self._ground, self._analyzer)
        if self._merge and not is_trusted(ready.fact.source):
            ready.screen.found(ready.fact.content)  # `remember.write` asks, with the lock held
        if not self._ground.trusted:
            found = ready.screen.found(ready.fact.content)
            if found:
                raise refusal(
                    found, "", "read it; if you vouch for the file, import it with --trust"
                )
        return ready

    def _begin(self, chunk: list[Prepared]) -> None:
        """Have the vectors of a chunk made, and store the chunk before it."""
        if chunk and not self._merge:
            self._vectors.start([ready.fact.content for ready in chunk])
        ready, self._ready_chunk = self._ready_chunk, chunk
        if ready:
            self._store(ready)

    def _store(self, chunk: list[Prepared]) -> None:
        with self._batch_on(bulk=not self._merge) as batch:
            self._batch = batch.number
            self._summary.batch = batch.ordinal
            origins = sorted({self._number(ready.fact.origin) for ready in chunk})
            self._catch_up(origins)
            if self._merge:
                for ready in chunk:
                    if ready.fact.lifecycle == "active":
                        self._write(ready, batch)
                    else:  # what was forgotten or replaced is no word of today
                        self._insert(ready, self._number(ready.fact.origin))
                self._catch_up(origins)
            else:
                self._insert_all(chunk)
            if ceilings.missing(self._db) >= ceilings.CHUNK:
                self._bound()

    def _insert_all(self, chunk: list[Prepared]) -> None:
        """Insert what is new, index it, and store its vectors, which are made meanwhile."""
        last = facts.last_number(self._db)
        added = [
            (place, origin)
            for place, ready in enumerate(chunk)
            if self._insert(ready, origin := self._number(ready.fact.origin))
        ]
        fts.index_after(self._db, last)
        self._store_vectors(facts.numbers_after(self._db, last), added, len(chunk))

    def _store_vectors(self, seqs: list[int], added: list[tuple[int, int]], of: int) -> None:
        """Store the vectors of the facts added: their numbers, their places in a chunk of `of`
        facts with their origins."""
        codes = self._vectors.finish()
        size = len(codes) // of
        by_origin: dict[int, tuple[list[int], list[bytes]]] = {}
        for seq, (place, origin) in zip(seqs, added, strict=True):
            numbers, parts = by_origin.setdefault(origin, ([], []))
            numbers.append(seq)
            parts.append(codes[place * size : (place + 1) * size])
        embedder = self._vectors.name
        for origin, (numbers, parts) in by_origin.items():
            joined = b"".join(parts)
            vectors.append(self._db, numbers, joined, origin=origin, embedder=embedder)

    def _catch_up(self, origins: list[int]) -> None:
        """Make the vectors of facts that came another way, for vectors follow the order."""
        for origin in origins:
            while embed_backlog(self._db, origin=origin, limit=2 * CHUNK):
                pass

    def _bound(self) -> None:
        """Make the bytes that bound the scores of the new facts."""
        ceilings.extend(self._db, limit=2 * ceilings.CHUNK)

    def _number(self, origin: Origin) -> int:
        """Return the number of an origin; it never changes once it is given."""
        if origin.key not in self._numbers:
            self._numbers[origin.key] = visibility.ensure_number(self._db, origin)
        return self._numbers[origin.key]

    def _insert(self, ready: Prepared, origin: int) -> bool:
        fact = self._citing(ready.fact)
        if self._is_known_by_its_own_id(ready.row, fact):
            self._summary.present += 1
            return False
        added = writes.insert(self._db, fact, origin=origin, terms=ready.terms)
        if not added and (vouched := self._vouched(fact, ready)) is not fact:
            fact = vouched
            added = writes.insert(self._db, fact, origin=origin, terms=ready.terms)
        if not added and not ready.row.get("id"):
            fact = self._next_repeat(ready, fact.id)
            added = writes.insert(self._db, fact, origin=origin, terms=ready.terms)
        if not added:
            self._note_present(ready, fact)
            return False
        if fact.access_count or fact.last_accessed_at != fact.created_at:
            uses.put(
                self._db, fact.id, access_count=fact.access_count,
                last_accessed_at=fact.last_accessed_at,
            )  # fmt: skip
        self._summary.added += 1
        self._summary.confined += was_confined(ready.row, fact)
        self._count(ready, fact)
        self._edges.note(fact, links_of(ready.row))
        return True

    def _count(self, ready: Prepared, fact: Fact) -> None:
        """Count what of a row was not taken as it was stated."""
        self._summary.limited += was_limited(ready.row, ready.fact, self._ground)
        self._summary.renamed += bool(ready.row.get("id")) and fact.id != str(ready.row["id"])

    def _is_known_by_its_own_id(self, row: dict[str, Any], fact: Fact) -> bool:
        """Say whether a row whose id is not taken is there under that id: earlier programs took it.
        """
        if not row.get("id") or (fact.metadata or {}).get(ORIGINAL_ID) is None:
            return False
        its = str(row["id"])
        known = facts.has_text(self._db, its, fact.content, viewer=fact.origin)
        return known and not self._is_unvouched(fact, its)

    def _is_unvouched(self, fact: Fact, fact_id: str) -> bool:
        """Say whether this id belongs to an untrusted fact, and the row is trusted."""
        if not is_trusted(fact.source):
            return False
        source = facts.source_of(self._db, fact_id, viewer=fact.origin)
        return source is not None and not is_trusted(source)

    def _vouched(self, fact: Fact, ready: Prepared) -> Fact:
        """Return a trusted row's fact under an id of its own where an untrusted fact has its id,
        with the same words or others: a file that is vouched for now is not there already."""
        if not self._is_unvouched(fact, fact.id):
            return fact
        metadata = fact.metadata
        if ready.row.get("id"):
            metadata = {ORIGINAL_ID: fact.id} | dict(metadata or {})
        return replace(fact, id=vouched_id(fact.origin, fact.id), metadata=metadata)

    def _citing(self, fact: Fact) -> Fact:
        """Return the fact with what it cites by the ids that this import has given."""
        if not fact.derived_from:
            return fact
        cited = tuple(self._edges.resolved(self._db, one, fact) for one in fact.derived_from)
        return fact if cited == fact.derived_from else replace(fact, derived_from=cited)

    def _next_repeat(self, ready: Prepared, first: str) -> Fact:
        """Return the fact of a row that says the same as an earlier one, of this run or of one
        that was cut short; `first` is the id of that."""
        seen = self._repeats.get(first, 0)
        self._repeats[first] = seen + 1
        if seen == 0 and self._is_older(first):
            return ready.fact if first == ready.fact.id else self._vouched(ready.fact, ready)
        repeat = seen if self._is_older(first) else seen + 1
        return self._vouched(fact_from(ready.row, self._ground, repeat=repeat), ready)

    def _is_older(self, fact_id: str) -> bool:
        """Say whether a fact was there before this run."""
        row = self._db.execute("SELECT seq FROM fact WHERE id = ?", (fact_id,)).fetchone()
        return row is not None and row[0] <= self._last_before

    def _note_present(self, ready: Prepared, fact: Fact) -> None:
        try:
            _, known = facts.find(self._db, fact.id, viewer=fact.origin)
        except TidelineError:
            error = UsageError(f"the id {fact.id} is taken", hint="leave the id out")
            self._summary.refuse(ready.line, error)
            return
        if known.content == fact.content:
            self._summary.present += 1
        else:
            error = UsageError(f"{fact.id} is there with another text", hint="leave the id out")
            self._summary.refuse(ready.line, error)

    def _write(self, ready: Prepared, batch: journal.batch) -> None:
        fact = self._vouched(self._citing(ready.fact), ready)
        new = NewFact(
            fact.content, fact.segment, fact.source, fact.origin, tier=fact.tier, kind=fact.kind,
            heat=fact.heat, title=fact.title, tags=fact.tags, importance=fact.importance,
            confidence=fact.confidence, slot=fact.slot, valid_from=fact.valid_from,
            valid_to=fact.valid_to, pinned=fact.pinned, source_turn=fact.source_turn,
            derived_from=fact.derived_from, metadata=fact.metadata,
        )  # fmt: skip
        try:
            done = memory.write(
                self._db, new, batch=batch, fact_id=fact.id, now=self._ground.now,
                screen=ready.screen, heard=self._heard, into=self._number(fact.origin),
            )  # fmt: skip
        except TidelineError as error:
            self._summary.refuse(ready.line, error)
            return
        self._heard.add(done.fact.id)
        self._count(ready, fact)
        self._summary.added += done.action != "reinforced"
        self._summary.reinforced += done.action == "reinforced"
        self._summary.superseded += len(done.superseded)
        self._summary.similar += bool(done.similar)
        self._summary.not_taken += not _STATED_BY_ALL.issuperset(done.not_taken)


# Every fact has these, so that a row with none of its own gives those of its segment.
_STATED_BY_ALL = frozenset(("tier", "importance", "confidence"))


def _prepared(
    line: int, row: dict[str, Any] | TidelineError, ground: Ground, analyzer: Analyzer
) -> Prepared:
    if isinstance(row, TidelineError):
        raise row
    fact = fact_from(row, ground)
    for edge in links_of(row):
        edge_of(fact.id, edge, ground)
    return Prepared(line, row, fact, terms(fact.content, analyzer=analyzer), Screen())
