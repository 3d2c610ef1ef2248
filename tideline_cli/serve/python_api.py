"""Memory: the verbs as methods, for programs in Python. A door: it knows the clock and the
environment, and says who speaks."""

from __future__ import annotations

import os
from math import inf

from tideline_cli import config
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory import amend
from tideline_cli.memory import recall as recalling
from tideline_cli.memory import remember as remembering
from tideline_cli.memory.query import DEFAULT_LIMIT, MODES, Query, nothing
from tideline_cli.model import instant, ulid
from tideline_cli.model.fact import SEGMENTS, TIERS, NewFact
from tideline_cli.model.origin import parse_origin
from tideline_cli.model.source import parse_source
from tideline_cli.serve import python_answers as answers
from tideline_cli.store import facts, opening
from tideline_cli.store.connection import DatabaseError
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Concatenate, ParamSpec, TypeVar

    from tideline_cli.memory.amend import Amended
    from tideline_cli.memory.context import ContextBlock
    from tideline_cli.memory.query import Mode, Recalled
    from tideline_cli.memory.remember import Remembered
    from tideline_cli.memory.undo import Undone
    from tideline_cli.model.fact import Segment, Tier
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.source import Source
    from tideline_cli.serve.python_answers import Shown, Status, Told
    from tideline_cli.store.transactions import Opened

    Time = int  # milliseconds since 1970
    P = ParamSpec("P")
    R = TypeVar("R")


def _translating(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[Memory, P], R]:
    """Return a method that raises the errors of this program where the database raises its own."""

    def call(memory: Memory, /, *args: P.args, **given: P.kwargs) -> R:
        try:
            return method(memory, *args, **given)
        except DatabaseError as error:
            from tideline_cli.store.database_errors import translated  # noqa: PLC0415  an error

            raise translated(error, memory.path) from error

    call.__name__, call.__doc__ = method.__name__, method.__doc__
    vars(call)["__wrapped__"] = method  # the signature, for `help`
    return call


