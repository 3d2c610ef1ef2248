"""Connections to the memory file: the only place that makes one, and the settings of the file."""

from __future__ import annotations

import os
import sys

import apsw

from tideline_cli import store
from tideline_cli.errors import BusyError, CannotWriteError
from tideline_cli.store import file_kind, locks, transactions
from tideline_cli.store.transactions import Opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

DatabaseError = apsw.Error

_COLLISIONS = ("40001", "40P01")
_SETUP = "PRAGMA cell_size_check = ON"
if sys.platform == "darwin":  # where SQLite leaves what it has written in the cache of the drive
    _SETUP += "; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"
BUSY_MS = 10_000
_SHORT_LOG = 256 * 1024  # to read it anew takes the next command a quarter of a millisecond
TRACES = "purge_pending"  # the setting that says where purged facts have left traces
TRACES_IN_FILE, TRACES_IN_LOG = "file", "log"


def is_collision(error: DatabaseError) -> bool:
    """Say whether a server has ended a transaction for the sake of another: a deadlock, or what it
    had read is not so any more."""
    return getattr(error, "state", "") in _COLLISIONS


def open_for_inspection(path: str) -> Connection:
    """Return a connection to a file that may be damaged, foreign or newer: nothing is verified,
    made or finished, and closing writes nothing back. An address is that of a server."""
    if path.startswith(store.SERVERS):
        from tideline_cli.store.postgres import opening as servers  # noqa: PLC0415  no file

        return servers.connected(path)  # type: ignore[return-value]
    return connect_for_reading(file_kind.real(path))


def connect(real: str, *, writes: bool) -> Opened:
    """Connect to a file. A file with two names is opened for reading only: nothing is written to
    it, and its log is not written back."""
    before = _state_of_own(real)
    # Where nobody may write, SQLite opens what it should write for reading.
    db = _configured(real, apsw.SQLITE_OPEN_READWRITE)
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # `accept` says that the file is ours
    after = os.lstat(real)
    if before is not None and (before.st_ino, before.st_dev) != (after.st_ino, after.st_dev):
        db.close()
        raise BusyError(f"{real} was replaced while it was being opened", hint="try again")
    if file_kind.has_two_names(real, after):
        db.close()
        if writes:
            from tideline_cli.store import files  # noqa: PLC0415  only for an error

            raise files.two_names_error(real)
        db = _configured(real, apsw.SQLITE_OPEN_READONLY)
    return db


def accept(db: Connection) -> None:
    """Let a connection write its log back: the file is a sound store of ours, which a log may be
    written into."""
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def _state_of_own(real: str) -> os.stat_result | None:
    """Return the state of a file, None where there is none; refuse one beside another's log."""
    state = file_kind.regular(real)
    if state is not None:
        mark = locks.differing_mark(real, state)
        if mark:
            refuse_foreign_log(real, mark)
    return state


def connect_as_it_is(real: str, *, patience_ms: int) -> Opened:
    """Connect to a file by a connection that cannot write, and waits no longer than that."""
    _state_of_own(real)
    try:
        db = _configured(real, apsw.SQLITE_OPEN_READONLY, patience_ms=patience_ms)
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.pragma("application_id")
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        return connect_unchanging(real)
    return db


def leave(db: Connection) -> None:
    """Close a connection at the end of a command. A short log stays: writing it back would sync
    twice more, and every commit has synced it. Whoever finds it long writes it back, and so does
    the command that makes a store: without its log, the file is one."""
    if db.filename.startswith(store.SERVERS):
        db.close()
        return
    try:
        log = os.stat(f"{db.filename}-wal").st_size
        is_short = log <= min(_SHORT_LOG, os.stat(db.filename).st_size * 8)
    except OSError:
        is_short = False
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(is_short))
    db.close()


def connect_for_reading(path: str) -> Opened:
    """Connect to a file that is read, also where nobody may write."""
    try:
        return _connect_as_reader(path)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        return connect_unchanging(path)
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) != apsw.SQLITE_IOERR_SHMSIZE:
            raise
    # The disk has no room for the file of shared memory. So nobody else has the store open, and a
    # process that is alone needs no such file.
    return _connect_as_reader(path, "PRAGMA locking_mode = EXCLUSIVE")


