"""tideline sessions."""

from __future__ import annotations

from tideline_cli.cli import output, scopes
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.commands.extract import conversations
from tideline_cli.cli.filters import Formats
from tideline_cli.cli.options import Argument, Scopes, choice, count, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, TidelineError, UsageError
from tideline_cli.exchange import sessions as transcripts
from tideline_cli.exchange.extract import chats
from tideline_cli.memory import turns
from tideline_cli.model import instant, time_words
from tideline_cli.model.finding import some
from tideline_cli.model.record import record
from tideline_cli.model.short_text import storable
from tideline_cli.store import sessions
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.extract.conversation import Transcript
    from tideline_cli.memory.turns import TurnHit
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.sessions import KeptSession, KeptTurn

ACTIONS = ("list", "add", "show", "search", "forget", "purge")
HELP = """Keep sessions of agents as they were said, and find what was said in them.

ACTION is list (the default), add FILE… (session files of Claude Code, Codex, Gemini CLI and Cursor,
exports of ChatGPT and Claude, JSON lines; a turn that is kept already is passed over), show ID (a
session, turn by turn; the beginning of its name will do), search QUERY (the turns that answer),
forget ID (out of sight until an undo) or purge ID (removed for good).

Turns are no facts: only search and `recall --sessions` find them. What the user and the assistant
said is kept, up to 8,000 characters a turn; tools' output, `<private>` blocks and the values of
secrets are not. Sync and export leave sessions on this machine; a backup has them."""
EXAMPLES = (
    ("add", "~/.claude/projects/*/*.jsonl"), ("search", "database port -C 2"), ("show 5f1c", ""),
)
ARGUMENTS = (
    Argument("words", "ACTION", "list, add FILE…, show ID, search QUERY, forget ID, purge ID.",
             "word", True, 0, (), ("one of " + " ".join(ACTIONS), "")),
)  # fmt: skip
_RESUMES = {
    "claude-code": "claude --resume {}", "codex": "codex resume {}", "gemini": "gemini --resume {}",
    "cursor": "cursor-agent --resume {}",
}  # fmt: skip
_SHOWN = 20  # sessions of a list


class Options(Scopes, Formats):
    """The options of a call."""

    scope = Scopes.scope.but(
        help="With add: the project of the sessions [default: the folder's that they name]. Else: "
        "see sessions of this scope, of those above it, and without one."
    )
    client = text("With add: the program that a session is of, where its file does not tell.",
                  metavar="NAME")  # fmt: skip
    around = count("With search: so many turns before and after each.", short="-C", default=0,
                   least=0, most=50)  # fmt: skip
    role = choice(("user", "assistant"))("With search: only turns of this role.")
    limit = count(f"So many turns [default: {turns.LIMIT}] or sessions [default: {_SHOWN}].",
                  least=1, most=1000)  # fmt: skip
    yes = flag("With purge: do not ask.", short="-y")


def run(session: Session, words: list[str], options: Options) -> int:
    """Run one action."""
    action, *names = words or ["list"]
    if action == "list" and not names:
        return _list(session, options)
    if action == "search" and names:
        return _search(session, " ".join(names), options)
    if action == "add" and names:
        return _add(session, names, options)
    if action in ("show", "forget", "purge") and len(names) == 1:
        deed = {"show": _show, "forget": _forget, "purge": _purge}[action]
        return deed(session, names[0], options)
    raise UsageError(
        "sessions takes list, add FILE…, show ID, search QUERY, forget ID or purge ID",
        hint="tideline sessions search words",
    )


@record
class _Sum:
    """What became of files: how many sessions have new turns, and turns by what became of them."""

    sessions: int = 0
    new: int = 0
    back: int = 0
    known: int = 0
    secrets: int = 0
    batches: tuple[int, ...] = ()


def _add(session: Session, paths: Sequence[str], options: Options) -> int:
    total = _Sum()
    failure: TidelineError | None = None
    for path in paths:
        try:
            with conversations.Begun(path) as source:
                for transcript, program in _transcripts(session, source):
                    total = _kept(session, transcript, program, path, options, total)
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


