"""Undo of a batch: what it did to each row, by the journal, what stands in the way of taking that
back, and putting rows back as they were."""

from __future__ import annotations

from itertools import groupby, islice

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, kinds_under, sql_list, words_for
from tideline_cli.model.fields import SEARCHED
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import index_terms
from tideline_cli.store import SERVERS, images, labels, reads, score_bounds, uses, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.source import Source
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.history import Batch
    from tideline_cli.store.reads import Read, Rows

    Row = dict[str, Any]
    Period = list[Any]  # created_at, valid_from, valid_to

_TOUCHED = f"""
SELECT entity, row, number, batch, before, after FROM change AS later
WHERE number >= ?1 AND ((entity, row) IN (
    SELECT entity, row FROM change WHERE number BETWEEN ?1 AND ?3 AND batch = ?2)
  OR entity = 'fact' AND EXISTS (SELECT 1 FROM change
    WHERE {images.run_of("later.row")} AND change.batch = ?2))
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
    """All that a batch did, each under the number of its row; and the ids of those of the facts it
    used that are there."""

    facts: dict[int, Trail]
    links: dict[int, Trail]
    uses: dict[int, Use]
    used: dict[int, str]


@record
class _Change:
    number: int
    batch: int
    before: str | None
    after: str | None


def fact_count(db: Connection, batch: Batch) -> int:
    """Return how many facts a batch added or deleted."""
    return int(db.execute(FACT_COUNT, (batch.number,)).get)


def trails(db: Connection, batch: Batch, touched: Iterable[Any]) -> Trails:
    """Return what a batch did to each row, and what has become of the row since, by what it has
    `touched`."""
    changes: dict[str, dict[int, list[_Change]]] = {"fact": {}, "link": {}, "usage": {}}
    for entity, row, *values in touched:
        if entity == "facts":
            changes["fact"] |= _births(row, *values)
        else:
            changes[entity].setdefault(row, []).append(_Change(*values))
    facts, links, uses = changes.values()
    of_facts, of_links, of_uses, used = reads.together(
        db, *(images.images_of(entity, rows) for entity, rows in changes.items()), _present(uses)
    )
    return Trails(
        {row: _trail(found, of_facts.get(row), batch.number) for row, found in facts.items()},
        {
            row: _trail(found, _same_edge(found, of_links.get(row), batch.number), batch.number)
            for row, found in links.items()
        },
        {row: _use(found, of_uses.get(row), batch.number) for row, found in uses.items()},
        used,
    )


def touched(batch: Batch) -> Read[Rows]:
    """Read the changes from the first of a batch on of each row that it changed, oldest first:
    entity, row, number, batch, before, after."""
    return reads.asked(_TOUCHED, (batch.first, batch.number, batch.last))


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
    return reads.alone(db, _present(facts))


def _present(facts: Iterable[int]) -> Read[dict[int, str]]:
    if not (listed := list(facts)):
        return {}
    sql = "SELECT seq, id FROM fact WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
    rows = yield sql, (codec.dumps(listed),)
    return dict(rows)


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
               "digest": writes.digest_of_row(row, keys[row["origin"]])}
        for row, terms in worded
    ]  # fmt: skip
    _insert(db, "fact", whole)
    _insert(db, "label_term", labels.rows_of(whole, analyzer=analyzer))


def insert_links(db: Connection, rows: Collection[Row]) -> None:
    """Store edges again, each under its number unless another edge has that number now."""
    if not rows:
        return
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
        writes.put_digests(db, _touching(changes, writes.COVERED))
        labels.put(db, labelled)
        score_bounds.put_of(db, _touching(changes, score_bounds.MADE_FROM))


def _touching(changes: Mapping[int, Iterable[str]], names: Collection[str]) -> list[int]:
    """Return the numbers of the rows of which any of these columns changes."""
    return [number for number, changed in changes.items()
            if not frozenset(names).isdisjoint(changed)]  # fmt: skip


def put_uses(db: Connection, used: Mapping[int, Row | None]) -> None:
    """Set the uses of facts that exist; None stands for a fact that was never used. The bytes that
    bound their scores are left to the caller."""
    delete(db, "usage", [seq for seq, row in used.items() if row is None])
    uses.put_all(db, [
        (seq, row["access_count"], row["last_accessed_at"])
        for seq, row in used.items() if row is not None
    ])  # fmt: skip


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
    """Return the edge that is there now, None where its number was given to another one."""
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


ENDING = sql_list(words_for(*REPLACING))


@record
class Conflict:
    """A batch (0 is a change from outside), what it did (`deed`), and to which fact, by number."""

    batch: int
    deed: str
    fact: int


_EDGES = """
SELECT number, from_fact, to_fact FROM link
WHERE from_fact IN (SELECT value FROM json_each(?1))
  OR to_fact IN (SELECT value FROM json_each(?1))