class Memory:
    """One memory file, seen by one origin. Make it by `open`, end it by `close` or by `with`.

    Results are frozen values; errors are those of `tideline_cli.errors`. Times are milliseconds
    since 1970 UTC, or texts such as "2026-11" or "7d". One object belongs to one thread. Never open
    the same file with `sqlite3` or sqlite-utils in the same process: two SQLite libraries on one
    file lose each other's locks, and with them writes.
    """

    def __init__(
        self, path: str, origin: Origin, source: Source, clock: Callable[[], int]
    ) -> None:
        self.path = path
        self.origin = origin
        self.source = source
        self._clock = clock
        self._db: Opened | None = None
        self._writes = False

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | None = None, *, origin: str = "owner",
        source: str | None = None, clock: Callable[[], int] = instant.now_ms,
    ) -> Memory:  # fmt: skip
        """Return the memory at `path`, or that of the user; a file is made by the first write.

        `source` says who speaks: the owner, in a channel the channel, unless you name another.
        Text that nobody vouches for (a page, a tool, a model) says so: retrieved_document,
        tool_output, extraction.
        """
        whose = parse_origin(origin)
        usual = "owner_message" if whose.is_owner else "channel_message"
        if path is None:
            path = config.load(os.environ, None).get("database")
        path = os.fspath(path)
        if not path or "\x00" in path:
            raise UsageError("not a path: the name of the file is empty", hint="Memory.open(PATH)")
        whole = os.path.abspath(os.path.expanduser(path))
        return cls(whole, whose, parse_source(source or usual), clock)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        db, self._db, self._writes = self._db, None, False
        if db is not None:
            db.close()

    @_translating
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
        _check_word("segment", segment, tuple(SEGMENTS))
        _check_word("tier", tier, TIERS)
        now = self._clock()
        new = NewFact(
            text, segment or "knowledge", self.source, self.origin, tier=tier, kind=kind,
            title=title, tags=_texts("tags", tags), importance=importance, confidence=confidence,
            slot=slot, valid_from=_time(valid_from, now), valid_to=_time(valid_to, now, ends=True),
            pinned=pinned, metadata=metadata, supersedes=_texts("supersedes", supersedes),
            derived_from=_texts("derived_from", derived_from), scope=scope,
            assumed=() if segment else ("segment",),
        )  # fmt: skip
        _check_stated(new)
        fact_id = ulid.at(now, os.urandom(10))
        return remembering.remember(self._writing(), new, fact_id=fact_id, now=now)

    @_translating
    def recall(
        self, query: str, *, limit: int = DEFAULT_LIMIT, mode: Mode = "hybrid",
        segments: Sequence[str] = (), tags: Sequence[str] = (), since: Time | str | None = None,
        until: Time | str | None = None, as_of: Time | str | None = None, touch: bool = True,
    ) -> tuple[Hit, ...]:  # fmt: skip
        """Return the facts that answer a query, best first. It counts as use of them, unless
        `touch` is False or it asks for the past."""
        now = self._clock()
        wanted = Filter(
            segments=_texts("segments", segments), tags=_texts("tags", tags),
            since=_time(since, now), until=_last(until, now), as_of=_last(as_of, now),
        )  # fmt: skip
        answer = self._answer(query, limit, mode, wanted, now)
        if self._db is not None:
            touch = touch and wanted.as_of is None
            recalling.write_back(self._db, answer, touch=touch, now=now)
        return answer.hits

    @_translating
    def context(
        self, query: str, *, max_chars: int = 1200, max_tokens: int | None = None,
        limit: int = DEFAULT_LIMIT, fenced: bool = True,
    ) -> ContextBlock:  # fmt: skip
        """Return a block of facts for a prompt: escaped, scanned, never longer than the budget.
        `fenced` puts it under a heading and between markers that no fact can forge."""
        from tideline_cli.memory.context import context_block  # noqa: PLC0415  the scan

        now = self._clock()
        answer = self._answer(query, limit, "hybrid", Filter(), now)
        return context_block(
            answer.hits, max_chars=max_chars, max_tokens=max_tokens,
            fence=os.urandom(8).hex() if fenced else None,
        )  # fmt: skip

    @_translating
    def show(self, fact_id: str) -> Shown:
        """Return a fact with its links and its strength now; an id may be cut to its beginning."""
        return answers.with_surroundings(
            self._there(fact_id), fact_id, viewer=self.origin, now=self._clock()
        )

    @_translating
    def history(self, fact_id: str | None = None, *, limit: int = 20) -> tuple[Told, ...]:
        """Return what the newest `limit` commands changed (0 is all), newest first; with an id what
        was done to that fact, oldest first."""
        db = self._reading() if fact_id is None else self._there(fact_id)
        if db is None:
            return ()
        return answers.changes(db, fact_id, limit, viewer=self.origin)

    @_translating
    def forget(self, *fact_ids: str, superseded_by: str | None = None) -> Amended:
        """Take facts out of recall, all or none; `restore` brings them back."""
        self._there(*fact_ids)
        return amend.forget(
            self._writing(), fact_ids, superseded_by=superseded_by, viewer=self.origin,
            now=self._clock(),
        )  # fmt: skip

    @_translating
    def restore(self, *fact_ids: str) -> Amended:
        """Bring archived facts back, all or none."""
        self._there(*fact_ids)
        return amend.restore(self._writing(), fact_ids, viewer=self.origin, now=self._clock())

    @_translating
    def undo(self, batch: int | None = None) -> Undone:
        """Take back what one command did: the last one, or the one with this number."""
        if self._reading() is None:
            raise NotFoundError("there is nothing to undo")
        from tideline_cli.memory import undo  # noqa: PLC0415  few programs undo

        return undo.undo(self._writing(), batch, viewer=self.origin, now=self._clock())

    @_translating
    def status(self) -> Status:
        """Return what is remembered, in numbers."""
        return answers.status(
            self._reading(), self.path, viewer=self.origin, now=self._clock()
        )

    @_translating
    def export(self) -> Iterator[dict[str, Any]]:
        """Yield all facts as `tideline export` writes them, one object a fact."""
        return self._exported(self._reading())

    def _exported(self, db: Opened | None) -> Iterator[dict[str, Any]]:
        from tideline_cli.exchange import jsonl  # noqa: PLC0415  few programs export
        from tideline_cli.store.transactions import snapshot  # noqa: PLC0415  as above

        if db is not None:
            with snapshot(db):
                yield from jsonl.forms(db, viewer=self.origin)

    def _answer(self, text: str, limit: int, mode: Mode, wanted: Filter, now: int) -> Recalled:
        _check_word("mode", mode, MODES)
        if limit < 1:
            raise UsageError("limit must be 1 or more")
        query = Query(text, limit=limit, mode=mode, wanted=wanted)
        db = self._reading()
        if db is None:
            return nothing(query)
        return recalling.recall(db, query, viewer=self.origin, now=now)

    def _reading(self) -> Opened | None:
        """Return a connection; None where nobody has written yet."""
        if self._db is None:
            self._db = opening.open_for_reading(self.path)  # type: ignore[assignment]
        return self._db

    def _writing(self) -> Opened:
        if self._db is None or not self._writes:
            self.close()
            allowed = config.switch(os.environ, "TIDELINE_ALLOW_NETWORK_FS")
            self._db = opening.open_for_writing(self.path, network_allowed=allowed)
            self._writes = True
        return self._db

    def _there(self, *fact_ids: str) -> Opened:
        """Return a connection to a store that is there, or raise as for an id that is not."""
        if not fact_ids:
            raise UsageError("name a fact")
        db = self._reading()
        if db is None:
            raise facts.missing(fact_ids[0])
        return db


