"""Waiting for a lock: in the kernel's queue where the system has one, else by asking again."""

from __future__ import annotations

import sys
import time

from tideline_cli.system import LOCK_EX, flock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STEP = 0.001


def wait(handle: int, seconds: float, *, try_once: Callable[[int], bool]) -> bool:
    """Lock an open file, and wait some seconds for that; return whether it is locked. `try_once`
    locks it where nobody has it.

    The kernel's queue is fair; polling starves the unlucky. Windows has no queue with an end to the
    waiting, nor has a thread that is not the first.
    """
    if sys.platform == "win32":
        return _polled(handle, seconds, try_once)
    # `signal` would import enum, 5 ms. Only a process that must wait comes here.
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
        return _polled(handle, seconds, try_once)
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


def _polled(handle: int, seconds: float, try_once: Callable[[int], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(_STEP)
        if try_once(handle):
            return True
    return False