def _connect_as_reader(path: str, setup: str = "") -> Opened:
    db = connect(path, writes=False)
    try:
        # A reader writes only counts of use, as best effort. So it syncs only in the checkpoints
        # that keep the log short, and makes no checkpoint at its end.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.execute(f"{setup}; PRAGMA synchronous = NORMAL").fetchall()
        db.pragma("application_id")
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError):
        db.close()  # it stays open after a CorruptError: `translated` asks it for the reason
        raise
    return db


def connect_unchanging(path: str) -> Opened:
    """Connect without a log and without locks to a file in a folder where no log can be made, as on
    a read-only medium. Nobody can write there."""
    log = path + "-wal"
    if os.path.exists(log) and os.path.getsize(log):
        raise CannotWriteError(
            f"{path} cannot be read where it is: its log ({log}) was not written back, and the "
            "folder is read-only",
            hint="copy both files to a folder that you may write, and open the copy",
        )
    mode = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _configured(f"{file_kind.address(path)}?immutable=1", mode)


def _configured(name: str, mode: int, *, patience_ms: int | None = None) -> Opened:
    db = Opened(name, flags=mode | apsw.SQLITE_OPEN_NOFOLLOW)
    db.set_busy_timeout(BUSY_MS if patience_ms is None else patience_ms)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    db.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    # Without it SQLite prepares a statement anew for each value that could choose another plan: of
    # the index of words, for each term and segment.
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    db.execute(_SETUP)
    return db


def purge_pending(db: Connection) -> str:
    """Return where traces of purged facts may be left: in the `file`, in the `log`, or nowhere
    (empty)."""
    return setting(db, TRACES, "")


def setting(db: Connection, name: str, default: str) -> str:
    """Return a setting of the file."""
    known = getattr(db, "settings", None)
    if known is not None:
        return str(known.get(name, default))
    row = db.execute(store.SETTING, (name,)).fetchone()
    return str(row[0]) if row else default


def named_settings(db: Connection, *names: str) -> dict[str, str]:
    """Return those of some settings of the file that it has."""
    known = getattr(db, "settings", None)
    if known is not None:
        return {name: str(known[name]) for name in names if name in known}
    marks = ", ".join("?" * len(names))
    rows = db.execute(f"SELECT name, value FROM setting WHERE name IN ({marks})", names)
    return {str(name): str(value) for name, value in rows}


def has_synced(db: Connection) -> bool:
    """Say whether this memory has ever synced: one that never does has no tables of a sync."""
    return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sync_fact'").fetchone())


OLDER_TERMS = (
    "analysed by older rules, which know fewer forms of words; "
    "`tideline config set analyzer standard` analyses all facts anew"
)


def is_analysed_by_older_rules(db: Connection) -> bool:
    """Say whether the index of a file lacks the further forms that its analyser has now."""
    return setting(db, "analyzer", "standard") == "standard"


def put_setting(db: Connection, name: str, value: str) -> None:
    """Store a setting of the file."""
    db.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", (name, value))


def drop_setting(db: Connection, name: str) -> None:
    """Remove a setting of the file, if it has it."""
    db.execute("DELETE FROM setting WHERE name = ?", (name,))


def refuse_foreign_log(path: str, mark: bytes) -> None:
    """Raise CannotWriteError when the log beside a file belongs to another one; `mark` is what the
    lock file says of the owner of the log."""
    if _is_log_of_another(path, mark):
        raise CannotWriteError(
            f"{path}-wal is the log of another file that had this name: it would damage {path}",
            hint=f"move the log away (mv {path}-wal {path}-wal.old) and try again; if the "
            f"whole folder was copied or moved, remove {path}-lock instead",
            code="foreign_log",
        )


def _is_log_of_another(path: str, mark: bytes) -> bool:
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
