"""Waiting for a server in Python, where Ctrl-C is seen at once, and not in a library of C."""

from __future__ import annotations

import select
from _thread import allocate_lock, start_new_thread
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_SLICE = 0.5  # seconds: where a signal wakes nobody, as on Windows, it is seen after so long
_CANCELLED = 1.0  # seconds, within which a server that is there takes a request to cancel
_until: list[float] = []  # the time of `monotonic` at which servers are waited for no more
_READS, _WRITES = getattr(select, "POLLIN", 0), getattr(select, "POLLOUT", 0)  # not on Windows


class within:  # noqa: N801  reads as what it does
    """Wait for servers no longer than some seconds in all while the block runs: then a wait ends
    with TimeoutError."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        _until[:] = [monotonic() + self._seconds]

    def __exit__(self, *_: object) -> None:
        _until.clear()


def _slice(ends: Sequence[float]) -> float:
    """Return how long to wait before looking again, in seconds.

    Raises TimeoutError where one of `ends` is over, times of `monotonic`.
    """
    if not ends:
        return _SLICE
    left = min(ends) - monotonic()
    if left <= 0:
        raise TimeoutError("the server does not answer in time")
    return min(_SLICE, left)


class Readiness:
    """When the socket of a connection can be read, or written."""

    def __init__(self, socket: int) -> None:
        self._socket = socket
        self._until: list[float] = []
        self._poll = select.poll() if hasattr(select, "poll") else None

    def no_longer_than(self, seconds: float) -> None:
        """Let all that is waited for from now on take so long at most."""
        self._until = [monotonic() + seconds]

    def wait(self, *, writes: bool) -> None:
        """Return when there is something to read, with `writes` also when there is room to write,
        and now and then without either.

        Raises TimeoutError where `within` or `no_longer_than` says so.
        """
        seconds = _slice((*_until, *self._until))
        if self._poll is None:
            sockets = [self._socket]
            select.select(sockets, sockets if writes else [], [], seconds)
            return
        self._poll.register(self._socket, _READS | (_WRITES if writes else 0))
        self._poll.poll(seconds * 1000)


def connected(library: Any, names: Any, values: Any) -> int | None:
    """Return a connection made by a thread: the library itself tries one host after another, each
    for its time. One that nobody waits for any more is closed.

    Raises TimeoutError where `within` says so.
    """
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
        while not is_done.acquire(timeout=_slice(_until)):
            pass
    except BaseException:
        is_wanted[0] = False
        raise
    return made[0]


def for_a_moment(call: Callable[[], object]) -> None:
    """Run what may wait for a server in a thread, and wait for it for a second at most."""
    is_done = allocate_lock()
    is_done.acquire()

    def run() -> None:
        try:
            call()
        finally:
            is_done.release()

    start_new_thread(run, ())
    is_done.acquire(timeout=_CANCELLED)
