"""The memory that is attacked, and the two servers over it, each a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from tests import backends
from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = "kestrel"
"""A word of every fact: no stranger is told it."""
FOREIGN = "magpie"
"""A word of the facts of another origin: nobody is told it."""


class Memory:
    """A small memory in a home of its own. `planted` is Python that its servers run first: a fault,
    for the tests that ask whether it is found."""

    def __init__(self, folder: Path, *, facts: int = 200, planted: str = "") -> None:
        self.folder = folder
        entry = f"{planted}\nfrom tideline_cli.__main__ import enter\nenter()"
        self.program = (sys.executable, "-c", entry) if planted else _PROGRAM
        self.file = folder / "tideline.db"
        self.environ = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "TIDELINE_HOME": str(folder),
            "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8",
        }  # fmt: skip
        if backends.is_server():
            self.environ["TIDELINE_DB"] = backends.use_home(str(folder))
        folder.mkdir(parents=True, exist_ok=True)
        if facts:
            self._fill(facts)

    def _fill(self, facts: int) -> None:
        own = [{"content": f"The {MARK} of nest {n} sleeps in tower {n * 7}", "tags": ["bird"]}
               for n in range(facts)]  # fmt: skip
        self.run("remember", "--batch", "--quiet", stdin=_lines(own))
        self.run("remember", f"A {MARK} is fed on Fridays", "--slot", "feeding", "--quiet")
        self.run("remember", f"A {FOREIGN} is fed on Mondays", "--slot", "feeding", "--quiet",
                 "--origin", "channel:wa/nest/1")  # fmt: skip

    def run(self, *argv: str, stdin: str = "", check: bool = True) -> str:
        """Run a command, and return what it prints."""
        done = subprocess.run([*_PROGRAM, *argv], input=stdin, env=self.environ, text=True,
                              capture_output=True, check=False, cwd="/")  # fmt: skip
        assert not check or done.returncode in (0, 1), done.stderr
        return done.stdout

    def digest(self) -> str:
        """Return what the file and its log hold, byte by byte; on a server what its tables hold."""
        if backends.is_server():
            return hashlib.sha256(backends.raw(self.file)).hexdigest()
        log = self.folder / "tideline.db-wal"
        more = log.read_bytes() if log.exists() else b""
        return hashlib.sha256(self.file.read_bytes() + more).hexdigest()

    def bytes(self) -> bytes:
        """Return all that stands in the folder: the file, its log, and the state; and all that a
        server has of it."""
        there = [path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return b"".join(there) + (backends.raw(self.file) if backends.is_server() else b"")

    def facts(self, *more: str) -> list[dict[str, object]]:
        """Return all facts, those of an origin that is named."""
        told = self.run("list", "--json", "--limit", "0", "--lifecycle", "all", *more)
        found: list[dict[str, object]] = json.loads(told)["facts"]
        return found


_PROGRAM = (sys.executable, "-m", "tideline_cli")


def _lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@dataclass
class Process:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]

    def resident(self) -> int:
        """Return the most memory that it has had, in MB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            (line,) = (line for line in file if line.startswith("VmHWM"))
        return int(line.split()[1]) // 1024

    def open_files(self) -> int:
        """Return how many files and connections it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self) -> int:
        """Return how many threads it has."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def said(self) -> str:
        """Return what it has said on stderr."""
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")


@dataclass
class Served(Process):
    """A server of pages: its port and its token."""

    port: int = 0
    token: str = ""

    def settled(self, *, threads: int, files: int, patience: float) -> bool:
        """Wait until no connection is left; say whether that came."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if self.threads() <= threads and self.open_files() <= files:
                return True
            time.sleep(0.05)
        return False


@contextmanager
def serving(memory: Memory) -> Iterator[Served]:
    """Run `tideline serve`."""
    with open(memory.folder / "serve.err", "w+b") as errors:
        process = subprocess.Popen(
            [*memory.program, "serve", "--port", "0", "--json"], env=memory.environ, cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert process.stdout is not None
        form = json.loads(process.stdout.readline())
        parts = urlsplit(form["url"])
        try:
            yield Served(process, errors, parts.port or 0, parts.query.removeprefix("token="))
        finally:
            process.terminate()
            process.wait(20)
            process.stdout.close()


@contextmanager
def talking(memory: Memory, *argv: str) -> Iterator[Process]:
    """Run `tideline mcp`."""
    with open(memory.folder / "mcp.err", "w+b") as errors:
        process = subprocess.Popen(
            [*memory.program, "mcp", *argv], env=memory.environ, cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        try:
            yield Process(process, errors)
        finally:
            with suppress(OSError):
                process.stdin.close()
            process.wait(20)
            process.stdout.close()
