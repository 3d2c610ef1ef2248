"""Whether a log that lies beside a file can be its own, asked of the file without the log."""

from __future__ import annotations

import apsw

from tideline_cli.store import connection, transactions


def is_foreign(path: str, noted: bytes) -> bool:
    """Say whether the file at `path` holds another content than the one whose mark is `noted`.

    A file whose log was just written back, or whose folder was copied as a whole, has another mark
    and the same generation; a backup has a generation of its own. A file without tables holds
    nothing that could be harmed.
    """
    generation = noted.rpartition(b" ")[2].decode("ascii", "replace")
    if not generation:
        return False
    mode = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        db = apsw.Connection(f"{connection.address(path)}?immutable=1", flags=mode)
    except apsw.Error:
        return False  # told by whoever opens it
    try:
        if db.execute("SELECT count(*) = 0 FROM sqlite_schema").get:
            return False
        return transactions.generation(db) != generation
    except apsw.Error:
        return False
    finally:
        db.close()
