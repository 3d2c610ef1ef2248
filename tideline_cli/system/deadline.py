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


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise LateError at the next line of Python after some seconds. Windows has no such clock, nor
    has a thread that is not the first: there nothing is interrupted."""
    if sys.platform == "win32":
        yield
        return

    def ring(*_: object) -> None:
        raise LateError

    try:
        before = signal.signal(signal.SIGALRM, ring)
    except ValueError:
        yield
        return
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
