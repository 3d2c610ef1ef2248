"""A process that works beside an import: what is asked of it is answered in order, until it fails.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from typing import BinaryIO, cast

_PIPE = 1 << 18  # most chunks fit in, so that asking waits for nothing


class Beside:
    """The process that runs a module, with words for it and the number of a handle: the pipe of
    that handle ends when this process is gone."""

    def __init__(self, module: str, *words: str) -> None:
        # The end that nobody writes to closes with this process, whatever ends it.
        seen, self._life = os.pipe()
        # Without -P Python would take modules from the folder that the user is in.
        command = [sys.executable, "-P", "-m", module, *words, str(seen)]
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own module, no shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(seen,),
                stderr=subprocess.DEVNULL,  # what it cannot do is done here
            )  # fmt: skip
        except OSError:
            os.close(self._life)
            raise
        finally:
            os.close(seen)
        self._requests = cast(BinaryIO, self._process.stdin)
        self._answers = cast(BinaryIO, self._process.stdout)
        _widen(self._requests)
        _widen(self._answers)

    def ask(self, request: bytes) -> bool:
        """Send a request; return False where nobody takes it."""
        try:
            self._requests.write(request)
            self._requests.flush()
        except OSError:
            return False
        return True

    def answer(self, size: int) -> bytes:
        """Return so many bytes of the answers; fewer when the process is gone."""
        try:
            return b"" if self._answers.closed else self._answers.read(size)
        except OSError:
            return b""

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        for pipe in (self._requests, self._answers):
            try:
                pipe.close()
            except OSError:
                continue
        os.close(self._life)
        self._process.wait()


def started(module: str, *words: str) -> Beside | None:
    """Return a process beside; None where it would have no processor of its own, or where the
    system allows no more of them."""
    if _processors() < _LEAST_PROCESSORS:
        return None
    try:
        return Beside(module, *words)
    except OSError:
        return None


_LEAST_PROCESSORS = 2


def _processors() -> int:
    """Return on how many processors this process may run."""
    may_run_on = getattr(os, "sched_getaffinity", None)
    return len(may_run_on(0)) if may_run_on is not None else os.cpu_count() or 1


def _widen(pipe: BinaryIO) -> None:
    """Let a pipe hold more, where the system knows how and this user may."""
    resize = getattr(fcntl, "F_SETPIPE_SZ", None)
    if resize is not None:
        with suppress(OSError):
            fcntl.fcntl(pipe, resize, _PIPE)
