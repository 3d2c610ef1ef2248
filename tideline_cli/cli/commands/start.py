"""tideline without a command: the start page."""

from __future__ import annotations

import os
import sys

from tideline_cli import __version__
from tideline_cli.cli import output
from tideline_cli.cli.commands import SUMMARY
from tideline_cli.cli.options import Argument, OptionSet
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError
from tideline_cli.store import stats
from tideline_cli.store.connection import DatabaseError

HELP = """Show where to begin.

What tideline is, five commands, where the memory is and how many facts it holds."""
EXAMPLES = (("", ""),)
ARGUMENTS: tuple[Argument, ...] = ()
_FIRST = (
    ('remember "TEXT"', "write a fact down"),
    ('recall "QUERY"', "find it again"),
    ("list", "see all of them"),
    ('context "PROMPT"', "facts for a prompt"),
    ("undo", "take a command back"),
)
Options = OptionSet


def run(session: Session, words: list[str], _: OptionSet) -> int:  # noqa: ARG001  none are taken
    """Show the page."""
    path = session.database
    count, why = _count(session)
    if session.json:
        form = {"version": __version__, "database": path, "origin": session.viewer.key,
                "facts": count}  # fmt: skip
        output.emit_json(form)
        return 0
    bright, dim, plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if _is_colored(session) else ("",) * 3
    width = max(len(call) for call, _ in _FIRST)
    lines = [f"  {call:<{width}}  {dim}{does}{plain}" for call, does in _FIRST]
    name = output.visible(_from_home(path))
    owner = session.viewer.is_owner
    whose = "" if owner else f" of {output.visible(output.shown_origin(session.viewer.key))}"
    sys.stdout.write("\n".join((
        f"{bright}tideline{plain} {__version__}", SUMMARY, "", *lines, "",
        f"{dim}memory{plain}  {name}", f"{dim}facts{plain}   {_told(count, why)}{whose}", "",
        f"{dim}`tideline help` lists all commands,",
        f"`tideline help COMMAND` explains one.{plain}", "",
    )))  # fmt: skip
    return 0


def _count(session: Session) -> tuple[int | None, str]:
    """Return how many active facts the viewer has; None, and why, where they cannot be counted."""
    try:
        db = session.reading()
        return (0 if db is None else stats.active(db, viewer=session.viewer)), ""
    except (TidelineError, DatabaseError) as error:
        return None, getattr(error, "message", str(error))


def _told(count: int | None, why: str) -> str:
    if count is None:
        return f"cannot be counted: {output.visible(why)}; see `tideline doctor`"
    return f"{count:,}" if count else 'none yet: begin with tideline remember "…"'


def _is_colored(session: Session) -> bool:
    """Say whether the page may be bold and dim."""
    if session.color == "auto":
        return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return session.color == "always"


def _from_home(path: str) -> str:
    """Return a path with ~ for the home folder, as people write it."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if home != "/" and path.startswith(home + os.sep) else path
