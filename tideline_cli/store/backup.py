"""Copies of the memory file, and putting a copy back, while other processes read and write it; and
the way from an older schema to ours: a copy first, then all steps in one transaction."""

from __future__ import annotations

from contextlib import closing

import apsw

from tideline_cli.errors import StoreError, TidelineError, UsageError
from tideline_cli.model import instant
from tideline_cli.model.record import record
from tideline_cli.store import connection, database_errors, files, locks, schema
from tideline_cli.store.connection import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from apsw import Connection

    Step = Callable[[Connection], None]

_LOG = "-wal"
_BESIDE = (_LOG, "-shm", "-journal")


@record
class Copied:
    """A finished copy."""

    path: str
    facts: int
    bytes: int


def write(db: Connection, path: str, *, force: bool) -> Copied:
    """Copy what is committed now into a new file, private, durable and checked.

    Other processes may write meanwhile. Raises UsageError when there is a file already, unless
    forced. A forced copy replaces it at the end, so that there is always a file that is whole.
    """
    path = files.absolute(path)
    _check_name(path)
    files.refuse_own(path, db.filename)
    if not force or files.state(path) is None:
        files.create(path, like=db.filename)
        return _filled(db, path)
    if not files.is_file(path):
        raise UsageError(f"{path} is not a file", hint="name another file")
    return write_over(db, path)


def write_over(db: Connection, path: str) -> Copied:
    """Copy what is committed now into a file, in the place of the one that is there. The log that
    belonged to the old file is removed."""
    with files.part(path, like=db.filename) as part:
        made = _filled(db, part)
        files.move(part, path)
    for end in _BESIDE:
        files.remove(path + end)
    return Copied(path, made.facts, made.bytes)


def verify(db: Connection, path: str) -> int:
    """Return the number of facts of a copy; raise StoreError when it is not whole."""
    found = db.execute("PRAGMA integrity_check(1)").get
    if found != "ok":
        raise _damaged(path, str(found))
    return int(db.execute("SELECT count(*) FROM fact").get)


def copy_before(database: str, deed: str, *, now: int) -> str:
    """Copy the memory file as it is, page by page even where it is damaged, into a fresh file
    beside it, named after what is done to it next (`deed`); return its path."""
    stamp = instant.iso(now)[:19].replace("-", "").replace(":", "")
    target = files.made_afresh(f"{database}.before-{deed}-{stamp}Z", like=database)
    try:
        _copy_pages(database, target)
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError):
        files.copy(database, target)
        if files.size(database + _LOG):
            files.create(target + _LOG, like=database)
            files.copy(database + _LOG, target + _LOG)
    files.sync(target)
    return target


def replace_content(
    db: Connection, path: str, *, now: int, progress: Callable[[str], None]
) -> str | None:
    """Replace the content of the open memory file by that of the copy at `path`, in one
    transaction: who is reading sees the old content until it begins a new read. Return the path
    of a copy of the old content, None when there was none.

    The write lock is held from before the old content is copied until the end. Otherwise something
    could be written in between, and be in neither file.
    """
    with (
        closing(connection.open_for_inspection(path)) as source, connection.in_turn(db),
        db.backup("main", source, "main") as run,
    ):  # fmt: skip
        if _has_log(db):
            run.step(0)  # takes the lock, and copies no page yet
        progress("copy")
        kept = None
        if _holds_anything(db.filename):
            kept = copy_before(db.filename, "restore", now=now)
        progress("restore")
        run.step(-1)
        run.finish()
        if db.pragma("user_version") == schema.VERSION:
            connection.renew(db)
    return kept


def _has_log(db: Connection) -> bool:
    """Switch the log of a file on, so that it can be read while it is locked; say whether it is on.
    A damaged file may have no log: then only the queue of writers keeps others away."""
    try:
        return bool(db.pragma("journal_mode", "wal") == "wal")
    except apsw.Error:
        return False


def _holds_anything(database: str) -> bool:
    """Say whether the file holds a fact, or is damaged and may hold one."""
    sql = "SELECT EXISTS (SELECT 1 FROM batch UNION SELECT 1 FROM fact)"
    with closing(connection.open_for_inspection(database)) as db:
        try:
            return bool(db.execute(sql).get)
        except apsw.Error:
            return True


