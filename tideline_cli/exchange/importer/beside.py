"""A process that works beside an import: what is asked of it is answered in order, until it fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from typing import BinaryIO, cast

from tideline_cli.system import limits, pipes
from tideline_cli.vector.worker import LENGTH

_PIPE = 1 << 20  # some requests and answers fit in, so that neither side waits for the other
_PAGE = 4096  # of which a pipe gives each request some for itself


class Beside:
    """The process that runs a module, with words for it and the number of a handle: the pipe of
    that handle ends when this process is gone.

    Requests are answered in their order. As long as there is room for a request, asking waits for
    nothing; so neither side waits for the other for ever, however little the pipes hold.
    """

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
        pipes.widen(self._requests, _PIPE)
        pipes.widen(self._answers, _PIPE)
        self._unanswered: deque[int] = deque()

    def has_room(self, request: bytes) -> bool:
        """Say whether a request can be sent before all others are answered."""
        sizes = (*self._unanswered, len(request))
        taken = sum([(size // _PAGE + 2) * _PAGE for size in sizes])
        return len(sizes) == 1 or taken <= pipes.room_of(self._requests)

    def ask(self, request: bytes) -> bool:
        """Send a request for which there is room; return False where nobody takes it."""
        try:
            self._requests.write(request)
            self._requests.flush()
        except OSError:
            return False
        self._unanswered.append(len(request))
        return True

    def answer(self) -> bytes:
        """Return the answer to the oldest request; nothing when the process is gone."""
        self._unanswered.popleft()
        try:
            head = b"" if self._answers.closed else self._answers.read(LENGTH)
            size = int.from_bytes(head, "little")
            raw = self._answers.read(size) if len(head) == LENGTH else b""
        except OSError:
            return b""
        return raw if len(raw) == size else b""

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
    """Return a process beside; None where it would have no processor of its own, where the system
    allows no more of them, or where a process hands no pipe of its own on (Windows)."""
    if not pipes.CAN_BE_HANDED_ON or _processors() < _LEAST_PROCESSORS:
        return None
    try:
        return Beside(module, *words)
    except OSError:
        return None


_LEAST_PROCESSORS = 2


def _processors() -> int:
    """Return on how many processors this process may run."""
    return limits.processors()
