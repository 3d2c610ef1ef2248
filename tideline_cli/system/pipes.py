"""Pipes between processes: how much they hold, and whether a child can have one more of them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import FileIO
    from typing import BinaryIO

CAN_BE_HANDED_ON = sys.platform != "win32"
"""Whether a child can have more of our handles than its three streams."""


def room_of(pipe: BinaryIO) -> int:
    """Return how much a pipe holds; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    import fcntl  # noqa: PLC0415  of this system

    try:
        return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    except OSError:
        return 0


def widen(pipe: BinaryIO, size: int) -> None:
    """Let a pipe hold more bytes, where the system knows how and this user may."""
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415  of this system

        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)


def do_not_wait(pipe: FileIO) -> None:
    """Let reads and writes of a pipe return at once. Windows has threads for that."""
    if sys.platform != "win32":
        os.set_blocking(pipe.fileno(), False)
