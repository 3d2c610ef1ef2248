"""extract for an export of ChatGPT or Claude: one conversation after the other, as one batch."""

from __future__ import annotations

import io

from tideline_cli.cli import extraction, output, reading
from tideline_cli.errors import Interrupted, TidelineError, UnavailableError, UsageError
from tideline_cli.exchange.extract import chat_files, passes, summary_pass, transcript
from tideline_cli.exchange.extract.types import Tally
from tideline_cli.model.finding import some
from tideline_cli.model.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.extraction import Job
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.chat_files import Read
    from tideline_cli.exchange.extract.chats import Chat
    from tideline_cli.exchange.extract.passes import Ask
    from tideline_cli.store.cursors import Pass

    JobOf = Callable[[Chat], Job]

_SHOWN = 10  # conversations of a dry run
_MOST_FAILED = 20  # beyond --limit: replies that cannot be read, of one call
_TITLE = 60  # characters of a title beside what was found


@record
class Wish:
    """Which conversations of an export are wanted: those that went on since then, and at most so
    many that have something new (None and 0 are all)."""

    since: int | None
    limit: int | None


class Wanted:
    """The conversations of an export that are wanted and have something new, and what is to be said
    of the others."""

    def __init__(
        self, source: reading.Begun, wish: Wish, job_of: JobOf, db: Connection | None
    ) -> None:  # fmt: skip
        self._source = source
        self._wish = wish
        self._job_of = job_of
        self.db = db
        self.read = self.unchanged = self.older = self.taken = 0
        self.failed = 0  # of those taken: what the model said of them cannot be read
        self.has_more = False
        self.bad: list[tuple[int, TidelineError]] = []
        self.stopped: TidelineError | None = None
        self._strange: dict[str, None] = {}
        self._dropped = 0

    def jobs(self, *, asks: bool) -> Iterator[tuple[Chat, Job]]:
        """Yield each conversation with what is to be done for it. Where the file cannot be read on,
        `stopped` says why; it is raised where nothing of it can be read."""
        try:
            for number, chat in chat_files.chats(_reads(self._source)):
                self.read = number
                if isinstance(chat, TidelineError):
                    self.bad.append((number, chat))
                elif (job := self._wanted(chat, number, asks)) is not None:
                    if self._is_enough():
                        self.has_more = True
                        return
                    self.taken += 1
                    yield chat, job
        except UsageError as error:
            if not self.read:
                raise
            self.stopped = error

    def _is_enough(self) -> bool:
        """Say whether no more may be taken. One whose reply cannot be read is passed over: else it
        would be among the first of each call, and those behind it would never be taken."""
        limit = self._wish.limit
        if not limit:
            return False
        return self.taken - self.failed >= limit or self.failed >= limit + _MOST_FAILED

    def _wanted(self, chat: Chat, number: int, asks: bool) -> Job | None:
        since = self._wish.since
        if since is not None and chat.updated is not None and chat.updated < since:
            self.older += 1
            return None
        try:
            job = self._job_of(chat)
        except UsageError as error:
            self.bad.append((number, error))
            return None
        messages = chat.transcript.messages
        said, marks = tuple(one.at for one in messages), transcript.marks(messages)
        job = replace(job, context=replace(job.context, said=said, marks=marks))
        if not _has_news(self.db, job, asks=asks):
            self.unchanged += 1
            return None
        self._strange.update(dict.fromkeys(chat.transcript.strange))
        self._dropped += chat.transcript.dropped
        return job

    def tell(self, session: Session) -> None:
        """Say what was not read, and why."""
        reading.tell_dropped(session, tuple(self._strange), self._dropped)
        if self.bad:
            number, error = self.bad[0]
            many = some(len(self.bad), "conversation")
            session.note(f"{many} left out that cannot be read; number {number}: {error.message}")
        if self.older:
            many = some(self.older, "conversation")
            session.note(f"{many} left out that ended before --since")
        if self.failed:
            many = some(self.failed, "conversation")
            session.note(f"{many} passed over: the model's reply cannot be read; the next call "
                         "asks about them again")  # fmt: skip
        if self.has_more:
            session.note("there are more conversations with something new: call it again, or with "
                         "a larger --limit")  # fmt: skip

    def form(self) -> dict[str, Any]:
        return {
            "read": self.read, "unchanged": self.unchanged, "older": self.older,
            "more": self.has_more, "failed": self.failed, "unreadable": [
                {"conversation": number, "message": error.message} for number, error in self.bad
            ],
        }  # fmt: skip


def _reads(source: reading.Begun) -> Iterator[Read]:
    if not source.is_zip():
        return iter((source.read,))
    if not source.file.seekable():
        raise UsageError(
            "a zip file cannot be piped",
            hint="name it, or: unzip -p export.zip conversations.json | tideline extract -",
        )
    source.file.seek(0, io.SEEK_SET)
    return chat_files.zipped(source.file, source.path)


