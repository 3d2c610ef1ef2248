"""Opening the memory file: the only place that makes a connection and sets its pragmas."""

from __future__ import annotations

import os
import stat

import apsw

from tideline_cli.errors import BusyError, CannotWriteError, StoreError
from tideline_cli.store import locks, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from apsw import Connection

DatabaseError = apsw.Error
ALLOW_NETWORK = "TIDELINE_ALLOW_NETWORK_FS"

BUSY_MS = 10_000
TOUCH_BUSY_MS = 20
_OLDEST_SQLITE = (3, 51, 3)  # older ones have the WAL-reset race
_BULK_CACHE_KIB = 96 * 1024
_BULK_LOG_PAGES = 4000
_BULK_ROOM = 128 * 1024 * 1024
_JOURNAL_LIMIT = 16 * 1024 * 1024
_LOOK = getattr(os, "O_PATH", 0)  # a handle that drops no locks when it is closed
_HANDLES = "/proc/self/fdinfo"
TRACES = "purge_pending"  # the setting that says where purged facts have left traces
TRACES_IN_FILE, TRACES_IN_LOG = "file", "log"


def open_for_writing(path: str, *, network_allowed: bool = False) -> Connection:
    """Return a connection to the store at `path`, which is made when it does not exist."""
    check_library()
    if not network_allowed:
        _check_place(path)
    if not os.path.lexists(path):
        from tideline_cli.store import folders  # noqa: PLC0415  once in the life of a file

        folders.create_file(path)
    path = _real(path)
    db = _connect(path, writes=True)
    _prepare(db, path)
    db.execute(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
        "PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY;"
        "PRAGMA journal_mode = WAL;"  # a backup that was put in place has a rollback journal
        f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT}"
    ).fetchall()
    if purge_pending(db):
        _finish_purge(db)
    return db


def open_for_reading(path: str) -> Connection | None:
    """Return a connection that makes nothing, or None when there is no store at `path`."""
    check_library()
    path = _real(path)
    if not os.path.lexists(path):
        return None
    if os.path.isfile(path) and os.path.getsize(path) == 0:
        return None
    db = _connect_for_reading(path)
    if is_unmade(db):
        db.close()
        return None
    _upgrade(db, path, _verify(db, path))
    if purge_pending(db) == TRACES_IN_LOG:
        _finish_purge(db)
    return db


def open_for_replacing(path: str, *, network_allowed: bool = False) -> Connection:
    """Return a connection to a store of ours that may be damaged and whose content is about to be
    replaced; an empty one is made when there is none."""
    if not os.path.lexists(path) or os.path.getsize(path) == 0:
        return open_for_writing(path, network_allowed=network_allowed)
    check_library()
    path = _real(path)
    if not network_allowed:
        _check_place(path)
    db = _connect(path, writes=True)
    _verify(db, path)
    _tighten(path)
    db.execute("PRAGMA secure_delete = ON").fetchall()
    return db


def open_for_inspection(path: str) -> Connection:
    """Return a connection to a file that may be damaged, foreign or newer: nothing is verified,
    made or finished, and closing writes nothing back."""
    return _connect_for_reading(_real(path))


def has_two_names(path: str, state: os.stat_result) -> bool:
    """Say whether a file goes by another name as well: by a hard link, or as a mount of its own.

    SQLite names a log after the file, so two names of one file have two logs, and who writes by one
    of them overwrites what was written by the other.
    """
    if state.st_nlink > 1:
        return True
    here, above = _mount(path), _mount(os.path.dirname(path))
    return bool(here and above) and here != above


