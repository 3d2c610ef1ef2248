"""tideline setup."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from difflib import unified_diff
from shlex import join

from tideline_cli import config
from tideline_cli.cli import output, own_program
from tideline_cli.cli.commands.setup import answers, clients
from tideline_cli.cli.commands.setup.answers import MODELS
from tideline_cli.cli.commands.setup.clients import DoorOutcome, Work
from tideline_cli.cli.options import Argument, OptionSet, choice, flag
from tideline_cli.cli.session import Session
from tideline_cli.config.replacing import FolderLock
from tideline_cli.errors import CannotWriteError, UsageError
from tideline_cli.model.instant import iso
from tideline_cli.model.record import as_dict, replace
from tideline_cli.model.short_text import one_of
from tideline_cli.serve import setup_files
from tideline_cli.serve.clients import CLIENTS
from tideline_cli.serve.setup_files import BACKUP
from tideline_cli.serve.setup_plan import (
    ASKS,
    HOOKS,
    MCP,
    PROGRAMS,
    SetupPlace,
    calls_of,
    client_folders,
    plan_of,
)
from tideline_cli.store.private_files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.cli.commands.setup.clients import DoorState, Edit
    from tideline_cli.serve.setup_files import SetUpRow

HELP = """Let agents use the memory, and undo that.

CLIENT is claude-code, codex, gemini, cursor, opencode, vscode or zed (the last three take the tools
alone); --all is those that are on this machine. Without one this shows how they are. What is
written is merged into what is there, behind it, and nothing is overwritten; --dry-run shows all of
it first. Where a client has commands for it, they are called; what a client asks about trust is
left to you, and said. A hook or a server of the same name that somebody made by hand is refused.

At a terminal it asks whether sessions are kept, which model distils conversations, and whether
every night tends the memory. An answer that nobody gives changes nothing; --remove of the last
client takes the others back.