def _has_news(db: Connection | None, job: Job, *, asks: bool) -> bool:
    """Say whether a pass has something to do in a conversation."""
    messages, context = job.transcript.messages, job.context
    count = len(messages)
    least: dict[Pass, int] = {"identifiers": 1}
    if asks:
        least[job.main_pass] = 1 if job.per_message else job.min_new
        least |= {"lessons": 1} if job.lessons else {}
    begun = [(0 if db is None else passes.beginning(db, context, name, count), enough)
             for name, enough in least.items()]  # fmt: skip
    if asks and job.summary:
        begun.append((0 if db is None else summary_pass.covered(db, context, count), job.min_new))
    return any(sum(bool(one.text) for one in messages[start:]) >= enough for start, enough in begun)


def show(session: Session, source: reading.Begun, wish: Wish, job_of: JobOf) -> int:
    """Print what would be sent of the first conversations, and what would be stored."""
    wish = replace(wish, limit=_SHOWN if wish.limit is None else wish.limit)
    wanted = Wanted(source, wish, job_of, session.reading())
    forms: list[dict[str, Any]] = []
    secrets = 0
    for chat, job in wanted.jobs(asks=True):
        seen = extraction.foreseen(wanted.db, job)
        secrets += seen.tally.secrets
        if session.json:
            forms.append(extraction.preview_form(seen) | {"title": chat.title})
        else:
            title = f"# conversation {wanted.read}: {chat.title or job.context.session}"
            output.emit_lines([title, "", *extraction.preview_lines(seen)])
    if session.json:
        output.emit_json({"conversations": forms, **wanted.form(), "secrets": secrets,
                          "dry_run": True})  # fmt: skip
    extraction.tell_taken_out(session, secrets)
    wanted.tell(session)
    if wanted.stopped is not None:
        raise _cut(source, wanted)
    if not wanted.taken:
        session.note("nothing new")
    return 0


class Sum:
    """What became of all conversations of a call."""

    def __init__(self, session: Session, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted
        self.last = Tally()
        self.stored = self.reinforced = self.blocked = self.links = self.secrets = 0
        self.forms: list[dict[str, Any]] = []
        self.failure: TidelineError | None = None

    def add(self, chat: Chat, job: Job, tally: Tally) -> None:
        """Count a conversation, and print what was found in it."""
        self.last = tally
        self.failure = self.failure or tally.failure
        for name in ("stored", "reinforced", "blocked", "links", "secrets"):
            setattr(self, name, getattr(self, name) + getattr(tally, name))
        if self._session.json:
            self.forms.append(extraction.form(job, tally) | {"title": chat.title})
        elif tally.changes() or tally.blocked or tally.refused:
            title = output.clipped(chat.title or job.context.session, _TITLE)
            output.emit_lines([f"{extraction.counts(job, tally)}: {title}"])

    def tell(self) -> None:
        """Print what became of all of them."""
        wanted, batch = self._wanted, self.last.batch
        if self._session.json:
            names = ("stored", "reinforced", "blocked", "links", "secrets")
            counts = {name: getattr(self, name) for name in names}
            output.emit_json({"conversations": self.forms, **counts, **wanted.form(),
                              "batch": batch, "dry_run": False})  # fmt: skip
        elif wanted.taken:
            output.emit_lines([self._sentence()])
        extraction.tell_taken_out(self._session, self.secrets)
        wanted.tell(self._session)
        if not (wanted.taken or self._session.json):
            self._session.note("nothing new")

    def _sentence(self) -> str:
        of = some(self._wanted.taken, "conversation")
        line = f"{self.stored:,} stored, {self.reinforced:,} reinforced, from {of}"
        return f"{line} with something new{self.undo()}"

    def undo(self) -> str:
        """Return how to take all of it back."""
        if not self.last.batch:
            return ""
        undo = self._session.call("undo", str(self.last.batch))
        return f" (batch {self.last.batch}; `{undo}` takes it back)"


def distil(
    session: Session, source: reading.Begun, wish: Wish, job_of: JobOf, ask: Ask | None
) -> int:  # fmt: skip
    """Distil the conversations of an export. One that a model says nothing readable about does not
    stop the others; a model that cannot be reached does."""
    wanted = Wanted(source, wish, job_of, session.reading())
    total = Sum(session, wanted)
    db: Connection | None = None  # opened by the first conversation that has something new
    try:
        for chat, job in wanted.jobs(asks=ask is not None):
            if db is None:
                db = wanted.db = session.writing()
            done = extraction.distilled_in(db, job, ask, total.last.following())
            if done is None:
                session.note("as many extractions run as may: call it again for the rest")
                break
            total.add(chat, *done)
            if isinstance(done[1].failure, UnavailableError):
                break
            wanted.failed += done[1].failure is not None
    except KeyboardInterrupt as stop:
        raise Interrupted.of(
            stop, f"{some(max(0, wanted.taken - 1), 'conversation')} done, and kept{total.undo()}",
            hint="the same call goes on from there", done=wanted.taken,
        ) from stop  # fmt: skip
    total.tell()
    if wanted.stopped is not None:
        raise _cut(source, wanted)
    if total.failure is not None:
        raise total.failure
    return 0


def _cut(source: reading.Begun, wanted: Wanted) -> TidelineError:
    """Return the error of a file that cannot be read to its end."""
    error = wanted.stopped or UsageError("stopped")
    before = f"{some(wanted.read, 'conversation')} read before"
    error.message = f"{source.path}: {error.message}; {before}"
    return error
