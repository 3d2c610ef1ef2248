"""undo: take a whole batch back, exactly, or say what stands in the way."""

from __future__ import annotations

from itertools import islice, takewhile

from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory.undo_plan import (
    MANY,
    NothingLeftError,
    apply_undo,
    embed_missing,
    plan_undo,
)
from tideline_cli.model.record import record, replace
from tideline_cli.store import (
    history,
    journal,
    reads,
    steps,
    undo_rows,
)
from tideline_cli.store.history import Batch
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.memory.undo_plan import UndoPlan
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.steps import StandingBatch

FINAL = ("purge", "retention")
"""Verbs of batches that cannot be taken back."""
_CAME = "sync"
BESIDE = ("recall", _CAME)
"""Verbs of batches that nobody meant to make here: they are taken back by their number alone. What
another machine said can come at any moment, by cron, between a command and its undo."""
_HINT = "`tideline history` shows the batches of this origin"


@record
class Undone:
    """What an undo did, or would do: `batch` is its own number, 0 in a dry run; facts by id.
    `passed` holds the numbers of the newer batches that came by a sync and stay, newest first."""

    batch: int
    undone: int
    verb: str
    removed: tuple[str, ...]
    restored: tuple[str, ...]
    changed: tuple[str, ...]
    links_removed: int
    links_restored: int
    passed: tuple[int, ...] = ()


def undo(
    db: Connection, ordinal: int | None, *, viewer: Origin, now: int, dry_run: bool = False
) -> Undone:
    """Take back the batch with this number, also an undo; without one the newest batch that stands
    and is no undo, so that the next call steps further back. After a redo that is what it brought
    back, whatever was written before the redo. What came by a sync is no step.

    Raises NotFoundError for a batch that the viewer does not have and WriteBlockedError where
    later changes would be lost; then nothing has changed.
    """
    if ordinal is not None:
        batch = _named(db, ordinal, viewer)
        return take_batch_back(db, batch, viewer=viewer, now=now, dry_run=dry_run)
    came: list[int] = []
    back = _steps_back(db, viewer, came)
    while True:
        with snapshot(db):
            step = next(back, None)
            if step is None:
                break
            _, batch, count = step
            if batch.verb in FINAL:
                raise _final(
                    batch, next((one for _, one, _ in back if one.verb not in FINAL), None)
                )
            bulk = count > MANY
        passed = tuple(came)
        try:
            done = take_batch_back(db, batch, viewer=viewer, now=now, dry_run=dry_run, bulk=bulk)
            return replace(done, passed=passed)
        except NothingLeftError:  # others have taken back what it did: the step is no step
            continue
    synced = "all of it came by a sync: `tideline undo {}` takes back the newest batch"
    hint = synced.format(came[0]) if came else _HINT
    raise NotFoundError("there is nothing to undo", hint=hint)


def undoable(db: Connection, *, viewer: Origin, limit: int) -> list[StandingBatch]:
    """Return what `undo` would take back, newest first: one batch a call."""
    return [step for step, *_ in islice(_steps_back(db, viewer, []), limit)]


def take_batch_back(
    db: Connection, batch: Batch, *, viewer: Origin, now: int, dry_run: bool, verb: str = "undo",
    reason: str = "", bulk: bool | None = None,
) -> Undone:  # fmt: skip
    """Take back one batch, as a batch with this verb and reason."""
    if dry_run:
        with snapshot(db):
            return _report(batch, plan_undo(db, batch, viewer=viewer), 0)
    if bulk is None:
        bulk = undo_rows.fact_count(db, batch) > MANY
    with journal.batch(db, verb=verb, by=viewer, now=now, bulk=bulk) as own:
        plan = plan_undo(db, batch, viewer=viewer)
        own.explain(reason or f"batch {batch.ordinal} ({batch.verb})", undoes=batch.number)
        waiting = apply_undo(db, plan, bulk=bulk)
    for origin in waiting:
        embed_missing(db, origin)
    return _report(batch, plan, own.ordinal)


def _steps_back(
    db: Connection, viewer: Origin, came: list[int]
) -> Iterator[tuple[StandingBatch, Batch, int]]:
    """Yield the batches that stand, are no undo and changed anything, newest first, each with the
    count of facts that it added or deleted; what a redo
    brought back is as new as the redo. A purge counts, although the journal keeps no changes of it;
    the heat that a recall moved is no step, and what came by a sync, added to `came`."""
    for step in steps.back(db, viewer=viewer):
        if step.verb == _CAME:
            came.append(step.ordinal)
        if step.verb in BESIDE:
            continue
        texts = (history.BY_NUMBER, history.HAS_CHANGES, undo_rows.FACT_COUNT)
        found, has, count = reads.together(db, *(reads.asked(sql, (step.number,)) for sql in texts))
        batch = Batch(*found[0]) if found else None
        if batch is not None and (batch.verb in FINAL or has[0][0]):
            yield step, batch, int(count[0][0])