def _filled(db: Connection, path: str) -> Copied:
    """Fill an empty file of ours; remove it when that fails."""
    try:
        before = _last(db)
        db.execute("VACUUM INTO ?", (path,))
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as copied:
            if _last(copied) < before:
                raise _damaged(path, "facts are missing")
            if before >= 0:
                connection.renew(copied)  # a file of its own
            facts = verify(copied, path) if before >= 0 else 0
        files.sync(path)
    except BaseException as error:  # an interrupt too must leave no half of a copy
        for end in ("", *_BESIDE):
            files.remove(path + end)
        if isinstance(error, apsw.Error) and not isinstance(error, apsw.CorruptError):
            raise database_errors.translated(error, path) from error
        raise
    return Copied(path, facts, files.size(path))


def _last(db: Connection) -> int:
    """Return the highest number that a fact has ever had; -1 in a file of another version, which
    may count in another way."""
    if db.pragma("user_version") != schema.VERSION:
        return -1
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'fact'").fetchone()
    return int(row[0]) if row else 0


def _copy_pages(database: str, target: str) -> None:
    with (
        closing(connection.open_for_inspection(database)) as source,
        closing(apsw.Connection(target, flags=apsw.SQLITE_OPEN_READWRITE)) as copied,
        copied.backup("main", source, "main") as run,
    ):
        run.step(-1)


def _check_name(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise UsageError("the name of the file is not UTF-8", hint="name another") from error


def _damaged(path: str, why: str) -> TidelineError:
    return StoreError(f"{path} is not whole: {why}", hint="try again, or use an older copy")


def write_log_back(db: Connection) -> None:
    """Write the log back into the file, as far as no reader needs it; wait for none."""
    db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


_PATIENCE = 600.0  # seconds; the process before may have to copy a large file
_ATTEMPTS = 5


STEPS: Mapping[int, Step] = {}
"""What makes version n + 1 of version n. A step runs inside the transaction, with foreign keys
unchecked until its end. It says itself what the schema of version n + 1 was, since `schema` goes on
changing, and makes anew what is derived of the rows that it changes."""


def upgrade(db: Connection, path: str) -> None:
    """Bring an older file to the version of this program, or leave it as it is.

    Whatever stops it, the file has the old version or the new one. A copy of the old file stays
    beside it, as `copy_name` says. When many processes come at once, the first one upgrades and the
    others wait. Raises StoreError where the file cannot be upgraded.
    """
    _check_way(db, path)
    queue = locks.wait(path, locks.UPGRADE, seconds=_PATIENCE)
    try:
        for _ in range(_ATTEMPTS):
            if _upgraded(db, path):
                return
    finally:
        locks.release(queue)
    raise StoreError(
        f"{path} could not be upgraded: other programs keep writing to it",
        hint="end them and try again; nothing was changed",
        code="store_older",
    )


def copy_name(path: str, version: int) -> str:
    """Return where the file as it was before its upgrade is kept."""
    return f"{path}.v{version}"


def _check_way(db: Connection, path: str) -> None:
    version = db.pragma("user_version")
    if any(step not in STEPS for step in range(version, schema.VERSION)):
        raise StoreError(
            f"{path} has schema version {version}, which this program cannot upgrade to "
            f"{schema.VERSION}",
            hint="export it with the program that wrote it, and import that",
            code="store_older",
        )
    if db.readonly("main"):
        if files.why_two_names(path):
            raise files.two_names_error(path)
        raise StoreError(
            f"{path} has schema version {version}, and is upgraded to {schema.VERSION} before it "
            "is read, but it is read-only",
            hint="copy it to a place that you may write",
            code="store_older",
        )


def _upgraded(db: Connection, path: str) -> bool:
    """Copy the file and upgrade it; return False when another program has written meanwhile, so
    that the copy is not what would be upgraded."""
    seen = db.pragma("data_version")
    version = db.pragma("user_version")
    if version == schema.VERSION:
        return True
    write_over(db, copy_name(path, version))
    db.execute("PRAGMA secure_delete = ON").fetchall()
    with writing(db):
        if db.pragma("user_version") == schema.VERSION:
            return True
        if db.pragma("data_version") != seen:
            return False
        for number in range(version, schema.VERSION):
            STEPS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")
        if db.execute("PRAGMA foreign_key_check").fetchall():
            raise apsw.ConstraintError(f"the upgrade of {path} would break references")
    return True
