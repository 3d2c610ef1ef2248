"""Lock files beside the memory file: they give order among processes, and nothing else rests on
them. The kernel frees what a dead process held."""

from __future__ import annotations

import os
import time
from fcntl import LOCK_EX, LOCK_NB, flock

WRITER = ""  # the queue of those who want to write
DREAM = "-dream"  # one pass over the memory at a time
UPGRADE = "-upgrade"  # from an older schema
EXTRACT = ("-extract-1", "-extract-2", "-extract-3", "-extract-4")  # as many extractions at once

_STEP = 0.001


def wait(path: str, name: str, *, seconds: float) -> int | None:
    """Return a lock that is held until `release`; None when it cannot be had in time, or not at
    all, as on a medium that is read-only or has no locks."""
    handle = _opened(path, name)
    if handle is None:
        return None
    if _taken(handle) or (seconds > 0 and _waited(handle, seconds)):
        return handle
    os.close(handle)
    return None


def attempt(path: str, name: str) -> int | None:
    """Return a lock that is held until `release`, None when another process holds it.

    Raises OSError where there can be no lock file.
    """
    handle = _open(path, name)
    if _taken(handle):
        return handle
    os.close(handle)
    return None


def release(handle: int | None) -> None:
    """Let the next one have it."""
    if handle is not None:
        os.close(handle)


_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


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
    os.fchmod(handle, 0o600)  # whatever the umask
    if os.geteuid() == 0:
        from tideline_cli.store import folders  # noqa: PLC0415  root alone, once for a file

        folders.hand_over(handle, file, like=path)
    return handle


def _taken(handle: int) -> bool:
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _waited(handle: int, seconds: float) -> bool:
    """Wait for the lock in the kernel's queue, which is fair; polling starves the unlucky."""

    # `signal` would import enum, 5 ms; only who must wait comes here.
    from _signal import (  # type: ignore[import-not-found]  # noqa: PLC0415  as long as a lock is waited for
        ITIMER_REAL,
        SIGALRM,
        setitimer,
        signal,
    )

    def ring(*_: object) -> None:
        raise TimeoutError

    try:
        before = signal(SIGALRM, ring)
    except ValueError:  # not the main thread
        return _polled(handle, seconds)
    try:
        setitimer(ITIMER_REAL, seconds)
        flock(handle, LOCK_EX)
        return True
    except TimeoutError:
        return False
    except OSError:
        return True
    finally:
        setitimer(ITIMER_REAL, 0)
        signal(SIGALRM, before)


def _polled(handle: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(_STEP)
        if _taken(handle):
            return True
    return False
