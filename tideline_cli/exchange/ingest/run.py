"""One ingest: each document is read, cut, compared with what is there, and stored."""

from __future__ import annotations

from tideline_cli.errors import Interrupted, ReplacedError, TidelineError, WriteBlockedError
from tideline_cli.exchange.ingest import read, storing
from tideline_cli.exchange.ingest.chunks import changes_between, divided
from tideline_cli.exchange.ingest.storing import Revision, Storage
from tideline_cli.exchange.statements import under_name, words_of_name
from tideline_cli.memory.screening import Screen
from tideline_cli.model.record import record, replace
from tideline_cli.store import journal, remote, sequences
from tideline_cli.store.connection import finish_bulk, prepare_for_bulk, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.exchange.ingest.read import Content
    from tideline_cli.exchange.ingest.storing import IngestContext, Reading, Written
    from tideline_cli.model.fact import NewFact
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.sequences import Document

    Action = Literal["added", "changed", "unchanged", "skipped"]

_MOST_NAMED = 3  # blocked chunks of a document that are named one by one


@record
class Incoming:
    """A document to take: its name, what is known of the one that has the name, the path of its
    file or None, how it is read, what reads it, when it was written, and which document it was
    before it moved, by the digest of its content."""

    name: str
    known: Document | None
    path: str | None
    reading: Reading
    content: Callable[[], Content]
    written_at: Callable[[Mapping[str, Any]], int | None]
    moved_from: Callable[[str], Document | None]


def ingest(
    db: Connection, incoming: Iterable[Incoming], context: IngestContext, *,
    progress: Callable[[int], None],
) -> Summary:  # fmt: skip
    """Store documents, and return what became of each.

    All of it is one batch, in short transactions. A document that is there with the same content
    is left alone; of one that has changed the equal chunks stay, and the others are replaced. So a
    run that was stopped is finished by running it again. A document that cannot be read is passed
    over. `progress` is told how many documents are done.

    Raises ReplacedError when another content takes the place of the store's meanwhile, and
    Interrupted when the user stops it; both tell how far it came.
    """
    prepare_for_bulk(db)
    storage, summary = Storage(db, context), Summary()
    try:
        for count, one in enumerate(incoming, 1):
            storing = _Reading(db, one, context, summary)
            revision = storing.revision()
            if revision is not None:
                storage.put(revision)
            progress(count)
        finish_bulk(db)
        storage.finish(summary.total("secrets"))
    except ReplacedError as error:
        what = f"{storage.stored:,} chunks had been stored in what was there before"
        raise error.after(what) from error
    except KeyboardInterrupt as stop:
        done = f"{storage.stored:,} chunks are in"
        hint = "run it again to go on"
        raise Interrupted.of(stop, done, hint=hint, done=storage.stored) from stop
    finally:
        storage.close()
    summary.batch = storage.batch
    _record_blocked(db, context, summary)
    return summary


def preview(
    db: Connection | None, incoming: Iterable[Incoming], context: IngestContext
) -> Summary:
    """Return what `ingest` would do; nothing is stored."""
    summary = Summary()
    for one in incoming:
        _Reading(db, one, context, summary).revision()
    return summary


