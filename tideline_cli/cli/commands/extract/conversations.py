"""What a user names as a conversation: a file, standard input, or an export of ChatGPT or Claude,
whose conversations are distilled one after the other, as one batch."""

from __future__ import annotations

import io
import os
import stat
import sys

from tideline_cli.cli import output
from tideline_cli.cli.commands.extract import jobs
from tideline_cli.errors import (
    HelpWantedError,
    Interrupted,
    TidelineError,
    UnavailableError,
    UsageError,
)
from tideline_cli.exchange.extract import chats, conversation, passes
from tideline_cli.exchange.extract.conversation import (
    Transcript,
    fingerprint,
    parsed_transcript,
    utf8_text,
)
from tideline_cli.exchange.extract.types import Tally
from tideline_cli.exchange.jsonl import LONGEST_LINE
from tideline_cli.model.finding import some
from tideline_cli.model.record import record, replace
from tideline_cli.model.short_text import storable
from tideline_cli.system import NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO

    from apsw import Connection

    from tideline_cli.cli.commands.extract.jobs import Job
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.chats import Chat, Read
    from tideline_cli.exchange.extract.passes import Ask
    from tideline_cli.store.cursors import Pass
    JobOf = Callable[[Chat], Job]

_LARGEST = 64 * 1024 * 1024
_HEAD = 64 * 1024  # bytes that tell what a file is
_ZIP = b"PK\x03\x04"
_BLANK = b"\xef\xbb\xbf \t\r\n"
_NAMED = 5  # unknown tags that a note names


class Begun:
    """A file, or standard input, of which the beginning is read: it tells what the file is."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = sys.stdin.buffer if path == "-" else _opened(path)
        self.head = self.file.read(_HEAD)
        self._is_begun = False

    def is_export(self) -> bool:
        """Say whether it looks like an export of many conversations: as JSON, or a zip file."""
        if not self.head.lstrip(_BLANK).startswith((b"[", b"{", _ZIP)):
            return False
        return self.is_zip() or chats.is_export(self.head)

    def is_zip(self) -> bool:
        return self.head.startswith(_ZIP)

    def read(self, count: int) -> bytes:
        """Return the next bytes, at most `count` and those of the beginning."""
        if self._is_begun:
            return self.file.read(count)
        self._is_begun = True
        return self.head + self.file.read(max(0, count - len(self.head)))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, a longer one in pieces of LONGEST_LINE."""
        head, end, rest = self.head.rpartition(b"\n")
        yield from io.BytesIO(head + end)
        while line := rest + self.file.readline(LONGEST_LINE - len(rest)):
            yield line
            rest = b""

    def __enter__(self) -> Begun:
        return self

    def __exit__(self, *_: object) -> None:
        if self.file is not sys.stdin.buffer:
            self.file.close()


def begun(words: list[str], *, optional: bool) -> Begun | None:
    """Return what `words` name, with its beginning read; None when it is optional and not named."""
    if len(words) > 1:
        raise UsageError("name one transcript", hint="tideline extract session.jsonl")
    if not words:
        if optional:
            return None
        if sys.stdin.isatty():
            raise HelpWantedError("nothing was said")
    return Begun(words[0] if words else "-")


def read_conversation(session: Session, source: Begun | None) -> Transcript:
    """Return the conversation in a file; an empty one where there is none."""
    if source is None:
        return Transcript((), None, 0)
    read = parsed_transcript(_whole(source))
    if read.bad:
        session.note(f"{read.bad:,} lines skipped: not part of a conversation")
    tell_dropped(session, read.strange, read.dropped)
    return read


def tell_dropped(session: Session, strange: Sequence[str], dropped: int) -> None:
    """Say what programs had written into the user's messages, and is left out of them."""
    if strange:
        names = ", ".join(f"<{name}>" for name in strange[:_NAMED])
        more = ", …" if len(strange) > _NAMED else ""
        session.note(f"left out of the user's messages, as no words of theirs: {names}{more}")
    if session.verbose and dropped:
        session.note(f"{dropped:,} blocks of programs left out of the user's messages")


def session_names(given: str | None, conversation: Transcript, path: str) -> tuple[str, str, str]:
    """Return the name of a conversation, that of its cursors, and what the latter was when it had
    one message.

    As given, as it says, or its file's with a mark of where it lies and how it begins, since many
    files are called alike. Its first message makes its name, which stays; its first two make
    that of its cursors, since many conversations begin alike.
    """
    name = given or conversation.session
    start = conversation.start
    if name is None and path == "-":
        name, cursor = ("stdin-" + fingerprint(start[:count]) for count in (1, 2))
    elif name is None:
        stem, place = os.path.splitext(os.path.basename(path))[0], os.path.realpath(path)
        name, cursor = (f"{stem[:200]}-{fingerprint(start[:count], place)}" for count in (1, 2))
    else:
        cursor = name
    if not name.strip():
        raise UsageError("the session's name is empty", hint="name it with --session")
    name, cursor = (storable(one.strip(), "session") for one in (name, cursor))
    return name, cursor, name if cursor != name else ""


