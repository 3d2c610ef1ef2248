"""One reply of a model that is a program: prompt on stdin, reply on stdout, one deadline."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from threading import current_thread, main_thread
from time import monotonic

from tideline_cli.errors import UnavailableError
from tideline_cli.llm.model_settings import KEY_VARIABLE, LARGEST_REPLY, excerpt
from tideline_cli.system import processes, words_of
from tideline_cli.system.pipes import PipeThreads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from tideline_cli.llm.model_settings import Model

_LAST_WORDS = 4096  # bytes of stderr that are kept
_GLANCE = 0.1  # seconds between looks at whether the program has ended


def ask(model: Model, prompt: str, *, system: str | None, largest: int = LARGEST_REPLY) -> str:
    """Return what the program of a checked model prints, `largest` bytes at most; raises
    UnavailableError.

    The program runs in a session of its own, so that the terminal's Ctrl-C reaches it through us
    alone and whatever it starts can be ended with it.
    """
    words = words_of.split(model.command or "")
    asked = prompt if system is None else f"{system}\n\n{prompt}"
    with _Ending() as ending:
        process = ending.watch(_started(words))
        talk, deadline = _Talk(largest), monotonic() + model.timeout
        try:
            talk.run(process, asked.encode(), deadline)
            status = process.wait(max(0.0, deadline - monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired):
            hint = "allow a longer timeout, or ask a faster model"
            message = f"{_name(words)} gave no answer within {model.timeout:g} s"
            raise UnavailableError(message, hint=hint) from None
    if status:
        raise UnavailableError(_failure(words, status, talk.last_words, model.key))
    try:
        return talk.reply.decode()
    except UnicodeDecodeError:
        raise UnavailableError(f"{_name(words)} replied something other than UTF-8") from None


class _Ending:
    """Ends a program and all that it started when we are left before it is done: by an error, by
    Ctrl-C, or by a signal that ends us, which it would not hear of in a session of its own.

    A signal that we are told to ignore, as nohup does, stays ignored.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._before: dict[int, Any] = {}
        self._heard: int | None = None

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            for number in processes.FATAL:
                if signal.getsignal(number) == signal.SIG_DFL:
                    self._before[number] = signal.signal(number, self._fatal)
        return self

    def watch(self, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """Take charge of a program; a signal that came while it started ends it now."""
        self._process = process
        if self._heard is not None:
            self._fatal(self._heard, None)
        return process

    def _fatal(self, number: int, _: object) -> None:
        """End the program, then ourselves by the same signal."""
        if self._process is None:
            self._heard = number
            return
        _kill(self._process)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        process = self._process
        if process is not None:
            if kind is not None or process.poll() is None:
                _kill(process)
            process.wait()
        for number, before in self._before.items():
            signal.signal(number, before)
        if self._heard is not None and process is None:  # it could not be started
            os.kill(os.getpid(), self._heard)


class _Talk:
    """What a program says, taken as it comes."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self.reply = bytearray()
        self.last_words = b""

    def run(self, process: subprocess.Popen[bytes], prompt: bytes, deadline: float) -> None:
        """Hand over the prompt and take the reply until it is complete; raises TimeoutError at the
        deadline.

        A program that has ended may leave a child behind that holds its pipes: nobody waits
        for that one.
        """
        with PipeThreads(process, prompt) as threads:
            while not threads.is_over:
                has_ended, is_served = process.poll() is not None, False
                for name, chunk in threads.pieces(_GLANCE):
                    self._keep(name, chunk)
                    is_served = True
                if has_ended and not is_served:
                    return
                if monotonic() >= deadline:
                    raise TimeoutError

    def _keep(self, name: str, chunk: bytes) -> None:
        """Take in what a stream has said."""
        if name == "err":
            self.last_words = (self.last_words + chunk)[-_LAST_WORDS:]
            return
        self.reply += chunk
        if len(self.reply) > self._largest:
            raise UnavailableError(f"the model replied more than {self._largest >> 10} KiB")


def _started(words: list[str]) -> subprocess.Popen[bytes]:
    """Start a program without a shell and without our key: it has its own. Where it is an agent,
    its hooks are off: they would hand it the memory, and keep what we ask as a conversation."""
    environ = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    environ["TIDELINE_HOOKS"] = "0"
    try:
        return processes.started_apart(words, environ)
    except FileNotFoundError:
        hint = "is it installed and on PATH? it runs without a shell: no pipes, no variables"
        raise UnavailableError(f"there is no program {_name(words)}", hint=hint) from None
    except OSError as error:
        message = f"{_name(words)} cannot be started: {error.strerror or error}"
        raise UnavailableError(message) from None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that still runs with all that it started. Of one that has ended, what still
    holds its output is killed: until then nobody else can have its number."""
    if process.poll() is None or (process.stdout is not None and not process.stdout.closed):
        with suppress(ProcessLookupError, PermissionError):
            processes.end_all(process)


def _failure(words: list[str], status: int, last_words: bytes, key: str | None) -> str:
    ended = f"failed with status {status}" if status > 0 else f"was ended by signal {-status}"
    lines = last_words.decode("utf-8", "replace").strip().splitlines()
    last = excerpt(lines[-1], key) if lines else ""
    return f"{_name(words)} {ended}" + (f": {last}" if last else "")


def _name(words: list[str]) -> str:
    """Return the program's name; the words after it may hold a secret."""
    return excerpt(os.path.basename(words[0]) or words[0], None)
