"""Rows as the journal keeps them, and the changes of links, also of those that are gone."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

KEYS = {"fact": "seq", "link": "number", "usage": "fact"}
"""The column by which the journal names a row of each table."""


def row_image(db: Connection, entity: str, number: int) -> str | None:
    """Return a row of `fact`, `link` or `usage` as the journal would keep it now, as JSON text."""
    return row_images(db, entity, [number]).get(number)


def row_images(db: Connection, entity: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return those of the rows that exist as the journal would keep them now, by number."""
    from tideline_cli.store import schema  # noqa: PLC0415  16 KB of SQL that few readers need

    key = KEYS[entity]
    rows: Iterable[Any] = db.execute(
        f"SELECT {key}, {schema.state_of(entity)} FROM {entity}"
        f" WHERE {key} IN (SELECT value FROM json_each(?))",
        (codec.dumps(list(numbers)),),
    )
    return dict(rows)


def last_active(db: Connection, fact_id: str) -> dict[str, Any] | None:
    """Return the row of an archived or pruned fact as it was when it was last active; None where
    the journal does not know it."""
    row: Any = db.execute(
        "SELECT before FROM change WHERE entity = 'fact' AND act = '~'"
        " AND row = (SELECT seq FROM fact WHERE id = ?) AND before ->> 'lifecycle' = 'active'"
        " ORDER BY number DESC LIMIT 1",
        (fact_id,),
    ).fetchone()
    return None if row is None else dict(codec.loads(row[0]))


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
    now = row_images(db, "link", rows)
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
