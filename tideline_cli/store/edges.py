"""The life of edges, by the journal: those from or to given facts, the ones long gone as well."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection


@record
class Life:
    """The changes of one edge: their numbers, oldest first, each with the edge as it was before
    and as it was after, None where there was none."""

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
    """Yield the lives of all edges that start or end, or ever did, at one of these facts.

    The number of an edge that is gone may serve another, so a number may have several lives.
    """
    wanted = frozenset(facts)
    numbers: Iterable[Any] = db.execute(_ROWS, (codec.dumps(list(wanted)),))
    rows = [row for (row,) in numbers]
    now = journal.states(db, "link", rows)
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