class _Reading:
    """One document on its way: what it says, and what that changes."""

    def __init__(
        self, db: Connection | None, incoming: Incoming, context: IngestContext, summary: Summary
    ) -> None:
        self._db = db
        self._one = incoming
        self._known = incoming.known
        self._context = context
        self._summary = summary
        self._blocked = 0
        self._secrets = 0

    def revision(self) -> Revision | None:
        """Return what the document becomes, None where nothing changes; tell the summary of it."""
        one, known = self._one, self._known
        try:
            held = one.content()
            if known is None:
                known = self._known = one.moved_from(held.digest)
            is_same = known is not None and known.name == one.name and storing.is_whole(
                known, held.digest, self._context.cut, one.reading
            )
            if known is not None and is_same and known.scope == self._context.scope:
                self._tell(Outcome(one.name, one.path, "unchanged", known.chunks, 0, known.chunks))
                return None
            return self._revised(held, self._said(held))
        except TidelineError as error:
            self._tell(
                Outcome(
                    one.name, one.path, "skipped", known.chunks if known else 0,
                    kept=known.chunks if known else 0, blocked=self._blocked, error=error,
                )
            )  # fmt: skip
            return None

    def _said(self, held: Content) -> list[NewFact]:
        """Return the chunks of the document, in order."""
        one, cut = self._one, self._context.cut
        with read.in_time(read.SECONDS):
            blocks = read.blocks_of(
                held, one.reading.form, encoding=one.reading.encoding, size=cut.size,
                warn=self._warn,
            )  # fmt: skip
            called = words_of_name(one.name)
            named = (replace(block, headings=under_name(called, block.headings))
                     for block in blocks)  # fmt: skip
            parts = list(divided(named, size=cut.size, overlap=cut.overlap))
        found, self._secrets = storing.stated_by(parts, one.name, self._context, self._warn)
        if not found:
            raise TidelineError("nothing in it to remember", hint="is it empty?", code="empty")
        return found

    def _revised(self, held: Content, found: list[NewFact]) -> Revision:
        name, context = self._one.name, self._context
        stored = [] if self._db is None or self._known is None else sequences.chunks(
            self._db, self._known.name, viewer=context.origin
        )  # fmt: skip
        found = storing.renumbered(found, self._refused(found, changes_between(stored, found).new))
        if not found:
            raise WriteBlockedError(
                "threat scan: all of it", hint="read it; what you vouch for, remember as the owner",
                code="memory:threat", reason="threat",
            )  # fmt: skip
        made = changes_between(stored, found)
        analyzer: Analyzer = "standard"
        if self._db is not None:
            analyzer = setting(self._db, "analyzer", "standard")
        found[0] = replace(found[0], metadata=storing.begun(self._one.path))
        at = self._one.written_at(read.head_of(held, self._one.reading.form))
        new = {place: storing.written(found[place], context, analyzer, at) for place in made.new}
        if context.has_bounded_keys:
            _refuse_long(new.values(), analyzer)
        replaced = sum(by is not None for _, by in made.gone)
        self._tell(
            Outcome(
                name, self._one.path, "changed" if stored else "added", len(found), len(new),
                len(made.kept), replaced, len(made.gone) - replaced, self._blocked, self._secrets,
            )
        )  # fmt: skip
        said = storing.note(
            self._one.path, held.digest, len(held.raw), context.cut, self._one.reading,
            chunks=len(found), now=context.now,
        )  # fmt: skip
        if self._known is not None and self._known.name != name:
            self._warn(f"is {self._known.name}, which has moved")
        return Revision(name, new, made, said)

    def _refused(self, found: Sequence[NewFact], fresh: Iterable[int]) -> list[int]:
        """Return the places of those of the fresh chunks in which the scan finds something."""
        refused: list[int] = []
        titles = Screen()
        for place in fresh:
            threats = storing.threats_of(found[place], titles)
            if not threats:
                continue
            refused.append(place)
            if len(refused) <= _MOST_NAMED:
                self._warn(f"{_shown(found[place])} is left out: matched {', '.join(threats)}")
        if len(refused) > _MOST_NAMED:
            self._warn(f"and {len(refused) - _MOST_NAMED:,} more chunks, by the same scan")
        self._blocked = len(refused)
        return refused

    def _warn(self, text: str) -> None:
        self._summary.warn(self._one.name, text)

    def _tell(self, outcome: Outcome) -> None:
        self._summary.outcomes.append(outcome)


def _refuse_long(chunks: Iterable[Written], analyzer: Analyzer) -> None:
    """Raise UsageError where a server cannot store one of these."""
    for one in chunks:
        remote.refuse_long_keys(one.fact, lambda: analyzer)


def _shown(new: NewFact) -> str:
    """Return how a chunk that is not stored is named: by where it stands and how it begins."""
    where = new.source_turn or new.title
    beginning = " ".join(new.content[:60].split())[:40]
    return f"a chunk ({f'{where}: ' if where else ''}{beginning}…)"


def _record_blocked(db: Connection, context: IngestContext, summary: Summary) -> None:
    count = summary.total("blocked")
    if count:
        journal.record_blocked(
            db, verb="ingest", by=context.origin, now=context.now,
            reason=f"threat scan: {count:,} chunks of documents",
        )  # fmt: skip


@record
class Outcome:
    """What became of one document: `chunks` that it has now, of these `added` ones and those that
    were `kept`; `superseded` and `removed` ones of before, and `blocked` ones that are not stored.
    """

    name: str
    path: str | None
    action: Action
    chunks: int = 0
    added: int = 0
    kept: int = 0
    superseded: int = 0
    removed: int = 0
    blocked: int = 0
    secrets: int = 0
    error: TidelineError | None = None


class Summary:
    """All of a run: the outcomes in order; what else is to be said, by document; the batch."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.warnings: list[tuple[str, str]] = []
        self.stored = 0  # chunks that are in the store
        self.batch: int | None = None

    def total(self, name: str) -> int:
        """Return the sum of a number over all documents."""
        return sum(getattr(one, name) for one in self.outcomes)

    def count(self, *actions: Action) -> int:
        """Return how many documents had one of these outcomes."""
        return sum(one.action in actions for one in self.outcomes)

    def warn(self, name: str, text: str) -> None:
        """Note what is to be said of a document."""
        self.warnings.append((name, text))

    def first_error(self) -> TidelineError | None:
        """Return what was wrong with the first document that could not be taken."""
        return next((one.error for one in self.outcomes if one.error is not None), None)
