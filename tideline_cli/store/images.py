"""Rows as the journal keeps them: their states, the changes of links, also of those that are gone,
and the births that it keeps together, one row for a run of facts that came in a row."""

from __future__ import annotations

from _operator import itemgetter
from itertools import groupby

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import facts
from tideline_cli.store.reads import alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.reads import Read

    Life = list[tuple[int, str | None, str | None]]

KEYS = {"fact": "seq", "link": "number", "usage": "fact"}
"""The column by which the journal names a row of each table."""
_WHOLE = '{"seq":'  # a whole row of a fact begins with its number


def row_image(db: Connection, entity: str, number: int) -> str | None:
    """Return a row of `fact`, `link` or `usage` as the journal would keep it now, as JSON text."""
    return row_images(db, entity, [number]).get(number)


def row_images(db: Connection, entity: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return those of the rows that exist as the journal would keep them now, by number."""
    return alone(db, images_of(entity, numbers))


def images_of(entity: str, numbers: Iterable[int]) -> Read[dict[int, str]]:
    """Read what `row_images` returns."""
    listed = list(numbers)
    if not listed:
        return {}
    return (yield from images_in(entity, "SELECT value FROM json_each(?)", (codec.dumps(listed),)))


def images_in(entity: str, numbers: str, values: Sequence[object]) -> Read[dict[int, str]]:
    """Read the same of the rows that a statement numbers, which takes these values."""
    from tideline_cli.store import schema  # noqa: PLC0415  16 KB of SQL that few readers need

    key = KEYS[entity]
    rows = yield (
        f"SELECT {key}, {schema.state_of(entity)} FROM {entity}"
        f" WHERE {key} IN ({numbers})", values
    )  # fmt: skip
    return dict(rows)


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
    """Return the row of a fact as it was when last active; None where the journal does not know."""
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
    """Yield the lives of all edges that start or end at one of these facts, or once did: the
    changes of one, oldest first, each by its number, the edge before it and the edge after it, None
    where there was no edge.

    The number of an edge that is gone may be given to another, so a number may have several lives.
    """
    wanted = frozenset(facts)
    numbers: Iterable[Any] = db.execute(_ROWS, (codec.dumps(list(wanted)),))
    rows = [row for (row,) in numbers]
    now = row_images(db, "link", rows)
    kept: Iterable[Any] = db.execute(_CHANGES, (codec.dumps(rows),))
    for row, of_row in groupby(kept, itemgetter(0)):
        changes = list(of_row)
        afters = [before for *_, before in changes[1:]] + [now.get(row)]
        found: list[Life] = []
        for (_, number, act, before), after in zip(changes, afters, strict=True):
            if act == "+" or not found:
                found.append([])
            found[-1].append((number, before, None if act == "-" else after))
        yield from (life for life in found if _touches(life, wanted))


def _touches(life: Life, wanted: frozenset[int]) -> bool:
    edges = [codec.loads(state) for _, *states in life for state in states if state]
    return any(wanted & {edge.get("from_fact"), edge.get("to_fact")} for edge in edges)


_LEAST = 3  # facts of a run: fewer are told one by one
FIRST = "(change.after + 0)"
"""The SQL for the first fact of a run; `change.row` is the last one."""


def run_of(seq: str) -> str:
    """Return the SQL condition that `change` is the run that a fact was born in."""
    return (
        "change.number = (SELECT run.number FROM change AS run INDEXED BY change_run"
        f" WHERE run.entity = 'facts' AND run.row >= {seq} ORDER BY run.row LIMIT 1)"
        f" AND {FIRST} <= {seq}"
    )


@record
class Birth:
    """The number of the change by which a fact came, and that of its batch."""

    number: int
    batch: int


_BORN = f"""
SELECT born.value, change.number - change.row + born.value, change.batch
FROM json_each(?) AS born CROSS JOIN change ON {run_of("born.value")}
"""
_TOLD = """
INSERT INTO change (number, batch, entity, row, act, after)
SELECT ?1 + (SELECT ifnull(max(number), 0) FROM change), number, 'facts', ?3, '+', ?2
FROM batch WHERE open > 0
"""
_ALONE = """
INSERT INTO change (batch, entity, row, act)
SELECT number, 'fact', ?, '+' FROM batch WHERE open > 0
"""


def told_births(seqs: Iterable[int]) -> Read[dict[int, Birth]]:
    """Return the births of those of the facts that came in a run, whose first change each is."""
    rows = yield _BORN, (codec.dumps(list(seqs)),)
    return {seq: Birth(number, batch) for seq, number, batch in rows}


def keep_quiet(db: Connection, count: int) -> bool:
    """Begin to store so many facts whose births `tell_runs` tells; return False where each birth is
    told by itself: they are few, or no load is under way."""
    return count >= _LEAST and _hush(db, 3, 4)


def tell_runs(db: Connection, origins: Sequence[int]) -> None:
    """Tell the births of the newest facts in runs, by the numbers of their origins, in order."""
    _hush(db, 4, 3)
    first = facts.last_number(db) - len(origins) + 1
    for _, some in groupby(origins):
        count = len(list(some))
        if count < _LEAST:
            db.executemany(_ALONE, [(seq,) for seq in range(first, first + count)])
        else:
            db.execute(_TOLD, (count, first, first + count - 1))
        first += count


def _hush(db: Connection, before: int, after: int) -> bool:
    """Go from one way of telling the births of a batch to another; return whether it was in one."""
    db.execute("UPDATE batch SET open = ? WHERE open > 0 AND open = ?", (after, before))
    return bool(db.changes())


_HOLDING = f"""
SELECT DISTINCT change.number, change.batch, {FIRST}, change.row
FROM json_each(?) AS born CROSS JOIN change ON {run_of("born.value")}
"""
_PIECE = "INSERT INTO change (number, batch, entity, row, act, after) VALUES (?, ?, ?, ?, '+', ?)"


def part_run(db: Connection, seqs: Iterable[int]) -> None:
    """Tell the births of some facts apart from the runs that they are in, under their numbers."""
    wanted = set(seqs)
    runs: list[Any] = db.execute(_HOLDING, (codec.dumps(sorted(wanted)),)).fetchall()
    for number, batch, first, last in runs:
        db.execute("DELETE FROM change WHERE number = ?", (number,))
        for start, end in _pieces(first, last, wanted):
            is_alone = start in wanted
            entity, after = ("fact", None) if is_alone else ("facts", str(start))
            db.execute(_PIECE, (number - last + end, batch, entity, end, after))


def _pieces(first: int, last: int, wanted: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last fact of each piece of a run: a fact of `wanted`, or what lies
    between two of those."""
    start = first
    for seq in range(first, last + 1):
        if seq in wanted:
            if start < seq:
                yield start, seq - 1
            yield seq, seq
            start = seq + 1
    if start <= last:
        yield start, last
