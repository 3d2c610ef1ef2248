"""A process that ends in time, whatever it waits for: a client waits for it."""

from __future__ import annotations

import _thread  # `threading` loads five modules
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 1.0
_then: list[Callable[[], None]] = []


def begin(seconds: float = SECONDS) -> None:
    """End this process with 0 after some time. SQLite and reads of files let other threads run."""
    _thread.start_new_thread(_wait, (seconds,))


def before_end(call: Callable[[], None]) -> None:
    """Have this called when the time is over, before the process ends."""
    _then[:] = [call]


def _wait(seconds: float) -> None:
    time.sleep(seconds)
    try:
        for call in _then:
            call()
    finally:
        os._exit(0)
