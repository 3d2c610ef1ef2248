"""Whether the log that lies beside a file can be its own. The file is asked without its log."""

from __future__ import annotations

import apsw

from tideline_cli.errors import CannotWriteError
from tideline_cli.store import file_kind, transactions


def refuse_foreign(path: str, mark: bytes) -> None:
    """Raise CannotWriteError when the log beside a file belongs to another one; `mark` is what the
    lock file says of the owner of the log."""
    if _is_of_another(path, mark):
        raise CannotWriteError(
            f"{path}-wal is the log of another file that had this name: it would damage {path}",
            hint=f"move the log away (mv {path}-wal {path}-wal.old) and try again; if the "
            f"whole folder was copied or moved, remove {path}-lock instead",
            code="foreign_log",
        )


def _is_of_another(path: str, mark: bytes) -> bool:
    """Say whether the file at `path` holds another content than the file of the mark.

    A file whose log was just written back has another mark and the same generation. So has a file
    whose folder was copied as a whole. A backup has a generation of its own. A file without tables
    holds nothing that could be harmed.
    """
    generation = mark.rpartition(b" ")[2].decode("ascii", "replace")
    if not generation:
        return False
    mode = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        db = apsw.Connection(f"{file_kind.address(path)}?immutable=1", flags=mode)
    except apsw.Error:
        return False  # who opens the file says it
    try:
        if db.execute("SELECT count(*) = 0 FROM sqlite_schema").get:
            return False
        return transactions.generation(db) != generation
    except apsw.Error:
        return False
    finally:
        db.close()
