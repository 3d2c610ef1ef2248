"""Taking rows into the store: loss-free, resumable, one short transaction per 498 facts."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError, WriteBlockedError
from tideline_cli.exchange.embedding import ChunkEmbedder
from tideline_cli.exchange.rows import Ground, fact_from, instants, links_of, text, was_confined
from tideline_cli.memory import remember as memory
from tideline_cli.memory.recovery import embed_backlog
from tideline_cli.model.edge import REPLACING
from tideline_cli.model.fact import Fact, NewFact
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import storable, terms
from tideline_cli.policy.threats import scan
from tideline_cli.ranking import ceiling
from tideline_cli.store import (
    ceilings,
    facts,
    fts,
    journal,
    links,
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
        self._numbers: dict[str, int] = {}
        self._vectors = ChunkEmbedder(db)
        self._ready_chunk: list[Prepared] = []
        self._edges: list[tuple[str, dict[str, Any]]] = []
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
        self._link()
        self._finish()
        return self._summary

    def _finish(self) -> None:
        """Complete the bounds, and make everything durable with a last commit."""
        finish_bulk(self._db)
        if self._batch is not None:
            with journal.batch(
                self._db, verb="import", by=self._ground.origin, now=self._ground.now,
                resume=self._batch,
            ):  # fmt: skip
                self._bound()
        if self._summary.blocked:
            reason = f"threat scan: {self._summary.blocked:,} rows of an import"
            journal.record_blocked(
                self._db, verb="import", by=self._ground.origin, now=self._ground.now,
                reason=reason,
            )  # fmt: skip

    def _ready(self, line: int, row: dict[str, Any] | TidelineError) -> Prepared:
        ready = _prepared(line, row, self._ground, self._analyzer)
        if not self._ground.trusted:
            found = scan(ready.fact.content)
            if found:
                raise WriteBlockedError(
                    f"threat scan: matched {', '.join(found)}", code="memory:threat"
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
        with journal.batch(
            self._db, verb="import", by=self._ground.origin, now=self._ground.now,
            resume=self._batch, bulk=not self._merge,
        ) as batch:  # fmt: skip
            self._batch = batch.number
            self._summary.batch = batch.ordinal
            origins = sorted({self._number(ready.fact.origin) for ready in chunk})
            self._catch_up(origins)
            if self._merge:
                for ready in chunk:
                    self._write(ready, batch)
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
        ceilings.extend(self._db, ceiling.code, limit=2 * ceilings.CHUNK)

    def _number(self, origin: Origin) -> int:
        """Return the number of an origin; it never changes once it is given."""
        if origin.key not in self._numbers:
            self._numbers[origin.key] = visibility.ensure_number(self._db, origin)
        return self._numbers[origin.key]

    def _insert(self, ready: Prepared, origin: int) -> bool:
        fact = ready.fact
        added = writes.insert(self._db, fact, origin=origin, terms=ready.terms)
        if not added and "id" not in ready.row:
            fact = self._next_repeat(ready)
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
        self._edges += [(fact.id, edge) for edge in links_of(ready.row)]
        return True

    def _next_repeat(self, ready: Prepared) -> Fact:
        """Return the fact of a row that says the same as an earlier one, of this run or of one
        that was cut short."""
        first = ready.fact.id
        seen = self._repeats.get(first, 0)
        self._repeats[first] = seen + 1
        if seen == 0 and self._is_older(first):
            return ready.fact
        repeat = seen if self._is_older(first) else seen + 1
        return fact_from(ready.row, self._ground, repeat=repeat)

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
        fact = ready.fact
        new = NewFact(
            fact.content, fact.segment, fact.source, fact.origin, tier=fact.tier, kind=fact.kind,
            title=fact.title, tags=fact.tags, importance=fact.importance,
            confidence=fact.confidence, slot=fact.slot, valid_from=fact.valid_from,
            valid_to=fact.valid_to, pinned=fact.pinned, source_turn=fact.source_turn,
            derived_from=fact.derived_from, metadata=fact.metadata,
        )  # fmt: skip
        try:
            done = memory.write(self._db, new, batch=batch, fact_id=fact.id, now=self._ground.now)
        except TidelineError as error:
            self._summary.refuse(ready.line, error)
            return
        self._summary.added += done.action != "reinforced"
        self._summary.reinforced += done.action == "reinforced"
        self._summary.superseded += len(done.superseded)
        self._summary.similar += bool(done.similar)

    def _link(self) -> None:
        """Store the edges last: an edge may lead to a fact that comes later in the file."""
        for start in range(0, len(self._edges), CHUNK):
            with journal.batch(
                self._db, verb="import", by=self._ground.origin, now=self._ground.now,
                resume=self._batch,
            ):  # fmt: skip
                for source, edge in self._edges[start : start + CHUNK]:
                    link = _link(source, edge, self._ground)
                    if self._ground.trusted or not self._usurps(link):
                        self._summary.links += links.add(self._db, link)

    def _usurps(self, link: links.Link) -> bool:
        """Say whether the edge would put an imported fact in the place of a trusted one."""
        if link.kind not in REPLACING:
            return False
        try:
            _, target = facts.find(self._db, link.target, viewer=EVERYONE)
        except TidelineError:
            return False
        return is_trusted(target.source)


def _prepared(
    line: int, row: dict[str, Any] | TidelineError, ground: Ground, analyzer: Analyzer
) -> Prepared:
    if isinstance(row, TidelineError):
        raise row
    fact = fact_from(row, ground)
    for edge in links_of(row):
        _link(fact.id, edge, ground)
    return Prepared(line, row, fact, terms(fact.content, analyzer=analyzer))


def _link(source: str, edge: dict[str, Any], ground: Ground) -> links.Link:
    """Return the edge that a row states; raise UsageError naming what is wrong with it."""
    reason, strength = text(edge, "reason"), edge.get("strength")
    if strength is not None and (isinstance(strength, bool) or strength not in range(1, 6)):
        raise UsageError("a link's strength is not a whole number from 1 to 5")
    return links.Link(
        source,
        storable(edge["kind"], "a link's kind"),
        storable(edge["target"], "a link's target"),
        reason,
        strength,
        instants(edge, "created_at", ground.now) or ground.now,
    )
