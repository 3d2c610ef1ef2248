"""What stands in the way of an undo: later changes of other batches that it would lose."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from apsw import Connection

_ENDING = ("contradicts", "transition", "supersedes")


@record
class Conflict:
    """A batch (0 is a change from outside), what it did, and the number of the fact it did it
    to."""

    batch: int
    deed: str
    fact: int


def edges_of_removed(
    db: Connection, facts: Collection[int], *, but: Collection[int]
) -> Iterator[Conflict]:
    """Yield the edges from or to facts that go which other batches made; `but` go too."""
    listed = codec.dumps(list(facts))
    rows: list[Any] = db.execute(
        """
        SELECT number, from_fact, to_fact FROM link
        WHERE from_fact IN (SELECT value FROM json_each(?1))
          OR to_fact IN (SELECT value FROM json_each(?1))
        ORDER BY number
        """,
        (listed,),
    ).fetchall()
    gone, known = frozenset(but), frozenset(facts)
    for number, start, end in rows:
        if number not in gone:
            yield Conflict(_maker(db, "link", number), "linked", start if start in known else end)


def missing_ends(
    db: Connection, edge: dict[str, Any], *, gone: Collection[int], back: Collection[int]
) -> Iterator[Conflict]:
    """Yield the ends of an edge that are not there when it comes back."""
    for end in (edge["from_fact"], edge["to_fact"]):
        exists = db.execute("SELECT 1 FROM fact WHERE seq = ?", (end,)).fetchone()
        if end not in back and (end in gone or not exists):
            yield Conflict(_last(db, end, "-"), "removed", end)


def same_edge(
    db: Connection, edge: dict[str, Any], *, gone: Collection[int]
) -> Iterator[Conflict]:
    """Yield the edge that says the same as one that comes back."""
    rows: list[Any] = db.execute(
        "SELECT number FROM link WHERE from_fact = ? AND to_fact = ? AND kind = ?",
        (edge["from_fact"], edge["to_fact"], edge["kind"]),
    ).fetchall()
    for (number,) in rows:
        if number not in gone:
            yield Conflict(_maker(db, "link", number), "linked", edge["from_fact"])


def same_id(
    db: Connection, fact: dict[str, Any], *, gone: Collection[int]
) -> Iterator[Conflict]:
    """Yield the fact that has got the id of one that comes back."""
    rows: list[Any] = db.execute("SELECT seq FROM fact WHERE id = ?", (fact["id"],)).fetchall()
    for (seq,) in rows:
        if seq in gone:
            continue
        yield Conflict(_maker(db, "fact", seq), "stored", seq)


def in_the_slot(
    db: Connection, fact: dict[str, Any], *, since: int, but: Collection[int]
) -> Iterator[Conflict]:
    """Yield the active facts that came into the slot of a fact after change number `since`; an
    untrusted one stands beside a trusted one."""
    if fact["slot"] is None:
        return
    rivals: list[Any] = db.execute(
        "SELECT seq, source FROM fact"
        " WHERE origin = ? AND slot = ? AND lifecycle = 'active' AND seq <> ?",
        (fact["origin"], fact["slot"], fact["seq"]),
    ).fetchall()
    for rival, source in rivals:
        if rival in but or (is_trusted(fact["source"]) and not is_trusted(source)):
            continue
        found: Any = db.execute(
            "SELECT batch, before FROM change WHERE number >= ? AND entity = 'fact' AND row = ?"
            " ORDER BY number LIMIT 1",
            (since, rival),
        ).fetchone()
        if found is not None and not _held(found[1], fact["slot"]):
            yield Conflict(found[0], "filled the slot of", fact["seq"])


def replaced(
    db: Connection, facts: dict[int, int], *, inactive: Collection[int], but: Collection[int]
) -> Iterator[Conflict]:
    """Yield what has replaced facts that become active again, given with the change since which.

    `inactive` are the facts that will not be active, `but` the edges that go.
    """
    rows: list[Any] = db.execute(
        f"""
        SELECT link.number, from_fact, to_fact FROM link JOIN fact ON fact.seq = from_fact
        WHERE to_fact IN (SELECT value FROM json_each(?)) AND lifecycle = 'active'
          AND link.kind IN ({", ".join("?" * len(_ENDING))})
        ORDER BY link.number
        """,
        (codec.dumps(list(facts)), *_ENDING),
    ).fetchall()
    for number, start, end in rows:
        if start in inactive or number in but:
            continue
        made: Any = db.execute(
            "SELECT batch FROM change WHERE number > ? AND entity = 'link' AND row = ?"
            " AND act = '+' LIMIT 1",
            (facts[end], number),
        ).fetchone()
        if made is not None:
            yield Conflict(made[0], "replaced", end)


def _held(before: str | None, slot: str) -> bool:
    if before is None:
        return False
    row = codec.loads(before)
    return bool(row["lifecycle"] == "active" and row["slot"] == slot)


def _maker(db: Connection, entity: str, row: int) -> int:
    """Return the batch that made a row which exists."""
    found: Any = db.execute(
        "SELECT batch FROM change WHERE entity = ? AND row = ? AND act = '+'"
        " ORDER BY number DESC LIMIT 1",
        (entity, row),
    ).fetchone()
    return int(found[0]) if found else 0


def _last(db: Connection, fact: int, act: str) -> int:
    """Return the batch that last did this to a fact."""
    found: Any = db.execute(
        "SELECT batch FROM change WHERE entity = 'fact' AND row = ? AND act = ?"
        " ORDER BY number DESC LIMIT 1",
        (fact, act),
    ).fetchone()
    return int(found[0]) if found else 0
