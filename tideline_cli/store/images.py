"""Rows as the journal keeps them, and the changes of links, also of those that are gone."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

KEYS = {"fact": "seq", "link": "number", "usage": "fact"}
"""The column by which the journal names a row of each table."""
_WHOLE = '{"seq":'  # a whole row of a fact begins with its number


def row_image(db: Connection, entity: str, number: int) -> str | None:
    """Return a row of `fact`, `link` or `usage` as the journal would keep it now, as JSON text."""
    return row_images(db, entity, [number]).get(number)


def row_images(db: Connection, entity: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return those of the rows that exist as the journal would keep them now, by number."""
    listed = list(numbers)
    if not listed:
        return {}
    from tideline_cli.store import schema  # noqa: PLC0415  16 KB of SQL that few readers need

    key = KEYS[entity]
    sql = (
        f"SELECT {key}, {schema.state_of(entity)} FROM {entity}"
        f" WHERE {key} IN (SELECT value FROM json_each(?))"
    )
    return dict(db.execute(sql, (codec.dumps(listed),)))


def row_states(images: Sequence[str | None], *, now: str | None) -> list[str | None]:
    """Return a row of `fact` as each of its changes found it, oldest first, and as it is `now`;
    `images` are what the journal keeps of the changes.

    The image of an update holds the values that changed, so it is laid over the row after it; older
    files have whole rows there. Where any image is a part, all are brought into one form of JSON.
    """
    if not any(map(is_part, images)):
        return [*images, now]
    after: dict[str, Any] | None = codec.loads(now) if now else None
    found = [after]
    for image in reversed(images):
        values = codec.loads(image) if image else None
        after = (after or {}) | values if values is not None and is_part(image) else values
        found.append(after)
    return [None if row is None else in_one_form(row) for row in reversed(found)]


def in_one_form(row: dict[str, Any]) -> str:
    """Return a row as JSON that is the same for the same values."""
    return codec.dumps(dict(sorted(row.items())))


def of_kind(image: str | None, kind: str | None) -> str | None:
    """Return the row of an edge as that of an edge of this kind: one row may stand for two."""
    row = codec.loads(image) if image and kind else None
    return image if row is None or row["kind"] == kind else codec.dumps(row | {"kind": kind})


def is_part(image: str | None) -> bool:
    """Say whether an image of a fact holds only the values that changed."""
    return image is not None and not image.startswith(_WHOLE)


def state_before(db: Connection, row: int, change: int) -> str | None:
    """Return a fact as the change with this number found it."""
    kept: Iterable[Any] = db.execute(
        "SELECT before FROM change WHERE entity = 'fact' AND row = ? AND number >= ?"
        " ORDER BY number",
        (row, change),
    )
    return row_states([before for (before,) in kept], now=row_image(db, "fact", row))[0]


def last_active(db: Connection, fact_id: str) -> dict[str, Any] | None:
    """Return the row of an archived or pruned fact as it was when it was last active; None where
    the journal does not know it."""
    numbers: Any = db.execute("SELECT seq FROM fact WHERE id = ?", (fact_id,)).fetchone()
    if numbers is None:
        return None
    sql = "SELECT before, act FROM change WHERE entity = 'fact' AND row = ? ORDER BY number"
    changes: list[Any] = db.execute(sql, numbers).fetchall()
    found = row_states([before for before, _ in changes], now=row_image(db, "fact", numbers[0]))
    for state, (_, act) in zip(reversed(found[:-1]), reversed(changes), strict=True):
        row = codec.loads(state) if act == "~" and state else {}
        if row.get("lifecycle") == "active":
            return dict(row)
    return None


@record
class Life:
    """The changes of one edge, oldest first: the number of each, the edge before it and the edge
    after it, None where there was no edge."""

    changes: tuple[tuple[int, str | None, str | None], ...]


_ROWS = """
SELECT number FROM link
WHERE from_fact IN (SELECT value FROM json_each(?1)) OR to_fact IN (SELECT value FROM json_each(?1))
UNION
SELECT row FROM change INDEXED BY change_edge
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
    for at, number, act, before in db.execute(_CHANGES, (codec.dumps(rows),)):
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
