"""`export --format vault`: a folder of linked notes, and what is said of it."""

from __future__ import annotations

import os

from tideline_cli.cli import output
from tideline_cli.errors import UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.model.finding import some
from tideline_cli.store import facts, references
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.vault.write import WrittenVault
    from tideline_cli.store.facts import Filter

_NAMED = 3  # notes that a line names


def run(
    session: Session, named: list[str], wanted_of: Callable[[Connection], Filter], *,
    is_filtered: bool,
) -> int:  # fmt: skip
    """Write the vault of an origin into the folder that is named; return the exit code."""
    if len(named) != 1 or named[0] == "-":
        raise UsageError("a vault needs one folder", hint="tideline export --format vault notes")
    db = session.reading()
    if db is None:
        session.note(f"nothing to export: there is no store yet at {session.database}")
        return 1
    wanted = wanted_of(db)
    with snapshot(db):
        is_empty = is_filtered and next(_forms(session, db, wanted), None) is None
        if not is_empty or _is_vault(named[0]):
            _report(session, named[0], _written(session, db, named[0], wanted))
    if is_empty:
        session.note("nothing to export: no fact is as the filters ask")
    return 1 if is_empty else 0


def _written(session: Session, db: Connection, path: str, wanted: Filter) -> WrittenVault:
    from tideline_cli.exchange.vault import write  # noqa: PLC0415  the scan of threats

    return write.write(
        path, lambda: _forms(session, db, wanted), origin=session.viewer.key,
        is_there=lambda fact_id: _is_there(session, db, fact_id, wanted.lifecycle),
    )  # fmt: skip


def _forms(session: Session, db: Connection, wanted: Filter) -> Iterator[dict[str, Any]]:
    return jsonl.forms(db, viewer=session.viewer, wanted=wanted)


def _is_there(session: Session, db: Connection, fact_id: str, lifecycle: str | None) -> bool:
    """Say whether a fact may keep its note: it is active, or of the lifecycle that is exported."""
    if not references.exists(db, fact_id, viewer=session.viewer):
        return False
    known = facts.find(db, fact_id, viewer=session.viewer)
    return lifecycle is None or known.lifecycle in ("active", lifecycle)


def _is_vault(path: str) -> bool:
    from tideline_cli.exchange.vault import read  # noqa: PLC0415  the rows of an import

    return os.path.isdir(path) and read.is_vault(path)


def _report(session: Session, path: str, done: WrittenVault) -> None:
    if session.json:
        output.emit_json({
            "output": path, "format": "vault", "facts": done.notes, "changed": done.changed,
            "removed": done.removed, "edited": done.edited, "kept": done.kept,
            "strange": done.strange, "outside": done.outside,
        })  # fmt: skip
        return
    notes = "1 note" if done.notes == 1 else f"{done.notes:,} notes"
    output.emit_lines([f"{path}: {notes}, {done.changed:,} written, {done.removed:,} removed"])
    if done.outside:
        session.note(f"left as they are, outside of the filters: {some(done.outside, 'note')}")
    if done.edited:
        session.note(
            f"left alone, with edits that are not in the memory: {_some(done.edited)}; "
            f"`{session.call('import', path, '--trust', '--merge')}` takes them in"
        )
    if done.kept:
        session.note(f"of facts that are gone, what you wrote is kept: {_some(done.kept)}")
    if done.strange:
        session.note(f"neither notes nor hubs of an export, left alone: {_some(done.strange)}")


def _some(names: list[str]) -> str:
    shown = ", ".join(output.visible(one) for one in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
