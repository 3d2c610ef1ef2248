"""What errors of the database mean to a user. Loaded after one only."""

from __future__ import annotations

import errno

import apsw

from tideline_cli.errors import BusyError, CannotWriteError, StoreError, TidelineError


def translated(error: BaseException, path: str) -> TidelineError:
    """Return what a database error means to a user."""
    text = str(error)
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return BusyError(
                "the store is busy: another process is writing", hint="try again in a moment"
            )
        case apsw.FullError():
            return _full(path)
        case apsw.IOError() if _ran_out_of_room(error):
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
                hint="the disk or its connection fails; copy the file before anything else",
            )
        case apsw.CorruptError():
            return StoreError(
                f"{path} cannot be read: {text}",
                hint="copy the file before anything else; a failing disk looks the same",
            )
        case apsw.IOError():
            return CannotWriteError(f"input/output error on {path}: {text}")
        case _:
            return StoreError(f"the store refused: {text}")


def _full(path: str) -> CannotWriteError:
    return CannotWriteError(
        f"the disk that holds {path} is full", hint="make room; nothing was lost"
    )


def _ran_out_of_room(error: apsw.IOError) -> bool:
    """Say whether an I/O error was for want of room: SQLite names it only for what it writes
    through its cache, not for the file of shared memory, nor for a limit of the process."""
    return _extended(error) == apsw.SQLITE_IOERR_SHMSIZE or any(
        db.system_errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) for db in apsw.connections()
    )


def _extended(error: apsw.Error) -> int:
    return int(getattr(error, "extendedresult", 0))  # absent where SQLite did not raise it


def _reading_failed() -> bool:
    """Say whether the system could not read the file; SQLite calls that a malformed image."""
    from ctypes import addressof, c_int  # noqa: PLC0415  not every Python is built with it

    number = c_int()
    for db in apsw.connections():
        db.file_control("main", apsw.SQLITE_FCNTL_LAST_ERRNO, addressof(number))
        if number.value in (errno.EIO, errno.ENXIO, errno.ERANGE):
            return True
    return False


def foreign(path: str) -> StoreError:
    """Return the error for a file that is not ours."""
    return StoreError(
        f"{path} is not a tideline database",
        hint="name another file with --db or TIDELINE_DB; this one was left as it is",
        code="not_a_store",
    )
