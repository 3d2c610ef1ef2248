"""tideline setup."""

from __future__ import annotations

import os
import sys

from tideline_cli import config
from tideline_cli.cli import output, own_program, setup_doors, setup_state
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model.closed_set import one_of
from tideline_cli.model.instant import iso
from tideline_cli.model.record import as_dict, record
from tideline_cli.serve.clients import CLIENTS
from tideline_cli.serve.setup_plan import Plan, SetupPlace, plan_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.cli.setup_doors import DoorOutcome
    from tideline_cli.cli.setup_state import DoorState

HELP = """Let agents use the memory, and undo that.

CLIENT is claude-code, codex, gemini or cursor; --all is those that are on this machine. Without one
this shows how they are. What is written is merged into what is there, behind it, and nothing is
overwritten; --dry-run shows all of it first. Where a client has commands for it, they are called;
what a client asks about trust is left to you, and said.

--remove takes it out again: a file that nobody has changed since gets its old bytes. --check ends
with 1 where a client is not set up, not approved, or leads to a program that is gone."""
EXAMPLES = (("", ""), ("claude-code", ""), ("--all", "--dry-run"), ("codex", "--remove"))
ARGUMENTS = (
    Argument("words", "CLIENT", "claude-code, codex, gemini, cursor.", "word", True, 0, (),
             ("one of " + " ".join(CLIENTS),)),
)  # fmt: skip
OPTIONS = (
    Option("all", ("--all",), "All clients that are on this machine.", "flag", False,
           excludes=("words",)),
    Option("check", ("--check",), "Only look; ends with 1 where something is amiss.", "flag",
           False, excludes=("remove", "dry_run")),
    Option("remove", ("--remove",), "Take it out again.", "flag", False),
    Option("dry_run", ("--dry-run", "-n"), "Show what would be written and called; do nothing.",
           "flag", False),
    Option("hooks", ("--hooks",), "Only the hooks: recall by itself.", "flag", False),
    Option("mcp", ("--mcp",), "Only the tools: `tideline mcp`.", "flag", False),
    Option("project", ("--project",), "Only in this project, the working folder.", "flag", False),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    all: bool
    check: bool
    remove: bool
    dry_run: bool
    hooks: bool
    mcp: bool
    project: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Set clients up, take that back, or say how they are."""
    place = _place(options)
    named = [one_of(word, CLIENTS, "client") for word in dict.fromkeys(words)]
    states = {name: _state(name, place) for name in CLIENTS}
    if options.all:
        named = [name for name, one in states.items() if one.found or one.is_set_up]
        if not named:
            raise UsageError("no client is on this machine", hint="name one: " + ", ".join(CLIENTS))
    if options.check or not named:
        return _show(session, [states[name] for name in named or CLIENTS], options)
    parts = _parts(options)
    plans = [_plan(session, name, parts, place) for name in named]
    if options.dry_run:
        from tideline_cli.cli import setup_preview  # noqa: PLC0415  difflib

        setup_preview.show(session, plans, place, removes=options.remove)
        return 0
    done = [_done(session, plan, place, states[plan.client], options) for plan in plans]
    _report(session, done)
    return 0


def _done(
    session: Session, plan: Plan, place: SetupPlace, state: DoorState, options: Options
) -> DoorOutcome:
    if options.remove:
        return setup_doors.take_back(plan, place)
    doors = {"hooks": state.hooks, "mcp": state.mcp}
    return setup_doors.set_up(
        plan, place, now=iso(session.now), is_whole=all(doors[part] for part in plan.parts),
        may_ask=sys.stdin.isatty() and sys.stdout.isatty() and not session.no_input,
    )  # fmt: skip


def _place(options: Options) -> SetupPlace:
    home = os.path.expanduser("~")
    codex = os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    claude = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    data = config.data_folder(os.environ)
    return SetupPlace(home, data, codex, claude, os.getcwd() if options.project else "")


def _parts(options: Options) -> tuple[str, ...]:
    """Return which doors are wanted: both, where neither is named."""
    wanted = [name for name in ("hooks", "mcp") if getattr(options, name)]
    if "mcp" in COMMANDS:
        return tuple(wanted) or ("hooks", "mcp")
    if wanted == ["mcp"]:
        raise UsageError("this program has no `mcp` command", hint="leave out --mcp")
    return ("hooks",)


def _plan(session: Session, name: str, parts: Sequence[str], place: SetupPlace) -> Plan:
    if place.project and name == "gemini":
        raise UsageError(
            "gemini takes extensions for the user alone", hint="leave out --project"
        )
    given = session.options
    more = [*(("--db", session.database) if given.db else ()),
            *(("--origin", given.origin) if given.origin else ())]  # fmt: skip
    return plan_of(name, own_program.own_words(), more, parts, place)


def _state(name: str, place: SetupPlace) -> DoorState:
    plan = plan_of(name, ("tideline",), (), ("hooks", "mcp"), place)
    return setup_state.state_of(plan, place, config.state_folder(os.environ))


def _show(session: Session, states: Sequence[DoorState], options: Options) -> int:
    is_amiss = any(
        not one.is_set_up or one.trusted is False or not one.is_valid for one in states
    )
    if session.json:
        output.emit_json({"clients": [as_dict(one) | {"amiss": _amiss(one)} for one in states]})
    else:
        output.emit_lines([_line(one) for one in states])
    return 1 if options.check and is_amiss else 0


def _amiss(one: DoorState) -> str | None:
    """Return what a person has to do, None for nothing."""
    if not one.is_set_up:
        return f"tideline setup {one.client}" if one.found else None
    if not one.is_valid:
        return f"its program is gone: tideline setup {one.client}"
    return "approve the hooks of tideline in /hooks" if one.trusted is False else None


def _line(one: DoorState) -> str:
    doors = [name for name in ("hooks", "mcp") if getattr(one, name)]
    how = " and ".join(doors) if doors else "not set up" if one.found else "not found"
    parts = [how, *([f"last call {one.last_call[:16].replace('T', ' ')}"] if one.last_call else []),
             *([amiss] if (amiss := _amiss(one)) else [])]  # fmt: skip
    return f"{one.client:<12} {'; '.join(parts)}"


def _report(session: Session, done: Sequence[DoorOutcome]) -> None:
    if session.json:
        output.emit_json({"clients": [_form(one) for one in done]})
        return
    lines = []
    for one in done:
        lines.append(f"{one.client:<12} {one.action}")
        lines += [f"  changed    {path}" for path in one.files]
        lines += [f"  ran        {_joined(command)}" for command in one.ran]
        lines += [f"  to run     {_joined(command)}" for command in one.left]
        lines += [f"  to do      {one.ask}"] if one.ask and one.action == "set up" else []
    output.emit_lines(lines)


def _form(one: DoorOutcome) -> dict[str, Any]:
    return as_dict(one) | {"ran": [[*words] for words in one.ran],
                           "left": [[*words] for words in one.left]}  # fmt: skip


def _joined(words: Sequence[str]) -> str:
    from shlex import join  # noqa: PLC0415  --json names words

    return join(words)