def _transcripts(
    session: Session, source: conversations.Begun
) -> Iterator[tuple[Transcript, str | None]]:
    """Yield the conversations of a file, and the program that an export is of."""
    if not source.is_export():
        yield conversations.read_conversation(session, source), None
        return
    for number, chat in chats.chats(conversations.reads_of(source)):
        if isinstance(chat, TidelineError):
            session.note(f"{source.path}: conversation {number}: {chat.message}")
        else:
            yield chat.transcript, chat.program


def _kept(
    session: Session, transcript: Transcript, program: str | None, path: str, options: Options,
    total: _Sum,
) -> _Sum:  # fmt: skip
    db = session.writing()
    client = options.client or transcript.client or program or "other"
    name, _, _ = conversations.session_names(None, transcript, path)
    scope = session.scope(options.scope)
    if options.scope is None and transcript.folder:
        scope = scopes.named(None, session.scope_setting(scopes.AUTO), folder=transcript.folder)
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    talk = transcripts.talk_of(
        transcript, client=storable(client, "client"), name=name, scope=scope, analyzer=analyzer,
        now=session.now,
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


def _list(session: Session, options: Options) -> int:
    db = session.reading()
    limit = options.limit or _SHOWN
    seen = session.scopes(options.scope, everything=options.all_scopes)
    found = [] if db is None else sessions.listed(db, viewer=session.viewer, scopes=seen)

    def table() -> None:
        rows = [(_short(one), one.client, f"{one.turns:,}",
                 time_words.brief(one.latest, session.now), one.scope or "", one.title or "")
                for one in found[:limit]]  # fmt: skip
        columns = ("session", "client", "turns", "age", "scope", "begins")
        drawer(session).listing(columns, rows, wide="begins")

    output.show_list(
        session, output.of_rows(session, options), "sessions", found[:limit], form=held_form,
        line=_line, table=table, none="no sessions: `tideline sessions add FILE` keeps one",
    )  # fmt: skip
    if len(found) > limit:
        session.note(f"{len(found) - limit:,} older ones: --limit N lists them")
    return 0


def _short(one: KeptSession) -> str:
    return one.name[:13]


def _line(one: KeptSession) -> str:
    when = instant.iso(one.latest)[:16]
    cells = (one.name, one.client, some(one.turns, "turn"), when, one.scope or "", one.title or "")
    return "\t".join(map(output.one_line, cells))


def held_form(one: KeptSession) -> dict[str, Any]:
    """Return the JSON object of a session."""
    return {
        "session": one.name, "client": one.client, "scope": one.scope, "title": one.title,
        "started": instant.iso(one.started), "latest": instant.iso(one.latest),
        "turns": one.turns, "resume": resumes(one),
    }  # fmt: skip


def resumes(one: KeptSession) -> str | None:
    """Return the command that goes on with a session, None where its client has none."""
    call = _RESUMES.get(one.client)
    is_plain = all(sign.isalnum() or sign in "-_." for sign in one.name) and one.name[0] != "-"
    return call.format(one.name) if call and is_plain else None


def turn_form(turn: KeptTurn) -> dict[str, Any]:
    """Return the JSON object of a turn."""
    return {"turn": turn.place, "role": turn.role, "said_at": instant.iso(turn.said_at),
            "content": turn.content}  # fmt: skip


def hit_form(db: Connection, hit: TurnHit, around: int, *, viewer: Origin) -> dict[str, Any]:
    """Return the JSON object of a turn that answers."""
    return {
        **turn_form(hit.turn), "session": hit.session.name, "client": hit.session.client,
        "scope": hit.session.scope, "resume": resumes(hit.session), "score": round(hit.score, 6),
        "around": [turn_form(one) for one in sessions.around(db, hit.turn, around, viewer=viewer)
                   if one.number != hit.turn.number] if around else [],
    }  # fmt: skip


def hit_lines(db: Connection, hit: TurnHit, around: int, *, viewer: Origin) -> list[str]:
    """Return the lines of a turn that answers: where it was said, the turns around it, and what
    goes on with its session."""
    one = hit.session
    call = resumes(one)
    where = f"{instant.iso(hit.turn.said_at)[:10]} {one.client} {one.name} turn {hit.turn.place}"
    lines = [output.one_line(f"{where}  {call}" if call else where)]
    shown = sessions.around(db, hit.turn, around, viewer=viewer) if around else [hit.turn]
    for turn in shown:
        mark = ">" if around and turn.number == hit.turn.number else " "
        lines += said_lines(turn, mark)
    return [*lines, ""]


def said_lines(turn: KeptTurn, mark: str = " ") -> list[str]:
    """Return a turn as lines, each with its role at the head."""
    first, *rest = output.block(turn.content) or [""]
    return [f"{mark} {turn.role}: {first.strip()}", *rest]


def _search(session: Session, query: str, options: Options) -> int:
    db = session.reading()
    seen = session.scopes(options.scope, everything=options.all_scopes)
    asked = turns.Asked(query, options.limit or turns.LIMIT, seen, options.role)
    found = [] if db is None else turns.search(db, asked, viewer=session.viewer, now=session.now)
    if session.json:
        forms = [hit_form(db, hit, options.around, viewer=session.viewer)
                 for hit in found] if db else []  # fmt: skip
        output.emit_json({"query": query, "turns": forms})
    elif db is not None:
        lines = [line for hit in found
                 for line in hit_lines(db, hit, options.around, viewer=session.viewer)]  # fmt: skip
        output.emit_pages(session, lines[:-1])
    if not found:
        session.note("no turn answers")
    return 0 if found else 1


def _named(session: Session, reference: str) -> tuple[Connection, KeptSession]:
    db = session.reading()
    found = [] if db is None else sessions.named(db, reference, viewer=session.viewer)
    if not found or db is None:
        raise NotFoundError(f"no such session: {reference}", hint="`tideline sessions` lists them")
    if len(found) > 1:
        names = ", ".join(f"{one.client}:{one.name}" for one in found[:3])
        raise UsageError(f"{reference} names {len(found)} sessions: {names}", hint="name one whole")
    return db, found[0]


def _show(session: Session, reference: str, _: Options) -> int:
    db, held = _named(session, reference)
    listed = sessions.turns_of(db, held.number, viewer=session.viewer)
    if session.json:
        forms = [turn_form(turn) for turn in listed]
        output.emit_json(held_form(held) | {"turns": forms})
        return 0
    head = f"{held.client} {held.name}  {instant.iso(held.started)[:16]}"
    call = resumes(held)
    lines = [output.one_line(f"{head}  {call}" if call else head), ""]
    for turn in listed:
        lines += [*said_lines(turn, f"{turn.place}"), ""]
    output.emit_pages(session, lines[:-1])
    return 0


def _forget(session: Session, reference: str, _: Options) -> int:
    held = _named(session, reference)[1]
    session.close()
    count, batch = turns.forget(session.writing(), held, viewer=session.viewer, now=session.now)
    _emit_gone(session, held, count, batch, verb="forgotten", pending=False)
    session.note(f"`{session.call('undo', str(batch))}` brings it back")
    return 0


def _purge(session: Session, reference: str, options: Options) -> int:
    _, held = _named(session, reference)
    title = output.clipped(held.title or held.name)
    question = f"  {title}\nRemove {some(held.turns, 'turn')} for good?"
    if not session.confirmed(question, yes=options.yes):
        session.note("nothing was removed")
        return 1
    session.close()
    count, batch, pending = turns.purge(
        session.writing(frees=True), held, viewer=session.viewer, now=session.now
    )
    _emit_gone(session, held, count, batch, verb="removed for good", pending=pending)
    session.note("the client's own files and backups made before keep it")
    return 0


def _emit_gone(
    session: Session, held: KeptSession, count: int, batch: int, *, verb: str, pending: bool
) -> None:
    if session.json:
        output.emit_json({"session": held.name, "client": held.client, "turns": count,
                          "batch": batch, "pending": pending})  # fmt: skip
    else:
        output.emit_lines([f"{some(count, 'turn')} of {held.client} {held.name} {verb}"])
