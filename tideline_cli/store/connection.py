"""Connections to the memory file: the only place that makes one; the settings of the file; and
transactions: writers in order of arrival, each on the store that it was opened on."""

from __future__ import annotations

import os
import sys
from time import monotonic

import apsw

from tideline_cli import store
from tideline_cli.errors import BusyError, CannotWriteError, ReplacedError
from tideline_cli.store import file_kind, locks
from tideline_cli.store.reads import alone, through

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from apsw import Connection

    from tideline_cli.ranking.heat import HeatRule
    from tideline_cli.store.reads import Read, Rows, Statement

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
    """Say whether a server has ended a transaction for the sake of another."""
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
    """Let a connection write its log back: the file is a sound store of ours."""
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
    """Return where traces of purged facts may be: in the `file`, in the `log`, or nowhere ('')."""
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


SYNCED = "SELECT 1 FROM sqlite_schema WHERE name = 'sync_fact'"


def has_synced(db: Connection) -> bool:
    """Say whether this memory has ever synced: one that never does has no tables of a sync."""
    return bool(db.execute(SYNCED).fetchone())


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
    marked = mark.rpartition(b" ")[2].decode("ascii", "replace")
    if not marked:
        return False
    mode = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        db = apsw.Connection(f"{file_kind.address(path)}?immutable=1", flags=mode)
    except apsw.Error:
        return False  # who opens the file says it
    try:
        if db.execute("SELECT count(*) = 0 FROM sqlite_schema").get:
            return False
        return generation(db) != marked
    except apsw.Error:
        return False
    finally:
        db.close()


TOUCH_BUSY_MS = 20  # for which what is not promised to anybody waits for other writers
GENERATION = "generation"  # the setting that tells one content of the file from another
OTHER_GENERATION = "22012"  # what a server says where `rows_at_once` finds another content
_BULK_CACHE_KIB = 96 * 1024
_BULK_LOG_PAGES = 4000
_BULK_ROOM = 128 * 1024 * 1024


class Opened(apsw.Connection):
    """A connection that knows the generation of the store it was opened on; None is any.

    `asked_settings` says how an embedder is reached that is asked for vectors: what the door knows,
    and the file does not. `heat_rule` returns by which rule of the user's facts warm up and cool
    down, None for the usual one.
    """

    is_promised = True  # what is stored is kept whatever ends
    settings: Mapping[str, str] | None = None  # those of a transaction, where they are known
    generation: str | None = None
    asked_settings: Callable[[str], object] | None = None
    heat_rule: Callable[[], HeatRule | None] | None = None


def heat_rule(db: Connection) -> HeatRule | None:
    """Return by which rule of the user's the heat of facts moves, None for the usual one."""
    asked = getattr(db, "heat_rule", None)
    return None if asked is None else asked()


_queues: dict[int, int | None] = {}  # id of a connection -> its lock in the queue of writers


def at_once(db: Connection, *reads: Read[Any]) -> list[Any]:
    """Return what each of some reads and writes of one statement says, which are one transaction of
    a writer: of a server, one round trip."""
    if not db.filename.startswith(store.SERVERS):
        with writing(db):
            return [alone(db, one) for one in reads]
    known = getattr(db, "generation", None)

    def ask(asked: Sequence[Statement]) -> list[Rows]:
        return db.rows_at_once(asked, generation=known)  # type: ignore[attr-defined, no-any-return]

    try:
        return through(ask, *reads)
    except apsw.SQLError as error:
        if getattr(error, "state", "") == OTHER_GENERATION:
            raise _replaced() from None
        raise


class writing:  # noqa: N801  reads as a statement: with writing(db):
    """One IMMEDIATE transaction: committed at the end of the block, rolled back by an exception.
    `said` is what a first read or write in it says, which goes with its beginning."""

    def __init__(self, db: Connection, first: Read[Any] | None = None) -> None:
        self._db = db
        self._first = first
        self.said: Any = None

    def __enter__(self) -> Connection:
        self.said = begin(self._db, self._first)
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


class in_passing:  # noqa: N801  reads as a statement: with in_passing(db):
    """Writes that are not promised to anybody: they wait for another writer for a moment, and on a
    server for none of its standbys. Who gives them may lose them."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._patience = 0

    def __enter__(self) -> Connection:
        self._patience = self._db.pragma("busy_timeout")
        self._set(TOUCH_BUSY_MS, is_promised=False)
        return self._db

    def __exit__(self, *_: object) -> None:
        self._set(self._patience, is_promised=True)

    def _set(self, patience_ms: int, *, is_promised: bool) -> None:
        self._db.set_busy_timeout(patience_ms)
        if hasattr(self._db, "is_promised"):
            self._db.is_promised = is_promised


class in_turn:  # noqa: N801  reads as a statement: with in_turn(db):
    """The turn of a writer that makes its transaction itself. The time that it waited for its turn
    counts: the block waits for other locks only as long as is left of the connection's patience."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._patience = 0
        self._queue: int | None = None

    def __enter__(self) -> Connection:
        self._patience = self._db.pragma("busy_timeout")
        start = monotonic()
        self._queue = locks.wait(self._db.filename, locks.WRITER, seconds=self._patience / 1000)
        waited = int((monotonic() - start) * 1000)
        if waited:
            self._db.set_busy_timeout(max(0, self._patience - waited))
        if self._queue is not None:
            _put_mark(self._db, self._queue)
        return self._db

    def __exit__(self, *_: object) -> None:
        try:
            self._db.set_busy_timeout(self._patience)
            if self._queue is not None:
                _put_mark(self._db, self._queue)
        finally:
            locks.release(self._queue)


