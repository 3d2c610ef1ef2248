"""A SQLite file that somebody else made, opened so that nothing in it runs and nothing changes."""

from __future__ import annotations

import os
import stat

import apsw

from tideline_cli.errors import BusyError, UsageError
from tideline_cli.store import file_kind, files
from tideline_cli.system import NOCTTY, NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

LONGEST_ROW = 1 << 20
_MAGIC = b"SQLite format 3\x00"
_STEPS = 20_000
_ATTEMPTS = 5


class opened:  # noqa: N801  reads as a statement: with opened(path, stop) as db:
    """A connection that changes nothing beside the file: no log, no shared memory, no rollback.
    SQLite asks `stop` from time to time whether to go on."""

    def __init__(self, path: str, stop: Callable[[], bool]) -> None:
        self._path = os.path.realpath(path)
        self._stop = stop
        self._folder: Any = None
        self._db: Connection | None = None

    def __enter__(self) -> Connection:
        is_wal = _header(self._path)[18:20] != b"\x01\x01"
        if _is_hot(self._path + "-journal"):
            # To roll it back changes the file, and such a journal may name a file to delete.
            raise UsageError(
                f"{self._path} holds half a change: there is a {self._path}-journal",
                hint="wait until its program has written it, or open it once with that program",
            )
        if files.size(self._path + "-wal"):
            address = file_kind.address(self._copied())
            mode = apsw.SQLITE_OPEN_READWRITE  # the copy's log is written into the copy
        else:
            # Without a log no other process uses it. To look for a log would make one.
            address = file_kind.address(self._path) + ("?immutable=1" if is_wal else "")
            mode = apsw.SQLITE_OPEN_READONLY
        self._db = apsw.Connection(address, flags=mode | apsw.SQLITE_OPEN_URI)
        self._db.set_progress_handler(self._stop, _STEPS)
        try:
            _disarm(self._db)
            if self._folder is not None:
                self._unname(self._db)
        except BaseException:  # an interrupt too must leave no copy behind
            self.__exit__()
            raise
        return self._db

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()
        if self._folder is not None:
            self._folder.cleanup()

    def _unname(self, db: Connection) -> None:
        """Remove the names of a copy once it and its log are open, so that an import that is killed
        leaves nothing behind."""
        # Without shared memory nothing is opened by name later on.
        db.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        self._folder.cleanup()
        self._folder = None

    def _copied(self) -> str:
        """Copy a file and its log into a private folder, both as they are at one time."""
        from shutil import copyfile  # noqa: PLC0415  a file that is in use
        from tempfile import TemporaryDirectory  # noqa: PLC0415  a file with a log alone

        self._folder = TemporaryDirectory(prefix="tideline-")
        target = os.path.join(self._folder.name, "copy.db")
        for _ in range(_ATTEMPTS):
            before = _states(self._path)
            for end in ("", "-wal"):
                copyfile(self._path + end, target + end)
            if _states(self._path) == before:
                return target
        self._folder.cleanup()
        raise BusyError(f"{self._path} is being written", hint="try again, or import a copy")


def _disarm(db: Connection) -> None:
    db.drop_modules(())
    for name, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
    ):
        db.config(name, value)
    for limit, most in (
        (apsw.SQLITE_LIMIT_ATTACHED, 0),
        (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
        (apsw.SQLITE_LIMIT_LENGTH, 2 * LONGEST_ROW),
    ):
        db.limit(limit, most)
    db.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0").fetchall()


def _header(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            raw = file.read(100)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if not raw.startswith(_MAGIC):
        raise UsageError(
            f"{path} is not a readable SQLite database: it does not begin like one",
            hint="name another file, or say --format",
        )
    return raw


def _is_hot(journal: str) -> bool:
    """Say whether a journal would be rolled back. A journal that is finished is empty, or begins
    with a zero byte. What is not a regular file counts as one that would be rolled back; a FIFO is
    opened without waiting."""
    try:
        handle = os.open(journal, os.O_RDONLY | NONBLOCK | NOCTTY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    with open(handle, "rb") as file:
        return not stat.S_ISREG(os.fstat(handle).st_mode) or file.read(1) not in (b"", b"\0")


def _states(path: str) -> list[tuple[int, int, int]]:
    states = [os.stat(path + end) for end in ("", "-wal")]
    return [(state.st_ino, state.st_size, state.st_mtime_ns) for state in states]
