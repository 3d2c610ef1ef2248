"""The journal: every change belongs to a batch, and a batch is one command or one pass. What each
did is counted by the origin of the facts, so that nobody reads its changes for that."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import TWOFOLD, sql_list
from tideline_cli.model.record import Record
from tideline_cli.store import connection, visibility
from tideline_cli.store.connection import commit, rollback, writing
from tideline_cli.store.reads import alone, differ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from types import TracebackType
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read

_ADD = """
INSERT INTO batch (origin, ordinal, at, verb, open, first)
SELECT own.number, 1 + ifnull((SELECT max(ordinal) FROM batch WHERE origin = own.number), 0),
       ?2, ?3, ?4, 1 + ifnull((SELECT max(number) FROM change), 0)
FROM origin AS own WHERE own.key = ?1
RETURNING number, ordinal, first, origin
"""
_RESUMED = """
SELECT number, ordinal, 1 + ifnull((SELECT max(number) FROM change), 0), origin
FROM batch WHERE number = ?
"""


UNFINISHED = "not at its end: "
"""How the reason of an import begins until it has come to its end; what it reads follows."""


class batch:  # noqa: N801  reads as a statement: with batch(db, ...):
    """One IMMEDIATE transaction whose changes are recorded together.

    `ordinal` is the number of the batch among those of its origin, which has `origin_number`. With
    `resume`, the changes join an earlier batch of the same pass, which has that `number`. When that
    batch was undone meanwhile, a new batch begins, and `number` is another. In a `bulk` the caller
    adds new facts to the index itself, by `fts.index_after`; in a `load`, it counts them too, by
    `bulk_inserts.count_after`.
    """

    def __init__(
        self,
        db: Connection,
        *,
        verb: str,
        by: Origin,
        now: int,
        resume: int | None = None,
        bulk: bool = False,
        load: bool = False,
    ) -> None:
        self._db = db
        self._verb = verb
        self._by = by
        self._now = now
        self._open = 3 if load else 2 if bulk else 1
        self.number = resume or 0
        self._is_resumed = False
        self.ordinal = 0
        self.origin_number = visibility.NOBODY
        self._since = 0

    def __enter__(self) -> batch:
        is_resumed = self.number > 0
        row = connection.begin(self._db, None if is_resumed else self._added())
        is_open = False
        try:
            if is_resumed or row is None:
                visibility.ensure_number(self._db, self._by)
                row = self._begun()
            self.number, self.ordinal, self._since, self.origin_number = row
            is_open = True
        finally:
            if not is_open:
                rollback(self._db)
        return self

    def explain(
        self, reason: str | None, *, whole: bool = False, undoes: int | None = None
    ) -> None:
        """Note what the batch has done, in words for people; whether it is a `whole` pass that has
        reached its end; and the number of the batch that it `undoes`."""
        sql = "UPDATE batch SET reason = ?, whole = ?, undoes = ? WHERE number = ?"
        self._db.execute(sql, (reason, int(whole), undoes, self.number))

    def is_empty(self) -> bool:
        """Say whether the transaction has changed nothing; a batch that began with it is taken
        back then, so that none is recorded."""
        if self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM change WHERE number >= ?1 AND batch = ?2)"
            " OR EXISTS (SELECT 1 FROM turn_deed WHERE batch = ?2)",
            (self._since, self.number),
        ).get:
            return False
        if not self._is_resumed:
            self._db.execute("DELETE FROM batch WHERE number = ?", (self.number,))
        return True

    def note_secrets(self, count: int) -> None:
        """Note that secrets were taken out of what the batch stores, and how many."""
        if count:
            self.explain(f"{count:,} secret{'s' * (count > 1)} replaced by [secret]")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._close()
            commit(self._db)
        else:
            rollback(self._db)

    def _close(self) -> None:
        self._db.execute(
            "UPDATE batch SET open = 0, last = (SELECT ifnull(max(number), 0) FROM change)"
            " WHERE number = ?",
            (self.number,),
        )
        count_batch(self._db, self.number, since=self._since)

    def _begun(self) -> Any:
        """Open the batch that is resumed, unless it was undone, or a new one; return its number and
        ordinal, the number of its first change from now on, and its origin."""
        self._is_resumed = self.number > 0 and not _is_undone(self._db, self.number)
        if not self._is_resumed:
            return alone(self._db, self._added())
        self._db.execute("UPDATE batch SET open = ? WHERE number = ?", (self._open, self.number))
        row: Any = self._db.execute(_RESUMED, (self.number,)).fetchone()
        return row

    def _added(self) -> Read[Any]:
        """Add a batch; say the same of it, None where its origin is not known yet."""
        return _add(self._by, self._verb, self._now, self._open)


def record_blocked(db: Connection, *, verb: str, by: Origin, now: int, reason: str) -> None:
    """Record a write that was refused. Nothing of its text is kept."""
    with writing(db):
        visibility.ensure_number(db, by)
        number, *_ = alone(db, _add(by, verb, now, 0))
        sql = "UPDATE batch SET outcome = 'blocked', reason = ? WHERE number = ?"
        db.execute(sql, (reason, number))


def unfinished(db: Connection, reason: str, *, viewer: Origin) -> int | None:
    """Return the number of the viewer's newest import, None where it has another reason."""
    sql = """SELECT batch.number, reason FROM batch JOIN origin ON origin.number = batch.origin
        WHERE origin.key = ? AND verb = 'import' AND outcome = 'done'
        ORDER BY ordinal DESC LIMIT 1"""
    row: Any = db.execute(sql, (viewer.key,)).fetchone()
    return row[0] if row and row[1] == reason else None


