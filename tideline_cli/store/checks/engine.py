"""What doctor asks of the engine that holds a memory before what files and servers have in common:
whether a file lies where it is safe (modes, owners, names, room, log, file system), and its pages.

Each check runs on a memory that may be damaged. An error may mean damage, or a disk that fails.
"""

from __future__ import annotations

import os
from contextlib import closing

import apsw

from tideline_cli.errors import ExhaustedError, StoreError, TidelineError
from tideline_cli.model.finding import Finding, mendable
from tideline_cli.model.record import replace
from tideline_cli.store import SERVERS, backup, connection, file_kind, files, mounts, opening
from tideline_cli.store.checks import derived, structure
from tideline_cli.system import machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from apsw import Connection

    Named = tuple[str, Callable[[], Sequence[Finding]]]
    Check = Callable[[Connection], Iterable[Finding]]


def is_none(path: str) -> bool:
    """Say whether there is no file, or one that is not a store yet; on a server, no tables."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

        return examination.is_none(path)
    file_kind.refuse_emptied(path)
    if opening.is_absent(path):
        return True
    try:
        with closing(connection.open_for_inspection(path)) as db:
            return opening.is_unmade(db)
    except (connection.DatabaseError, TidelineError):
        return False


def first_checks(path: str, *, deep: bool, network_allowed: bool) -> Iterator[Named]:
    """Yield the checks of a memory that come first: of a file its pages, modes and folder, of a
    server its tables, its walls and the way to it."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

        for name, check in examination.FIRST:
            yield name, _run(name, check, path)
        return
    yield "modes", lambda: list(modes(path))
    yield "names", lambda: list(one_name(path))
    yield "room", lambda: list(room(path))
    yield "log", lambda: list(log(path))
    if not network_allowed:
        yield "file_system", lambda: list(file_system(path))
    yield "library", _library
    yield "identity", _run("identity", structure.identity, path)
    pages = structure.structure_and_indexes if deep else structure.structure
    yield "structure", _run("structure", pages, path)
    yield "tables", _run("tables", structure.tables, path)
    yield "index", lambda: run("index", derived.index, path, writes=True)


def _run(name: str, check: Check, path: str) -> Callable[[], Sequence[Finding]]:
    return lambda: run(name, check, path)


def _library() -> list[Finding]:
    try:
        opening.check_library()
    except TidelineError as error:
        return [Finding("library", "error", error.message, error.hint)]
    return []


def other_checks(path: str) -> Mapping[str, Check]:
    """Return by name the checks that an engine makes in another way than a file."""
    if not path.startswith(SERVERS):
        return {}
    from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

    return {"references": examination.references}


def in_its_words(path: str, found: Iterable[Finding]) -> list[Finding]:
    """Return findings whose remedies name what there is for the engine."""
    if not path.startswith(SERVERS):
        return list(found)
    words = (("copy the file", "make a copy with pg_dump"),
             ("`tideline restore --from FILE`", "pg_restore, into an empty schema"))  # fmt: skip
    said: list[Finding] = []
    for finding in found:
        remedy = finding.remedy
        for old, new in words:
            remedy = remedy.replace(old, new)
        said.append(replace(finding, remedy=remedy))
    return said


def copy_before(path: str, deed: str, *, now: int) -> str:
    """Copy a memory before something is done to it; return where the copy is."""
    if not path.startswith(SERVERS):
        return backup.copy_before(path, deed, now=now)
    from tideline_cli.store.postgres import copying  # noqa: PLC0415  no file

    return copying.copy_before(path, deed, now=now)


def put_walls_right(db: Connection) -> None:
    """Put each row of a memory on a server behind the wall of its origin."""
    from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

    examination.put_walls_right(db)


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
    with (
        closing(connection.open_for_inspection(path)) as db,
        connection.snapshot(None if writes else db),
    ):
        return list(check(db))


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


_MIB = 1024 * 1024
_LEAST_ROOM = _MIB // 2  # everything works in so much beside a small store
_LITTLE_ROOM = 4 * _MIB
_SPARE = 16 * _MIB
_LONG_LOG = 64 * _MIB


