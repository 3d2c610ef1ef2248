"""Waiting for a server in Python, where Ctrl-C is seen at once, and not in a library of C."""

from __future__ import annotations

import select
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SLICE = 0.5  # seconds: where a signal wakes nobody, as on Windows, it is seen after so long


_READS, _WRITES = getattr(select, "POLLIN", 0), getattr(select, "POLLOUT", 0)  # not on Windows


class Readiness:
    """When the socket of a connection can be read, or written."""

    def __init__(self, socket: int) -> None:
        self._socket = socket
        self._poll = select.poll() if hasattr(select, "poll") else None

    def wait(self, *, writes: bool) -> None:
        """Return when there is something to read, with `writes` also when there is room to write,
        and now and then without either."""
        if self._poll is None:
            sockets = [self._socket]
            select.select(sockets, sockets if writes else [], [], _SLICE)
            return
        self._poll.register(self._socket, _READS | (_WRITES if writes else 0))
        self._poll.poll(_SLICE * 1000)


def connected(library: Any, names: Any, values: Any) -> int | None:
    """Return a connection made by a thread: the library itself tries one host after another, each
    for its time. One that nobody waits for any more is closed."""
    made: list[int | None] = []
    is_done, is_wanted = allocate_lock(), [True]
    is_done.acquire()

    def connect() -> None:
        at = library.PQconnectdbParams(names, values, 1)
        if is_wanted[0]:
            made.append(at)
        else:
            library.PQfinish(at)
        is_done.release()

    start_new_thread(connect, ())
    try:
        while not is_done.acquire(timeout=_SLICE):
            pass
    except BaseException:
        is_wanted[0] = False
        raise
    return made[0]
