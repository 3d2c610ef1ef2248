"""Looking batches up: by the number that users see, the newest, the one behind a change."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.origin import Origin


@record
class Batch:
    """A batch as the journal knows it; its changes have the number `first` or a higher one."""

    number: int
    origin: str
    ordinal: int
    verb: str
    outcome: str
    reason: str | None
    first: int


_BATCH = """
SELECT batch.number, origin.key, ordinal, verb, outcome, reason, first
FROM batch JOIN origin ON origin.number = batch.origin
"""
_CHANGED = "EXISTS (SELECT 1 FROM change WHERE number >= first AND batch = batch.number)"


def find(db: Connection, ordinal: int, *, viewer: Origin) -> Batch | None:
    """Return the batch of an origin that its users know by this number."""
    row = db.execute(f"{_BATCH} WHERE origin.key = ? AND ordinal = ?", (viewer.key, ordinal))
    return next((Batch(*values) for values in row), None)


def newest(db: Connection, *, viewer: Origin) -> Batch | None:
    """Return the newest batch of an origin that changed anything; of a purge nothing is known but
    that."""
    rows = db.execute(
        f"{_BATCH} WHERE origin.key = ? AND outcome = 'done'"
        f" AND (verb IN ('purge', 'retention') OR {_CHANGED})"
        " ORDER BY ordinal DESC LIMIT 1",
        (viewer.key,),
    )
    return next((Batch(*values) for values in rows), None)


def by_number(db: Connection, number: int) -> Batch | None:
    """Return the batch with this number, whosoever it is; None for changes from outside."""
    rows = db.execute(f"{_BATCH} WHERE batch.number = ?", (number,))
    return next((Batch(*values) for values in rows), None)


def has_changes(db: Connection, batch: Batch) -> bool:
    """Say whether the journal still knows anything that a batch did."""
    return bool(
        db.execute(
            "SELECT EXISTS (SELECT 1 FROM change WHERE number >= ? AND batch = ?)",
            (batch.first, batch.number),
        ).get
    )
