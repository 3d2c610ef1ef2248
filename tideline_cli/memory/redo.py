"""redo: step forward again, by taking back the newest undo that nothing later stands against."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError, WriteBlockedError
from tideline_cli.memory.undo import take_batch_back
from tideline_cli.model.record import record
from tideline_cli.store import history, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.memory.undo import Undone
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.history import Batch


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
    made: list[tuple[int, str]] = []
    for step in steps.standing(db, viewer=viewer):
        if step.ordinal <= undone.ordinal:
            break
        batch = None if step.undoes or step.ordinal == own else history.by_number(db, step.number)
        if batch is not None and history.has_changes(db, batch):
            made.append((step.ordinal, step.verb))
    return tuple(reversed(made))


def _undos(db: Connection, viewer: Origin) -> Iterator[tuple[Batch, Batch]]:
    """Yield the steps back that stand, newest first, each with the batch that stands again once it
    is taken back."""
    for step in steps.standing(db, viewer=viewer):
        if step.undoes is None or steps.brings_back(db, step.undoes):
            continue
        undone = history.by_number(db, step.number)
        back = history.by_number(db, steps.first(db, step.undoes))
        if undone is not None and back is not None and history.has_changes(db, undone):
            yield undone, back
