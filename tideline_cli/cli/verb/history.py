"""tideline history."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.cli.verb.show import ACTS
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.model import codec, instant
from tideline_cli.store import facts, journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.store.journal import Entry

HELP = """Show who changed what, and when.

Without ID the newest commands and what they did, blocked writes included; with ID the life of
one fact, oldest change first, with the values before each change."""
EXAMPLES = (("", "--limit 5"), ("@1", ""))
ARGUMENTS = (Argument("words", "ID", "Which fact.", "id", False),)
OPTIONS = (
    Option("limit", ("--limit", "-n"), "Commands to go back [default: 20].", "count", 20, least=1),
)


def run(session: Session, *, words: list[str], limit: int) -> int:
    """Show the history."""
    if len(words) > 1:
        raise UsageError("name one fact at most", hint="tideline history ID")
    db = session.reading()
    entries: list[Entry] = []
    if db is not None and words:
        seq, _ = facts.find(db, session.reference(words[0]), viewer=session.viewer)
        entries = list(journal.entries_of(db, seq, viewer=session.viewer))
    elif db is not None:
        entries = list(journal.entries(db, viewer=session.viewer, limit=limit))
    elif words:
        raise NotFoundError(f"no such id: {words[0]}", hint="the store is empty")
    if session.json:
        output.emit_json({"changes": [_form(entry) for entry in entries]})
    else:
        output.emit_lines([_line(entry) for entry in entries])
    return 0


def _form(entry: Entry) -> dict[str, Any]:
    return {
        "batch": entry.batch,
        "at": instant.iso(entry.at),
        "verb": entry.verb,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "entity": entry.entity,
        "act": ACTS[entry.act] if entry.act else None,
        "id": entry.fact,
        "before": _before(entry),
    }


def _before(entry: Entry) -> dict[str, Any] | None:
    """Return the old values by the names that users know."""
    if entry.before is None:
        return None
    row: dict[str, Any] = codec.loads(entry.before)
    hidden = ("seq", "origin", "number", "fact", "from_fact", "to_fact")
    return {name: value for name, value in row.items() if name not in hidden}


def _line(entry: Entry) -> str:
    start = f"{entry.batch}\t{instant.iso(entry.at)}\t{entry.verb}"
    if entry.outcome == "blocked":
        return f"{start}\tblocked: {entry.reason}"
    if entry.act is None:
        return f"{start}\tchanged nothing"
    return f"{start}\t{ACTS[entry.act]} {entry.entity} {entry.fact or ''}".rstrip()
