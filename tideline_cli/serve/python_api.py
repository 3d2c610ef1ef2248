"""Memory: the verbs as methods, for programs in Python. A door: it knows the clock and the
environment, and says who speaks."""

from __future__ import annotations

import os
from _thread import RLock
from contextlib import closing

from tideline_cli import config
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.memory import amend, told_changes, undo
from tideline_cli.memory import recall as recalling
from tideline_cli.memory import remember as remembering
from tideline_cli.memory.answer import answered
from tideline_cli.memory.context import (
    DATES_MS,
    context_block,
    dated,
    masked_hits,
    newest_first,
)
from tideline_cli.memory.query import DEFAULT_LIMIT, MODES, Query
from tideline_cli.model import instant, ulid
from tideline_cli.model.fact import KINDS, SEGMENTS, TIERS, NewFact
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.origin import parse_origin
from tideline_cli.model.record import record
from tideline_cli.model.source import parse_source
from tideline_cli.ranking.decay import strength_at
from tideline_cli.serve import python_arguments as given
from tideline_cli.store import facts, links, opening, stats
from tideline_cli.store.connection import DatabaseError, snapshot
from tideline_cli.store.database_errors import translated
from tideline_cli.store.facts import Filter
from tideline_cli.store.links import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Concatenate, ParamSpec, TypeVar

    from apsw import Connection

    from tideline_cli.memory.amend import Amended
    from tideline_cli.memory.answer import Answer
    from tideline_cli.memory.context import ContextBlock
    from tideline_cli.memory.query import Mode
    from tideline_cli.memory.remember import Remembered
    from tideline_cli.memory.undo import Undone
    from tideline_cli.model.fact import Fact, Segment, Tier
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source
    from tideline_cli.store.connection import Opened

    Time = int  # milliseconds since 1970
    C = TypeVar("C", bound="Attached")
    P = ParamSpec("P")
    R = TypeVar("R")

_OF_PARENTS: list[Opened | None] = []  # connections that a fork has left to its parent


