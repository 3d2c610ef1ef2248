"""Processes that we start and end: each with all that it starts itself, and work in one of them, or
in our own, which is interrupted when its time is over."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from subprocess import Popen

_NICE = 10

if sys.platform == "win32":
    from tideline_cli.system import jobs

    ENDINGS = (signal.SIGTERM,)
    """The signals that ask a server to end."""
    FATAL = (signal.SIGTERM, signal.SIGBREAK)
    """The signals that end us, and of which a program that we have started does not hear."""

    def started_apart(words: Sequence[str], environ: Mapping[str, str]) -> Popen[bytes]:
        """Start a program with three pipes, so that it can be ended with all that it starts and the
        console's Ctrl-C reaches it through us alone. Raises OSError."""
        return jobs.job_started(words, environ)

    def end_all(process: Popen[bytes]) -> None:
        """End a program of `started_apart`, and all that it has started."""
        jobs.end(process)

    def start_alone(words: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start a program that goes on by itself, without pipes and console. Raises OSError."""
        import subprocess  # noqa: PLC0415  as below

        null = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603  our own program
            words, stdin=null, stdout=null, stderr=null, env=environ, close_fds=True,
            creationflags=subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP,
        )  # fmt: skip

    def give_way() -> None:
        """Work at low priority from now on: not on this system."""

    def done_apart(call: Callable[[], None]) -> bool:
        """Do a piece of work, and say whether it was done: here, since closing a file drops no
        lock of another handle on this system."""
        call()
        return True

else:
    ENDINGS = (signal.SIGTERM, signal.SIGHUP)
    """The signals that ask a server to end."""
    FATAL = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    """The signals that end us, and of which a program that we have started does not hear."""

    def started_apart(words: Sequence[str], environ: Mapping[str, str]) -> Popen[bytes]:
        """Start a program with three pipes in a session of its own, so that it can be ended with
        all that it starts and the terminal's Ctrl-C reaches it through us alone. Raises OSError."""
        import subprocess  # noqa: PLC0415  not for a copy

        return subprocess.Popen(  # noqa: S603  the user's own command, no shell
            words,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )

    def end_all(process: Popen[bytes]) -> None:
        """End a program of `started_apart`, and all that it has started. Raises ProcessLookupError
        and PermissionError."""
        os.killpg(process.pid, signal.SIGKILL)

    def start_alone(words: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start a program that goes on by itself, in a session of its own and without pipes. Raises
        OSError."""
        import subprocess  # noqa: PLC0415  as above

        null = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603  our own program
            words, stdin=null, stdout=null, stderr=null, env=environ, start_new_session=True
        )

    def give_way() -> None:
        """Work at low priority from now on."""
        os.nice(_NICE)

    def done_apart(call: Callable[[], None]) -> bool:
        """Do a piece of work in a process of its own, and say whether it was done: closing a file
        in this one drops the locks that it has on it."""
        child = os.fork()
        if not child:
            code = 1
            try:
                call()
                code = 0
            finally:
                os._exit(code)
        return not os.waitpid(child, 0)[1]


class LateError(BaseException):
    """The time is over. It is no Exception: a reader that catches those does not catch it."""


_RING_AGAIN = 0.05  # seconds until it rings once more: Python drops what is raised in a destructor


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise LateError at the next line of Python after some seconds. Windows has no such clock, nor
    has a thread that is not the first: there nothing is interrupted."""
    if sys.platform == "win32":
        yield
        return
    is_open = True

    def ring(*_: object) -> None:
        if is_open:
            raise LateError

    def told(dropped: sys.UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, LateError):
            hook(dropped)

    try:
        before = signal.signal(signal.SIGALRM, ring)
    except ValueError:
        yield
        return
    hook, sys.unraisablehook = sys.unraisablehook, told
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, _RING_AGAIN)
            yield
        finally:
            is_open = False
    finally:  # also where it rings as the work ends
        is_open = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
