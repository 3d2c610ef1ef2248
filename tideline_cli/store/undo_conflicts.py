"""What stands in the way of an undo: later changes of other batches that it would lose."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, kinds_under, sql_list, words_for
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.store import births, images, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.source import Source

    Period = list[Any]  # created_at, valid_from, valid_to
    Row = Mapping[str, Any]

ENDING = sql_list(words_for(*REPLACING))


@record
class Conflict:
    """A batch (0 is a change from outside), what it did (`deed`), and the number of the fact that
    it did it to."""

    batch: int
    deed: str
    fact: int


EDGES = """
SELECT number, from_fact, to_fact FROM link
WHERE from_fact IN (SELECT value FROM json_each(?1))
  OR to_fact IN (SELECT value FROM json_each(?1))
ORDER BY number
"""
ENDS = f"""
SELECT DISTINCT to_fact FROM link WHERE to_fact IN (SELECT value FROM json_each(?))
AND kind IN ({ENDING}) ORDER BY to_fact
"""


_IN_SLOT = """
SELECT seq, source, created_at, valid_from, valid_to FROM fact
WHERE origin = ? AND slot = ? AND scope IS ? AND lifecycle = 'active' AND seq <> ?
"""


def edges_of_removed(
    db: Connection, facts: Collection[int], *, but: Collection[int]
) -> Iterator[Conflict]:
    """Yield the edges that other batches made from or to facts that an undo removes. Edges in `but`
    are removed too, and are no conflict."""
    rows: list[Any] = db.execute(EDGES, (codec.dumps(list(facts)),)).fetchall()
    gone, known = frozenset(but), frozenset(facts)
    others = [row for row in rows if row[0] not in gone]
    made_by = _makers(db, "link", [number for number, *_ in others])
    for number, start, end in others:
        yield Conflict(made_by.get(number, 0), "linked", start if start in known else end)


def missing_ends(
    db: Connection, edges: Collection[Row], *, gone: Collection[int], back: Collection[int]
) -> Iterator[Conflict]:
    """Yield the ends of edges that do not exist when the edges come back."""
    ends = dict.fromkeys(edge[end] for edge in edges for end in ("from_fact", "to_fact"))
    wanted = [end for end in ends if end not in back]
    sql = "SELECT seq FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
    rows: Iterable[Any] = db.execute(sql, (codec.dumps(wanted),)).fetchall()
    there = {seq for (seq,) in rows}
    lost = [end for end in wanted if end in gone or end not in there]
    removed_by = _last_by(db, "fact", lost, act="-")
    yield from (Conflict(removed_by.get(end, 0), "removed", end) for end in lost)


def same_edges(
    db: Connection, edges: Collection[Row], *, gone: Collection[int]
) -> Iterator[Conflict]:
    """Yield the edges that are there and say the same as some that come back."""
    rows: Iterable[Any] = db.execute(
        "SELECT number, from_fact, to_fact, kind FROM link"
        " WHERE from_fact IN (SELECT value FROM json_each(?)) ORDER BY number",
        (codec.dumps(list({edge["from_fact"] for edge in edges})),),
    ).fetchall()
    there: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, start, end, kind in rows:
        if number not in gone:
            there.setdefault((start, end), []).append((number, kind))
    same = [
        (number, edge["from_fact"]) for edge in edges
        for number, kind in there.get((edge["from_fact"], edge["to_fact"]), ())
        if kind in words_for(*kinds_under(edge["kind"]))
    ]  # fmt: skip
    made_by = _makers(db, "link", [number for number, _ in same])
    yield from (Conflict(made_by.get(number, 0), "linked", start) for number, start in same)


def same_ids(
    db: Connection, facts: Collection[Row], *, gone: Collection[int]
) -> Iterator[Conflict]:
    """Yield the facts that now have the id of one that comes back."""
    sql = "SELECT seq FROM fact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq"
    rows: list[Any] = db.execute(sql, (codec.dumps([fact["id"] for fact in facts]),)).fetchall()
    others = [seq for (seq,) in rows if seq not in gone]
    made_by = _makers(db, "fact", others)
    yield from (Conflict(made_by.get(seq, 0), "stored", seq) for seq in others)


def in_their_slots(
    db: Connection, facts: Iterable[tuple[int, dict[str, Any]]], *, but: Collection[int]
) -> Iterator[Conflict]:
    """Yield the active facts that came into the slots of facts after the change given with each,
    where both hold at the same time. An untrusted fact may stand beside a trusted one."""
    placed = [one for one in facts if one[1]["slot"] is not None]
    found = reads.together(db, *[
        reads.asked(_IN_SLOT, (fact["origin"], fact["slot"], fact["scope"], fact["seq"]))
        for _, fact in placed
    ])  # fmt: skip
    for (since, fact), rivals in zip(placed, found, strict=True):
        yield from _of_rivals(db, fact, rivals, since=since, but=but)


def _of_rivals(
    db: Connection, fact: dict[str, Any], rivals: Iterable[Any], *, since: int,
    but: Collection[int],
) -> Iterator[Conflict]:  # fmt: skip
    for rival, source, *period in rivals:
        if rival in but or not _may_replace(source, fact["source"]):
            continue
        batch = _came_beside(db, rival, fact, since=since, in_slot=True)
        if batch is not None and _overlap(period, _period(fact)):
            yield Conflict(batch, "filled the slot of", fact["seq"])


def replaced(
    db: Connection, facts: Mapping[int, tuple[int, dict[str, Any]]], *,
    inactive: Collection[int], back: Collection[int], but: Collection[int],
) -> Iterator[Conflict]:  # fmt: skip
    """Yield what has replaced facts that hold again, directly or through others that were replaced
    in turn. Each fact is given with the number of the change from which on to look, and as it will
    be.

    `inactive` are the facts that will not be active, `back` those that will be as they were, `but`
    the edges that will be removed.
    """
    if not facts:
        return
    ends: Iterable[Any] = db.execute(ENDS, (codec.dumps(list(facts)),)).fetchall()
    for (seq,) in ends:
        yield from _followed(db, seq, *facts[seq], inactive=inactive, back=back, but=but)


def _followed(
    db: Connection, seq: int, since: int, fact: dict[str, Any], *,
    inactive: Collection[int], back: Collection[int], but: Collection[int],
) -> Iterator[Conflict]:  # fmt: skip
    """Follow the edges of replacement that lead to a fact, against their direction. `made` is the
    batch that has made one of these edges after change `since`, None when none was made."""
    waiting: list[tuple[int, Source, int | None]] = [(seq, fact["source"], None)]
    seen: set[tuple[int, bool]] = {(seq, False), (seq, True)}
    while waiting:
        end, vouched, made = waiting.pop(0)
        for number, start, source, is_active, *period in _arriving(db, end):
            by = _made_since(db, number, since) if made is None else made
            if number in but or start in back or (start, by is None) in seen:
                continue
            seen.add((start, by is None))
            if not _may_replace(source, vouched):
                continue
            if not is_active or start in inactive:
                waiting.append((start, source, by))
            elif _overlap(period, _period(fact)):
                batch = _came_beside(db, start, fact, since=since) if by is None else by
                if batch is not None:
                    yield Conflict(batch, "replaced", seq)


def _arriving(db: Connection, end: int) -> list[Any]:
    return db.execute(
        "SELECT link.number, from_fact, source, lifecycle = 'active', fact.created_at, valid_from,"
        " valid_to FROM link JOIN fact ON fact.seq = from_fact"
        f" WHERE to_fact = ? AND link.kind IN ({ENDING}) ORDER BY link.number",
        (end,),
    ).fetchall()


def _made_since(db: Connection, edge: int, since: int) -> int | None:
    made: Any = db.execute(
        "SELECT batch FROM change WHERE number > ? AND entity = 'link' AND row = ?"
        " AND act = '+' LIMIT 1",
        (since, edge),
    ).fetchone()
    return None if made is None else int(made[0])


def _came_beside(
    db: Connection, rival: int, fact: dict[str, Any], *, since: int, in_slot: bool = False
) -> int | None:
    """Return the batch that made an active fact hold at the same time as another, in the same slot;
    None when it did so before change `since`."""
    changes: list[Any] = db.execute(
        "SELECT batch, before FROM change WHERE number >= ? AND entity = 'fact' AND row = ?"
        " ORDER BY number",
        (since, rival),
    ).fetchall()
    birth = births.of(db, [rival]).get(rival)
    if birth is not None and birth.number >= since:
        changes.insert(0, (birth.batch, None))
    kept, now = [before for _, before in changes], images.row_image(db, "fact", rival)
    found = images.row_states(kept, now=now)
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


def _makers(db: Connection, entity: str, rows: Collection[int]) -> dict[int, int]:
    """Return the batches that made rows which exist, by number."""
    made = _last_by(db, entity, rows, act="+")
    if entity == "fact" and (others := [row for row in rows if row not in made]):
        made |= {seq: birth.batch for seq, birth in births.of(db, others).items()}
    return made


def _last_by(db: Connection, entity: str, rows: Collection[int], *, act: str) -> dict[int, int]:
    """Return the batches that last did this to rows, by number."""
    if not rows:
        return {}
    sql = (
        "SELECT row, batch FROM change WHERE entity = ? AND act = ?"
        " AND row IN (SELECT value FROM json_each(?)) ORDER BY number"
    )
    return dict(db.execute(sql, (entity, act, codec.dumps(list(rows)))))
