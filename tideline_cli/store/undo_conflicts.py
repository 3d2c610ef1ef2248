"""What stands in the way of an undo: later changes of other batches that it would lose."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, kinds_under, sql_list, words_for
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.store import births, images

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


def edges_of_removed(
    db: Connection, facts: Collection[int], *, but: Collection[int]
) -> Iterator[Conflict]:
    """Yield the edges that other batches made from or to facts that an undo removes. Edges in `but`
    are removed too, and are no conflict."""
    rows: list[Any] = db.execute(EDGES, (codec.dumps(list(facts)),)).fetchall()
    gone, known = frozenset(but), frozenset(facts)
    for number, start, end in rows:
        if number not in gone:
            yield Conflict(_maker(db, "link", number), "linked", start if start in known else end)


def missing_ends(
    db: Connection, edges: Collection[Row], *, gone: Collection[int], back: Collection[int]
) -> Iterator[Conflict]:
    """Yield the ends of edges that do not exist when the edges come back."""
    ends = dict.fromkeys(edge[end] for edge in edges for end in ("from_fact", "to_fact"))
    wanted = [end for end in ends if end not in back]
    rows: Iterable[Any] = db.execute(
        "SELECT seq FROM fact WHERE seq IN (SELECT value FROM json_each(?))",
        (codec.dumps(wanted),),
    ).fetchall()
    there = {seq for (seq,) in rows}
    for end in wanted:
        if end in gone or end not in there:
            yield Conflict(_last(db, end, "-"), "removed", end)


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
    for edge in edges:
        words = words_for(*kinds_under(edge["kind"]))
        for number, kind in there.get((edge["from_fact"], edge["to_fact"]), ()):
            if kind in words:
                yield Conflict(_maker(db, "link", number), "linked", edge["from_fact"])


def same_ids(
    db: Connection, facts: Collection[Row], *, gone: Collection[int]
) -> Iterator[Conflict]:
    """Yield the facts that now have the id of one that comes back."""
    rows: list[Any] = db.execute(
        "SELECT seq FROM fact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq",
        (codec.dumps([fact["id"] for fact in facts]),),
    ).fetchall()
    for (seq,) in rows:
        if seq not in gone:
            yield Conflict(_maker(db, "fact", seq), "stored", seq)


def in_the_slot(
    db: Connection, fact: dict[str, Any], *, since: int, but: Collection[int]
) -> Iterator[Conflict]:
    """Yield the active facts that came into the slot of a fact after change number `since`, where
    both hold at the same time. An untrusted fact may stand beside a trusted one."""
    if fact["slot"] is None:
        return
    rivals: list[Any] = db.execute(
        "SELECT seq, source, created_at, valid_from, valid_to FROM fact"
        " WHERE origin = ? AND slot = ? AND scope IS ? AND lifecycle = 'active' AND seq <> ?",
        (fact["origin"], fact["slot"], fact["scope"], fact["seq"]),
    ).fetchall()
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


def _maker(db: Connection, entity: str, row: int) -> int:
    """Return the batch that made a row which exists."""
    found: Any = db.execute(
        "SELECT batch FROM change WHERE entity = ? AND row = ? AND act = '+'"
        " ORDER BY number DESC LIMIT 1",
        (entity, row),
    ).fetchone()
    if found is None and entity == "fact":
        return births.batch_of(db, row)
    return int(found[0]) if found else 0


def _last(db: Connection, fact: int, act: str) -> int:
    """Return the batch that last did this to a fact."""
    found: Any = db.execute(
        "SELECT batch FROM change WHERE entity = 'fact' AND row = ? AND act = ?"
        " ORDER BY number DESC LIMIT 1",
        (fact, act),
    ).fetchone()
    return int(found[0]) if found else 0
