"""undo: take a whole batch back, exactly, or say what stands in the way."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory.undo_apply import MANY, apply_undo, embed_missing
from tideline_cli.memory.undo_plan import plan_undo
from tideline_cli.model.record import record
from tideline_cli.store import history, journal, undo_rows
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory.undo_plan import UndoPlan
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.history import Batch

_FINAL = ("purge", "retention")


@record
class Undone:
    """What an undo did, or would do: `batch` is its own number, 0 in a dry run; facts by id."""

    batch: int
    undone: int
    verb: str
    removed: tuple[str, ...]
    restored: tuple[str, ...]
    changed: tuple[str, ...]
    links_removed: int
    links_restored: int


def undo(
    db: Connection, ordinal: int | None, *, viewer: Origin, now: int, dry_run: bool = False
) -> Undone:
    """Take back the batch with this number, or the newest one that changed anything.

    Raises NotFoundError for a batch that the viewer does not have and WriteBlockedError where
    later changes would be lost; then nothing has changed.
    """
    batch = _batch_to_undo(db, ordinal, viewer)
    if dry_run:
        with snapshot(db):
            return _report(batch, plan_undo(db, batch, viewer=viewer), 0)
    bulk = undo_rows.fact_count(db, batch) > MANY
    with journal.batch(db, verb="undo", by=viewer, now=now, bulk=bulk) as own:
        plan = plan_undo(db, batch, viewer=viewer)
        own.explain(f"batch {batch.ordinal} ({batch.verb})", undoes=batch.number)
        waiting = apply_undo(db, plan, bulk=bulk)
    for origin in waiting:
        embed_missing(db, origin)
    return _report(batch, plan, own.ordinal)


def _batch_to_undo(db: Connection, ordinal: int | None, viewer: Origin) -> Batch:
    """Return the batch with this number, or the newest; raise an error when it is final, blocked
    or empty."""
    hint = "`tideline history` shows the batches of this origin"
    if ordinal is None:
        return _newest(db, viewer, hint)
    batch = history.find(db, ordinal, viewer=viewer)
    if batch is None:
        raise NotFoundError(f"no such batch: {ordinal}", hint=hint)
    if batch.outcome == "blocked":
        raise UsageError(f"batch {ordinal} was blocked: it changed nothing", hint=hint)
    if batch.verb in _FINAL:
        raise WriteBlockedError(
            f"batch {ordinal} ({batch.verb}) cannot be undone: what it removed is gone for good",
            hint="`tideline forget` is the way that can be taken back",
            code="undo_conflict",
        )
    if not history.has_changes(db, batch):
        raise WriteBlockedError(
            f"batch {ordinal} changed nothing that is still there", hint=hint, code="undo_conflict"
        )
    return batch


def _newest(db: Connection, viewer: Origin, hint: str) -> Batch:
    batch = history.newest(db, viewer=viewer)
    if batch is None:
        raise NotFoundError("there is nothing to undo", hint=hint)
    if batch.verb in _FINAL:
        raise WriteBlockedError(
            f"the last batch ({batch.ordinal}, {batch.verb}) is final",
            hint=f"name the one to undo; {hint}",
            code="undo_conflict",
        )
    return batch


def _report(batch: Batch, plan: UndoPlan, own: int) -> Undone:
    restored = sorted(plan.awoken | set(plan.facts.back))
    silent = {seq for seq in plan.uses if seq in plan.ids}
    changed = sorted((set(plan.facts.changed) | silent) - set(restored))
    return Undone(
        own,
        batch.ordinal,
        batch.verb,
        tuple(plan.ids[seq] for seq in sorted(plan.facts.gone)),
        tuple(plan.ids[seq] for seq in restored),
        tuple(plan.ids[seq] for seq in changed),
        len(plan.links.gone),
        len(plan.links.back),
    )
