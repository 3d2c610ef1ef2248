"""One table of a SQLite file that somebody else made, opened so that nothing in it runs and nothing
changes."""

from __future__ import annotations

import os
import stat
from shutil import copyfile
from tempfile import TemporaryDirectory
from time import thread_time

import apsw

from tideline_cli.errors import BusyError, TidelineError, UsageError
from tideline_cli.store import file_kind, files
from tideline_cli.system import NOCTTY, NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from apsw import Connection

PATIENCE = 10.0  # seconds of the processor without a row
_MOST_COLUMNS_AT_FULL = 32  # more columns have shorter cells, so that no row fills the memory
_NAMED = 10
_COMPUTED = 2  # as `PRAGMA table_xinfo` says it of a generated column that is not stored


def rows(
    path: str, table: str, *, patience: float = PATIENCE, tell: Callable[[str], object] = str
) -> Iterator[dict[str, Any] | TidelineError]:
    """Yield each row of a table by column name, or what is wrong with it.

    Views and virtual tables are programs, and are switched off. Computed columns are left out, and
    `tell` gets a message about it. Raises UsageError where there is no such table, where the file
    is damaged or is no database, and where no row comes for some seconds of processor time.
    """
    try:
        watch = _Watch(patience)
        with opened(path, watch) as db:
            _check(db, path, table)
            yield from _rows(db, table, _columns(db, table, tell), watch)
    except apsw.InterruptError as error:
        raise UsageError(
            f"{path}: no row has come for {patience:g} s of processor time",
            hint="export the table with the program that wrote it",
            code="no_progress",
        ) from error
    except apsw.BusyError as error:
        raise BusyError(f"{path} is being written", hint="try again") from error
    except apsw.Error as error:
        raise UsageError(
            f"{path} is not a readable SQLite database: {error}", hint="name another file"
        ) from error


class _Watch:
    """Says stop when too much time has gone by since the last row."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self.began = thread_time()

    def __call__(self) -> bool:
        return thread_time() - self.began > self._patience


def _check(db: Connection, path: str, table: str) -> None:
    """Raise UsageError unless `table` is a table that holds its rows itself."""
    sql = "SELECT type, rootpage FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')"
    kind, root = db.execute(sql, (table,)).fetchone() or ("", 0)
    if kind == "table" and root:
        return
    what = {"view": "is a view", "table": "is a virtual table"}.get(kind, "")
    names = [
        str(name)
        for (name,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT ?",
            (_NAMED + 1,),
        )
    ]
    more = ["…"] if len(names) > _NAMED else []
    listed = ", ".join([f"{name:.40}" for name in names[:_NAMED]] + more)
    hint = f"it has {listed}" if names else "it has no tables"
    if what:
        message = f"{table!r:.60} in {path} {what}, which would run what its author wrote"
        raise UsageError(message, hint=hint, code="no_table")
    raise UsageError(f"no table {table!r:.60} in {path}", hint=hint, code="no_table")


def _columns(db: Connection, table: str, tell: Callable[[str], object]) -> list[str]:
    """Return the columns whose values are stored."""
    every = db.execute(f"PRAGMA table_xinfo({_quoted(table)})").fetchall()
    computed = [str(name) for _, name, *_, hidden in every if hidden == _COMPUTED]
    if computed:
        tell(f"not read, for they are computed: {', '.join(f'{n:.40}' for n in computed[:_NAMED])}")
    return [str(name) for _, name, *_, hidden in every if hidden != _COMPUTED]


def _rows(
    db: Connection, table: str, columns: list[str], watch: _Watch
) -> Iterator[dict[str, Any] | TidelineError]:
    longest = LONGEST_ROW * _MOST_COLUMNS_AT_FULL // max(len(columns), _MOST_COLUMNS_AT_FULL)
    cells = ", ".join(
        f"CASE WHEN octet_length({name}) > ?1 THEN ?2 ELSE {name} END"
        for name in map(_quoted, columns)
    )
    too_long = os.urandom(16)
    found = db.execute(f"SELECT {cells} FROM {_quoted(table)}", (longest, too_long))
    while True:
        watch.began = thread_time()
        try:
            values = next(found, None)
        except UnicodeDecodeError:
            yield UsageError("not UTF-8")
            continue
        if values is None:
            return
        if too_long in values:
            name = columns[values.index(too_long)]
            yield UsageError(f"{name:.40} is longer than {longest:,} bytes")
        elif sum(len(v) for v in values if isinstance(v, (str, bytes))) > LONGEST_ROW:
            yield UsageError(f"the row is longer than {LONGEST_ROW >> 20} MiB")
        else:
            yield dict(zip(columns, values, strict=True))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
