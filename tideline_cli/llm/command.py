"""One reply of a model that is a program: prompt on stdin, reply on stdout, one deadline."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from contextlib import suppress
from io import FileIO
from threading import current_thread, main_thread
from time import monotonic
from typing import cast

from tideline_cli.errors import UnavailableError
from tideline_cli.llm.model_settings import KEY_VARIABLE, LARGEST_REPLY, excerpt
from tideline_cli.system import pipes, processes, words_of
from tideline_cli.system.pipes import PipeThreads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from tideline_cli.llm.model_settings import Model

_CHUNK = 1 << 16
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
        talk = _Talk(process, asked.encode(), monotonic() + model.timeout, largest)
        try:
            talk.run()
            status = process.wait(max(0.0, talk.deadline - monotonic()))
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
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        for number, before in self._before.items():
            signal.signal(number, before)
        if self._heard is not None and process is None:  # it could not be started
            os.kill(os.getpid(), self._heard)


class _Talk:
    """The three pipes of a program, served as they become ready."""

    def __init__(
        self, process: subprocess.Popen[bytes], prompt: bytes, deadline: float, largest: int
    ) -> None:
        self._largest = largest
        self.reply = bytearray()
        self.last_words = b""
        self.deadline = deadline
        self._process = process
        self._unsent = memoryview(prompt)
        self._ready = selectors.DefaultSelector()
        self._pipes = {
            "in": cast(FileIO, process.stdin),
            "out": cast(FileIO, process.stdout),
            "err": cast(FileIO, process.stderr),
        }

    def run(self) -> None:
        """Serve the pipes until the reply is complete; raises TimeoutError at the deadline.

        A program that has ended may leave a child behind that holds its pipes: nobody waits
        for that one.
        """
        if sys.platform == "win32":
            self._run_by_threads()
            return
        with self._ready:
            for name, pipe in self._pipes.items():
                pipes.do_not_wait(pipe)
                wanted = selectors.EVENT_WRITE if name == "in" else selectors.EVENT_READ
                self._ready.register(pipe, wanted, name)
            while self._ready.get_map():
                has_ended = self._process.poll() is not None
                served = self._ready.select(_GLANCE)
                for key, _ in served:
                    self._serve(key.data)
                if has_ended and (not served or self._pipes["out"].closed):
                    return
                if monotonic() >= self.deadline:
                    raise TimeoutError

    def _run_by_threads(self) -> None:
        threads = PipeThreads(self._process, bytes(self._unsent))
        while not threads.is_over:
            has_ended, is_served = self._process.poll() is not None, False
            for name, chunk in threads.pieces(_GLANCE):
                self._keep(name, chunk)
                is_served = True
            if has_ended and not is_served:
                return
            if monotonic() >= self.deadline:
                raise TimeoutError

    def _serve(self, name: str) -> None:
        pipe = self._pipes[name]
        is_done = self._send(pipe) if name == "in" else not self._receive(name, pipe)
        if is_done:
            self._ready.unregister(pipe)
            pipe.close()

    def _send(self, pipe: FileIO) -> bool:
        """Write some of the prompt; tell whether nothing is left, or nobody reads it."""
        try:
            self._unsent = self._unsent[pipe.write(self._unsent[:_CHUNK]) or 0 :]
        except BrokenPipeError:
            return True
        return not self._unsent

    def _receive(self, name: str, pipe: FileIO) -> bool:
        """Read some of a stream; tell whether there was any."""
        chunk = pipe.read(_CHUNK)
        if chunk is None:
            return True
        self._keep(name, chunk)
        return bool(chunk)

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