def _texts(name: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return a list of texts; one text alone is a mistake that would be taken letter by letter."""
    if isinstance(values, str):
        raise UsageError(f"{name} is a list of texts", hint=f"{name}=[{values!r:.40}]")
    return tuple(values)


def _check_word(name: str, value: str | None, words: Sequence[str]) -> None:
    if value is not None and value not in words:
        raise UsageError(f"unknown {name}: {value!r:.60}", hint="use one of " + ", ".join(words))


def _check_stated(new: NewFact) -> None:
    """Raise UsageError for values that no option would take."""
    if not (new.metadata is None or isinstance(new.metadata, dict)):
        raise UsageError("metadata is a mapping")
    if new.confidence is not None and not 0 <= new.confidence <= 1:
        raise UsageError(f"confidence is a number from 0 to 1, not {new.confidence!r:.60}")
    if new.importance is not None and not 0 <= new.importance < inf:
        raise UsageError(f"importance is a number from 0 on, not {new.importance!r:.60}")
    for at in (new.valid_from, new.valid_to):
        if at is not None and not instant.EARLIEST_MS <= at <= instant.LATEST_MS:
            raise UsageError(f"{at!r:.60} is no time", hint="milliseconds since 1970")
    if new.valid_from is not None and new.valid_to is not None and new.valid_to <= new.valid_from:
        raise UsageError("valid_to is not after valid_from")
    if not all(tag.strip() for tag in new.tags):
        raise UsageError("a tag is empty")


def _time(value: Time | str | None, now: int, *, ends: bool = False) -> int | None:
    """Return an instant that is given as milliseconds, or in words as options take them."""
    if value is None or isinstance(value, int):
        return value
    from tideline_cli.model.time_words import meant  # noqa: PLC0415  few state a time

    found = meant(value, now=now)
    return found.end if ends else found.start


def _last(value: Time | str | None, now: int) -> int | None:
    """Return the last instant of what is given: of a day, its end."""
    if value is None or isinstance(value, int):
        return value
    start, end = _time(value, now), _time(value, now, ends=True)
    return end if end is None or end == start else end - 1
