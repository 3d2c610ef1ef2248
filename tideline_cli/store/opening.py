"""Opening the store. A new file is made, an older one is upgraded, and a purge that could not be
finished is finished."""

from __future__ import annotations

import os

import apsw

from tideline_cli.errors import StoreError, UsageError
from tideline_cli.model.origin import as_spelled, is_in_form
from tideline_cli.store import APPLICATION_ID, SCHEMA_VERSION, SERVERS, file_kind, visibility
from tideline_cli.store.connection import (
    BUSY_MS,
    GENERATION,
    TOUCH_BUSY_MS,
    TRACES,
    TRACES_IN_LOG,
    Opened,
    accept,
    connect,
    connect_as_it_is,
    connect_for_reading,
    follow,
    generation,
    in_turn,
    renew,
    writing,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_OLDEST_SQLITE = (3, 51, 3)  # older ones have the WAL-reset race
_JOURNAL_LIMIT = 16 * 1024 * 1024


def open_for_writing(path: str, *, network_allowed: bool = False, replaces: bool = False) -> Opened:
    """Return a connection to the store at `path`, which is made when it does not exist; where a
    memory was, only if its content is replaced next."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import opening as servers  # noqa: PLC0415  no file

        return servers.open_or_make(path)  # type: ignore[return-value]
    check_library()
    if not network_allowed:
        _check_place(path)
    if not replaces:
        refuse_emptied(path)
    if not os.path.lexists(path):
        from tideline_cli.store import private_files  # noqa: PLC0415  once in the life of a file

        private_files.create_file(path)
    path = file_kind.real(path)
    db = connect(path, writes=True)
    _prepare(db, path)
    told: list[Any] = db.execute(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
        "PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY;"
        f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT}; PRAGMA journal_mode"
    ).fetchall()
    pending = _noted(db)
    if told[-1] != ("wal",):  # a backup that was put in place has a rollback journal
        _switch_log_on(db)
    if not db.generation:
        _give_generation(db)
    accept(db)
    if pending:
        _finish_purge(db)
    return db


def commit_count() -> int:
    """Return how many transactions of this process on servers may have stored something."""
    from tideline_cli.store.postgres.server import ServerConnection  # noqa: PLC0415  no file

    return ServerConnection.commits


def open_for_reading(path: str) -> Connection | None:
    """Return a connection that makes nothing, or None when there is no store at `path`."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import opening as servers  # noqa: PLC0415  no file

        return servers.open_if_there(path)  # type: ignore[return-value]
    check_library()
    refuse_emptied(path)
    path = file_kind.real(path)
    if is_absent(path):
        return None
    db = connect_for_reading(path)
    if is_unmade(db):
        db.close()
        return None
    _upgrade(db, path, _verify(db, path))
    if _noted(db) == TRACES_IN_LOG:
        _finish_purge(db)
    return db


def open_as_it_is(path: str, *, patience_ms: int) -> Connection | None:
    """Return a connection by which nothing is written, made, upgraded or finished, and that waits
    for nobody longer than `patience_ms`; None where there is no store.

    Raises StoreError for a store of another version, an older one too.
    """
    if path.startswith(SERVERS):
        return open_for_reading(path)
    check_library()
    refuse_emptied(path)
    path = file_kind.real(path)
    if is_absent(path):
        return None
    db = connect_as_it_is(path, patience_ms=patience_ms)
    if is_unmade(db):
        db.close()
        return None
    if _verify(db, path) < SCHEMA_VERSION:
        raise StoreError(
            f"{path} is of an older version", hint="any other command upgrades it",
            code="store_older",
        )  # fmt: skip
    _noted(db)
    return db


def open_for_replacing(path: str, *, network_allowed: bool = False) -> Connection:
    """Return a connection to a store of ours that may be damaged, and whose content is replaced
    next. An empty store is made when there is none."""
    if not os.path.lexists(path) or os.path.getsize(path) == 0:
        return open_for_writing(path, network_allowed=network_allowed, replaces=True)
    check_library()
    path = file_kind.real(path)
    if not network_allowed:
        _check_place(path)
    db = connect(path, writes=True)
    _verify(db, path)
    accept(db)
    file_kind.make_private(path)
    db.execute("PRAGMA secure_delete = ON").fetchall()
    return db


def older_origin(path: str, named: str) -> Origin | None:
    """Return the origin with exactly this name, if the store at `path` holds it from a version that
    allowed more names; None when it holds none, or when the name is one that new origins may have.
    """
    try:
        origin = as_spelled(named)
    except UsageError:
        return None
    if is_in_form(origin.key):
        return None
    db = open_for_reading(path)
    if db is None:
        return None
    try:
        return origin if visibility.number(db, origin) != visibility.NOBODY else None
    finally:
        db.close()


def refuse_emptied(path: str) -> None:
    """Raise StoreError where a memory has been at a path and nothing is left of it."""
    file_kind.refuse_emptied(file_kind.real(path))


def _noted(db: Opened) -> str:
    """Note the generation of the store in its connection; return the same as `purge_pending`."""
    sql = "SELECT name, value FROM setting WHERE name IN (?, ?)"
    rows: list[Any] = db.execute(sql, (TRACES, GENERATION)).fetchall()
    found: dict[str, str] = dict(rows)
    db.generation = found.get(GENERATION, "")
    return found.get(TRACES, "")


def _give_generation(db: Opened) -> None:
    """Give a store that an older program made a generation. Best effort: a full disk takes none."""
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


def _finish_purge(db: Connection) -> None:
    from tideline_cli.store import purging  # noqa: PLC0415  only after a purge that was hindered

    purging.finish_purge(db, patience_ms=0)


def _check_place(path: str) -> None:
    from tideline_cli.store import mounts  # noqa: PLC0415  readers may be anywhere

    mounts.refuse_network(path)


def _prepare(db: Connection, path: str) -> None:
    """Turn an empty file into a store. Refuse a file that is not ours, and leave it as it is."""
    if is_unmade(db):
        file_kind.make_private(path)
        db.execute("PRAGMA secure_delete = ON").fetchall()
        _switch_log_on(db)
        with writing(db):
            if _is_empty(db):
                from tideline_cli.store import schema  # noqa: PLC0415  a new file alone

                db.execute(schema.stored_script()).fetchall()
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                renew(db)
    _upgrade(db, path, _verify(db, path))
    file_kind.make_private(path)
    if not os.path.lexists(path + "-reserve"):
        from tideline_cli.store import private_files  # noqa: PLC0415  it is there but for the first time

        private_files.make_reserve(path)


def _switch_log_on(db: Connection) -> None:
    """Give a file its log, in turn: who switches beside a writer fails in SQLite at once."""
    with in_turn(db):
        db.pragma("journal_mode", "wal")


def is_absent(path: str) -> bool:
    """Say whether there is nothing at a path, or an empty file."""
    return not os.path.lexists(path) or (os.path.isfile(path) and os.path.getsize(path) == 0)


def is_unmade(db: Connection) -> bool:
    """Say whether a file has nothing in it. The first writer gives it a log before it makes the
    tables. Others may see it in between, and for a long time when that writer was killed."""
    return db.pragma("application_id") == 0 and _is_empty(db)


def _is_empty(db: Connection) -> bool:
    return bool(db.execute("SELECT count(*) = 0 FROM sqlite_schema").get)


def _verify(db: Connection, path: str) -> int:
    """Return the version of a file of ours; raise StoreError for any other."""
    if db.pragma("application_id") != APPLICATION_ID:
        from tideline_cli.store.database_errors import foreign  # noqa: PLC0415  only for an error

        raise foreign(path, application_id=db.pragma("application_id"))
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
        from tideline_cli.store import backup  # noqa: PLC0415  once in the life of a file

        backup.upgrade(db, path)


def check_library() -> None:
    """Raise StoreError when the SQLite that apsw carries may lose writes."""
    version = tuple(map(int, apsw.sqlite_lib_version().split(".")))
    if version < _OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} may lose writes; 3.51.3 or newer is needed",
            hint="pip install --upgrade apsw",
            code="sqlite_too_old",
        )
