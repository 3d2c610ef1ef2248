"""Children by the hundred: one warm process forks each command, which then starts in 2 ms."""

from __future__ import annotations

import array
import contextlib
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PRELOADED = (
    "numpy", "tideline_cli.__main__", "tideline_cli.cli.fast", "tideline_cli.cli.perform",
    "tideline_cli.cli.app", "tideline_cli.dream.comparison",
    "tideline_cli.exchange.importer.import_rows",
    "tideline_cli.memory.semantic", "tideline_cli.vector.hrr_plain",
    *(f"tideline_cli.cli.commands.{name}" for name in (
        "remember", "recall", "context", "status", "forget", "edit", "undo", "dream", "purge",
        "consolidate", "extract", "import_", "list", "export", "sync", "doctor",
    )),
    "tideline_cli.cli.commands.sync.meetings",
    "cryptography.hazmat.primitives.ciphers.aead",
    "tests.faults.injected",
)  # fmt: skip
_LARGEST = 1 << 17
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Done:
    """What a command left behind; `report` is what its faults say of themselves."""

    code: int
    out: str
    err: str
    report: dict[str, Any]

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Child:
    """A command that is running. A code below zero is the signal that ended it."""

    def __init__(self, line: socket.socket, pid: int) -> None:
        self._line = line
        self.pid = pid
        self.code: int | None = None

    def kill(self, number: int = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self.code is None:
                os.kill(self.pid, number)

    def wait(self, timeout: float = 60) -> int:
        """Return the exit code; raise TimeoutError when the command does not end."""
        if self.code is None:
            self._line.settimeout(timeout)
            self.code = int(self._line.recv(64))
            self._line.close()
        return self.code


class Nursery:
    """The warm process, for the length of a `with` block."""

    def __enter__(self) -> Nursery:
        self._folder = tempfile.TemporaryDirectory(prefix="tideline-nursery-")
        self._path = os.path.join(self._folder.name, "door")
        environ = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery", self._path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environ,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=60)
        self._folder.cleanup()

    def start(
        self, *argv: str, home: Path, stdin: int | None = None, out: int | None = None,
        err: int | None = None, **given: Any,
    ) -> Child:  # fmt: skip
        """Start a command. `given` may hold environ, fault, control, call with args, report."""
        spec = {"argv": argv, "home": str(home), **given}
        null = os.open(os.devnull, os.O_RDWR)
        try:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            line.connect(self._path)
            streams = [null if stream is None else stream for stream in (stdin, out, err)]
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))
            line.sendmsg([json.dumps(spec).encode()], [rights])
            line.settimeout(60)
            return Child(line, int(line.recv(64)))
        finally:
            os.close(null)

    def run(
        self, *argv: str, home: Path, stdin: str = "", timeout: float = 60, **given: Any
    ) -> Done:
        """Run a command to its end."""
        with contextlib.ExitStack() as stack:
            files = [
                stack.enter_context(tempfile.TemporaryFile(dir=self._folder.name))
                for _ in range(4)
            ]
            files[0].write(stdin.encode())
            files[0].seek(0)
            report = os.path.join(self._folder.name, f"report-{files[3].fileno()}-{os.getpid()}")
            streams = dict(zip(("stdin", "out", "err"), (f.fileno() for f in files), strict=False))
            child = self.start(*argv, home=home, report=report, **streams, **given)
            try:
                code = child.wait(timeout)
            except TimeoutError:
                child.kill()
                raise
            told: dict[str, Any] = {}
            if os.path.exists(report):
                told = json.loads(Path(report).read_text())
                os.unlink(report)
            for file in files[1:3]:
                file.seek(0)
            return Done(code, files[1].read().decode(), files[2].read().decode(), told)


def _serve(path: str) -> None:
    for name in _PRELOADED:
        with contextlib.suppress(ModuleNotFoundError):  # cryptography is an extra
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.bind(path)
    door.listen(64)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        ready, _, _ = select.select([door, 0], [], [])
        if 0 in ready:
            os._exit(0)
        line, _ = door.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            door.close()
            _mind(line)
        line.close()


def _mind(line: socket.socket) -> None:
    """Start the command of one request, and tell its pid and its end."""
    size = array.array("i", [0, 0, 0])
    data, rights, _, _ = line.recvmsg(_LARGEST, socket.CMSG_SPACE(len(size) * size.itemsize))
    size.frombytes(rights[0][2])
    streams = list(size[3:])
    # Until the command listens to it, an interrupt waits.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    pid = os.fork()
    if pid == 0:
        line.close()
        _become(json.loads(data), streams)
    for stream in streams:
        os.close(stream)
    line.send(str(pid).encode())
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        line.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(spec: dict[str, Any], streams: list[int]) -> None:
    from tests.faults import injected

    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    for name in list(os.environ):
        if name.startswith(("TIDELINE_", "XDG_")):
            del os.environ[name]
    os.environ["TIDELINE_HOME"] = os.environ["HOME"] = spec["home"]
    os.environ.update(spec.get("environ", {}))
    os.chdir(spec["home"])
    injected.run(spec)


if __name__ == "__main__":
    _serve(sys.argv[1])
