"""`export --format vault`: a folder of linked notes, and what is said of it."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.errors import UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.vault.write import WrittenVault
    from tideline_cli.store.facts import Filter

_NAMED = 3  # notes that a line names


def run(
    session: Session, named: list[str], wanted_of: Callable[[Connection], Filter]
) -> int:
    """Write the vault of an origin into the folder that is named."""
    if len(named) != 1 or named[0] == "-":
        raise UsageError("a vault needs one folder", hint="tideline export --format vault notes")
    db = session.reading()
    if db is None:
        raise UsageError(f"there is no store yet at {session.database}", hint="see --db")
    from tideline_cli.exchange.vault import write  # noqa: PLC0415  the scan of threats

    wanted = wanted_of(db)
    with snapshot(db):
        done = write.write(
            named[0], lambda: jsonl.forms(db, viewer=session.viewer, wanted=wanted),
            origin=session.viewer.key,
        )  # fmt: skip
    _report(session, named[0], done)
    return 0


def _report(session: Session, path: str, done: WrittenVault) -> None:
    if session.json:
        output.emit_json({
            "output": path, "format": "vault", "facts": done.notes, "changed": done.changed,
            "removed": done.removed, "edited": done.edited, "kept": done.kept,
            "strange": done.strange,
        })  # fmt: skip
        return
    notes = "1 note" if done.notes == 1 else f"{done.notes:,} notes"
    output.emit_lines([f"{path}: {notes}, {done.changed:,} written, {done.removed:,} removed"])
    if done.edited:
        session.note(
            f"left alone, with edits that are not in the memory: {_some(done.edited)}; "
            f"`{session.call('import', path, '--trust', '--merge')}` takes them in"
        )
    if done.kept:
        session.note(f"of facts that are gone, what you wrote is kept: {_some(done.kept)}")
    if done.strange:
        session.note(f"no notes of facts, left alone: {_some(done.strange)}")


def _some(names: list[str]) -> str:
    shown = ", ".join(output.visible(one) for one in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
