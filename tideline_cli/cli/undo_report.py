"""How undo and redo say what they did, and what they could do."""

from __future__ import annotations

from tideline_cli.cli import deed_words, output
from tideline_cli.memory.undo import FINAL
from tideline_cli.model import instant
from tideline_cli.store import deeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.undo import Undone
    from tideline_cli.store.deeds import BatchDeeds
    from tideline_cli.store.steps import StandingBatch


def form(done: Undone, *, dry_run: bool) -> dict[str, Any]:
    """Return the JSON object of an undo."""
    return {
        "batch": None if dry_run else done.batch,
        "undone": done.undone,
        "verb": done.verb,
        "facts": {
            "removed": list(done.removed),
            "restored": list(done.restored),
            "changed": list(done.changed),
        },
        "links": {"removed": done.links_removed, "restored": done.links_restored},
        "dry_run": dry_run,
    }


def in_words(ordinal: int, verb: str, done: Undone) -> str:
    """Return which batch is meant, and what became of facts and links."""
    parts = [
        f"{count:,} {noun if count == 1 else noun + 's'} {deed}"
        for count, noun, deed in (
            (len(done.removed), "fact", "removed"),
            (len(done.restored), "fact", "restored"),
            (len(done.changed), "fact", "changed"),
            (done.links_removed, "link", "removed"),
            (done.links_restored, "link", "restored"),
        )
        if count
    ]
    return f"batch {ordinal} ({verb}): {', '.join(parts) or 'nothing to do'}"


def show(
    session: Session, db: Connection | None, found: Sequence[StandingBatch], *, is_cut: bool
) -> None:
    """Print what could be undone."""
    ordinals = [step.ordinal for step in found]
    did = {} if db is None else deeds.of(db, ordinals, viewer=session.viewer)
    if session.json:
        forms = [_form(step, did[step.ordinal]) for step in found]
        output.emit_json({"batches": forms, "truncated": is_cut})
        return
    texts = [_what(step, did[step.ordinal]) for step in found]
    if found and output.is_terminal(session):
        from tideline_cli.cli import history_table  # noqa: PLC0415  rich, 20 ms

        history_table.steps(session, found, texts)
    else:
        output.emit_lines([
            f"{step.ordinal}\t{instant.iso(step.at)}\t{step.verb}\t{text}"
            for step, text in zip(found, texts, strict=True)
        ])  # fmt: skip
    if is_cut:
        session.note("there are more: --limit 0 shows all")
    if not found:
        session.note("there is nothing to undo")


def _what(step: StandingBatch, did: BatchDeeds) -> str:
    """Return what a batch did, or that it cannot be taken back."""
    if step.verb in FINAL:
        return "final: gone for good; older ones are undone by number"
    return deed_words.said(did)


def _form(step: StandingBatch, did: BatchDeeds) -> dict[str, Any]:
    made = did.counts
    return {
        "batch": step.ordinal,
        "at": instant.iso(step.at),
        "verb": step.verb,
        "final": step.verb in FINAL,
        "facts": {"added": made.added, "changed": made.changed, "removed": made.removed},
        "links": {"added": made.linked, "changed": made.relinked, "removed": made.unlinked},
        "id": did.fact,
        "content": did.text,
    }
