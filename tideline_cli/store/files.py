"""The memory file and the files beside it: making, copying and removing them, each private and
durable; what the system says of them; and what is said of one that has two names."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from errno import EBUSY, EMFILE, ENFILE
from unicodedata import normalize

from tideline_cli.errors import BusyError, CannotWriteError, UsageError
from tideline_cli.model.record import record
from tideline_cli.store import file_kind, mounts, private_files
from tideline_cli.system import (
    BINARY,
    LOCK_EX,
    LOCK_NB,
    NOFOLLOW,
    NONBLOCK,
    durable,
    flock,
    is_own,
    is_root,
    processes,
    rights,
    set_mode,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_COPY_BYTES = 1 << 20
_MODE = 0o600
_PART = ".part-"
_BESIDE = ("-wal", "-shm", "-journal")
_FRESH = os.O_RDWR | os.O_CREAT | os.O_EXCL | NOFOLLOW | BINARY


def absolute(path: str) -> str:
    """Return a path that no longer depends on the working folder."""
    return os.path.abspath(os.path.expanduser(path))


def create(path: str, *, like: str = "") -> None:
    """Make an empty file with mode 0600, whatever the umask; raise UsageError when anything is
    there. Root gives it to the owner of `like`, if that user also owns the folder."""
    os.close(_created(path, like))


def _created(path: str, like: str = "") -> int:
    try:
        handle = durable.open_movable(path, _FRESH, _MODE)
    except FileExistsError as error:
        raise UsageError(f"{path} exists", hint="name a fresh file, or add --force") from error
    except OSError as error:
        raise CannotWriteError(
            f"cannot create {path}: {error.strerror}", hint="check the folder"
        ) from error
    set_mode(handle, _MODE)
    if like:
        private_files.hand_over(handle, path, like=like)
    return handle


class part:  # noqa: N801  reads as a statement: with part(path) as name:
    """A file of this process alone, beside the file whose place it will take; no other process uses
    its name. It is removed after the block, unless it was moved. The next process removes what a
    killed process has left: a lock shows that the maker of a part still runs."""

    def __init__(self, path: str, *, like: str = "") -> None:
        self._path = path
        self._like = like

    def __enter__(self) -> str:
        _sweep(self._path + _PART)
        while True:
            self._name = f"{self._path}{_PART}{os.getpid()}-{os.urandom(4).hex()}"
            self._handle = _created(self._name, self._like)
            with suppress(OSError):  # a file system without locks
                flock(self._handle, LOCK_EX)
            if os.fstat(self._handle).st_nlink:
                return self._name
            os.close(self._handle)  # another process removed it in the instant before the lock

    def __exit__(self, *_: object) -> None:
        _remove_all(self._name)
        os.close(self._handle)


def _sweep(start: str) -> None:
    """Remove the parts whose makers have died."""
    folder, begin = os.path.split(start)
    try:
        listed = [name for name in os.listdir(folder or ".") if name.startswith(begin)]
    except OSError:
        return
    for name in listed:
        if name.endswith(_BESIDE):
            continue  # the files beside a part are removed together with it
        path = os.path.join(folder, name)
        try:
            handle = durable.open_movable(path, os.O_RDWR | NOFOLLOW | NONBLOCK | BINARY)
        except OSError:
            continue
        try:
            flock(handle, LOCK_EX | LOCK_NB)
            _remove_all(path)
        except OSError:
            continue  # its maker still runs
        finally:
            os.close(handle)


def _remove_all(path: str) -> None:
    for end in (*_BESIDE, ""):
        remove(path + end)


def sync(path: str) -> None:
    """Make a file and its name durable. No connection of this process may be open on it: closing
    a handle drops its locks."""
    handle = durable.open_for_sync(path)
    try:
        durable.sync(handle)
    finally:
        os.close(handle)
    durable.sync_folder(os.path.dirname(os.path.abspath(path)))


def copy(path: str, target: str) -> None:
    """Copy bytes into a file made by `create`.

    Another process does it: closing a file in this one drops the locks that a connection of this
    process has on it.
    """
    if not processes.done_apart(lambda: _copy(path, target)):
        raise CannotWriteError(f"cannot copy {path} to {target}", hint="is the disk full?")


def _copy(path: str, target: str) -> None:
    with open(path, "rb") as source, open(target, "r+b") as file:
        while block := source.read(_COPY_BYTES):
            file.write(block)
        file.flush()
        durable.sync(file.fileno())


def move(path: str, target: str) -> None:
    """Put a file in the place of another, durably. Raises BusyError where another program keeps
    one of them open, on a system that moves no open files."""
    try:
        durable.put_over(path, target)
    except OSError as error:
        if error.errno == EBUSY and sys.platform == "win32":
            raise BusyError(
                f"{target} is in use by another program, or may not be changed",
                hint="close what has it open, look at its rights, and try again",
            ) from error
        raise
    sync(target)


def remove(path: str) -> None:
    """Remove a file if it is there."""
    try:
        durable.remove(path)
    except FileNotFoundError:
        return


def made_afresh(path: str, *, like: str = "") -> str:
    """Make an empty private file called `path`, or `path` with a number when that is taken."""
    for number in range(1, 1000):
        name = path if number == 1 else f"{path}-{number}"
        try:
            create(name, like=like)
        except UsageError:
            continue  # another process may have been first
        return name
    raise CannotWriteError(f"cannot create {path}: too many files of that name", hint="tidy up")


def size(path: str) -> int:
    """Return the bytes of a file, 0 where there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def same(path: str, other: str) -> bool:
    """Say whether two paths name one file, also by links."""
    try:
        return os.path.samefile(path, other)
    except OSError:
        return os.path.abspath(path) == os.path.abspath(other)


