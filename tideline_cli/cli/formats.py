"""In which format a command prints its result: one option, its short forms, and how rows become
text in each of them."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Option
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from tideline_cli.cli.session import Session

JSONL = Option("jsonl", ("--jsonl",), "Print one JSON object a line.", "flag", False)
"""The short form of `--format jsonl`; that of `--format json` is the global `--json`."""
BESIDE = (("json", ("json", "jsonl")), ("jsonl", ("jsonl",)))
"""The formats that can be named beside each short form."""
ROWS = Option(
    "format", ("--format",), "table, lines, json or jsonl [default: a table on a terminal, lines "
    "elsewhere]; --json goes with json and jsonl alone.", "choice",
    choices=("table", "lines", "json", "jsonl"), beside=BESIDE,
)  # fmt: skip
"""The format of a command that prints rows, and has a table for them."""
LINES = Option(
    "format", ("--format",), "lines, json or jsonl [default: lines]; --json goes with json and "
    "jsonl alone.", "choice", choices=("lines", "json", "jsonl"), beside=BESIDE,
)  # fmt: skip
"""The format of a command that prints rows, and has no table for them."""


def chosen(session: Session, named: str | None, *, jsonl: bool = False, usual: str) -> str:
    """Return the format that a call asks for, by `--format` or a short form; else the usual one."""
    if jsonl:
        return "jsonl"
    return named or ("json" if session.json else usual)


def usual_of_rows(session: Session) -> str:
    """Return the format of rows where none is asked for: a table on a terminal."""
    return "table" if output.is_terminal(session) else "lines"


def is_json(session: Session, format: str) -> bool:
    """Say whether a call asks for one JSON object, which itself says when nothing was found."""
    return session.json or format == "json"


def check_beside_json(session: Session, format: str, allowed: Sequence[str]) -> None:
    """Raise UsageError for a format that is printed beside --json and is none of `allowed`."""
    if session.json and format not in allowed:
        raise UsageError(f"--json cannot go with --format {format}", hint="leave one of them out")


def emit_rows(
    format: str,
    forms: Iterable[dict[str, Any]],
    *,
    whole: Callable[[list[dict[str, Any]]], dict[str, Any]],
    lines: Callable[[], Sequence[str]],
    table: Callable[[], None] | None = None,
) -> None:
    """Print rows: as the one object that `whole` makes of their forms, as one object a row, as
    lines, or as a table. Nothing is made that the format does not need."""
    if format == "json":
        output.emit_json(whole(list(forms)))
    elif format == "jsonl":
        for form in forms:
            output.emit_json(form)
    elif format == "table" and table is not None:
        table()
    else:
        output.emit_lines(lines())