def _mount(path: str) -> bytes:
    """Return the number of the mount that a file or folder lies on; empty where the system does not
    say. A mount of one file has the device of its folder, so the device does not tell it; 3 µs."""
    if not _LOOK:
        return b""
    try:
        handle = os.open(path, _LOOK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        info = os.open(f"{_HANDLES}/{handle}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        from tideline_cli.store import mounts  # noqa: PLC0415  where there is no /proc; ctypes

        return mounts.number(handle)
    else:
        text = os.read(info, 256)
        os.close(info)
        return text.partition(b"mnt_id:")[2].split(b"\n", 1)[0]
    finally:
        os.close(handle)


_queues: dict[int, int | None] = {}  # connection -> its place in the queue of writers


class writing:  # noqa: N801  reads as a statement: with writing(db):
    """One IMMEDIATE transaction: committed at the end of the block, rolled back by an exception."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def __enter__(self) -> Connection:
        begin(self._db)
        return self._db

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            commit(self._db)
        else:
            rollback(self._db)


def begin(db: Connection) -> None:
    """Begin a write transaction, in order of arrival among the processes that want one."""
    patience = db.pragma("busy_timeout") / 1000
    queue = locks.wait(db.filename, locks.WRITER, seconds=patience)
    try:
        db.execute("BEGIN IMMEDIATE")
    except BaseException:
        locks.release(queue)
        raise
    _queues[id(db)] = queue


def commit(db: Connection) -> None:
    """Commit what `begin` began; roll back when that fails."""
    try:
        db.execute("COMMIT")
    finally:
        rollback(db)


def rollback(db: Connection) -> None:
    """Undo what was written since `begin`, if a transaction is open, and let the next one in."""
    try:
        if not db.get_autocommit():
            db.execute("ROLLBACK")
    finally:
        locks.release(_queues.pop(id(db), None))


class snapshot:  # noqa: N801
    """One read transaction: everything read in the block is of the same instant."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def __enter__(self) -> Connection:
        self._db.execute("BEGIN")
        return self._db

    def __exit__(self, *_: object) -> None:
        if not self._db.get_autocommit():
            self._db.execute("ROLLBACK")


def prepare_for_bulk(db: Connection) -> None:
    """Give a connection room for many writes: a larger page cache, rarer checkpoints and syncs.

    Nothing of the bulk is acknowledged before a commit that follows `finish_bulk`.

    On a small disk the log is written back after each commit: what stands in it when the disk is
    full finds no room in the file, and the log grows with all that is written, forgetting too.
    """
    held = os.statvfs(os.path.dirname(db.filename))
    pages = _BULK_LOG_PAGES if held.f_bavail * held.f_frsize >= _BULK_ROOM else 1
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(
        f"PRAGMA cache_size = -{_BULK_CACHE_KIB}; PRAGMA wal_autocheckpoint = {pages}"
    ).fetchall()


def finish_bulk(db: Connection) -> None:
    """Sync every commit from now on: the next one makes all that was written durable."""
    db.execute("PRAGMA synchronous = FULL")


def purge_pending(db: Connection) -> str:
    """Return where traces of purged facts may be left: in the `file`, in the `log`, or nowhere
    (empty)."""
    return setting(db, TRACES, "")


def setting(db: Connection, name: str, default: str) -> str:
    """Return a setting of the file."""
    row = db.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else default


def put_setting(db: Connection, name: str, value: str) -> None:
    """Store a setting of the file."""
    db.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", (name, value))


def _connect(real: str, *, writes: bool) -> Connection:
    """Connect to a file with one name; one with two is read, and neither written nor tidied."""
    before = _check_kind(real)
    # Where nobody may write, SQLite opens what it should write for reading.
    db = _configured(real, apsw.SQLITE_OPEN_READWRITE)
    after = os.lstat(real)
    if before is not None and (before.st_ino, before.st_dev) != (after.st_ino, after.st_dev):
        db.close()
        raise BusyError(f"{real} was replaced while it was being opened", hint="try again")
    if has_two_names(real, after):
        db.close()
        if writes:
            from tideline_cli.store import names  # noqa: PLC0415  only for an error

            raise names.refused(real)
        db = _configured(real, apsw.SQLITE_OPEN_READONLY)
    return db


def _real(path: str) -> str:
    """Return the one name of a file: links above it are followed, once for all that is opened and
    locked beside it; itself must be none."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _configured(name: str, mode: int) -> Connection:
    db = apsw.Connection(name, flags=mode | apsw.SQLITE_OPEN_NOFOLLOW)
    db.set_busy_timeout(BUSY_MS)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    db.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    db.execute("PRAGMA cell_size_check = ON")
    return db


def _connect_for_reading(path: str) -> Connection:
    try:
        return _connect_as_reader(path)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        return _connect_unchanging(path)
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) != apsw.SQLITE_IOERR_SHMSIZE:
            raise
    # The disk has no room for the file of shared memory. Nobody else has the store open then, and
    # who is alone needs none.
    return _connect_as_reader(path, "PRAGMA locking_mode = EXCLUSIVE")


def _connect_as_reader(path: str, setup: str = "") -> Connection:
    db = _connect(path, writes=False)
    try:
        # What a reader writes are counts of use, best effort: no sync but for the checkpoints that
        # keep the log short, and none of those at the end.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.execute(f"{setup}; PRAGMA synchronous = NORMAL").fetchall()
        db.pragma("application_id")
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError):
        db.close()  # not so after a CorruptError: `translated` asks the connection for its reason
        raise
    return db


def _connect_unchanging(path: str) -> Connection:
    """Connect to a file in a folder where no log can be made, as on a read-only medium: without a
    log and without locks, since nobody can write."""
    log = path + "-wal"
    if os.path.exists(log) and os.path.getsize(log):
        raise CannotWriteError(
            f"{path} cannot be read where it is: its log ({log}) was not written back, and the "
            "folder is read-only",
            hint="copy both files to a folder that you may write, and open the copy",
        )
    mode = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _configured(f"{address(path)}?immutable=1", mode)


def address(path: str) -> str:
    """Return a path as SQLite reads it in an address, where nothing in it is a query."""
    plain = frozenset(b"/._-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return "file:" + "".join(chr(b) if b in plain else f"%{b:02x}" for b in os.fsencode(path))


def _check_kind(path: str) -> os.stat_result | None:
    """Return what is there, None for nothing. Refuse what is no regular file: a FIFO would wait for
    its writer, and beside a device SQLite would put its own files."""
    try:
        state = os.lstat(path)
    except OSError:
        return None  # SQLite says what is wrong
    if stat.S_ISDIR(state.st_mode):
        raise StoreError(f"{path} is a folder", hint="name a file")
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode)):
        raise StoreError(f"{path} is not a regular file", hint="name another file with --db")
    _check_journal(path + "-journal")
    return state


def _check_journal(path: str) -> None:
    """Refuse a journal that is no file: SQLite would open a FIFO, and wait for its writer."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is not a regular file", hint=f"remove {path}")


def _finish_purge(db: Connection) -> None:
    from tideline_cli.store import traces  # noqa: PLC0415  only after a purge that was hindered

    traces.finish_purge(db, patience_ms=0)


def _check_place(path: str) -> None:
    from tideline_cli.store import places  # noqa: PLC0415  readers may be anywhere

    places.check(path)


def _prepare(db: Connection, path: str) -> None:
    """Make an empty file a store; refuse one that is not ours, and leave it as it is."""
    if is_unmade(db):
        _tighten(path)
        db.execute("PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL").fetchall()
        with writing(db):
            if _is_empty(db):
                db.execute(schema.script()).fetchall()
                db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {schema.VERSION}")
    _upgrade(db, path, _verify(db, path))
    _tighten(path)
    if not os.path.lexists(path + "-reserve"):
        from tideline_cli.store import reserve  # noqa: PLC0415  it is there but for the first time

        reserve.keep(path)


def is_unmade(db: Connection) -> bool:
    """Say whether a file has nothing in it: the first writer gives it a log before it makes the
    tables, so others may see it in between, also for long when that writer was killed."""
    return db.pragma("application_id") == 0 and _is_empty(db)


def _is_empty(db: Connection) -> bool:
    return bool(db.execute("SELECT count(*) = 0 FROM sqlite_schema").get)


def _verify(db: Connection, path: str) -> int:
    """Return the version of a file of ours; raise StoreError for any other."""
    if db.pragma("application_id") != schema.APPLICATION_ID:
        from tideline_cli.store.failures import foreign  # noqa: PLC0415  only for an error

        raise foreign(path)
    version = int(db.pragma("user_version"))
    if version > schema.VERSION:
        raise StoreError(
            f"{path} has schema version {version}, this program knows {schema.VERSION}",
            hint="upgrade tideline-cli",
            code="store_newer",
        )
    return version


def is_older(db: Connection) -> bool:
    """Say whether a file of ours has an older schema."""
    is_ours = db.pragma("application_id") == schema.APPLICATION_ID
    return is_ours and bool(db.pragma("user_version") < schema.VERSION)


def _upgrade(db: Connection, path: str, version: int) -> None:
    if version < schema.VERSION:
        from tideline_cli.store import migrations  # noqa: PLC0415  once in the life of a file

        migrations.upgrade(db, path)


def _tighten(path: str) -> None:
    """Take away what rights group and others have on the store's files."""
    for name in (path, path + "-wal", path + "-shm"):
        try:
            state = os.lstat(name)
        except FileNotFoundError:
            continue
        is_ours = stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()
        if is_ours and stat.S_IMODE(state.st_mode) & 0o077:
            os.chmod(name, 0o600)


def check_library() -> None:
    """Raise StoreError when the SQLite that apsw carries may lose writes."""
    version = tuple(map(int, apsw.sqlite_lib_version().split(".")))
    if version < _OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} may lose writes; 3.51.3 or newer is needed",
            hint="pip install --upgrade apsw",
            code="sqlite_too_old",
        )
