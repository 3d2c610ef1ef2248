"""What one client may take of the server: connections, and bytes of a request."""

from __future__ import annotations

import socket
from contextlib import suppress
from http.client import LineTooLong
from threading import BoundedSemaphore, Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

MOST_CONNECTIONS = 32
MOST_HEAD = 128 * 1024  # bytes of a request with all its headers
_PATIENCE = 1.0  # seconds until a connection that was cut has given its place back


class Places:
    """The connections that are open, so many at most. Where there is no room, the one that has been
    a stranger for the longest time gives way: who holds connections open without a token keeps
    nobody out."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._free = BoundedSemaphore(most)
        self._strangers: dict[socket.socket, None] = {}
        self._lock = Lock()

    def take(self, request: socket.socket) -> bool:
        """Take a place for a connection; say whether there is one."""
        if not self._free.acquire(blocking=False) and not self._made_room():
            return False
        with self._lock:
            self._strangers[request] = None
        return True

    def know(self, request: socket.socket) -> None:
        """Let a connection stay that has shown the token."""
        with self._lock:
            self._strangers.pop(request, None)

    def leave(self, request: socket.socket) -> None:
        """Give the place of a connection back."""
        self.know(request)
        self._free.release()

    def _made_room(self) -> bool:
        with self._lock:
            oldest = next(iter(self._strangers), None)
            if oldest is None:
                return False
            del self._strangers[oldest]
        disconnect(oldest)
        return self._free.acquire(timeout=_PATIENCE)


class HeadReader:
    """Reads the lines of a request's head, and no more than `MOST_HEAD` bytes of them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = MOST_HEAD

    def readline(self, size: int) -> bytes:
        """Return a line of at most `size` bytes; raise LineTooLong where all are too much."""
        line = self._file.readline(size)
        self._left -= len(line)
        if self._left < 0:
            raise LineTooLong("head")
        return line

    def close(self) -> None:
        """Close what is read."""
        self._file.close()


def disconnect(request: socket.socket) -> None:
    """End a connection, whatever it waits for."""
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)
