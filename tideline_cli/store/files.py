"""Making, copying and removing files beside the memory file: each private and durable."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EBUSY, EMFILE, ENFILE

from tideline_cli.errors import BusyError, CannotWriteError, UsageError
from tideline_cli.store import file_states, folders
from tideline_cli.system import (
    BINARY,
    LOCK_EX,
    LOCK_NB,
    NOFOLLOW,
    NONBLOCK,
    durable,
    flock,
    names,
    set_mode,
)

_COPY_BYTES = 1 << 20
_MODE = 0o600
_PART = ".part-"
_BESIDE = ("-wal", "-shm", "-journal")
_FRESH = os.O_RDWR | os.O_CREAT | os.O_EXCL | NOFOLLOW | BINARY


def absolute(path: str) -> str:
    """Return a path that no longer depends on the working folder."""
    return os.path.abspath(os.path.expanduser(path))


def resolved(path: str) -> str:
    """Return the path of a file without links above it; the file itself may be one."""
    folder, name = os.path.split(absolute(path))
    return os.path.join(os.path.realpath(folder), name)


def create(path: str, *, like: str = "") -> None:
    """Make an empty file with mode 0600, whatever the umask; raise UsageError when anything is
    there. Root gives it to the owner of `like`, if that user also owns the folder."""
    os.close(_created(path, like))


def _created(path: str, like: str = "") -> int:
    try:
        handle = names.open_movable(path, _FRESH, _MODE)
    except FileExistsError as error:
        raise UsageError(f"{path} exists", hint="name a fresh file, or add --force") from error
    except OSError as error:
        raise CannotWriteError(
            f"cannot create {path}: {error.strerror}", hint="check the folder"
        ) from error
    set_mode(handle, _MODE)
    if like:
        folders.hand_over(handle, path, like=like)
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
            handle = names.open_movable(path, os.O_RDWR | NOFOLLOW | NONBLOCK | BINARY)
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
    handle = names.open_for_sync(path)
    try:
        durable.sync(handle)
    finally:
        os.close(handle)
    names.sync_folder(os.path.dirname(os.path.abspath(path)))


def copy(path: str, target: str) -> None:
    """Copy bytes into a file made by `create`.

    Another process does it: closing a file in this one drops the locks that a connection of this
    process has on it.
    """
    from tideline_cli.system import processes  # noqa: PLC0415  subprocess

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
        names.put_over(path, target)
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
        names.remove(path)
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
    own = [name for name in file_states.own_files(database) if same(name, path)]
    if own or _would_be_own(os.path.abspath(path), os.path.abspath(database)):
        raise UsageError(f"{path} belongs to the memory file itself", hint="name another file")


def _would_be_own(path: str, database: str) -> bool:
    """Say whether a file at `path` would get a name that belongs to the memory file. Where a folder
    takes capitals for small letters, as those of macOS mostly do, so do the names."""
    folder, name = os.path.split(path)
    home, stem = os.path.split(database)
    if not same(folder, home):
        return False
    own = [stem + end for end in file_states.ENDINGS]
    if name in own:
        return True
    other = stem.swapcase()
    if other == stem or not same(database, os.path.join(home, other)):
        return False
    return _folded(name) in map(_folded, own)


def _folded(name: str) -> str:
    from unicodedata import normalize  # noqa: PLC0415  folders that ignore case; they compose letters

    return normalize("NFC", normalize("NFC", name).casefold())


def is_file(path: str) -> bool:
    """Say whether a path leads to a regular file."""
    return os.path.isfile(path)


def are_used_up() -> bool:
    """Say whether this process may open no file more."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in (EMFILE, ENFILE)
    return False
