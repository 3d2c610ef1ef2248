"""The memory file and the files that belong to it, as the system describes them: kind, mode, owner,
room, and whether they can be read and written."""

from __future__ import annotations

import os
import stat

from tideline_cli.model.record import record
from tideline_cli.system import disk, is_own, is_root, rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ENDINGS = ("", "-wal", "-shm", "-journal", "-reserve", "-lock")
"""What the names of a memory file and of those that belong to it end with."""
_READ_BYTES = 1 << 20


@record
class State:
    """A file or folder as the system describes it. `kind` is file, folder, link or other."""

    path: str
    kind: str
    mode: int
    is_ours: bool
    size: int


def state(path: str) -> State | None:
    """Return what is at a path, None when nothing is."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return State(
        path,
        kinds.get(stat.S_IFMT(found.st_mode), "other"),
        rights(found.st_mode),
        is_own(found) or _is_tended(path, found.st_uid),
        found.st_size,
    )


def _is_tended(path: str, owner: int) -> bool:
    """Say whether this is root, and the file belongs to the user who owns the folder."""
    return is_root() and os.stat(os.path.dirname(path) or ".").st_uid == owner


def states(path: str) -> Iterator[State]:
    """Yield the states of a memory file and of those that belong to it."""
    for name in own_files(path):
        found = state(name)
        if found is not None:
            yield found


def folder_state(path: str) -> State | None:
    """Return the state of the folder that a file lies in."""
    return state(os.path.realpath(os.path.dirname(os.path.abspath(path))))


def restrict(path: str, mode: int) -> None:
    """Set the mode of a file or folder of ours."""
    os.chmod(path, mode)


def free_bytes(path: str) -> int:
    """Return how many bytes the disk that holds a file has free for us."""
    return disk.free_bytes(os.path.dirname(os.path.abspath(path)))


def is_writable(path: str) -> bool:
    """Say whether this user may write a file, and its folder."""
    folder = os.path.dirname(os.path.abspath(path))
    return os.access(path, os.W_OK) and os.access(folder, os.W_OK)


def unreadable(path: str) -> str:
    """Return why the system cannot read a file to its end; empty when it can. No connection of
    this process may be open on it."""
    try:
        with open(path, "rb", buffering=0) as file:
            while file.read(_READ_BYTES):
                pass
    except OSError as error:
        return error.strerror or str(error)
    return ""


def own_files(path: str) -> list[str]:
    """Return the paths of a memory file and of those that belong to it, there or not."""
    folder, name = os.path.split(os.path.abspath(path))
    try:
        listed = os.listdir(folder)
    except OSError:
        listed = []
    locks = sorted(entry for entry in listed if entry.startswith(f"{name}-lock"))
    fixed = [name + end for end in ENDINGS if end != "-lock"]
    return [os.path.join(folder, entry) for entry in (*fixed, *locks)]
