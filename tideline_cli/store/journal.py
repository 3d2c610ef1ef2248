"""The journal: every change belongs to a batch, and a batch is one command or one pass."""

from __future__ import annotations

from tideline_cli.store import batch_counts, transactions, visibility
from tideline_cli.store.reads import alone
from tideline_cli.store.transactions import commit, rollback, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
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


class batch:  # noqa: N801  reads as a statement: with batch(db, ...):
    """One IMMEDIATE transaction whose changes are recorded together.

    `ordinal` is the number of the batch among those of its origin, which has `origin_number`. With
    `resume`, the changes join an earlier batch of the same pass, which has that `number`. When that
    batch was undone meanwhile, a new batch begins, and `number` is another. In a `bulk` the caller
    adds new facts to the index itself, by `fts.index_after`; in a `load`, it counts them too, by
    `fact_counts.count_after`.
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
        row = transactions.begin(self._db, None if is_resumed else self._added())
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

    def explain(self, reason: str, *, whole: bool = False, undoes: int | None = None) -> None:
        """Note what the batch has done, in words for people; whether it is a `whole` pass that has
        reached its end; and the number of the batch that it `undoes`."""
        sql = "UPDATE batch SET reason = ?, whole = ?, undoes = ? WHERE number = ?"
        self._db.execute(sql, (reason, int(whole), undoes, self.number))

    def is_empty(self) -> bool:
        """Say whether the transaction has changed nothing; a batch that began with it is taken
        back then, so that none is recorded."""
        if self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM change WHERE number >= ? AND batch = ?)",
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
        batch_counts.add(self._db, self.number, since=self._since)

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


def _is_undone(db: Connection, number: int) -> bool:
    """Say whether a later undo names a batch, also one that was itself taken back."""
    sql = "SELECT EXISTS (SELECT 1 FROM batch WHERE number > ?1 AND undoes = ?1)"
    return bool(db.execute(sql, (number,)).get)


def _add(by: Origin, verb: str, now: int, is_open: int) -> Read[Any]:
    rows = yield _ADD, (by.key, now, verb, is_open)
    return rows[0] if rows else None
