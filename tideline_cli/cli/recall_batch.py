"""Queries line by line for recall --batch: what a line asks, and what a bad one is answered."""

from __future__ import annotations

from tideline_cli.cli import output, stdin
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.exchange.importer import cells
from tideline_cli.memory.recall import write_back
from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.query import Recalled
    from tideline_cli.model.origin import Origin

    Answer = Callable[[str, Origin, int], tuple[dict[str, Any], Recalled]]

_KEYS = frozenset(("id", "query", "origin", "now"))


def run(session: Session, db: Connection | None, answer: Answer) -> int:
    """Answer one query a line, without counting use; vectors that an answer made are stored after
    it. A bad line is answered with its error; the exit code is the highest of theirs."""
    worst = bad = good = 0
    for number, line in enumerate(stdin.text().split("\n"), 1):
        if not line.strip():
            continue
        row: dict[str, Any] = {}
        found: Recalled | None = None
        try:
            row = _row(line)
            form, found = answer(*_asked(session, row))
            good += 1
        except UsageError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            form = {"line": number, "error": told}
            bad, worst = bad + 1, max(worst, error.exit_code)
        output.emit_json({"id": row["id"], **form} if "id" in row else form)
        if db is not None and found is not None:
            write_back(db, found, touch=False, now=session.now)
    if bad:
        session.note(f"{good:,} of {good + bad:,} lines are answered")
    return worst


def _asked(session: Session, row: dict[str, Any]) -> tuple[str, Origin, int]:
    """Return the question of a line, whose memory it asks, and when."""
    codec.check_keys(row, _KEYS)
    text, origin = row.get("query"), row.get("origin")
    if not isinstance(text, str):
        raise UsageError("no query", hint='give {"id": …, "query": "…"}')
    if not isinstance(origin, str | None):
        raise UsageError("origin is not a text", hint="owner, or a channel's session")
    viewer = session.origin(origin) if origin else session.viewer
    if viewer != session.viewer and not session.viewer.is_owner:
        raise UsageError("only the owner may ask for another origin", hint="leave it out")
    if viewer != session.viewer and session.config.get(TABLE):
        from tideline_cli.cli import own_databases  # noqa: PLC0415  few have such a table

        own_databases.check_is_here(session, viewer)
    return text, viewer, cells.instants(row, "now", session.now) or 0


def _row(line: str) -> dict[str, Any]:
    """Return what a line asks: the values of a JSON object, or the line as the query."""
    stdin.check_line(line)
    if not line.lstrip().startswith("{"):
        return {"query": line}
    try:
        row: dict[str, Any] = codec.loads(line)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="one JSON object a line, or a text") from error
    return row
