"""The journal: every change belongs to a batch, and a batch is one command or one pass."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import visibility
from tideline_cli.store.transactions import begin, commit, rollback, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin


class batch:  # noqa: N801  reads as a statement: with batch(db, ...):
    """One IMMEDIATE transaction whose changes are recorded together.

    `ordinal` is the number of the batch among those of its origin, which has `origin_number`. With
    `resume`, the changes join an earlier batch of the same pass, which has that `number`. When that
    batch was undone meanwhile, a new batch begins, and `number` is another. In a `bulk` the caller
    adds new facts to the index itself, by `fts.index_after`.
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
    ) -> None:
        self._db = db
        self._verb = verb
        self._by = by
        self._now = now
        self._open = 2 if bulk else 1
        self.number = resume or 0
        self.ordinal = 0
        self.origin_number = visibility.NOBODY

    def __enter__(self) -> batch:
        begin(self._db)
        is_open = False
        try:
            self.origin_number = visibility.ensure_number(self._db, self._by)
            self._begin()
            is_open = True
        finally:
            if not is_open:
                rollback(self._db)
        return self

    def explain(self, reason: str, *, whole: bool = False, undoes: int | None = None) -> None:
        """Note what the batch has done, in words for people; whether it is a `whole` pass that has
        reached its end; and the number of the batch that it `undoes`."""
        self._db.execute(
            "UPDATE batch SET reason = ?, whole = ?, undoes = ? WHERE number = ?",
            (reason, int(whole), undoes, self.number),
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._db.execute("UPDATE batch SET open = 0 WHERE number = ?", (self.number,))
            commit(self._db)
        else:
            rollback(self._db)

    def _begin(self) -> None:
        if self.number and _is_undone(self._db, self.number):
            self.number = 0
        if self.number:
            self._db.execute(
                "UPDATE batch SET open = ? WHERE number = ?", (self._open, self.number)
            )
        else:
            self.number = _add(self._db, self.origin_number, self._verb, self._now, self._open)
        row = self._db.execute(
            "SELECT ordinal FROM batch WHERE number = ?", (self.number,)
        ).fetchone()
        self.ordinal = int(row[0]) if row else 0


def record_blocked(db: Connection, *, verb: str, by: Origin, now: int, reason: str) -> None:
    """Record a write that was refused. Nothing of its text is kept."""
    with writing(db):
        origin = visibility.ensure_number(db, by)
        number = _add(db, origin, verb, now, 0)
        db.execute(
            "UPDATE batch SET outcome = 'blocked', reason = ? WHERE number = ?", (reason, number)
        )


@record
class Entry:
    """What one batch did to one row, or a batch that was blocked and did nothing. `batch` is None
    for a batch of another origin, whose numbers are not shown.

    `before` is the old row as JSON text, None for an insert; `row` and `change` are the numbers
    of the row and of the change; `edge` is a link in words: its kind and where it leads.
    """

    batch: int | None
    at: int
    verb: str
    outcome: str
    reason: str | None
    entity: str | None
    act: str | None
    fact: str | None
    before: str | None
    row: int | None = None
    change: int | None = None
    edge: str | None = None


# A row that is gone is shown to the origin that it belonged to. The origin of a fact is read from
# what the journal keeps of it, the origin of an edge from the fact where it started.
_ENTRY = """
SELECT iif(batch.origin = own.number, batch.ordinal, NULL), batch.at, batch.verb, batch.outcome,
       iif(batch.origin = own.number, batch.reason, NULL), change.entity, change.act,
       ifnull(fact.id, iif(change.entity = 'fact', change.before ->> 'id', NULL)),
       iif(change.entity = 'link' AND fact.id IS NULL, NULL, change.before),
       change.row, change.number, link.kind || ' → ' || target.id
FROM origin AS own, batch LEFT JOIN change ON change.batch = batch.number
  LEFT JOIN link ON change.entity = 'link' AND link.number = change.row
  LEFT JOIN fact AS target ON target.seq = link.to_fact
  LEFT JOIN fact ON fact.seq = CASE change.entity
    WHEN 'link' THEN ifnull(change.before ->> 'from_fact', link.from_fact) ELSE change.row END
WHERE own.key = ? AND coalesce(fact.origin,
  iif(change.entity = 'fact', change.before ->> 'origin', NULL), batch.origin) = own.number
"""


def entries(db: Connection, *, viewer: Origin, limit: int) -> Iterator[Entry]:
    """Yield what the newest `limit` batches of an origin did, newest batch first; -1 is all."""
    rows = db.execute(
        f"""{_ENTRY} AND batch.number IN (
          SELECT number FROM batch WHERE origin = (SELECT number FROM origin WHERE key = ?)
          ORDER BY ordinal DESC LIMIT ?)
        ORDER BY batch.ordinal DESC, change.number""",
        (viewer.key, viewer.key, limit),
    )
    for row in rows:
        yield Entry(*row)


def entries_of(db: Connection, seq: int, *, viewer: Origin) -> Iterator[Entry]:
    """Yield what any batch did to one fact of an origin, oldest first."""
    rows = db.execute(
        f"""{_ENTRY} AND change.entity IN ('fact', 'usage') AND change.row = ?
        ORDER BY change.number""",
        (viewer.key, seq),
    )
    for row in rows:
        yield Entry(*row)


def entries_at(db: Connection, changes: Iterable[int], *, viewer: Origin) -> Iterator[Entry]:
    """Yield those of the changes with the given numbers that are changes of an origin's facts,
    oldest first."""
    rows = db.execute(
        f"""{_ENTRY} AND change.number IN (SELECT value FROM json_each(?))
        ORDER BY change.number""",
        (viewer.key, codec.dumps(list(changes))),
    )
    for row in rows:
        yield Entry(*row)


KEYS = {"fact": "seq", "link": "number", "usage": "fact"}
"""The column by which the journal names a row of each table."""


def row_image(db: Connection, entity: str, number: int) -> str | None:
    """Return a row of `fact`, `link` or `usage` as the journal would keep it now, as JSON text."""
    return row_images(db, entity, [number]).get(number)


def last_active(db: Connection, fact_id: str) -> dict[str, Any] | None:
    """Return the row of an archived or pruned fact as it was when it was last active; None where
    the journal does not know it."""
    row: Any = db.execute(
        "SELECT before FROM change WHERE entity = 'fact' AND act = '~'"
        " AND row = (SELECT seq FROM fact WHERE id = ?) AND before ->> 'lifecycle' = 'active'"
        " ORDER BY number DESC LIMIT 1",
        (fact_id,),
    ).fetchone()
    return None if row is None else dict(codec.loads(row[0]))


def row_images(db: Connection, entity: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return those of the rows that exist as the journal would keep them now, by number."""
    from tideline_cli.store import schema  # noqa: PLC0415  16 KB of SQL that no write needs

    key = KEYS[entity]
    rows: Iterable[Any] = db.execute(
        f"SELECT {key}, {schema.state_of(entity)} FROM {entity}"
        f" WHERE {key} IN (SELECT value FROM json_each(?))",
        (codec.dumps(list(numbers)),),
    )
    return dict(rows)


def _is_undone(db: Connection, number: int) -> bool:
    """Say whether a later undo names a batch, also one that was itself taken back."""
    return bool(
        db.execute(
            "SELECT EXISTS (SELECT 1 FROM batch WHERE number > ?1 AND undoes = ?1)", (number,)
        ).get
    )


def _add(db: Connection, origin_number: int, verb: str, now: int, is_open: int) -> int:
    db.execute(
        """
        INSERT INTO batch (origin, ordinal, at, verb, open, first)
        SELECT ?1, 1 + ifnull((SELECT max(ordinal) FROM batch WHERE origin = ?1), 0), ?2, ?3, ?4,
               1 + ifnull((SELECT max(number) FROM change), 0)
        """,
        (origin_number, now, verb, is_open),
    )
    return db.last_insert_rowid()