def _opened(path: str) -> BinaryIO:
    """Return a file that is open for reading; refuse what is none."""
    flags = os.O_RDONLY | NONBLOCK  # a FIFO would wait for its writer
    try:
        file = open(os.open(path, flags), "rb")  # noqa: SIM115  its caller closes it
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read {path}: {reason}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UsageError(f"{path} is not a file", hint="pipe it and use `-`")
    return file


def _whole(source: Begun) -> bytes:
    """Return the bytes of a file, or of standard input; refuse what is too large."""
    raw = source.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise UsageError(f"{source.path} is larger than 64 MiB", hint="split it by conversation")
    return raw


def failure_text(path: str) -> str:
    """Return the text of a file, or of standard input; raise UsageError for one that says none."""
    with Begun(path) as source:
        said = utf8_text(_whole(source), path).strip()
    if not said:
        raise UsageError(f"{path} is empty", hint="it states a task and what was tried")
    return said


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

    def __init__(self, source: Begun, wish: Wish, job_of: JobOf, db: Connection | None) -> None:
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
            for number, chat in chats.chats(reads_of(self._source)):
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
        said, marks = tuple(one.at for one in messages), conversation.marks(messages)
        job = replace(job, context=replace(job.context, said=said, marks=marks))
        if not _has_news(self.db, job, asks=asks):
            self.unchanged += 1
            return None
        self._strange.update(dict.fromkeys(chat.transcript.strange))
        self._dropped += chat.transcript.dropped
        return job

    def tell(self, session: Session) -> None:
        """Say what was not read, and why."""
        tell_dropped(session, tuple(self._strange), self._dropped)
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


def reads_of(source: Begun) -> Iterator[Read]:
    """Return what reads each list of conversations of an export."""
    if not source.is_zip():
        return iter((source.read,))
    if not source.file.seekable():
        raise UsageError(
            "a zip file cannot be piped",
            hint="name it, or: unzip -p export.zip conversations.json | tideline extract -",
        )
    source.file.seek(0, io.SEEK_SET)
    return chats.zipped(source.file, source.path)


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
        covered = 0 if db is None else passes.covered_by_summary(db, context, count)
        begun.append((covered, job.min_new))
    return any(sum(bool(one.text) for one in messages[start:]) >= enough for start, enough in begun)


def show_export(session: Session, source: Begun, wish: Wish, job_of: JobOf) -> int:
    """Print what would be sent of the first conversations, and what would be stored."""
    wish = replace(wish, limit=_SHOWN if wish.limit is None else wish.limit)
    wanted = Wanted(source, wish, job_of, session.reading())
    forms: list[dict[str, Any]] = []
    secrets = 0
    for chat, job in wanted.jobs(asks=True):
        seen = jobs.foreseen(wanted.db, job)
        secrets += seen.tally.secrets
        if session.json:
            forms.append(jobs.preview_form(seen) | {"title": chat.title})
        else:
            title = f"# conversation {wanted.read}: {chat.title or job.context.session}"
            output.emit_lines([title, "", *jobs.preview_lines(seen)])
    if session.json:
        output.emit_json({"conversations": forms, **wanted.form(), "secrets": secrets,
                          "dry_run": True})  # fmt: skip
    jobs.tell_taken_out(session, secrets)
    wanted.tell(session)
    if wanted.stopped is not None:
        raise _cut_short(source, wanted)
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
            self.forms.append(jobs.form(job, tally) | {"title": chat.title})
        elif tally.changes() or tally.blocked or tally.refused:
            title = output.clipped(chat.title or job.context.session, _TITLE)
            output.emit_lines([f"{jobs.counts(job, tally)}: {title}"])

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
        jobs.tell_taken_out(self._session, self.secrets)
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


def distil_export(
    session: Session, source: Begun, wish: Wish, job_of: JobOf, ask: Ask | None
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
            done = jobs.distilled_in(db, job, ask, total.last.following())
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
        raise _cut_short(source, wanted)
    if total.failure is not None:
        raise total.failure
    return 0


def _cut_short(source: Begun, wanted: Wanted) -> TidelineError:
    """Return the error of a file that cannot be read to its end."""
    error = wanted.stopped or UsageError("stopped")
    before = f"{some(wanted.read, 'conversation')} read before"
    error.message = f"{source.path}: {error.message}; {before}"
    return error