def begin(db: Connection, first: Read[Any] | None = None) -> Any:
    """Begin a write transaction, in order of arrival among the processes that want one; return what
    a first read or write in it says, which goes with the beginning.

    Raises ReplacedError when the file has another content than when the connection was opened: the
    numbers of facts and batches that were read before now mean other ones.
    """
    if db.filename.startswith(store.SERVERS):  # where writers wait for the lock of the server
        try:
            db.execute("BEGIN IMMEDIATE")
            said = None if first is None else alone(db, first)
            _refuse_replaced(db)
        except BaseException:
            rollback(db)
            raise
        return said
    patience: int = db.pragma("busy_timeout")
    start = monotonic()
    queue = locks.wait(db.filename, locks.WRITER, seconds=patience / 1000)
    try:
        _begin(db, patience, int((monotonic() - start) * 1000))
    except BaseException:  # an interrupt too must let the next one in
        locks.release(queue)
        raise
    if queue is not None:
        _put_mark(db, queue)
    _queues[id(db)] = queue
    if first is None:
        return None
    try:
        return alone(db, first)
    except BaseException:
        rollback(db)
        raise


def _begin(db: Connection, patience: int, waited: int) -> None:
    if waited:  # a writer waits no longer than this in all, however many locks there are
        db.set_busy_timeout(max(0, patience - waited))
    try:
        db.execute("BEGIN IMMEDIATE")
    finally:
        if waited:
            db.set_busy_timeout(patience)
    _refuse_replaced(db)


def _refuse_replaced(db: Connection) -> None:
    known = getattr(db, "generation", None)
    if known is not None and generation(db) != known:
        db.execute("ROLLBACK")
        raise _replaced()


def _replaced() -> ReplacedError:
    return ReplacedError(
        "the store was replaced meanwhile (restore --from)",
        hint="look at what it holds now, and run the command again if it is still wanted",
    )


def commit(db: Connection) -> None:
    """Commit what `begin` began; roll back when that fails."""
    try:
        db.execute("COMMIT")
        queue = _queues.get(id(db))
        if queue is not None:
            _put_mark(db, queue)
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
    """One read transaction: everything read in the block is of the same instant. One inside of
    another transaction is a part of it. Where there is no store, nothing is begun."""

    def __init__(self, db: Connection | None) -> None:
        self._own = db if db is not None and db.get_autocommit() else None

    def __enter__(self) -> None:
        if self._own is not None:
            self._own.execute("BEGIN")

    def __exit__(self, *_: object) -> None:
        if self._own is not None and not self._own.get_autocommit():
            self._own.execute("ROLLBACK")


def generation(db: Connection) -> str:
    """Return which content of the file this is; empty where an older program made it."""
    known = getattr(db, "settings", None)
    if known is not None:
        return str(known.get(GENERATION, ""))
    row = db.execute("SELECT value FROM setting WHERE name = 'generation'").fetchone()
    return str(row[0]) if row else ""


def renew(db: Connection) -> None:
    """Mark the content as another one than was read until now. A process that still uses numbers
    from before stops at its next transaction."""
    sql = "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)"
    db.execute(sql, (GENERATION, os.urandom(8).hex()))


def follow(db: Connection) -> None:
    """Let a connection write to any content that the file has then. This is safe for one that has
    read nothing before its transaction."""
    if isinstance(db, Opened):
        db.generation = None


def prepare_for_bulk(db: Connection) -> None:
    """Give a connection room for many writes: a larger page cache, rarer checkpoints and syncs.

    Nothing of the bulk is reported as done before a commit that follows `finish_bulk`.

    On a small disk the log is written back after each commit. Otherwise the log grows with every
    write, also with those that forget facts, and once the disk is full its pages find no room in
    the file.
    """
    if db.filename.startswith(store.SERVERS):
        return
    from tideline_cli.system import machine  # noqa: PLC0415  many writes

    free = machine.free_bytes(os.path.dirname(db.filename))
    pages = _BULK_LOG_PAGES if free >= _BULK_ROOM else 1
    db.execute("PRAGMA synchronous = NORMAL")
    sql = f"PRAGMA cache_size = -{_BULK_CACHE_KIB}; PRAGMA wal_autocheckpoint = {pages}"
    db.execute(sql).fetchall()


def finish_bulk(db: Connection) -> None:
    """Sync every commit from now on: the next one makes all that was written durable."""
    db.execute("PRAGMA synchronous = FULL")


def _put_mark(db: Connection, queue: int) -> None:
    locks.put_mark(queue, db.filename, getattr(db, "generation", None) or "")
