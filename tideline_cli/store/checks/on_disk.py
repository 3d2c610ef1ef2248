"""Whether the memory file lies where it is safe: modes, owners, names, room, log, file system."""

from __future__ import annotations

from tideline_cli.errors import StoreError
from tideline_cli.model.finding import Finding, mendable
from tideline_cli.store import files, mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
            files.restrict(found.path, 0o600)
    folder = files.folder_state(path)
    if folder is not None and folder.is_ours and folder.mode & 0o022 and not folder.mode & 0o1000:
        files.restrict(folder.path, folder.mode & ~0o022)


def room(path: str) -> Iterator[Finding]:
    """The disk has room to write, and room for the copy that a purge or a backup makes. A lack of
    room damages nothing."""
    left, size = files.free_bytes(path), files.size(path)
    if not files.is_writable(path):
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
    path = files.resolved(path)
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
