"""Pipes between processes: how much they hold, whether a child can have one more of them, and a
thread for each of a program's."""

from __future__ import annotations

import sys
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread

if sys.platform != "win32":
    import fcntl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from subprocess import Popen
    from typing import BinaryIO, Self

CAN_BE_HANDED_ON = sys.platform != "win32"
"""Whether a child can have more of our handles than its three streams."""


def room_of(pipe: BinaryIO) -> int:
    """Return how much a pipe holds; 0 where the system does not tell."""
    if sys.platform == "linux":
        with suppress(OSError):
            return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    return 0


def widen(pipe: BinaryIO, size: int) -> None:
    """Let a pipe hold more bytes, where the system knows how and this user may."""
    if sys.platform == "linux":
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)


_CHUNK = 1 << 16
Piece = tuple[str, bytes]


class PipeThreads:
    """Sends a text to a program and takes what it prints, all at the same time. Each thread closes
    its own pipe: nobody may while it waits for one."""

    def __init__(self, process: Popen[bytes], given: bytes) -> None:
        self._pieces: Queue[Piece] = Queue(maxsize=16)
        self._open = 2
        self._is_left = False
        for name, pipe in (("out", process.stdout), ("err", process.stderr)):
            Thread(target=self._read, args=(name, pipe), daemon=True).start()
        Thread(target=_send, args=(process.stdin, given), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let threads end that wait for room."""
        self._is_left = True
        with suppress(Empty):
            while True:
                self._pieces.get_nowait()

    def pieces(self, seconds: float) -> Iterator[Piece]:
        """Yield what came within some seconds: the name of a stream, `out` or `err`, and bytes,
        none where it has ended."""
        try:
            name, raw = self._pieces.get(timeout=seconds)
        except Empty:
            return
        self._open -= not raw
        yield name, raw

    @property
    def is_over(self) -> bool:
        """Whether both streams have ended."""
        return not self._open

    def _read(self, name: str, pipe: FileIO) -> None:
        with suppress(OSError), pipe:
            while not self._is_left and (raw := pipe.read(_CHUNK)):
                self._pieces.put((name, raw))
        self._pieces.put((name, b""))


def _send(pipe: FileIO, given: bytes) -> None:
    left = memoryview(given)
    with suppress(OSError), pipe:  # nobody may read it
        while left:
            left = left[pipe.write(left[:_CHUNK]) or 0 :]