def _is_undone(db: Connection, number: int) -> bool:
    """Say whether a later undo names a batch, also one that was itself taken back."""
    sql = "SELECT EXISTS (SELECT 1 FROM batch WHERE number > ?1 AND undoes = ?1)"
    return bool(db.execute(sql, (number,)).get)


def _add(by: Origin, verb: str, now: int, is_open: int) -> Read[Any]:
    rows = yield _ADD, (by.key, now, verb, is_open)
    return rows[0] if rows else None


COUNTS = ("added", "changed", "removed", "archived", "linked", "relinked", "unlinked", "used")
_ALL = ", ".join((*COUNTS, "turns"))


class Deeds(Record):
    """What a batch did to facts (`archived` are some of those changed), to edges, to uses, and to
    turns of sessions."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    archived: int = 0
    linked: int = 0
    relinked: int = 0
    unlinked: int = 0
    used: int = 0
    turns: int = 0

    def total(self) -> int:
        """Return how many changes are told of it."""
        return (
            self.added + self.changed + self.removed + self.linked + self.relinked
            + self.unlinked + self.used + self.turns
        )  # fmt: skip


def origin_of(seq: str) -> str:
    """Return the SQL for the origin of a fact, also of one that is gone."""
    return (
        f"coalesce((SELECT origin FROM fact WHERE fact.seq = {seq}),"
        f" (SELECT before ->> 'origin' FROM change AS gone WHERE gone.row = {seq}"
        " AND gone.entity = 'fact' AND gone.act = '-' ORDER BY number DESC LIMIT 1))"
    )


START = """coalesce(before ->> 'from_fact',
  (SELECT from_fact FROM link WHERE link.number = change.row),
  (SELECT before ->> 'from_fact' FROM change AS gone WHERE gone.row = change.row
   AND gone.entity = 'link' AND gone.act = '-' ORDER BY number DESC LIMIT 1))"""
# One row may stand for two edges. Its kind never changes.
EDGE_KIND = """coalesce(change.before ->> 'kind',
  (SELECT kind FROM link WHERE link.number = change.row),
  (SELECT gone.before ->> 'kind' FROM change AS gone WHERE gone.row = change.row
   AND gone.entity = 'link' AND gone.act = '-' ORDER BY number DESC LIMIT 1))"""
"""The word under which the edges of a change of `link` are stored."""
_EDGES = f"iif(entity = 'link', 1 + ({EDGE_KIND} IN ({sql_list(TWOFOLD)})), 0)"
# A fact was archived by a change when it was active before and is not after it. What it was after
# it is what the next change of its lifecycle found, or what is there now.
_LATER = """coalesce(
  (SELECT before ->> 'lifecycle' FROM change AS later
   WHERE later.row = change.row AND later.entity = 'fact' AND later.number > change.number
     AND before ->> 'lifecycle' IS NOT NULL ORDER BY number LIMIT 1),
  (SELECT lifecycle FROM fact WHERE fact.seq = change.row))"""
_COUNTED = f"""
SELECT batch.number,
       coalesce(iif(entity = 'link', {origin_of(START)}, {origin_of("change.row")}),
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
_EVERY = f"""
SELECT batch, owner, {", ".join(f"sum({name})" for name in (*COUNTS, "turns"))} FROM (
  SELECT batch, origin AS owner, {", ".join(f"0 AS {name}" for name in COUNTS)},
    last - first + 1 AS turns FROM turn_deed
  UNION ALL SELECT counted.*, 0 FROM ({_COUNTED.format("true")}) AS counted) AS did
GROUP BY 1, 2
"""


def count_batch(db: Connection, batch: int, *, since: int) -> None:
    """Count what a batch did from change number `since` on, at the end of its transaction."""
    db.execute(
        f"INSERT INTO batch_count (batch, origin, {', '.join(COUNTS)})"
        f" {_COUNTED.format('change.number >= ? AND change.batch = ?')}"
        " ON CONFLICT DO UPDATE SET "
        + ", ".join(f"{name} = {name} + excluded.{name}" for name in COUNTS),
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
            f"UPDATE batch_count SET {', '.join(f'{name} = {name} - ?' for name in COUNTS)}"
            " WHERE batch = ? AND origin = ?",
            (*(getattr(counts, name) for name in COUNTS), batch, origin),
        )
    db.execute(
        "DELETE FROM batch_count WHERE"
        " added + changed + removed + linked + relinked + unlinked + used + turns = 0"
    )


def deeds_of_batch(db: Connection, batch: int, *, origin_number: int) -> Deeds:
    """Return what a batch did to the facts of an origin."""
    sql = f"SELECT {_ALL} FROM batch_count WHERE batch = ? AND origin = ?"
    row: Any = db.execute(sql, (batch, origin_number)).fetchone()
    return Deeds(*row) if row else Deeds()


def counts_are_wrong(db: Connection) -> bool:
    """Say whether any count is not what the journal says."""
    return differ(db, f"SELECT batch, origin, {_ALL} FROM batch_count", _EVERY)


def count_batches_anew(db: Connection) -> None:
    """Count what all batches did, and note where their changes end."""
    db.execute("DELETE FROM batch_count")
    db.execute(f"INSERT INTO batch_count (batch, origin, {_ALL}) {_EVERY}")
    db.execute(
        "UPDATE batch SET last = ends.last FROM"
        " (SELECT batch, max(number) AS last FROM change GROUP BY batch) AS ends"
        " WHERE ends.batch = batch.number"
    )