def refuse_own(path: str, database: str) -> None:
    """Raise UsageError when `path` is the memory file or one of those that belong to it."""
    own = [name for name in own_files(database) if same(name, path)]
    if own or _would_be_own(os.path.abspath(path), os.path.abspath(database)):
        raise UsageError(f"{path} belongs to the memory file itself", hint="name another file")


def _would_be_own(path: str, database: str) -> bool:
    """Say whether a file at `path` would get a name that belongs to the memory file. Where a folder
    takes capitals for small letters, as those of macOS mostly do, so do the names."""
    folder, name = os.path.split(path)
    home, stem = os.path.split(database)
    if not same(folder, home):
        return False
    own = [stem + end for end in ENDINGS]
    if name in own:
        return True
    other = stem.swapcase()
    if other == stem or not same(database, os.path.join(home, other)):
        return False
    return _folded(name) in map(_folded, own)


def _folded(name: str) -> str:
    return normalize("NFC", normalize("NFC", name).casefold())


def is_file(path: str) -> bool:
    """Say whether a path leads to a regular file."""
    return os.path.isfile(path)


_OF_STORE = 4  # files that an open store needs: itself, its log, the memory shared, its lock


def are_used_up() -> bool:
    """Say whether this process may open fewer files than a store needs."""
    opened: list[int] = []
    try:
        while len(opened) < _OF_STORE:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in (EMFILE, ENFILE)
    finally:
        for handle in opened:
            os.close(handle)
    return False


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


_LINKED = (
    "`tideline backup COPY` makes a copy that is safe; then remove the other name, which "
    "`tideline doctor` looks for"
)
_MOUNTED = "mount the folder of the memory file in place of the file alone"


def two_names_error(path: str) -> CannotWriteError:
    """Return the error for a file that would be written by one of its names."""
    return CannotWriteError(
        f"{path} {why_two_names(path) or 'has another name'}: each name has a log of its own, "
        "so what is written by one may be lost by the other",
        hint=two_names_hint(path),
        code="two_names",
    )


def why_two_names(path: str) -> str:
    """Return why a file has more than one name; empty when it has one name, or does not exist."""
    try:
        state = os.lstat(path)
    except OSError:
        return ""
    if not file_kind.has_two_names(path, state):
        return ""
    if state.st_nlink > 1:
        return f"has {state.st_nlink:,} names (hard links)"
    return "is a mount of a single file, which has another name elsewhere"


def two_names_hint(path: str) -> str:
    """Return what to do about a file with more than one name."""
    return _LINKED if os.lstat(path).st_nlink > 1 else _MOUNTED


def other_names(path: str) -> list[str]:
    """Return the other names of a file that are easy to find: hard links in its folder, and places
    where this process sees it through another mount."""
    folder, name = os.path.split(path)
    return sorted({*_linked(folder, name), *mounted_names(path)})


def _linked(folder: str, name: str) -> list[str]:
    try:
        inode = os.lstat(os.path.join(folder, name)).st_ino
        with os.scandir(folder) as entries:
            return [e.path for e in entries if e.inode() == inode and e.name != name]
    except OSError:
        return []


def mounted_names(path: str, *, listing: str = mounts.MOUNTS) -> list[str]:
    """Return where else this one file is seen without its folder: where it is a mount of its own,
    or, when it is such a mount here, where it came from."""
    wanted = mounts.escaped(path)
    table = mounts.table(listing)
    above = max(
        (row for row in table if _is_below(wanted, row.point)),
        key=lambda row: len(row.point),
        default=None,
    )
    if above is None:
        return []
    inner = _moved(wanted, above.point, above.root)  # as the file system itself names it
    # Where its folder is mounted too, the file lies beside its log, so it has one name there.
    alone = above.point == wanted
    seen = {
        _moved(inner, row.root, row.point)
        for row in table
        if row.device == above.device and _is_below(inner, row.root)
        and (alone or row.root == inner)
    }  # fmt: skip
    found = (os.fsdecode(mounts.unescaped(point)) for point in seen - {wanted})
    return [name for name in found if same(name, path)]


def _is_below(path: bytes, folder: bytes) -> bool:
    return (path + b"/").startswith(folder.rstrip(b"/") + b"/")


def _moved(path: bytes, old: bytes, new: bytes) -> bytes:
    return new.rstrip(b"/") + path[len(old.rstrip(b"/")) :]
