"""A look into the memory file that leaves no trace: nothing is made, upgraded, finished or waited
for. It is for what nobody asked to be run."""

from __future__ import annotations

import os

import apsw

from tideline_cli.store import APPLICATION_ID, SCHEMA_VERSION, connection, file_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

_PATIENCE_MS = 50
_STEPS = 5_000  # of SQLite's machine between two looks at the clock, some 50 µs
Interrupted = apsw.InterruptError


def peek(path: str, *, is_over: Callable[[], bool]) -> Connection | None:
    """Return a connection that only reads, None where there is no store of this version. What it
    runs ends with `Interrupted` as soon as `is_over` says so."""
    path = file_kind.real(path)
    if file_kind.regular(path) is None or os.path.lexists(path + "-journal"):
        return None
    # Without a log all is in the file, and a reader would make an empty log beside it.
    has_log = _size(path + "-wal") > 0
    db = connection.open_for_inspection(path) if has_log else connection.connect_unchanging(path)
    db.set_busy_timeout(_PATIENCE_MS)
    db.execute("PRAGMA query_only = ON").fetchall()
    known = (APPLICATION_ID, SCHEMA_VERSION)
    if (db.pragma("application_id"), db.pragma("user_version")) != known:
        db.close()
        return None
    db.set_progress_handler(is_over, _STEPS)
    return db


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
