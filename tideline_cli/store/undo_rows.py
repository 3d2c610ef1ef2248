"""What one batch did to each row, by the journal, and putting rows back as they were."""

from __future__ import annotations

from itertools import groupby, islice

from tideline_cli.model import codec
from tideline_cli.model.fields import SEARCHED
from tideline_cli.model.record import record
from tideline_cli.model.text import index_terms
from tideline_cli.store import SERVERS, births, digest, images, labels, score_bounds, uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.history import Batch

    Row = dict[str, Any]

_TOUCHED = f"""
SELECT entity, row, number, batch, before, after FROM change AS later
WHERE number >= ?1 AND ((entity, row) IN (
    SELECT entity, row FROM change WHERE number BETWEEN ?1 AND ?3 AND batch = ?2)
  OR entity = 'fact' AND EXISTS (SELECT 1 FROM change
    WHERE {births.run_of("later.row")} AND change.batch = ?2))
ORDER BY number
"""
FACT_COUNT = "SELECT ifnull(sum(added + removed), 0) FROM batch_count WHERE batch = ?"
_HEAT = "heat"
_AT_ONCE = 512  # rows of a statement to a server
_EDGE = ("from_fact", "to_fact", "kind")


@record
class Trail:
    """A row of `fact` or `link` as the batch found it, and as it is `now`; None where there was or
    is no row. `first` is the number of the first change that the batch made to it. `lost` are the
    batches whose changes of the row an undo would lose: heat that moved by use is none. `warmed`
    says whether the batch itself has moved the heat."""

    first: int
    before: str | None
    now: str | None
    lost: tuple[int, ...]
    warmed: bool


@record
class Use:
    """How often a batch used a fact, and the row of `usage` that it found, that it left, and that
    is there now. Recall changes that row, and the journal does not see it."""

    count: int
    before: Row | None
    after: Row | None
    now: Row | None


@record
class Trails:
    """All that a batch did, each under the number of its row."""

    facts: dict[int, Trail]
    links: dict[int, Trail]
    uses: dict[int, Use]


@record
class _Change:
    number: int
    batch: int
    before: str | None
    after: str | None


def fact_count(db: Connection, batch: Batch) -> int:
    """Return how many facts a batch added or deleted."""
    return int(db.execute(FACT_COUNT, (batch.number,)).get)


def trails(db: Connection, batch: Batch) -> Trails:
    """Return what a batch did to each row, and what has become of the row since."""
    changes: dict[str, dict[int, list[_Change]]] = {"fact": {}, "link": {}, "usage": {}}
    for entity, row, *values in touched(db, batch):
        if entity == "facts":
            changes["fact"] |= _births(row, *values)
        else:
            changes[entity].setdefault(row, []).append(_Change(*values))
    now = {entity: images.row_images(db, entity, by_row) for entity, by_row in changes.items()}
    return Trails(
        {
            row: _trail(found, now["fact"].get(row), batch.number)
            for row, found in changes["fact"].items()
        },
        {
            row: _trail(found, _same_edge(found, now["link"].get(row), batch.number), batch.number)
            for row, found in changes["link"].items()
        },
        {
            row: _use(found, now["usage"].get(row), batch.number)
            for row, found in changes["usage"].items()
        },
    )


def touched(db: Connection, batch: Batch) -> Iterable[Any]:
    """Return the changes from the first of a batch on of each row that it changed, oldest first:
    entity, row, number, batch, before, after."""
    return db.execute(_TOUCHED, (batch.first, batch.number, batch.last))


def _births(
    last: int, number: int, batch: int, before: str | None, first: str
) -> dict[int, list[_Change]]:
    """Return the births that a run stands for, by fact."""
    return {
        seq: [_Change(number - last + seq, batch, before, None)]
        for seq in range(int(first), last + 1)
    }


def present_ids(db: Connection, facts: Iterable[int]) -> dict[int, str]:
    """Return the ids of those of the facts that exist, by number."""
    listed = list(facts)
    if not listed:
        return {}
    sql = "SELECT seq, id FROM fact WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
    return dict(db.execute(sql, (codec.dumps(listed),)))


def known_ids(db: Connection, facts: Iterable[int]) -> dict[int, str]:
    """Return the ids of facts by number, also of those that are gone."""
    wanted = list(facts)
    rows: Iterable[Any] = db.execute(
        "SELECT row, before ->> 'id' FROM change WHERE entity = 'fact' AND act = '-'"
        " AND row IN (SELECT value FROM json_each(?))",
        (codec.dumps(wanted),),
    )
    return dict(rows) | present_ids(db, wanted)


def delete(db: Connection, entity: str, rows: Collection[int]) -> None:
    """Delete rows by number."""
    if not rows:
        return
    if entity == "fact":
        labels.take(db, rows)
    sql = f"DELETE FROM {entity} WHERE {images.KEYS[entity]} IN (SELECT value FROM json_each(?))"
    db.execute(sql, (codec.dumps(list(rows)),))


def insert_facts(db: Connection, rows: Collection[Row], *, analyzer: Analyzer) -> None:
    """Store facts again under their numbers."""
    if not rows:
        return
    numbered: list[Any] = db.execute("SELECT number, key FROM origin").fetchall()
    keys = dict(numbered)
    worded = ((row, index_terms(row["content"], analyzer=analyzer)) for row in rows)
    whole = [
        row | {"length": len(terms), "terms": terms.joined(),
               "digest": digest.of_row(row, keys[row["origin"]])}
        for row, terms in worded
    ]  # fmt: skip
    _insert(db, "fact", whole)
    labels.put_back(db, whole)


