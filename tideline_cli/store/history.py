"""Reading the journal: batches by the number that users see, and the changes of links, also of
those that are gone."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

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
    """Return the newest batch of an origin that changed anything. A purge counts, although the
    journal keeps no changes of it."""
    rows = db.execute(
        f"{_BATCH} WHERE origin.key = ? AND outcome = 'done'"
        f" AND (verb IN ('purge', 'retention') OR {_CHANGED})"
        " ORDER BY ordinal DESC LIMIT 1",
        (viewer.key,),
    )
    return next((Batch(*values) for values in rows), None)


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
class Life:
    """The changes of one edge, oldest first: the number of each, the edge before it and the edge
    after it, None where there was no edge."""

    changes: tuple[tuple[int, str | None, str | None], ...]


_ROWS = """
SELECT number FROM link
WHERE from_fact IN (SELECT value FROM json_each(?1)) OR to_fact IN (SELECT value FROM json_each(?1))
UNION
SELECT row FROM change
WHERE entity = 'link' AND before IS NOT NULL
  AND (before ->> 'from_fact' IN (SELECT value FROM json_each(?1))
    OR before ->> 'to_fact' IN (SELECT value FROM json_each(?1)))
"""
_CHANGES = """
SELECT row, number, act, before FROM change
WHERE entity = 'link' AND row IN (SELECT value FROM json_each(?)) ORDER BY row, number
"""


def lives(db: Connection, facts: Iterable[int]) -> Iterator[Life]:
    """Yield the lives of all edges that start or end at one of these facts, or once did.

    The number of an edge that is gone may be given to another, so a number may have several lives.
    """
    wanted = frozenset(facts)
    numbers: Iterable[Any] = db.execute(_ROWS, (codec.dumps(list(wanted)),))
    rows = [row for (row,) in numbers]
    now = journal.row_images(db, "link", rows)
    for row, changes in _by_row(db, rows):
        afters = [before for _, _, before in changes[1:]] + [now.get(row)]
        life: list[tuple[int, str | None, str | None]] = []
        for (number, act, before), after in zip(changes, afters, strict=True):
            if act == "+" and life:
                yield from _if_wanted(life, wanted)
                life = []
            life.append((number, before, None if act == "-" else after))
        yield from _if_wanted(life, wanted)


def _by_row(
    db: Connection, rows: list[int]
) -> Iterator[tuple[int, list[tuple[int, str, str | None]]]]:
    row = 0
    changes: list[tuple[int, str, str | None]] = []
    found: Iterable[Any] = db.execute(_CHANGES, (codec.dumps(rows),))
    for at, number, act, before in found:
        if at != row and changes:
            yield row, changes
            changes = []
        row = at
        changes.append((number, act, before))
    if changes:
        yield row, changes


def _if_wanted(
    life: list[tuple[int, str | None, str | None]], wanted: frozenset[int]
) -> Iterator[Life]:
    for _, *states in life:
        for state in states:
            edge = codec.loads(state) if state else {}
            if wanted & {edge.get("from_fact"), edge.get("to_fact")}:
                yield Life(tuple(life))
                return
