"""Work that is interrupted when its time is over."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class LateError(BaseException):
    """The time is over. It is no Exception: a reader that catches those does not catch it."""


_AGAIN = 0.05  # seconds until it rings once more: Python drops what is raised in a destructor


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise LateError at the next line of Python after some seconds. Windows has no such clock, nor
    has a thread that is not the first: there nothing is interrupted."""
    if sys.platform == "win32":
        yield
        return
    is_open = True

    def ring(*_: object) -> None:
        if is_open:
            raise LateError

    def told(dropped: sys.UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, LateError):
            hook(dropped)

    try:
        before = signal.signal(signal.SIGALRM, ring)
    except ValueError:
        yield
        return
    hook, sys.unraisablehook = sys.unraisablehook, told
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            yield
        finally:
            is_open = False
    finally:  # also where it rings as the work ends
        is_open = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
