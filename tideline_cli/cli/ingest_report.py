"""What an ingest says of itself: a line a document and a sentence, or an object; and on stderr what
was not taken."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.memory.secret_screening import replacement_note
from tideline_cli.model.finding import some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.errors import TidelineError
    from tideline_cli.exchange.ingest.files import Search
    from tideline_cli.exchange.ingest.summary import Outcome, Summary
    from tideline_cli.store.documents import Document

_MOST_LINES = 20
_MOST_NOTES = 10
_MOST_GONE = 3


def report(
    session: Session, summary: Summary, found: Search, missing: Sequence[Document], *,
    dry_run: bool,
) -> None:  # fmt: skip
    """Print what became of the documents. `missing` are those whose files are gone."""
    taken = summary.count("added", "changed", "unchanged")
    if session.json:
        output.emit_json(_form(summary, found, missing, dry_run=dry_run))
    elif taken:
        output.emit_lines([*_lines(summary), _sentence(summary, dry_run=dry_run)])
    _tell_skipped(session, summary, found, is_useful=taken > 0)
    for name, text in summary.warnings[:_MOST_NOTES]:
        session.caution("document", f"{name}: {text}")
    if len(summary.warnings) > _MOST_NOTES:
        session.note(f"and {len(summary.warnings) - _MOST_NOTES:,} more like it")
    _tell_missing(session, missing)
    secrets = summary.total("secrets")
    if secrets:
        session.note(f"{replacement_note(secrets)} before storing")
    if found.passed:
        files = "1 other file" if found.passed == 1 else f"{found.passed:,} other files"
        session.detail(f"{files} passed over; --glob takes what it matches")
    if summary.batch is not None:
        session.note(f"`{session.call('undo', str(summary.batch))}` takes all of it back")


def _lines(summary: Summary) -> list[str]:
    told = [one for one in summary.outcomes if one.action in ("added", "changed")]
    lines = [
        f"{output.one_line(one.name)}\t{_chunks(one.chunks)}{_changes(one)}"
        for one in told[:_MOST_LINES]
    ]
    if len(told) > _MOST_LINES:
        lines.append(f"and {len(told) - _MOST_LINES:,} more")
    return lines


def _changes(one: Outcome) -> str:
    """Return what has changed of a document that was there."""
    if one.action != "changed":
        return ""
    parts = ((one.added, "new"), (one.kept, "as before"), (one.superseded, "replaced"),
             (one.removed, "gone"))  # fmt: skip
    return "\t" + ", ".join(f"{count:,} {what}" for count, what in parts if count)


def _sentence(summary: Summary, *, dry_run: bool) -> str:
    counts = (
        (summary.count("added"), "added"), (summary.count("changed"), "changed"),
        (summary.count("unchanged"), "there already"), (summary.count("skipped"), "passed over"),
    )  # fmt: skip
    parts = [f"{count:,} {what}" for count, what in counts if count]
    first, _, what = parts[0].partition(" ")
    documents = "document" if first == "1" else "documents"
    said = ", ".join([f"{first} {documents} {what}", *parts[1:]])
    would = "would be stored" if dry_run else "stored as retrieved documents"
    blocked = summary.total("blocked")
    left_out = f", {_chunks(blocked)} left out by the scan" if blocked else ""
    if not summary.count("added", "changed"):
        return said
    return f"{said}; {_chunks(summary.total('added'))} {would}{left_out}"


def _chunks(count: int) -> str:
    return some(count, "chunk")


def _tell_skipped(session: Session, summary: Summary, found: Search, *, is_useful: bool) -> None:
    """Say what could not be read; where nothing was of use, the error says the first of it."""
    wrong = [(one.name, one.error) for one in summary.outcomes if one.error is not None]
    wrong += found.unread
    for name, error in wrong[0 if is_useful else 1 :][:_MOST_NOTES]:
        session.caution(error.code, f"{name} is passed over: {error.message}", hint=error.hint)
    if len(wrong) > _MOST_NOTES + (not is_useful):
        session.note(f"and {len(wrong) - _MOST_NOTES - (not is_useful):,} more are passed over")


def _tell_missing(session: Session, missing: Sequence[Document]) -> None:
    for one in missing[:_MOST_GONE]:
        remove = session.call("library", "rm", one.name)
        stay = "its chunk stays" if one.chunks == 1 else f"its {one.chunks:,} chunks stay"
        session.note(f"{one.name} is gone from the disk, {stay}: `{remove}` takes it out")
    if len(missing) > _MOST_GONE:
        session.note(f"and {len(missing) - _MOST_GONE:,} more are gone; --json names them all")


def _form(
    summary: Summary, found: Search, missing: Sequence[Document], *, dry_run: bool
) -> dict[str, Any]:
    return {
        "documents": [_outcome_form(one) for one in summary.outcomes],
        "added": summary.total("added"), "kept": summary.total("kept"),
        "superseded": summary.total("superseded"), "removed": summary.total("removed"),
        "blocked": summary.total("blocked"), "secrets": summary.total("secrets"),
        "passed_over": found.passed, "unread": list(_unread_forms(found)),
        "warnings": [{"name": name, "message": text} for name, text in summary.warnings],
        "missing": [one.name for one in missing], "batch": summary.batch, "dry_run": dry_run,
    }  # fmt: skip


def _outcome_form(one: Outcome) -> dict[str, Any]:
    return {
        "name": one.name, "path": one.path, "action": one.action, "chunks": one.chunks,
        "added": one.added, "kept": one.kept, "superseded": one.superseded,
        "removed": one.removed, "blocked": one.blocked,
        "error": None if one.error is None else _error_form(one.error),
    }  # fmt: skip


def _unread_forms(found: Search) -> Iterator[dict[str, Any]]:
    for path, error in found.unread:
        yield {"path": path, "error": _error_form(error)}


def _error_form(error: TidelineError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
