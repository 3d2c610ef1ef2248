"""What each batch did, in counts by the origin of the facts: nobody reads its changes for that."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import TWOFOLD, sql_list
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from apsw import Connection

NAMES = ("added", "changed", "removed", "archived", "linked", "relinked", "unlinked", "used")
_ALL = ", ".join(NAMES)


class Deeds(Record):
    """What a batch did to facts (`archived` are some of the changed ones), to edges, and to the use
    of facts."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    archived: int = 0
    linked: int = 0
    relinked: int = 0
    unlinked: int = 0
    used: int = 0

    def total(self) -> int:
        """Return how many changes are told of it."""
        return (
            self.added + self.changed + self.removed + self.linked + self.relinked
            + self.unlinked + self.used
        )  # fmt: skip


def origin_of(seq: str) -> str:
    """Return the SQL for the origin of a fact, also of one that is gone."""
    return (
        f"coalesce((SELECT origin FROM fact WHERE fact.seq = {seq}),"
        f" (SELECT before ->> 'origin' FROM change AS gone WHERE gone.row = {seq}"
        " AND gone.entity = 'fact' AND gone.act = '-' ORDER BY number DESC LIMIT 1))"
    )


_START = """coalesce(before ->> 'from_fact',
  (SELECT from_fact FROM link WHERE link.number = change.row),
  (SELECT before ->> 'from_fact' FROM change AS gone WHERE gone.row = change.row
   AND gone.entity = 'link' AND gone.act = '-' ORDER BY number DESC LIMIT 1))"""
# One row may stand for two edges. Its kind never changes.
KIND = """coalesce(change.before ->> 'kind',
  (SELECT kind FROM link WHERE link.number = change.row),
  (SELECT gone.before ->> 'kind' FROM change AS gone WHERE gone.row = change.row
   AND gone.entity = 'link' AND gone.act = '-' ORDER BY number DESC LIMIT 1))"""
"""The word under which the edges of a change of `link` are stored."""
_EDGES = f"iif(entity = 'link', 1 + ({KIND} IN ({sql_list(TWOFOLD)})), 0)"
# A fact was archived by a change when it was active before and is not after it. What it was after
# it is what the next change of its lifecycle found, or what is there now.
_LATER = """coalesce(
  (SELECT before ->> 'lifecycle' FROM change AS later
   WHERE later.row = change.row AND later.entity = 'fact' AND later.number > change.number
     AND before ->> 'lifecycle' IS NOT NULL ORDER BY number LIMIT 1),
  (SELECT lifecycle FROM fact WHERE fact.seq = change.row))"""
_COUNTED = f"""
SELECT batch.number,
       coalesce(iif(entity = 'link', {origin_of(_START)}, {origin_of("change.row")}),
                batch.origin) AS owner,
       sum(iif(entity = 'facts', change.row - change.after + 1,
               iif(entity = 'fact' AND act = '+', 1, 0))),
       sum(entity = 'fact' AND act = '~'),
       sum(entity = 'fact' AND act = '-'),
       sum(entity = 'fact' AND act = '~' AND before ->> 'lifecycle' IS 'active'
           AND {_LATER} IS NOT 'active'),
       sum((act = '+') * {_EDGES}), sum((act = '~') * {_EDGES}), sum((act = '-') * {_EDGES}),
       sum(entity = 'usage')
FROM change CROSS JOIN batch ON batch.number = change.batch
WHERE {{}} GROUP BY 1, 2
"""
_EVERY = _COUNTED.format("true")


def add(db: Connection, batch: int, *, since: int) -> None:
    """Count what a batch did from change number `since` on, at the end of its transaction."""
    db.execute(
        f"INSERT INTO batch_count {_COUNTED.format('change.number >= ? AND change.batch = ?')}"
        " ON CONFLICT DO UPDATE SET "
        + ", ".join(f"{name} = {name} + excluded.{name}" for name in NAMES),
        (since, batch),
    )


def counted(db: Connection, changes: Collection[int]) -> list[tuple[int, int, Deeds]]:
    """Return (batch, origin, counts) of some changes, given by number."""
    rows: list[Any] = db.execute(
        _COUNTED.format("change.number IN (SELECT value FROM json_each(?))"),
        (codec.dumps(list(changes)),),
    ).fetchall()
    return [(batch, origin, Deeds(*counts)) for batch, origin, *counts in rows]


def take_off(db: Connection, changes: Collection[int]) -> None:
    """Take changes off the counts of their batches, before they are deleted."""
    for batch, origin, counts in counted(db, changes):
        db.execute(
            f"UPDATE batch_count SET {', '.join(f'{name} = {name} - ?' for name in NAMES)}"
            " WHERE batch = ? AND origin = ?",
            (*(getattr(counts, name) for name in NAMES), batch, origin),
        )
    db.execute(
        "DELETE FROM batch_count WHERE"
        " added + changed + removed + linked + relinked + unlinked + used = 0"
    )


def of(db: Connection, batch: int, *, origin_number: int) -> Deeds:
    """Return what a batch did to the facts of an origin."""
    sql = f"SELECT {_ALL} FROM batch_count WHERE batch = ? AND origin = ?"
    row: Any = db.execute(sql, (batch, origin_number)).fetchone()
    return Deeds(*row) if row else Deeds()


def are_wrong(db: Connection) -> bool:
    """Say whether any count is not what the journal says."""
    held = f"SELECT batch, origin, {_ALL} FROM batch_count"
    both = ((held, _EVERY), (_EVERY, held))
    return any(db.execute(f"SELECT EXISTS ({one} EXCEPT {other})").get for one, other in both)


def count_anew(db: Connection) -> None:
    """Count what all batches did, and note where their changes end."""
    db.execute("DELETE FROM batch_count")
    db.execute(f"INSERT INTO batch_count {_EVERY}")
    db.execute(
        "UPDATE batch SET last = ends.last FROM"
        " (SELECT batch, max(number) AS last FROM change GROUP BY batch) AS ends"
        " WHERE ends.batch = batch.number"
    )
