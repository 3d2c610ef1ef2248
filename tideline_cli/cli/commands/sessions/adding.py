"""Adding session files and exports to the sessions that are kept."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands.extract import conversations
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.exchange import sessions as transcripts
from tideline_cli.exchange.extract import chats
from tideline_cli.memory import turns
from tideline_cli.model.finding import some
from tideline_cli.model.record import record
from tideline_cli.model.short_text import storable
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.model.text import Analyzer


@record
class _Sum:
    """What became of files: how many sessions have new turns, and turns by what became of them."""

    sessions: int = 0
    new: int = 0
    back: int = 0
    known: int = 0
    secrets: int = 0
    batches: tuple[int, ...] = ()


def add(
    session: Session, paths: Sequence[str], *, client: str | None, scope: str | None
) -> int:
    """Keep what is new in files; one that cannot be read is told, and does not stop the others."""
    total = _Sum()
    failure: TidelineError | None = None
    for path in paths:
        try:
            with conversations.Begun(path) as source:
                for held in _read(session, source):
                    named = client or held.client or held.transcript.client or "other"
                    total = _kept(session, held, named, path, scope, total)
        except UsageError as error:
            session.note(f"{path}: {error.message}")
            failure = error
    if failure is not None and not total.sessions and not total.known:
        raise failure
    if session.json:
        output.emit_json({
            "sessions": total.sessions, "turns": total.new, "restored": total.back,
            "known": total.known, "secrets": total.secrets, "batches": list(total.batches),
        })  # fmt: skip
    else:
        more = f", {total.back:,} shown again" if total.back else ""
        known = f", {total.known:,} known already" if total.known else ""
        line = f"{some(total.new, 'turn')} of {some(total.sessions, 'session')} kept{more}{known}"
        output.emit_lines([line])
    if total.secrets:
        session.note(f"{some(total.secrets, 'secret')} replaced by [secret]")
    return 0 if failure is None else failure.exit_code


def _read(session: Session, source: conversations.Begun) -> Iterator[transcripts.FoundSession]:
    """Yield the conversations of a file: of sessions that were exported, of one, of an export."""
    first = next(jsonl.parsed(source.head.splitlines(keepends=True)[:1]), (0, None))[1]
    if transcripts.is_row(first):
        yield from transcripts.held_in(jsonl.parsed(source.lines()))
    elif not source.is_export():
        yield transcripts.FoundSession(conversations.read_conversation(session, source))
    else:
        for number, chat in chats.chats(conversations.reads_of(source)):
            if isinstance(chat, TidelineError):
                session.note(f"{source.path}: conversation {number}: {chat.message}")
            else:
                yield transcripts.FoundSession(chat.transcript, chat.program)


def _kept(
    session: Session, held: transcripts.FoundSession, client: str, path: str, named: str | None,
    total: _Sum,
) -> _Sum:  # fmt: skip
    db = session.writing()
    transcript = held.transcript
    name, _, _ = conversations.session_names(None, transcript, path)
    scope = session.scope(held.scope if named is None else named, transcript.folder)
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    talk = transcripts.talk_of(
        transcript, client=storable(client, "client"), name=name, scope=scope, analyzer=analyzer,
        now=session.now, keys=held.keys,
    )  # fmt: skip
    if not talk.turns:
        return total
    done = turns.keep(
        db, talk.session, talk.turns, viewer=session.viewer, now=session.now, again=True
    )
    batches = (*total.batches, done.batch) if done.batch else total.batches
    return _Sum(
        total.sessions + bool(done.batch), total.new + done.new, total.back + done.back,
        total.known + done.known, total.secrets + (talk.secrets if done.new else 0), batches,
    )  # fmt: skip
