"""Running a check on a file that may be damaged. An error may mean damage, or a disk that fails."""

from __future__ import annotations

import apsw

from tideline_cli.errors import ExhaustedError, TidelineError
from tideline_cli.model.finding import Finding
from tideline_cli.store import SERVERS, connection, files, transactions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from apsw import Connection

    Check = Callable[[Connection], Iterable[Finding]]

READING = "reading"
"""The name of the check when the disk could not be read; then nothing is repaired."""

_COPY_FIRST = (
    "copy the file to another disk before anything else; nothing is repaired while reading fails"
)
_DAMAGED = (
    "copy the file before anything else, then put a backup back (`tideline restore --from FILE`) "
    "or save what can be read (`tideline export --all-origins`)"
)


def run(name: str, check: Check, path: str, *, writes: bool = False) -> list[Finding]:
    """Return what a check finds, on a connection of its own and at one instant. An error that stops
    the check is a finding too. `writes` is for the one check whose SQL is a statement that writes.

    SQLite says of a page that could not be read that it is damaged. So damage is reported only when
    the error comes twice and the system can read the file to its end.
    """
    try:
        return _tried(check, path, writes)
    except (ExhaustedError, MemoryError, apsw.NoMemError):
        raise  # it says nothing about the file
    except (apsw.BusyError, apsw.LockedError):
        return [Finding(name, "warning", f"{name} was not checked: others write", "try again")]
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError) as error:
        return [_judged(check, path, writes, error)]
    except apsw.Error as error:
        return [Finding(name, "error", f"the check of {name} failed: {error}", _DAMAGED)]
    except TidelineError as error:
        return [Finding(READING, "error", error.message, error.hint)]
    except Exception as error:  # noqa: BLE001  a damaged file may hold anything
        message = f"{name} cannot be checked, for the memory holds what cannot be: {error!r:.80}"
        return [Finding(name, "error", message, _DAMAGED)]


def _tried(check: Check, path: str, writes: bool) -> list[Finding]:
    db = connection.open_for_inspection(path)
    try:
        if writes:
            return list(check(db))
        with transactions.snapshot(db):
            return list(check(db))
    finally:
        db.close()


def _judged(check: Check, path: str, writes: bool, first: apsw.Error) -> Finding:
    """Say what an error means: a disk that fails, or a file that is damaged."""
    if path.startswith(SERVERS):
        message = f"the server does not answer any more: {first}"
        return Finding(READING, "error", message, "try again; the server's log may say why")
    try:
        _tried(check, path, writes)
    except apsw.Error as second:
        why = files.unreadable(path)
        if why or isinstance(second, apsw.IOError):
            message = f"the file cannot be read: {why or second}"
            return Finding(READING, "error", message, _COPY_FIRST)
        if isinstance(second, apsw.NotADBError):
            return Finding(
                "identity", "error", "this is not a database, or its first page is damaged",
                "name your memory file with --db, or put a backup back; this one is left as it is",
            )  # fmt: skip
        return Finding("structure", "error", f"the file is damaged: {second}", _DAMAGED)
    message = f"reading failed and then worked ({first}): the disk or its connection is failing"
    return Finding(READING, "error", message, _COPY_FIRST)
