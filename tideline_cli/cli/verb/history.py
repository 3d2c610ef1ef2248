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
    afters: list[str | None] = []
    if db is not None and words:
        seq, _ = facts.find(db, session.reference(words[0]), viewer=session.viewer)
        entries = list(journal.entries_of(db, seq, viewer=session.viewer))
        now = {entity: journal.state(db, entity, seq) for entity in ("fact", "usage")}
        afters = _afters(entries, now)
    elif db is not None:
        entries = list(journal.entries(db, viewer=session.viewer, limit=limit))
        afters = [None] * len(entries)
    elif words:
        raise NotFoundError(f"no such id: {words[0]}", hint="the store is empty")
    pairs = list(zip(entries, afters, strict=True))
    if session.json:
        output.emit_json({"changes": [_form(entry, after) for entry, after in pairs]})
    else:
        output.emit_lines([_line(entry, after) for entry, after in pairs])
    return 0


def _afters(entries: list[Entry], now: dict[str, str | None]) -> list[str | None]:
    """Return the row after each change: what the next change found, or what is there now."""
    latest = dict(now)
    afters: list[str | None] = []
    for entry in reversed(entries):
        entity = entry.entity or "fact"
        afters.append(None if entry.act == "-" else latest.get(entity))
        latest[entity] = entry.before
    return afters[::-1]


def _form(entry: Entry, after: str | None) -> dict[str, Any]:
    return {
        "batch": entry.batch,
        "at": instant.iso(entry.at),
        "verb": entry.verb,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "entity": entry.entity,
        "act": ACTS[entry.act] if entry.act else None,
        "id": entry.fact,
        "before": _values(entry.before),
        "after": _values(after),
    }


def _values(row: str | None) -> dict[str, Any] | None:
    """Return the values of a row by the names that users know."""
    if row is None:
        return None
    hidden = ("seq", "origin", "number", "fact", "from_fact", "to_fact")
    return {name: value for name, value in codec.loads(row).items() if name not in hidden}


def _line(entry: Entry, after: str | None) -> str:
    start = f"{entry.batch}\t{instant.iso(entry.at)}\t{entry.verb}"
    if entry.outcome == "blocked":
        return f"{start}\tblocked: {entry.reason}"
    if entry.act is None:
        return f"{start}\tchanged nothing"
    what = "use" if entry.entity == "usage" else entry.entity
    line = f"{start}\t{ACTS[entry.act]} {what} {entry.fact or ''}".rstrip()
    old, new = _values(entry.before), _values(after)
    if old is None or new is None:
        return line
    changed = [
        f"{name}: {_shown(name, old[name])} → {_shown(name, value)}"
        for name, value in new.items()
        if old.get(name) != value
    ]
    return f"{line}\t{', '.join(changed)}" if changed else line


def _shown(name: str, value: Any) -> str:
    is_time = isinstance(value, int) and (name.endswith("_at") or name.startswith("valid_"))
    return instant.iso(value) if is_time else codec.dumps(value)
