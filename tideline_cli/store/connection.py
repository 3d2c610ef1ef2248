"""Opening the memory file: the only place that makes a connection and sets its pragmas."""

from __future__ import annotations

import os

import apsw

from tideline_cli.errors import BusyError, CannotWriteError, StoreError
from tideline_cli.store import APPLICATION_ID, SCHEMA_VERSION, entry
from tideline_cli.store.transactions import GENERATION, Opened, follow, generation, renew, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

DatabaseError = apsw.Error
ALLOW_NETWORK = "TIDELINE_ALLOW_NETWORK_FS"

BUSY_MS = 10_000
TOUCH_BUSY_MS = 20
_OLDEST_SQLITE = (3, 51, 3)  # older ones have the WAL-reset race
_JOURNAL_LIMIT = 16 * 1024 * 1024
TRACES = "purge_pending"  # the setting that says where purged facts have left traces
TRACES_IN_FILE, TRACES_IN_LOG = "file", "log"


def open_for_writing(path: str, *, network_allowed: bool = False) -> Opened:
    """Return a connection to the store at `path`, which is made when it does not exist."""
    check_library()
    if not network_allowed:
        _check_place(path)
    if not os.path.lexists(path):
        from tideline_cli.store import folders  # noqa: PLC0415  once in the life of a file

        folders.create_file(path)
    path = entry.real(path)
    db = _connect(path, writes=True)
    _prepare(db, path)
    db.execute(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
        "PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY;"
        "PRAGMA journal_mode = WAL;"  # a backup that was put in place has a rollback journal
        f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT}"
    ).fetchall()
    pending = _noted(db)
    if not db.generation:
        _give_generation(db)
    if pending:
        _finish_purge(db)
    return db


def open_for_reading(path: str) -> Connection | None:
    """Return a connection that makes nothing, or None when there is no store at `path`."""
    check_library()
    path = entry.real(path)
    if not os.path.lexists(path):
        return None
    if os.path.isfile(path) and os.path.getsize(path) == 0:
        return None
    db = _connect_for_reading(path)
    if is_unmade(db):
        db.close()
        return None
    _upgrade(db, path, _verify(db, path))
    if _noted(db) == TRACES_IN_LOG:
        _finish_purge(db)
    return db


def open_for_replacing(path: str, *, network_allowed: bool = False) -> Connection:
    """Return a connection to a store of ours that may be damaged and whose content is about to be
    replaced; an empty one is made when there is none."""
    if not os.path.lexists(path) or os.path.getsize(path) == 0:
        return open_for_writing(path, network_allowed=network_allowed)
    check_library()
    path = entry.real(path)
    if not network_allowed:
        _check_place(path)
    db = _connect(path, writes=True)
    _verify(db, path)
    entry.tighten(path)
    db.execute("PRAGMA secure_delete = ON").fetchall()
    return db


def open_for_inspection(path: str) -> Connection:
    """Return a connection to a file that may be damaged, foreign or newer: nothing is verified,
    made or finished, and closing writes nothing back."""
    return _connect_for_reading(entry.real(path))


def _noted(db: Opened) -> str:
    """Note the generation of the store in its connection; return what `purge_pending` does."""
    rows: list[Any] = db.execute(
        "SELECT name, value FROM setting WHERE name IN (?, ?)", (TRACES, GENERATION)
    ).fetchall()
    found: dict[str, str] = dict(rows)
    db.generation = found.get(GENERATION, "")
    return found.get(TRACES, "")


def _give_generation(db: Opened) -> None:
    """Give a store of an older program its generation; best effort, as a full disk takes none."""
    db.set_busy_timeout(TOUCH_BUSY_MS)
    follow(db)
    try:
        with writing(db):
            if not generation(db):
                renew(db)
    except apsw.Error:
        return
    finally:
        _noted(db)
        db.set_busy_timeout(BUSY_MS)


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


def _connect(real: str, *, writes: bool) -> Opened:
    """Connect to a file with one name; one with two is read, and neither written nor tidied."""
    before = entry.checked(real)
    if before is not None:
        entry.check_log(real, before)
    # Where nobody may write, SQLite opens what it should write for reading.
    db = _configured(real, apsw.SQLITE_OPEN_READWRITE)
    after = os.lstat(real)
    if before is not None and (before.st_ino, before.st_dev) != (after.st_ino, after.st_dev):
        db.close()
        raise BusyError(f"{real} was replaced while it was being opened", hint="try again")
    if entry.has_two_names(real, after):
        db.close()
        if writes:
            from tideline_cli.store import names  # noqa: PLC0415  only for an error

            raise names.refused(real)
        db = _configured(real, apsw.SQLITE_OPEN_READONLY)
    return db


def _configured(name: str, mode: int) -> Opened:
    db = Opened(name, flags=mode | apsw.SQLITE_OPEN_NOFOLLOW)
    db.set_busy_timeout(BUSY_MS)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    db.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    db.execute("PRAGMA cell_size_check = ON")
    return db


def _connect_for_reading(path: str) -> Opened:
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


def _connect_as_reader(path: str, setup: str = "") -> Opened:
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


def _connect_unchanging(path: str) -> Opened:
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


def _finish_purge(db: Connection) -> None:
    from tideline_cli.store import purge_traces  # noqa: PLC0415  only after a purge that was hindered

    purge_traces.finish_purge(db, patience_ms=0)


def _check_place(path: str) -> None:
    from tideline_cli.store import places  # noqa: PLC0415  readers may be anywhere

    places.check(path)


def _prepare(db: Connection, path: str) -> None:
    """Make an empty file a store; refuse one that is not ours, and leave it as it is."""
    if is_unmade(db):
        entry.tighten(path)
        db.execute("PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL").fetchall()
        with writing(db):
            if _is_empty(db):
                from tideline_cli.store import schema  # noqa: PLC0415  a new file alone

                db.execute(schema.script()).fetchall()
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                renew(db)
    _upgrade(db, path, _verify(db, path))
    entry.tighten(path)
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
    if db.pragma("application_id") != APPLICATION_ID:
        from tideline_cli.store.database_errors import foreign  # noqa: PLC0415  only for an error

        raise foreign(path)
    version = int(db.pragma("user_version"))
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} has schema version {version}, this program knows {SCHEMA_VERSION}",
            hint="upgrade tideline-cli",
            code="store_newer",
        )
    return version


def is_older(db: Connection) -> bool:
    """Say whether a file of ours has an older schema."""
    is_ours = db.pragma("application_id") == APPLICATION_ID
    return is_ours and bool(db.pragma("user_version") < SCHEMA_VERSION)


def _upgrade(db: Connection, path: str, version: int) -> None:
    if version < SCHEMA_VERSION:
        from tideline_cli.store import migrations  # noqa: PLC0415  once in the life of a file

        migrations.upgrade(db, path)


def check_library() -> None:
    """Raise StoreError when the SQLite that apsw carries may lose writes."""
    version = tuple(map(int, apsw.sqlite_lib_version().split(".")))
    if version < _OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} may lose writes; 3.51.3 or newer is needed",
            hint="pip install --upgrade apsw",
            code="sqlite_too_old",
        )
