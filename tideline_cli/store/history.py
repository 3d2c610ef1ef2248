"""Reading the journal: batches by the number that users see, and what they did."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


def find(db: Connection, ordinal: int, *, viewer: Origin) -> Batch | None:
    """Return the batch of an origin that its users know by this number."""
    row = db.execute(f"{_BATCH} WHERE origin.key = ? AND ordinal = ?", (viewer.key, ordinal))
    return next((Batch(*values) for values in row), None)


def by_number(db: Connection, number: int) -> Batch | None:
    """Return the batch with this number, of any origin; None for changes from outside."""
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


@record
class Entry:
    """What one batch did to one row, or a batch that was blocked and did nothing. `batch` is None
    for a batch of another origin, whose numbers are not shown.

    `before` is the old row as JSON text, None for an insert; `row` and `change` are the numbers
    of the row and of the change; `edge` is a link in words: its kind and where it leads.
    """

    batch: int | None
    at: int
    verb: str
    outcome: str
    reason: str | None
    entity: str | None
    act: str | None
    fact: str | None
    before: str | None
    row: int | None = None
    change: int | None = None
    edge: str | None = None


# A row that is gone is shown to the origin that it belonged to. The origin of a fact is read from
# what the journal keeps of it, the origin of an edge from the fact where it started.
_ENTRY = """
SELECT iif(batch.origin = own.number, batch.ordinal, NULL), batch.at, batch.verb, batch.outcome,
       iif(batch.origin = own.number, batch.reason, NULL), change.entity, change.act,
       ifnull(fact.id, iif(change.entity = 'fact', change.before ->> 'id', NULL)),
       iif(change.entity = 'link' AND fact.id IS NULL, NULL, change.before),
       change.row, change.number, link.kind || ' → ' || target.id
FROM origin AS own, batch LEFT JOIN change ON change.batch = batch.number
  LEFT JOIN link ON change.entity = 'link' AND link.number = change.row
  LEFT JOIN fact AS target ON target.seq = link.to_fact
  LEFT JOIN fact ON fact.seq = CASE change.entity
    WHEN 'link' THEN ifnull(change.before ->> 'from_fact', link.from_fact) ELSE change.row END
WHERE own.key = ? AND coalesce(fact.origin,
  iif(change.entity = 'fact', change.before ->> 'origin', NULL), batch.origin) = own.number
"""


def entries(db: Connection, *, viewer: Origin, limit: int) -> Iterator[Entry]:
    """Yield what the newest `limit` batches of an origin did, newest batch first; -1 is all."""
    rows = db.execute(
        f"""{_ENTRY} AND batch.number IN (
          SELECT number FROM batch WHERE origin = (SELECT number FROM origin WHERE key = ?)
          ORDER BY ordinal DESC LIMIT ?)
        ORDER BY batch.ordinal DESC, change.number""",
        (viewer.key, viewer.key, limit),
    )
    for row in rows:
        yield Entry(*row)


def entries_of(db: Connection, seq: int, *, viewer: Origin) -> Iterator[Entry]:
    """Yield what any batch did to one fact of an origin, oldest first."""
    rows = db.execute(
        f"""{_ENTRY} AND change.entity IN ('fact', 'usage') AND change.row = ?
        ORDER BY change.number""",
        (viewer.key, seq),
    )
    for row in rows:
        yield Entry(*row)


def entries_at(db: Connection, changes: Iterable[int], *, viewer: Origin) -> Iterator[Entry]:
    """Yield those of the changes with the given numbers that are changes of an origin's facts,
    oldest first."""
    rows = db.execute(
        f"""{_ENTRY} AND change.number IN (SELECT value FROM json_each(?))
        ORDER BY change.number""",
        (viewer.key, codec.dumps(list(changes))),
    )
    for row in rows:
        yield Entry(*row)
