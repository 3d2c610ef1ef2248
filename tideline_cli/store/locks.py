"""Lock files beside the memory file: they give order among processes, and the one of the writers
says whose log lies beside the file. The kernel frees what a dead process held."""

from __future__ import annotations

import os
import sys

from tideline_cli.store import SERVERS

# Each command loads this module, and one more would cost each start a five-hundredth. So the names
# of POSIX stand here too, and `system` is for the others.
if sys.platform == "win32":
    from tideline_cli import system
    from tideline_cli.system import LOCK_EX, LOCK_NB, flock, pread, pwrite

    BINARY, NOFOLLOW, NONBLOCK = system.BINARY, system.NOFOLLOW, system.NONBLOCK
    user_number = system.user_number
else:
    from fcntl import LOCK_EX, LOCK_NB, flock
    from os import pread, pwrite

    BINARY, NOFOLLOW, NONBLOCK = 0, os.O_NOFOLLOW, os.O_NONBLOCK
    user_number = os.geteuid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from tideline_cli.store.postgres.opening import ServerLock

    Lock: TypeAlias = "int | ServerLock"

WRITER = ""  # the queue of those who want to write
DREAM = "-dream"  # one pass over the memory at a time
SYNC = "-sync"  # one sync of the memory at a time
UPGRADE = "-upgrade"  # from an older schema
EXTRACT = ("-extract-1", "-extract-2", "-extract-3", "-extract-4")  # as many extractions at once

_LONGEST_MARK = 256


def wait(path: str, name: str, *, seconds: float) -> int | None:
    """Return a lock that is held until `release`. None when it cannot be taken in time, or when
    there can be no lock file, as on a read-only medium."""
    handle = _opened(path, name)
    if handle is None:
        return None
    if take(handle, seconds=seconds):
        return handle
    os.close(handle)
    return None


def take(handle: int, *, seconds: float) -> bool:
    """Lock an open file until it is closed; False when that cannot be done in time."""
    if _taken(handle):
        return True
    if seconds <= 0:
        return False
    from tideline_cli.system import lock_queue  # noqa: PLC0415  where another process has it

    return lock_queue.wait(handle, seconds, try_once=_taken)


def attempt(path: str, name: str) -> Lock | None:
    """Return a lock that is held until `release`, None when another process holds it.

    Raises OSError where there can be no lock file.
    """
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import opening as servers  # noqa: PLC0415  no file

        return servers.attempt_lock(path, name)
    handle = _open(path, name)
    if _taken(handle):
        return handle
    os.close(handle)
    return None


def release(lock: Lock | None) -> None:
    """Give a lock back, so that the next process can take it."""
    if isinstance(lock, int):
        os.close(lock)
    elif lock is not None:
        lock.release()


_FLAGS = os.O_RDWR | NOFOLLOW | BINARY


def _opened(path: str, name: str) -> int | None:
    try:
        return _open(path, name)
    except OSError:
        return None


def _open(path: str, name: str) -> int:
    file = path + "-lock" + name
    try:
        handle = os.open(file, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(file, _FLAGS)
    from tideline_cli.store import private_files  # noqa: PLC0415  once for a file

    private_files.keep_private(handle, file, like=path)
    return handle


def _taken(handle: int) -> bool:
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


# SQLite finds a log by its name alone. A log that another file has left under this name would be
# played into this file and damage it. So the lock file of the writers holds a mark of the file that
# the log belongs to: what the folder says of the file, and the generation of its content. The file
# itself changes only when its log is written back, and after that the mark is put anew.


def _mark(state: os.stat_result) -> bytes:
    """Return what tells a file as it is now from every other file on this machine."""
    return b"%x %x %x %x " % (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def put_mark(lock: int, path: str, generation: str) -> None:
    """Note in an open lock file which file the log belongs to, unless it says so already; 3 µs."""
    try:
        wanted = _mark(os.lstat(path)) + generation.encode("ascii", "replace")[:64]
        if pread(lock, _LONGEST_MARK, 0) != wanted and os.fstat(lock).st_nlink == 1:
            pwrite(lock, wanted, 0)
            os.ftruncate(lock, len(wanted))
    except OSError:
        return  # best effort: a full disk, a medium that is read-only


def tells_of_content(path: str) -> bool:
    """Say whether the lock file of the writers beside a path is marked as of a file not empty."""
    words = _noted(path).split()
    return len(words) > 2 and words[2] != b"0"


def differing_mark(path: str, state: os.stat_result) -> bytes:
    """Return the mark of the log beside a file where it is not the mark of the file; empty where
    both are the same, where there is no mark, and where the log is empty: it belongs to nobody.

    Costs one look where there is no log, 8 µs where there is one.
    """
    try:
        if not os.stat(path + "-wal").st_size:
            return b""
    except OSError:
        return b""
    noted = _noted(path)
    return b"" if noted.startswith(_mark(state)) else noted


def _noted(path: str) -> bytes:
    """Return the mark in the lock file of the writers, empty where there is none."""
    try:
        lock = os.open(path + "-lock", os.O_RDONLY | NOFOLLOW | NONBLOCK | BINARY)  # or a fifo
    except OSError:
        return b""
    try:
        return os.read(lock, _LONGEST_MARK)
    except OSError:
        return b""
    finally:
        os.close(lock)
