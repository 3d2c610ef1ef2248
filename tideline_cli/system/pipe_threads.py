"""The pipes of a program where the system cannot wait for several of them: a thread for each."""

from __future__ import annotations

from queue import Empty, Queue
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from subprocess import Popen

_CHUNK = 1 << 16
Piece = tuple[str, bytes]


class PipeThreads:
    """Sends a text to a program and takes what it prints, all at the same time."""

    def __init__(self, process: Popen[bytes], given: bytes) -> None:
        self._pieces: Queue[Piece] = Queue(maxsize=16)
        self._open = 2
        for name, pipe in (("out", process.stdout), ("err", process.stderr)):
            Thread(target=self._read, args=(name, pipe), daemon=True).start()
        Thread(target=_send, args=(process.stdin, given), daemon=True).start()

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
        try:
            while raw := pipe.read(_CHUNK):
                self._pieces.put((name, raw))
        except (OSError, ValueError):
            pass  # it was closed here
        self._pieces.put((name, b""))


def _send(pipe: FileIO, given: bytes) -> None:
    left = memoryview(given)
    try:
        while left:
            left = left[pipe.write(left[:_CHUNK]) or 0 :]
        pipe.close()
    except (OSError, ValueError):
        return  # nobody reads it