def modes(path: str) -> Iterator[Finding]:
    """The files are 0600 and this user's, and nobody else may write the folder."""
    for found in files.states(path):
        if found.kind in ("other", "folder"):
            is_store = found.path == files.absolute(path)
            remedy = "name another file with --db" if is_store else f"remove {found.path}"
            yield Finding("modes", "error", f"{found.path} is not a regular file", remedy)
        elif found.kind == "link":
            yield Finding(
                "modes", "error", f"{found.path} is a link, and is not followed",
                f"remove the link, or name the file that it leads to with --db: {found.path}",
            )  # fmt: skip
        elif not found.is_ours:
            yield Finding(
                "modes", "error", f"{found.path} belongs to another user",
                f"chown it to the one who uses it: {found.path}",
            )  # fmt: skip
        elif found.mode & 0o077:
            message = f"{found.path} has mode {found.mode:04o}: others may read or write it"
            yield mendable("modes", message, "sets it to 0600")
    folder = files.folder_state(path)
    if folder is not None and folder.mode & 0o022 and not folder.mode & 0o1000:
        message = f"{folder.path} has mode {folder.mode:04o}: others may replace the memory file"
        if folder.is_ours:
            yield mendable("modes", message, "takes that right away")
        else:
            yield Finding("modes", "error", message, f"chmod go-w {folder.path}")


def restrict_modes(path: str) -> None:
    """Take away what rights others have on the files, and on the folder that of writing."""
    for found in files.states(path):
        if found.kind == "file" and found.is_ours and found.mode & 0o077:
            os.chmod(found.path, 0o600)
    folder = files.folder_state(path)
    if folder is not None and folder.is_ours and folder.mode & 0o022 and not folder.mode & 0o1000:
        os.chmod(folder.path, folder.mode & ~0o022)


def room(path: str) -> Iterator[Finding]:
    """The disk has room to write, and for the copy that a purge or a backup makes."""
    folder = os.path.dirname(os.path.abspath(path))
    left, size = machine.free_bytes(folder), files.size(path)
    if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
        yield Finding(
            "room", "warning", f"{path} or its folder is read-only: nothing can be remembered",
            "give yourself the right to write both",
        )  # fmt: skip
    elif left < _LEAST_ROOM:
        yield Finding(
            "room", "warning", f"the disk is full: {left // 1024:,} KiB are left",
            "make room: until then a write may be refused; reading and `tideline forget` work",
        )  # fmt: skip
    elif left < _LITTLE_ROOM:
        yield Finding(
            "room", "warning", f"the disk is nearly full: {left // 1024:,} KiB are left",
            "make room before nothing more can be remembered",
        )  # fmt: skip
    elif left < size + _SPARE:
        yield Finding(
            "room", "warning",
            f"the disk has {left // _MIB:,} MiB left, less than a copy of the store takes",
            "make room: a purge or a backup needs as much again as the store",
        )  # fmt: skip


def one_name(path: str) -> Iterator[Finding]:
    """The file has one name: each further one would have a log of its own."""
    path = file_kind.real(files.absolute(path))
    why, others = files.why_two_names(path), files.other_names(path)
    elsewhere = f": {', '.join(others)}" if others else ""
    if why:
        logs = [other for other in others if files.size(other + "-wal")]
        first = "".join(
            f"{log} has a log of its own: see first what is in it (`tideline --db {log} export`); "
            for log in logs
        )
        find = "" if others else f"; `find / -samefile {path}` lists them all"
        yield Finding(
            "names", "error",
            f"{path} {why}{elsewhere}; what is written by one name may be lost by the other, so "
            "nothing is written by this one",
            f"{first}{files.two_names_hint(path)}{find}",
        )  # fmt: skip
    elif others:
        yield Finding(
            "names", "warning",
            f"this one file is mounted elsewhere too{elsewhere}, where its log is not seen",
            "mount the folder of the memory file in place of the file alone",
        )  # fmt: skip


def log(path: str) -> Iterator[Finding]:
    """The log is written back from time to time. It grows while one process reads without end."""
    size = files.size(path + "-wal")
    if size > _LONG_LOG:
        yield Finding(
            "log", "warning", f"the log has {size // _MIB:,} MiB: some process keeps reading",
            f"end it (`fuser {path}` names it); the next write shortens the log",
        )  # fmt: skip


def file_system(path: str) -> Iterator[Finding]:
    """The file is not on a network file system."""
    try:
        mounts.refuse_network(path)
    except StoreError as error:
        yield Finding("file_system", "error", error.message, error.hint)
