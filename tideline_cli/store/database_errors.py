"""What errors of the database mean to a user. Loaded only after such an error."""

from __future__ import annotations

import errno

import apsw

from tideline_cli.errors import (
    BusyError,
    CannotWriteError,
    ExhaustedError,
    StoreError,
    TidelineError,
)
from tideline_cli.store import DRAFT_ID, FROM_DRAFT, SERVERS, file_kind, files


def translated(error: BaseException, path: str) -> TidelineError:
    """Return what a database error means to a user."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import refusals  # noqa: PLC0415  no file

        return refusals.meaning(error, path) or _translated(error, path)
    return _translated(error, path)


def _translated(error: BaseException, path: str) -> TidelineError:
    text = str(error)
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return BusyError(
                "the store is busy: another process is writing", hint="try again in a moment"
            )
        case apsw.NoMemError():
            return ExhaustedError(
                "out of memory: the system gives this process no more", hint="see `ulimit -v`"
            )
        case apsw.CantOpenError() | apsw.IOError() if files.are_used_up():
            return ExhaustedError(
                f"too many open files: {path} cannot be opened", hint="see `ulimit -n`",
                code="out_of_files",
            )  # fmt: skip
        case apsw.FullError() | apsw.IOError() if _failed_with(errno.EFBIG):
            return CannotWriteError(
                f"{path} may not grow: the system limits the size of files",
                hint="see `ulimit -f`; nothing was lost",
            )
        case apsw.FullError() | apsw.IOError() if _ran_out_of_room(error):
            return _full(path)
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError():
            return CannotWriteError(
                f"{path} is read-only", hint="check its permissions and its folder's"
            )
        case apsw.CantOpenError():
            return CannotWriteError(
                f"cannot open {path}",
                hint="it must be a regular file (no link) that you may read and write",
            )
        case apsw.NotADBError():
            return foreign(path)
        case apsw.CorruptError() if _reading_failed():
            return CannotWriteError(
                f"input/output error: {path} cannot be read",
                hint="the disk or its connection fails; copy the file before anything else, then "
                "`tideline restore --from BACKUP` on a sound one",
            )
        case apsw.CorruptError():
            return StoreError(
                f"{path} cannot be read: {text}",
                hint="copy the file before anything else; then `tideline doctor`, and `tideline "
                "restore --from BACKUP`; a failing disk looks the same",
            )
        case apsw.IOError():
            return CannotWriteError(f"input/output error on {path}: {text}")
        case _:
            return StoreError(f"the store refused: {text}")


def _full(path: str) -> CannotWriteError:
    return CannotWriteError(
        f"the disk that holds {path} is full", hint="make room; nothing was lost"
    )


def _ran_out_of_room(error: BaseException) -> bool:
    """Say whether an error means that there was no room. SQLite says so only for what it writes
    through its cache, not for the file of shared memory and not for a limit of the process."""
    is_full = isinstance(error, apsw.FullError) or _extended(error) == apsw.SQLITE_IOERR_SHMSIZE
    return is_full or _failed_with(errno.ENOSPC, errno.EDQUOT)


def _failed_with(*numbers: int) -> bool:
    """Say whether the system refused a connection something for one of these reasons."""
    return any(db.system_errno in numbers for db in apsw.connections())


def _extended(error: BaseException) -> int:
    return int(getattr(error, "extendedresult", 0))  # absent where SQLite did not raise it


def _reading_failed() -> bool:
    """Say whether the system could not read the file or its log: to SQLite a malformed image."""
    numbers = (number for db in apsw.connections() for number in (_of_file(db), _of_log(db)))
    return any(number in (errno.EIO, errno.ENXIO, errno.ERANGE) for number in numbers)


def _of_file(db: apsw.Connection) -> int:
    """Return the last error number of the system for the file of a connection."""
    from ctypes import addressof, c_int  # noqa: PLC0415  not every Python is built with it

    number = c_int()
    db.file_control("main", apsw.SQLITE_FCNTL_LAST_ERRNO, addressof(number))
    return number.value


def _of_log(db: apsw.Connection) -> int:
    """Return the last error number of the system for the log of a connection.

    SQLite gives the log's `sqlite3_file`, whose first member points to its `sqlite3_io_methods`: a
    version, then the methods, the tenth of them xFileControl (sqlite.org/c3ref/io_methods.html).
    """
    from ctypes import (  # noqa: PLC0415  as above
        CFUNCTYPE,
        addressof,
        byref,
        c_int,
        c_void_p,
        sizeof,
    )

    file, number = c_void_p(), c_int()
    db.file_control("main", apsw.SQLITE_FCNTL_JOURNAL_POINTER, addressof(file))
    methods = c_void_p.from_address(file.value).value if file.value else None
    if not methods:
        return 0  # no log is open
    place = c_void_p.from_address(methods + 10 * sizeof(c_void_p)).value
    CFUNCTYPE(c_int, c_void_p, c_int, c_void_p)(place or 0)(
        file, apsw.SQLITE_FCNTL_LAST_ERRNO, byref(number)
    )
    return number.value


def foreign(path: str, *, application_id: int = 0) -> StoreError:
    """Return the error for a file that is not ours, or that was: then traces lie beside it. A file
    of a draft of this program has an application id of its own."""
    if application_id == DRAFT_ID:
        return StoreError(
            f"{path} was written before the first release", hint=FROM_DRAFT, code="store_older"
        )
    if left := file_kind.traces(path):
        return file_kind.lost(path, "none", [path, *left])
    return StoreError(
        f"{path} is not a tideline database",
        hint="name another file with --db or TIDELINE_DB; this one was left as it is",
        code="not_a_store",
    )