def _final(batch: Batch, older: Batch | None) -> WriteBlockedError:
    """Return the error of a step back that would pass what is final. What is older was not asked
    for: it is to be looked at and named."""
    said = f"the last batch ({batch.ordinal}, {batch.verb}) is final"
    if older is None:
        return WriteBlockedError(said, hint="there is nothing older to undo", code="undo_conflict")
    return WriteBlockedError(
        said,
        hint="`tideline undo --list` shows older ones, which `tideline undo BATCH` takes back; the "
        f"newest is {older.ordinal} ({older.verb})",
        code="undo_conflict",
    )


def _named(db: Connection, ordinal: int, viewer: Origin) -> Batch:
    """Return the batch with this number; raise an error when it is final, blocked or empty."""
    batch = history.find(db, ordinal, viewer=viewer)
    if batch is None:
        raise NotFoundError(f"no such batch: {ordinal}", hint=_HINT)
    if batch.outcome == "blocked":
        raise UsageError(f"batch {ordinal} was blocked: it changed nothing", hint=_HINT)
    if batch.verb in FINAL:
        raise WriteBlockedError(
            f"batch {ordinal} ({batch.verb}) cannot be undone: what it removed is gone for good",
            hint="`tideline forget` is the way that can be taken back",
            code="undo_conflict",
        )
    if not history.has_changes(db, batch):
        raise WriteBlockedError(
            f"batch {ordinal} changed nothing that is still there", hint=_HINT,
            code="undo_conflict",
        )  # fmt: skip
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
        *plan.edges,
    )


@record
class Redone:
    """What a redo did, or would do: `back` is the batch that stands again, `done` what became of
    the rows, `passed` why each newer undo was left as it is, and `kept` the number and verb of each
    batch that was made since that undo and stands: it stays, as an undo of an older batch leaves
    newer ones."""

    back: Batch
    done: Undone
    passed: tuple[str, ...]
    kept: tuple[tuple[int, str], ...]


def redo(db: Connection, *, viewer: Origin, now: int, dry_run: bool = False) -> Redone:
    """Bring back what the newest undo took, unless something later stands against that: then what
    the one before it took.

    Raises NotFoundError where no undo stands, and WriteBlockedError where none can be taken back.
    """
    passed: list[WriteBlockedError] = []
    for undone, back in _undos(db, viewer):
        try:
            done = take_batch_back(
                db, undone, viewer=viewer, now=now, dry_run=dry_run, verb="redo",
                reason=f"batch {back.ordinal} ({back.verb})",
            )  # fmt: skip
        except WriteBlockedError as error:
            passed.append(error)
            continue
        reasons = tuple(error.message for error in passed)
        return Redone(back, done, reasons, _made_since(db, undone, done.batch, viewer))
    if passed:
        raise passed[0]
    raise NotFoundError("there is nothing to redo", hint="redo takes back an undo")


def _made_since(
    db: Connection, undone: Batch, own: int, viewer: Origin
) -> tuple[tuple[int, str], ...]:
    """Return the batches that were made after an undo, stand, and are no step back or forward; the
    oldest first."""
    later = list(takewhile(
        lambda step: step.ordinal > undone.ordinal, steps.standing(db, viewer=viewer)
    ))  # fmt: skip
    asked = [step for step in later if not step.undoes and step.ordinal != own]
    found = reads.together(db, *(
        reads.asked(history.HAS_CHANGES, (step.number,)) for step in asked
    ))  # fmt: skip
    made = [
        (step.ordinal, step.verb) for step, rows in zip(asked, found, strict=True) if rows[0][0]
    ]
    return tuple(reversed(made))


def _undos(db: Connection, viewer: Origin) -> Iterator[tuple[Batch, Batch]]:
    """Yield the steps back that stand, newest first, each with the batch that stands again once it
    is taken back."""
    chains = steps.Chains(db, viewer=viewer)
    for step in steps.standing(db, viewer=viewer):
        if step.undoes is None or chains.bring_back(step.undoes):
            continue
        found, meant, has = reads.together(
            db, reads.asked(history.BY_NUMBER, (step.number,)),
            reads.asked(history.BY_NUMBER, (chains.first(step.undoes),)),
            reads.asked(history.HAS_CHANGES, (step.number,)),
        )  # fmt: skip
        if found and meant and has[0][0]:
            yield Batch(*found[0]), Batch(*meant[0])