class Attached:
    """What has a memory file, and a connection to it while one is needed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._db: Opened | None = None
        self._writes = False
        self._lock = RLock()
        self._process = os.getpid()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._held():
            db, self._db, self._writes = self._db, None, False
            if db is not None:
                db.close()

    def leave_lost(self) -> None:
        """Forget a connection that a server has ended; the next call makes a new one."""
        with self._held():
            if getattr(self._db, "is_lost", False):
                self._db, self._writes = None, False

    def _held(self) -> RLock:
        """Return the lock of this object. A connection of before a fork is the parent's: the child
        leaves it as it is, since to close it could end what the parent is doing."""
        if self._process != os.getpid():
            _OF_PARENTS.append(self._db)
            self._db, self._writes = None, False
            self._lock, self._process = RLock(), os.getpid()
        return self._lock

    def _reading(self) -> Opened | None:
        """Return a connection; None where nobody has written yet."""
        if self._db is None:
            self._db = opening.open_for_reading(self.path)  # type: ignore[assignment]
        return self._db

    def _writing(self) -> Opened:
        """Return a connection for writing; the file is made where there is none."""
        if self._db is None or not self._writes:
            self.close()
            allowed = config.switch(os.environ, "TIDELINE_ALLOW_NETWORK_FS")
            self._db = opening.open_for_writing(self.path, network_allowed=allowed)
            self._writes = True
        return self._db


def translating(method: Callable[Concatenate[C, P], R]) -> Callable[Concatenate[C, P], R]:
    """Return a method that raises the errors of this program where the database raises its own.
    Calls of several threads wait for one another."""

    def call(one: C, /, *args: P.args, **given: P.kwargs) -> R:
        try:
            with one._held():
                return method(one, *args, **given)
        except DatabaseError as error:
            one.leave_lost()
            raise translated(error, one.path) from error

    call.__name__, call.__doc__ = method.__name__, method.__doc__
    vars(call)["__wrapped__"] = method  # the signature, for `help`
    return call


class Memory(Attached):
    """One memory, in a file or on a server, seen by one origin. Make it by `open`, end it by
    `close` or by `with`.

    Results are frozen values; errors are those of `tideline_cli.errors`. Times are milliseconds
    since 1970 UTC, or texts such as "2026-11" or "7d". Threads may share one object: their calls
    wait for one another. A child process opens the file anew. Never open the same file with
    `sqlite3` or sqlite-utils in the same process: two SQLite libraries on one file lose each
    other's locks, and with them writes.
    """

    def __init__(self, path: str, origin: Origin, source: Source, clock: Callable[[], int]) -> None:
        super().__init__(path)
        self.origin = origin
        self.source = source
        self._clock = clock

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | None = None, *, origin: str = "owner",
        source: str | None = None, clock: Callable[[], int] = instant.now_ms,
    ) -> Memory:  # fmt: skip
        """Return the memory at `path`, which may be an address `postgresql://…`, or that which the
        user's settings name for this origin; it is made by the first write.

        `source` says who speaks: the owner, in a channel the channel, unless you name another.
        Text that nobody vouches for (a page, a tool, a model) says so: retrieved_document,
        tool_output, extraction.
        """
        whose = parse_origin(origin)
        usual = "owner_message" if whose.is_owner else "channel_message"
        if path is None:
            path = given.usual_path(config.load(os.environ, None), whose)
        return cls(given.path_of(path), whose, parse_source(source or usual), clock)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @translating
    def remember(
        self, text: str, *, segment: Segment | None = None, slot: str | None = None,
        tags: Sequence[str] = (), kind: str | None = None, title: str | None = None,
        importance: float | None = None, tier: Tier | None = None,
        confidence: float | None = None, valid_from: Time | str | None = None,
        valid_to: Time | str | None = None, pinned: bool = False, supersedes: Sequence[str] = (),
        derived_from: Sequence[str] = (), scope: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Remembered:  # fmt: skip
        """Write a fact down; one that is known already is reinforced."""
        given.check_word("segment", segment, tuple(SEGMENTS))
        given.check_word("tier", tier, TIERS)
        given.check_word("kind", kind, tuple(KINDS))
        now = self._clock()
        new = NewFact(
            given.text("text", text), segment or "knowledge", self.source, self.origin,
            tier=tier, kind=kind, title=given.optional_text("title", title),
            tags=given.texts("tags", tags), importance=importance, confidence=confidence,
            slot=given.optional_text("slot", slot), valid_from=given.time(valid_from, now),
            valid_to=given.time(valid_to, now, ends=True), pinned=pinned, metadata=metadata,
            supersedes=given.texts("supersedes", supersedes),
            derived_from=given.texts("derived_from", derived_from),
            scope=given.optional_text("scope", scope),
            assumed=() if segment else ("segment",),
        )  # fmt: skip
        given.check_stated(new)
        fact_id = ulid.at(now, os.urandom(10))
        return remembering.remember(self._writing(), new, fact_id=fact_id, now=now)

    @translating
    def recall(
        self, query: str, *, limit: int = DEFAULT_LIMIT, mode: Mode = "hybrid",
        segments: Sequence[str] = (), tags: Sequence[str] = (), since: Time | str | None = None,
        until: Time | str | None = None, as_of: Time | str | None = None, touch: bool = True,
    ) -> tuple[Hit, ...]:  # fmt: skip
        """Return the facts that answer a query, best first. It counts as use of them, unless
        `touch` is False or it asks for the past."""
        return self.answer(
            query, limit=limit, mode=mode, segments=segments, tags=tags, since=since, until=until,
            as_of=as_of, touch=touch,
        ).hits  # fmt: skip

    @translating
    def answer(
        self, query: str, *, limit: int = DEFAULT_LIMIT, mode: Mode = "hybrid",
        segments: Sequence[str] = (), tags: Sequence[str] = (), since: Time | str | None = None,
        until: Time | str | None = None, as_of: Time | str | None = None, touch: bool = True,
    ) -> Answer:  # fmt: skip
        """Return what `recall` does, with the archived and the ended facts that match beside."""
        now = self._clock()
        wanted = Filter(
            segments=given.texts("segments", segments), tags=given.texts("tags", tags),
            since=given.time(since, now), until=given.last(until, now),
            as_of=given.last(as_of, now),
        )  # fmt: skip
        whole = self._answer(query, limit, mode, wanted, now)
        if self._db is not None:
            touch = touch and wanted.as_of is None
            recalling.write_back(self._db, whole.found, touch=touch, now=now)
        return whole

    @translating
    def context(
        self, query: str, *, max_chars: int = 1200, max_tokens: int | None = None,
        limit: int = DEFAULT_LIMIT, fenced: bool = True, show_secrets: bool = False,
    ) -> ContextBlock:  # fmt: skip
        """Return a block of facts for a prompt: escaped, scanned, never longer than the budget.
        `fenced` puts it under a heading and between markers that no fact can forge. Passwords, keys
        and card numbers are `[secret]` in it, but for `show_secrets`."""
        given.whole("max_chars", max_chars)
        if max_tokens is not None:
            given.whole("max_tokens", max_tokens)
        now = self._clock()
        whole = self._answer(query, limit, "hybrid", Filter(), now)
        hits = whole.hits
        if self._db is not None:
            hits = tuple(newest_first(self._db, whole.found, viewer=self.origin))
        return context_block(
            dated(hits if show_secrets else masked_hits(hits), now=now, after_ms=DATES_MS),
            max_chars=max_chars,
            max_tokens=max_tokens, fence=os.urandom(8).hex() if fenced else None,
        )  # fmt: skip

    @translating
    def show(self, fact_id: str) -> Shown:
        """Return a fact with its links and its strength now; an id may be cut to its beginning."""
        return with_surroundings(
            self._there(fact_id), fact_id, viewer=self.origin, now=self._clock()
        )

    @translating
    def history(self, fact_id: str | None = None, *, limit: int = 20) -> tuple[Told, ...]:
        """Return what the newest `limit` commands changed (0 is all), newest first; with an id what
        was done to that fact, oldest first."""
        given.whole("limit", limit)
        db = self._reading() if fact_id is None else self._there(fact_id)
        if db is None:
            return ()
        return changes(db, fact_id, limit, viewer=self.origin)

    @translating
    def forget(self, *fact_ids: str, superseded_by: str | None = None) -> Amended:
        """Take facts out of recall, all or none; `restore` brings them back."""
        given.optional_text("superseded_by", superseded_by)
        self._there(*fact_ids)
        return amend.forget(
            self._writing(), fact_ids, superseded_by=superseded_by, viewer=self.origin,
            now=self._clock(),
        )  # fmt: skip

    @translating
    def restore(self, *fact_ids: str) -> Amended:
        """Bring archived facts back, all or none."""
        self._there(*fact_ids)
        return amend.restore(self._writing(), fact_ids, viewer=self.origin, now=self._clock())

    @translating
    def undo(self, batch: int | None = None) -> Undone:
        """Take back what one command did: the last one, or the one with this number."""
        if batch is not None:
            given.whole("batch", batch, least=1)
        if self._reading() is None:
            raise NotFoundError("there is nothing to undo")
        return undo.undo(self._writing(), batch, viewer=self.origin, now=self._clock())

    @translating
    def status(self) -> Status:
        """Return what is remembered, in numbers."""
        return status(self._reading(), self.path, viewer=self.origin, now=self._clock())

    @translating
    def export(self) -> Iterator[dict[str, Any]]:
        """Yield all facts as `tideline export` writes them, one object a fact: those that are there
        when the first one is asked for, whatever is written meanwhile."""
        return iter(()) if self._reading() is None else self._exported(os.getpid())

    def _exported(self, process: int) -> Iterator[dict[str, Any]]:
        db = opening.open_for_reading(self.path)  # its own: it stays in one transaction
        if db is None:
            return
        try:
            with closing(db), snapshot(db):
                for form in jsonl.forms(db, viewer=self.origin):
                    yield form
                    if process != os.getpid():
                        raise UsageError("an export does not go on in a child process",
                                         hint="call export in the child")  # fmt: skip
        except DatabaseError as error:
            raise translated(error, self.path) from error

    def _answer(self, text: str, limit: int, mode: Mode, wanted: Filter, now: int) -> Answer:
        given.check_word("mode", mode, MODES)
        whole = given.whole("limit", limit, least=1)
        query = Query(given.text("query", text), limit=whole, mode=mode, wanted=wanted)
        return answered(self._reading(), query, viewer=self.origin, now=now)

    def _there(self, *fact_ids: str) -> Opened:
        """Return a connection to a store that is there, or raise as for an id that is not."""
        if not fact_ids:
            raise UsageError("name a fact")
        given.texts("fact_ids", fact_ids)
        db = self._reading()
        if db is None:
            raise facts.missing(fact_ids[0])
        return db


@record
class Shown:
    """A fact, its strength now, the links that start at it and those that lead to it."""

    fact: Fact
    strength: float
    links: tuple[Link, ...]
    backlinks: tuple[Link, ...]


@record
class Told:
    """What a command did to one fact, or link. `act` is added, changed or removed; None for a
    command that did nothing, or was blocked. `before` and `after` are the values that it found and
    left, None where there were none or nothing is known of them."""

    batch: int | None
    at: str
    verb: str
    outcome: str
    reason: str | None
    entity: str | None
    act: str | None
    id: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@record
class Status:
    """A memory in numbers, for its origin."""

    database: str
    origin: str
    active: int
    archived: int
    pruned: int
    pinned: int
    added_last_7d: int
    by_segment: dict[str, int]
    by_source: dict[str, int]
    size_bytes: int
    ended: int = 0


def with_surroundings(db: Connection, reference: str, *, viewer: Origin, now: int) -> Shown:
    """Return a fact and what is around it."""
    fact = facts.find(db, reference, viewer=viewer)
    return Shown(
        fact,
        strength_at(fact, now=now),
        tuple(links.leaving(db, fact.id, viewer=viewer)),
        tuple(links.arriving(db, fact.id, viewer=viewer)),
    )


def changes(
    db: Connection, reference: str | None, limit: int, *, viewer: Origin
) -> tuple[Told, ...]:
    """Return what commands did, to all facts or to one."""
    if reference is None:
        told, _, _ = told_changes.of_commands(db, limit, None, None, viewer=viewer)
    else:
        told, _ = told_changes.of_fact(db, reference, limit, viewer=viewer)
    rows = [row for entry, after in told if entry.entity == "link"
            for row in (entry.before, after)]  # fmt: skip
    names = told_changes.names_of(db, rows)
    return tuple(Told(**told_changes.form_of(entry, after, names)) for entry, after in told)


def status(db: Connection | None, path: str, *, viewer: Origin, now: int) -> Status:
    """Return the numbers of a memory; noughts where nobody has written yet."""
    if db is None:
        return Status(path, viewer.key, 0, 0, 0, 0, 0, {}, {}, 0)
    found = stats.counts(db, viewer=viewer, since=now - 7 * DAY_MS, now=now, default_embedder="")
    states = found.groups["lifecycle"]
    return Status(
        path, viewer.key, states.get("active", 0), states.get("archived", 0),
        states.get("pruned", 0), found.pinned, found.added, dict(found.groups["segment"]),
        dict(found.groups["source"]), found.size, states.get("ended", 0),
    )  # fmt: skip
