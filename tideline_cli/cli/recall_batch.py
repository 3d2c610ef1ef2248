"""Queries line by line for recall --batch: what a line asks, and what a bad one is answered."""

from __future__ import annotations

from tideline_cli.cli import output, stdin
from tideline_cli.errors import UsageError
from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.cli.session import Session


def run(session: Session, answered: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Answer one query a line, without counting use. A bad line is answered with its error; the
    exit code is the highest of theirs."""
    worst = bad = good = 0
    for number, line in enumerate(stdin.text().split("\n"), 1):
        if not line.strip():
            continue
        row: dict[str, Any] = {}
        try:
            row = _row(line)
            form = answered(row)
            good += 1
        except UsageError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            form = {"line": number, "error": told}
            bad, worst = bad + 1, max(worst, error.exit_code)
        output.emit_json({"id": row["id"], **form} if "id" in row else form)
    if bad:
        session.note(f"{good:,} of {good + bad:,} lines are answered")
    return worst


def _row(line: str) -> dict[str, Any]:
    """Return what a line asks: the values of a JSON object, or the line as the query."""
    if not line.lstrip().startswith("{"):
        return {"query": line}
    try:
        row: dict[str, Any] = codec.loads(line)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="one JSON object a line, or a text") from error
    return row