def insert_links(db: Connection, rows: Collection[Row]) -> None:
    """Store edges again, each under its number unless another edge has that number now."""
    numbers = [row["number"] for row in rows if row["number"] is not None]
    sql = "SELECT number FROM link WHERE number IN (SELECT value FROM json_each(?))"
    held: Iterable[Any] = db.execute(sql, (codec.dumps(numbers),))
    taken = {number for (number,) in held}
    # Who has no number gets the next one, which no edge ever had.
    _insert(db, "link", (row | {"number": None} if row["number"] in taken else row for row in rows))


def update(db: Connection, entity: str, changes: Mapping[int, Mapping[str, Any]]) -> None:
    """Set columns of rows, given by number."""
    is_fact = entity == "fact"
    labelled = _touching(changes, SEARCHED) if is_fact else []
    if labelled:
        labels.take(db, labelled)
    for number, changed in changes.items():
        columns = ", ".join(f"{name} = ?" for name in changed)
        sql = f"UPDATE {entity} SET {columns} WHERE {images.KEYS[entity]} = ?"
        db.execute(sql, (*changed.values(), number))
    if is_fact:
        digest.put(db, _touching(changes, digest.COVERED))
        labels.put(db, labelled)
        score_bounds.put_of(db, _touching(changes, score_bounds.MADE_FROM))


def _touching(changes: Mapping[int, Iterable[str]], names: Collection[str]) -> list[int]:
    """Return the numbers of the rows of which any of these columns changes."""
    return [number for number, changed in changes.items()
            if not frozenset(names).isdisjoint(changed)]  # fmt: skip


def put_uses(db: Connection, used: Mapping[int, Row | None]) -> None:
    """Set the uses of facts that exist; None stands for a fact that was never used."""
    delete(db, "usage", [seq for seq, row in used.items() if row is None])
    uses.put_all(db, [
        (seq, row["access_count"], row["last_accessed_at"])
        for seq, row in used.items() if row is not None
    ])  # fmt: skip
    score_bounds.put_of(db, used)


def changed_values(trail: Trail) -> Row:
    """Return those values of the row before the batch that differ from what it has now; the heat
    is that of now, unless the batch has moved it."""
    was, has = (codec.loads(row or "{}") for row in (trail.before, trail.now))
    kept = () if trail.warmed else (_HEAT,)
    return {
        name: value for name, value in was.items() if has.get(name) != value and name not in kept
    }


def _trail(changes: list[_Change], now: str | None, batch: int) -> Trail:
    """Follow one row through its changes, oldest first.

    The row as the batch left it must be the row that the next change of the batch found, or the row
    that is there now. Where it differs, other batches have changed it, and their changes are lost.
    """
    states = images.row_states([change.before for change in changes], now=now)
    own = [place for place, change in enumerate(changes) if change.batch == batch]
    lost: list[int] = []
    for place, following in zip(own, [*own[1:], len(changes)], strict=True):
        if not _are_same(states[place + 1], states[following]):
            lost += [change.batch for change in changes[place + 1 : following]]
    first = own[0]
    # An image has the values that change: most have no heat, and are not read.
    warming = [place for place in own if _HEAT in (changes[place].before or "")]
    warmed = any(_has_moved(states[place], states[place + 1]) for place in warming)
    return Trail(
        changes[first].number, states[first], states[-1], tuple(dict.fromkeys(lost)), warmed
    )


def _are_same(one: str | None, other: str | None) -> bool:
    """Say whether two states of a row differ in nothing but heat, which moves by use."""
    if one is None or other is None or one == other:
        return one == other
    return _but_heat(one) == _but_heat(other)


def _but_heat(state: str) -> Row:
    row: Row = codec.loads(state)
    return {name: value for name, value in row.items() if name != _HEAT}


def _has_moved(before: str | None, after: str | None) -> bool:
    if before is None or after is None:
        return False
    return bool(codec.loads(before).get(_HEAT) != codec.loads(after).get(_HEAT))


def _same_edge(changes: list[_Change], now: str | None, batch: int) -> str | None:
    """Return the edge that is there now, None when it is another edge that was given the number of
    one that is gone."""
    states = [change.before for change in changes] + [now]
    own = next(place for place, change in enumerate(changes) if change.batch == batch)
    ours = states[own] if states[own] is not None else states[own + 1]
    if now is None or ours is None:
        return now
    was, now_is = codec.loads(ours), codec.loads(now)
    return now if all(was[name] == now_is[name] for name in _EDGE) else None


def _use(changes: list[_Change], now: str | None, batch: int) -> Use:
    own = [change for change in changes if change.batch == batch]
    total = sum(_count(change.after) - _count(change.before) for change in own)
    return Use(total, _parsed(own[0].before), _parsed(own[-1].after), _parsed(now))


def _count(row: str | None) -> int:
    return 0 if row is None else int(codec.loads(row)["access_count"])


def _parsed(row: str | None) -> Row | None:
    return None if row is None else codec.loads(row)


def _insert(db: Connection, entity: str, rows: Iterable[Row]) -> None:
    is_server = db.filename.startswith(SERVERS)
    for columns, alike in groupby(rows, tuple):
        names = ", ".join(columns)
        into = f"INSERT INTO {entity} ({names})"
        if is_server:
            given = f"SELECT {names} FROM json_populate_recordset(NULL::{entity}, ?::json)"
            while part := list(islice(alike, _AT_ONCE)):
                db.execute(f"{into} {given}", (codec.dumps(part),))
        else:
            sql = f"{into} VALUES ({', '.join('?' * len(columns))})"
            db.executemany(sql, (tuple(row.values()) for row in alike))