ORDER BY number
"""
_ENDS = f"""
SELECT DISTINCT to_fact FROM link WHERE to_fact IN (SELECT value FROM json_each(?))
AND kind IN ({ENDING}) ORDER BY to_fact
"""
_IN_SLOT = """
SELECT seq, source, created_at, valid_from, valid_to FROM fact
WHERE origin = ? AND slot = ? AND scope IS ? AND lifecycle = 'active' AND seq <> ?
"""
_ARRIVING = f"""
SELECT (SELECT min(batch) FROM change WHERE change.number > ? AND entity = 'link'
          AND row = link.number AND act = '+'),
  link.number, from_fact, source, lifecycle = 'active', fact.created_at, valid_from, valid_to
FROM link JOIN fact ON fact.seq = from_fact
WHERE to_fact = ? AND link.kind IN ({ENDING}) ORDER BY link.number
"""


def edges_of_removed(facts: Collection[int], *, but: Collection[int]) -> Read[list[Conflict]]:
    """Read the edges that other batches made from or to facts that an undo removes. Edges in `but`
    are removed too, and are no conflict."""
    if not facts:
        return []
    rows = yield _EDGES, (codec.dumps(list(facts)),)
    gone, known = frozenset(but), frozenset(facts)
    others = [row for row in rows if row[0] not in gone]
    made_by = yield from _makers("link", [number for number, *_ in others])
    return [
        Conflict(made_by.get(number, 0), "linked", start if start in known else end)
        for number, start, end in others
    ]


def missing_ends(
    edges: Collection[Row], *, gone: Collection[int], back: Collection[int]
) -> Read[list[Conflict]]:
    """Read the ends of edges that do not exist when the edges come back."""
    ends = dict.fromkeys(edge[end] for edge in edges for end in ("from_fact", "to_fact"))
    if not (wanted := [end for end in ends if end not in back]):
        return []
    rows = yield (
        "SELECT seq FROM fact WHERE seq IN (SELECT value FROM json_each(?))",
        (codec.dumps(wanted),),
    )
    there = {seq for (seq,) in rows}
    lost = [end for end in wanted if end in gone or end not in there]
    removed_by = yield from _last_by("fact", lost, act="-")
    return [Conflict(removed_by.get(end, 0), "removed", end) for end in lost]


def same_edges(edges: Collection[Row], *, gone: Collection[int]) -> Read[list[Conflict]]:
    """Read the edges that are there and say the same as some that come back."""
    if not edges:
        return []
    rows = yield (
        "SELECT number, from_fact, to_fact, kind FROM link"
        " WHERE from_fact IN (SELECT value FROM json_each(?)) ORDER BY number",
        (codec.dumps(list({edge["from_fact"] for edge in edges})),),
    )
    there: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, start, end, kind in rows:
        if number not in gone:
            there.setdefault((start, end), []).append((number, kind))
    same = [
        (number, edge["from_fact"]) for edge in edges
        for number, kind in there.get((edge["from_fact"], edge["to_fact"]), ())
        if kind in words_for(*kinds_under(edge["kind"]))
    ]  # fmt: skip
    made_by = yield from _makers("link", [number for number, _ in same])
    return [Conflict(made_by.get(number, 0), "linked", start) for number, start in same]


def same_ids(facts: Collection[Row], *, gone: Collection[int]) -> Read[list[Conflict]]:
    """Read the facts that now have the id of one that comes back."""
    if not facts:
        return []
    sql = "SELECT seq FROM fact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq"
    rows = yield sql, (codec.dumps([fact["id"] for fact in facts]),)
    others = [seq for (seq,) in rows if seq not in gone]
    made_by = yield from _makers("fact", others)
    return [Conflict(made_by.get(seq, 0), "stored", seq) for seq in others]


def in_its_slot(since: int, fact: Row, *, but: Collection[int]) -> Read[list[Conflict]]:
    """Read the active facts that came into the slot of a fact after change `since`, where both hold
    at the same time. An untrusted fact may stand beside a trusted one."""
    found: list[Conflict] = []
    if fact["slot"] is None:
        return found
    rivals = yield _IN_SLOT, (fact["origin"], fact["slot"], fact["scope"], fact["seq"])
    for rival, source, *period in rivals:
        if rival in but or not _may_replace(source, fact["source"]):
            continue
        batch = yield from _came_beside(rival, fact, since=since, in_slot=True)
        if batch is not None and _overlap(period, _period(fact)):
            found.append(Conflict(batch, "filled the slot of", fact["seq"]))
    return found


def replaced_ones(facts: Collection[int]) -> Read[list[int]]:
    """Read which of the facts an edge of replacement leads to, in order of number."""
    rows = yield _ENDS, (codec.dumps(list(facts)),)
    return [seq for (seq,) in rows]


def replaced(
    since: int, fact: Row, *, inactive: Collection[int], back: Collection[int],
    but: Collection[int],
) -> Read[list[Conflict]]:  # fmt: skip
    """Read what has replaced a fact that holds again, directly or through others that were replaced
    in turn: the edges of replacement are followed against their direction. The fact is given as it
    will be, with the number of the change from which on to look.

    `inactive` are the facts that will not be active, `back` those that will be as they were, `but`
    the edges that will be removed. `made` is the batch that has made one of the edges after change
    `since`, None when none was made.
    """
    found: list[Conflict] = []
    seq = fact["seq"]
    waiting: list[tuple[int, Source, int | None]] = [(seq, fact["source"], None)]
    seen: set[tuple[int, bool]] = {(seq, False), (seq, True)}
    while waiting:
        end, vouched, made = waiting.pop(0)
        arriving = yield _ARRIVING, (since, end)
        for made_by, number, start, source, is_active, *period in arriving:
            by = made_by if made is None else made
            if number in but or start in back or (start, by is None) in seen:
                continue
            seen.add((start, by is None))
            if not _may_replace(source, vouched):
                continue
            if not is_active or start in inactive:
                waiting.append((start, source, by))
            elif _overlap(period, _period(fact)):
                if by is None:
                    by = yield from _came_beside(start, fact, since=since)
                if by is not None:
                    found.append(Conflict(by, "replaced", seq))
    return found


def _came_beside(
    rival: int, fact: Row, *, since: int, in_slot: bool = False
) -> Read[int | None]:
    """Read which batch made an active fact hold at the same time as another, in the same slot; None
    when it did so before change `since`."""
    changes = yield (
        "SELECT batch, before FROM change WHERE number >= ? AND entity = 'fact' AND row = ?"
        " ORDER BY number", (since, rival),
    )  # fmt: skip
    birth = (yield from images.told_births([rival])).get(rival)
    if birth is not None and birth.number >= since:
        changes = [(birth.batch, None), *changes]
    now = (yield from images.images_of("fact", [rival])).get(rival)
    found = images.row_states([before for _, before in changes], now=now)
    if not changes or _is_beside(found[0], fact, in_slot):
        return None
    told = zip(changes, found[:-1], strict=True)
    return [int(by) for (by, _), before in told if not _is_beside(before, fact, in_slot)][-1]


def _is_beside(state: str | None, fact: dict[str, Any], in_slot: bool) -> bool:
    """Say whether a fact in this state holds at a time at which the other does, and where it is to
    be `in_slot`, in the same one."""
    if state is None:
        return False
    row = codec.loads(state)
    is_elsewhere = (row["slot"], row["scope"]) != (fact["slot"], fact["scope"])
    if row["lifecycle"] != "active" or (in_slot and is_elsewhere):
        return False
    return _overlap(_period(row), _period(fact))


def _may_replace(source: Source, other: Source) -> bool:
    return is_trusted(source) or not is_trusted(other)


def _period(row: dict[str, Any]) -> Period:
    return [row["created_at"], row["valid_from"], row["valid_to"]]


def _overlap(one: Period, other: Period) -> bool:
    """Say whether two facts, given by when they were made, begin and end, hold at one time."""
    start = max(made if since is None else since for made, since, _ in (one, other))
    return all(end is None or start < end for _, _, end in (one, other))


def _makers(entity: str, rows: Collection[int]) -> Read[dict[int, int]]:
    """Read the batches that made rows which exist, by number."""
    made = yield from _last_by(entity, rows, act="+")
    if entity == "fact" and (others := [row for row in rows if row not in made]):
        born = yield from images.told_births(others)
        made |= {seq: birth.batch for seq, birth in born.items()}
    return made


def _last_by(entity: str, rows: Collection[int], *, act: str) -> Read[dict[int, int]]:
    """Read the batches that last did this to rows, by number."""
    if not rows:
        return {}
    found = yield (
        "SELECT row, batch FROM change WHERE entity = ? AND act = ?"
        " AND row IN (SELECT value FROM json_each(?)) ORDER BY number",
        (entity, act, codec.dumps(list(rows))),
    )
    return dict(found)
