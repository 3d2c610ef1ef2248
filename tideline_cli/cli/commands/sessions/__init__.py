"""tideline sessions."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats
from tideline_cli.cli.options import Argument, Scopes, choice, count, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory import turns
from tideline_cli.model import instant, time_words
from tideline_cli.model.finding import some
from tideline_cli.model.record import record
from tideline_cli.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.turns import TurnHit
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.sessions import KeptSession, KeptTurn

ACTIONS = ("list", "add", "show", "search", "export", "forget", "purge")
HELP = """Keep sessions of agents as they were said, and find what was said in them.

ACTION is list (the default), add FILE… (session files of Claude Code, Codex, Gemini CLI and Cursor,
exports of ChatGPT and Claude, JSON lines; a turn that is kept already is passed over), show ID (a
session, turn by turn; the beginning of its name will do), search QUERY (the turns that answer),
export [ID] (JSON lines, which `add` takes elsewhere), forget ID (out of sight until an undo) or
purge ID (removed for good).

Turns are no facts: only search and `recall --sessions` find them. What the user and the assistant
said is kept, up to 8,000 characters a turn; tools' output, `<private>` blocks and the values of
secrets are not. Sync leaves sessions on this machine; a backup has them."""
EXAMPLES = (
    ("add", "~/.claude/projects/*/*.jsonl"), ("search", "database port -C 2"), ("show 5f1c", ""),
    ("export", "| ssh laptop tideline sessions add -"),
)
ARGUMENTS = (
    Argument("words", "ACTION", "list, add FILE…, show ID, search QUERY, export [ID], forget ID, "
             "purge ID.",
             "word", True, 0, (), ("one of " + " ".join(ACTIONS), "")),
)  # fmt: skip
_RESUMES = {
    "claude-code": "claude --resume {}", "codex": "codex resume {}", "gemini": "gemini --resume {}",
    "cursor": "cursor-agent --resume {}",
}  # fmt: skip
_SHOWN = 20  # sessions of a list
MOST = 50  # turns below the facts of one recall


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
        from tideline_cli.cli.commands.sessions import adding  # noqa: PLC0415  the readers, 45 ms

        return adding.add(session, names, client=options.client, scope=options.scope)
    if action == "export" and len(names) < 2:
        return _export(session, names, options)
    if action in ("show", "forget", "purge") and len(names) == 1:
        deed = {"show": _show, "forget": _forget, "purge": _purge}[action]
        return deed(session, names[0], options)
    raise UsageError(
        "sessions takes list, add FILE…, show ID, search QUERY, export, forget ID or purge ID",
        hint="tideline sessions search words",
    )


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
    of = {"viewer": session.viewer}
    forms = (hit_form(db, hit, options.around, **of) for hit in found if db)
    lines = (line for hit in found if db for line in hit_lines(db, hit, options.around, **of))
    _emit(session, options, forms, lambda rows: {"query": query, "turns": rows}, lines)
    if not found:
        session.note("no turn answers")
    return 0 if found else 1


@record
class TurnsFound:
    """Turns that answer, as JSON objects and as lines."""

    forms: list[dict[str, Any]]
    lines: list[str]


def said(
    session: Session, db: Connection, query: str, limit: int,
    seen: tuple[str | None, ...] | None, around: int,
) -> TurnsFound:  # fmt: skip
    """Return the turns that answer a question, at most so many, of these scopes."""
    viewer, asked = session.viewer, turns.Asked(query, limit, seen)
    found = turns.search(db, asked, viewer=viewer, now=session.now)
    lines = [line for hit in found
             for line in ("", *hit_lines(db, hit, around, viewer=viewer)[:-1])]  # fmt: skip
    return TurnsFound([hit_form(db, hit, around, viewer=viewer) for hit in found], lines)


def _named(session: Session, reference: str) -> tuple[Connection, KeptSession]:
    db = session.reading()
    found = [] if db is None else sessions.named(db, reference, viewer=session.viewer)
    if not found or db is None:
        raise NotFoundError(f"no such session: {reference}", hint="`tideline sessions` lists them")
    if len(found) > 1:
        names = ", ".join(f"{one.client}:{one.name}" for one in found[:3])
        raise UsageError(f"{reference} names {len(found)} sessions: {names}", hint="name one whole")
    return db, found[0]


def _show(session: Session, reference: str, options: Options) -> int:
    db, held = _named(session, reference)
    listed = sessions.turns_of(db, held.number, viewer=session.viewer)
    head = f"{held.client} {held.name}  {instant.iso(held.started)[:16]}"
    call = resumes(held)
    lines = [output.one_line(f"{head}  {call}" if call else head), ""]
    for turn in listed:
        lines += [*said_lines(turn, f"{turn.place}"), ""]
    _emit(
        session, options, (_row(held, turn) for turn in listed),
        lambda _: held_form(held) | {"turns": [turn_form(turn) for turn in listed]}, lines,
    )  # fmt: skip
    return 0


def _emit(
    session: Session, options: Options, forms: Iterable[dict[str, Any]],
    whole: Callable[[list[dict[str, Any]]], dict[str, Any]], lines: Iterable[str],
) -> None:  # fmt: skip
    """Print turns in the format that a call asks for, else as lines by the pager."""
    form = output.chosen(session, output.named(options), usual="lines")
    if form == "lines":
        output.emit_pages(session, [*lines][:-1])
    else:
        output.emit_rows(form, forms, whole=whole, lines=list)


def _row(held: KeptSession, turn: KeptTurn) -> dict[str, Any]:
    """Return a turn as a row that `sessions add` takes."""
    of = {"session": held.name, "client": held.client, "scope": held.scope}
    return of | turn_form(turn) | {"key": turn.key}


def _export(session: Session, names: list[str], options: Options) -> int:
    """Print the turns of a session, or of all that are seen, as rows."""
    seen = session.scopes(options.scope, everything=options.all_scopes)
    db = session.reading()
    if names:
        wanted = [_named(session, names[0])[1]]
    else:
        wanted = sessions.listed(db, viewer=session.viewer, scopes=seen)[::-1] if db else []
    forms = (
        _row(held, turn) for held in wanted if db
        for turn in sessions.turns_of(db, held.number, viewer=session.viewer)
    )  # fmt: skip
    form = output.chosen(session, output.named(options), usual="jsonl")
    output.emit_rows(form, forms, whole=lambda rows: {"turns": rows}, lines=list)
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