--remove takes it out again, and nothing else: a file that says what it said gets its old bytes.
--check ends with 1 where a client that is on this machine or named is not set up, not approved, or
leads to a program that is gone."""
EXAMPLES = (("", ""), ("claude-code", ""), ("--all", "--dry-run"), ("codex", "--remove"))
ARGUMENTS = (
    Argument("words", "CLIENT", f"{', '.join(PROGRAMS)}.", "word", True, 0, (),
             ("one of " + " ".join(PROGRAMS),)),
)  # fmt: skip
_LABEL = 13


class Options(OptionSet):
    """The options of a call."""

    all = flag("All clients that are on this machine.", excludes=("words",))
    check = flag("Only look; ends with 1 where something is amiss.", excludes=("remove", "dry_run"))
    remove = flag("Take it out again.")
    dry_run = flag("Show what would be written and called; do nothing.", short="-n")
    hooks = flag("Only the hooks: recall by itself.")
    mcp = flag("Only the tools: `tideline mcp`.")
    project = flag("Only in this project, the working folder.")
    sessions = choice(("off", "turns"))(
        "What is kept of sessions: nothing, or what is said, word for word [setting: sessions].",
        excludes=("check", "remove", "dry_run"),
    )
    model = choice(MODELS)(
        "The model that distils conversations: an agent's program, a server on this machine, or "
        "none [settings: llm, base_url, model].",
        excludes=("check", "remove", "dry_run"),
    )
    schedule = flag("Also let every night tend the memory: `tideline schedule`.",
                    excludes=("check", "remove", "dry_run"))  # fmt: skip
    soon = flag("Also let hooks have conversations distilled minutes after they have settled "
                "[setting: extract_soon].", excludes=("check", "remove", "dry_run"))  # fmt: skip
    yes = flag("Ask nothing: what no option says stays as it is.", short="-y")


def run(session: Session, words: list[str], options: Options) -> int:
    """Set clients up, take that back, or say how they are."""
    place = _place(options)
    named = [one_of(word, tuple(PROGRAMS), "client") for word in dict.fromkeys(words)]
    if options.check or not (named or options.all):
        if options.sessions or options.model or options.schedule or options.soon:
            raise UsageError("name a client, or --all", hint="tideline config sets the rest alone")
        return _show(session, place, named, options)
    rows = setup_files.setup_rows(place.data)
    if options.all:
        named = _on_this_machine(session, place, rows, may_be_none=options.remove,
                                 hooks_alone=options.hooks and not options.mcp)  # fmt: skip
    parts = {name: _parts(session, name, place, options) for name in named}
    if options.dry_run:
        _show_preview(session, [
            _work(session, name, parts[name], place, removes=options.remove) for name in named
        ])  # fmt: skip
        return 0
    wanted = answers.by_flags(session, options, place)
    with _lock(place, makes=not options.remove):
        done = [_done(session, name, parts[name], place, options) for name in named]
    if options.remove:
        answers.take_back(session, place)
    else:
        answers.put(session, wanted, place)
    _report(session, done, place)
    has_hooks = any(HOOKS in parts[name] for name in named)
    if not options.remove and has_hooks and not options.yes and answers.may_ask(session):
        output.deliver()
        answers.put(session, answers.asked(session, wanted, place), place)
    _report_answers(session, place)
    if not options.remove:
        _tell_of_memory(session)
    if options.remove and options.all:
        _note_projects(session, setup_files.setup_rows(place.data))
    return 0


def _tell_of_memory(session: Session) -> None:
    """Say where the memory is named by what an agent may not have, and where it does not stay."""
    by = session.named_by
    if by == "default" and os.environ.get("TIDELINE_HOME"):
        by = "TIDELINE_HOME"
    if by.startswith("TIDELINE_"):
        session.note(f"an agent takes this memory where it is started with {by} as here; "
                     "--db PATH writes it in")  # fmt: skip
    own_program.caution_of_throw_away(session, "the agents get")


def _note_projects(session: Session, rows: Mapping[str, SetUpRow]) -> None:
    """Say what is set up elsewhere still: a project is taken back where it is."""
    for row, name in ((row, name) for name, row in rows.items() if row.project):
        client = name.partition(" ")[0]
        session.note(f"still set up: {client} in {row.project}; there, "
                     f"`tideline setup {client} --remove --project`")  # fmt: skip


def _done(
    session: Session, name: str, parts: tuple[str, ...], place: SetupPlace, options: Options
) -> DoorOutcome:
    row = setup_files.setup_rows(place.data).get(setup_files.name_of(name, place.project))
    return clients.do(_work(session, name, parts, place, removes=options.remove), place, row)


def _on_this_machine(
    session: Session, place: SetupPlace, rows: Mapping[str, SetUpRow], *, may_be_none: bool,
    hooks_alone: bool,
) -> list[str]:  # fmt: skip
    states = {name: _state(name, place, rows, session) for name in PROGRAMS}
    named = [name for name, one in states.items()
             if one.found or one.is_set_up or setup_files.name_of(name, place.project) in rows]
    if place.project and "gemini" in named:
        named.remove("gemini")  # it takes extensions for the user alone
    if hooks_alone:
        named = [name for name in named if name in CLIENTS]
    if not named and not may_be_none:
        raise UsageError("no client is on this machine", hint="name one: " + ", ".join(PROGRAMS))
    if not named:
        session.note("no client is set up, so nothing was taken out")
    return named


def _lock(place: SetupPlace, *, makes: bool) -> FolderLock | nullcontext[None]:
    """Let one set-up work at a time; where nothing is set up, nothing is taken back."""
    if makes:
        make_folder(place.data)
    return FolderLock(place.doors) if os.path.isdir(place.data) else nullcontext()


def _place(options: Options) -> SetupPlace:
    home = os.path.expanduser("~")
    data = config.data_folder(os.environ)
    return SetupPlace(home, data, client_folders(os.environ, home, sys.platform),
                      os.getcwd() if options.project else "")  # fmt: skip


def _parts(session: Session, name: str, place: SetupPlace, options: Options) -> tuple[str, ...]:
    """Return which doors are wanted: both, where neither is named. Raise UsageError for what a
    client has no place for."""
    wanted = tuple(part for part in (HOOKS, MCP) if getattr(options, part))
    if name not in CLIENTS:
        if wanted == (HOOKS,):
            raise UsageError(f"{name} takes the tools alone", hint="leave out --hooks")
        return (MCP,)
    if not place.project or options.remove:
        return wanted or (HOOKS, MCP)
    if os.path.realpath(place.of(name)) == os.path.realpath(replace(place, project="").of(name)):
        raise UsageError("what is set up in the home folder is for all projects",
                         hint="leave out --project")  # fmt: skip
    if name == "gemini":
        raise UsageError("gemini takes extensions for the user alone", hint="leave out --project")
    if name == "codex" and wanted == (MCP,):
        raise UsageError("codex takes servers for the user alone", hint="leave out --project")
    if name == "codex" and not wanted:
        session.note("codex takes servers for the user alone: only the hooks are for this project; "
                     "the tools by `tideline setup codex --mcp`")  # fmt: skip
        return (HOOKS,)
    return wanted or (HOOKS, MCP)


def _state(
    name: str, place: SetupPlace, rows: Mapping[str, SetUpRow], session: Session
) -> DoorState:
    row = rows.get(setup_files.name_of(name, place.project))
    plan = plan_of(name, calls_of(name, ("tideline",), (), (HOOKS, MCP)), place)
    try:
        return clients.state_of(plan, place, config.state_folder(os.environ), row)
    except OSError as error:
        session.note(f"{name}: {error.strerror} {error.filename}")
        return clients.unknown(plan, place)


def _show(session: Session, place: SetupPlace, named: Sequence[str], options: Options) -> int:
    """Show how clients are. What is not on this machine is amiss only where it is named."""
    try:
        rows = setup_files.setup_rows(place.data)
    except CannotWriteError as error:
        rows = {}
        session.note(f"{error.message}; {error.hint}")
    states = [_state(name, place, rows, session) for name in named or PROGRAMS]
    if session.json:
        forms = [as_dict(one) | {"amiss": _amiss(one)} for one in states]
        output.emit_json({"clients": forms, **answers.held()})
    else:
        output.emit_lines(output.labelled([_line(one) for one in states], _LABEL))
        if rows:
            _report_answers(session, place)
    is_amiss = any(_amiss(one) or (named and not one.is_set_up) for one in states)
    return 1 if options.check and is_amiss else 0


def _amiss(one: DoorState) -> str | None:
    """Return what a person has to do, None for nothing."""
    if not one.is_set_up:
        return f"tideline setup {one.client}" if one.found else None
    if not one.is_valid:
        return f"its program is gone: tideline setup {one.client}"
    return ASKS[one.client] if one.trusted is False else None


def _line(one: DoorState) -> str:
    """Return how a client is, the same after a set-up and for --check."""
    doors = [name for name in ("hooks", "mcp") if getattr(one, name)]
    how = " and ".join(doors) if doors else "not set up" if one.found else "not found"
    parts = [how, *([f"last call {one.last_call[:16].replace('T', ' ')}"] if one.last_call else []),
             *([amiss] if (amiss := _amiss(one)) else [])]  # fmt: skip
    return f"{one.client:<12} {'; '.join(parts)}"


def _report(session: Session, done: Sequence[DoorOutcome], place: SetupPlace) -> None:
    """Say how each client is now, and what was done for that."""
    if session.json:
        output.emit_json({"clients": [_form(one) for one in done], **answers.held()})
        return
    rows, lines = setup_files.setup_rows(place.data), []
    for one in done:
        line = _line(_state(one.client, place, rows, session))
        lines += output.labelled([line], _LABEL)
        lines += [f"  {one.action}"] if one.action != "set up" else []
        lines += [f"  changed    {path}" for path in one.files]
        lines += [f"  ran        {join(command)}" for command in one.ran]
        lines += [f"  to run     {join(command)}" for command in one.left]
        is_left = one.action == "set up" and one.ask not in line
        lines += output.labelled([f"  to do      {one.ask}"], _LABEL) if is_left else []
    output.emit_lines(lines)


def _report_answers(session: Session, place: SetupPlace) -> None:
    """Say what is read and kept, which model distils and what happens at night, where a client is
    set up."""
    rows = setup_files.setup_rows(place.data)
    if rows and not session.json:
        hooked = [name for name, row in rows.items() if HOOKS in row.calls]
        output.emit_lines(["", *output.labelled(answers.lines(session, hooked), _LABEL)])


def _form(one: DoorOutcome) -> dict[str, Any]:
    return as_dict(one) | {"ran": [[*words] for words in one.ran],
                           "left": [[*words] for words in one.left]}  # fmt: skip


def _show_preview(session: Session, works: Sequence[Work]) -> None:
    """Print what would be done, and do nothing."""
    if session.json:
        output.emit_json({"dry_run": True, "clients": [
            {"client": work.plan.client, "action": work.action, "files": _changed_files(work),
             "commands": [[*one] for one in (*work.undo, *work.run)],
             "left": [[*one] for one in work.left]}
            for work in works
        ]})  # fmt: skip
        return
    output.emit_lines([line for work in works for line in _preview_lines(work)])


def _changed_files(work: Work) -> list[str]:
    names = [name for name, _ in work.plan.files] if work.is_fresh else []
    return [*(edit.path for edit in work.edits), *work.drops,
            *(os.path.join(work.plan.folder, name) for name in names)]  # fmt: skip


def _preview_lines(work: Work) -> Iterator[str]:
    does = work.edits or work.is_fresh or work.drops or work.undo or work.run or work.left
    yield f"# {work.plan.client}" + ("" if does else f": {work.action}")
    yield from (f"$ {join(command)}" for command in work.undo)
    for edit in work.edits:
        if edit.has_backup:
            yield f"# {edit.path + BACKUP}: a copy of it"
        yield from _diff(edit)
    for name, text in work.plan.files if work.is_fresh else ():
        path = os.path.join(work.plan.folder, name)
        if name.endswith(".json"):
            yield from unified_diff([], text.splitlines(), "/dev/null", path, lineterm="")
        else:
            yield f"# {path}"
    yield from (f"# {path} goes" for path in (*work.drops, *work.backups))
    yield from (f"$ {join(command)}" for command in work.run)
    yield from (f"# to run by you: {join(command)}" for command in work.left)
    yield from (f"# {path} gets its old bytes, if it says nothing new" for path, _ in work.watched)


def _diff(edit: Edit) -> Iterator[str]:
    old, new = (edit.path if raw is not None else "/dev/null" for raw in (edit.old, edit.new))
    return unified_diff(_text_lines(edit.old), _text_lines(edit.new), old, new, lineterm="", n=2)


def _text_lines(raw: bytes | None) -> list[str]:
    return (raw or b"").decode("utf-8", "replace").splitlines()


def _work(
    session: Session, name: str, parts: tuple[str, ...], place: SetupPlace, *, removes: bool
) -> Work:
    """Return the work for a client."""
    row = setup_files.setup_rows(place.data).get(setup_files.name_of(name, place.project))
    if removes:
        return _removal(name, parts, place, row)
    calls = calls_of(name, own_program.own_words(), _more(session), parts)
    plan = plan_of(name, {**(row.calls if row is not None else {}), **calls}, place)
    return clients.setting_up(
        plan, place, row, now=iso(session.now),
        may_ask=sys.stdin.isatty() and sys.stdout.isatty() and not session.no_input,
    )  # fmt: skip


def _removal(
    name: str, parts: tuple[str, ...], place: SetupPlace, row: SetUpRow | None
) -> Work:
    """Return the work of a removal: of a folder of ours that keeps one part, that it is written
    anew."""
    calls = dict(row.calls) if row is not None else calls_of(name, ("tideline",), (), parts)
    rest = {part: words for part, words in calls.items() if part not in parts}
    gone = {part: words for part, words in calls.items() if part in parts}
    whole = plan_of(name, calls, place)
    if row is not None and not gone:
        return Work(whole, "absent", row)
    if row is not None and rest and whole.folder:
        work = clients.setting_up(plan_of(name, rest, place), place, row, now=row.at, may_ask=False)
        return replace(work, action="removed", ask="")
    return clients.taking_back(plan_of(name, gone if rest else calls, place), place, row)


def _more(session: Session) -> list[str]:
    given = session.options
    return [*(("--db", session.database) if given.db else ()),
            *(("--origin", given.origin) if given.origin else ())]  # fmt: skip
