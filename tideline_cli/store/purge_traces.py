"""Traces of purged facts: where they may be left, and writing the files again without them."""

from __future__ import annotations

import apsw

from tideline_cli.store import SERVERS, transactions
from tideline_cli.store.connection import (
    TRACES,
    TRACES_IN_FILE,
    TRACES_IN_LOG,
    purge_pending,
    put_setting,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def begin_purge(db: Connection) -> None:
    """Note, in the transaction that removes facts, that traces of them are left in the files."""
    if not db.filename.startswith(SERVERS):
        put_setting(db, TRACES, TRACES_IN_FILE)


def finish_purge(db: Connection, *, patience_ms: int = 1000) -> bool:
    """Leave no trace of purged facts in any file; return False when another process or a full disk
    prevents it.

    Pages keep what was moved or deleted until they are written again, so the whole file is written
    again. Then the log is emptied, because it holds older pages; no other process may be reading
    at that time.
    """
    if db.filename.startswith(SERVERS):  # what it keeps, only its administrator can remove
        return True
    patience = db.pragma("busy_timeout")
    try:
        if purge_pending(db) == TRACES_IN_FILE:
            _rewrite(db)
        db.set_busy_timeout(patience_ms)
        is_busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        if not is_busy:
            db.execute("DELETE FROM setting WHERE name = ?", (TRACES,))
        return not is_busy
    except apsw.Error:
        return False
    finally:
        db.set_busy_timeout(patience)


def _rewrite(db: Connection) -> None:
    with transactions.in_turn(db):
        db.execute("VACUUM")
        put_setting(db, TRACES, TRACES_IN_LOG)
