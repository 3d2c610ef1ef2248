"""The surroundings of every test: a home of its own, no settings of the user, a pinned clock.

The gate (`make test`) runs a part of what takes long, always the same, and `make nightly` all, by
TIDELINE_AT_LENGTH=1. Four ways to say what the gate leaves out, each beside the test:

- `@pytest.mark.nightly`: the gate runs none of it.
- `@pytest.mark.sampled(n)`: of the cases of a parametrized test the gate runs n, evenly spread.
- `often(n, more)` (tests/support.py): it tries n times, at night `more` times.
- `some(planted, n)` (there too): it plants the first n faults.

Many cases of a pure function are one test: `@joined` (there too) names each case that fails.

Who names a test (`pytest FILE::TEST`) gets all of it.
"""

from __future__ import annotations

import gc
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

os.environ.setdefault(
    "HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "tideline-hypothesis")
)

import pytest
from hypothesis import settings

from tests import backends, support
from tideline_cli.__main__ import main
from tideline_cli.store.opening import open_for_writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from apsw import Connection

# What a shell or nohup starts in the background ignores these, and its children would too. A
# handler that does nothing still ignores them here, and children begin with the default.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, lambda *_: None)

settings.register_profile(
    "tideline", deadline=None, database=None, max_examples=support.often(20, 50), derandomize=True
)
settings.load_profile("tideline")

_OURS = ("TIDELINE_", "XDG_")
_LOOKS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
          "CODEX_HOME", "CLAUDE_CONFIG_DIR")  # fmt: skip




def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With memories on a server, leave out what files alone have; each such test says why. Then
    leave to `make nightly` what the gate does not run."""
    for item in items:
        try:
            reason = backends.reason_to_skip(item)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
        if reason and backends.is_server():
            item.add_marker(pytest.mark.skip(f"about files: {reason}"))


    if support.IS_AT_LENGTH or any("::" in one for one in config.args):
        return
    left = _left_to_nightly(items)
    if left:
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = [item for item in items if item not in left]


def _left_to_nightly(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the tests that the gate does not run."""
    left = {item for item in items if item.get_closest_marker("nightly")}
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for every in cases.values():
        mark = every[0].get_closest_marker("sampled")
        count = min(mark.args[0], len(every)) if mark else 0
        left |= {*every} - {every[len(every) * n // count] for n in range(count)}
    return left


def pytest_collection_finish() -> None:
    """Leave what the tests themselves are made of to no collector: with it a run takes a tenth of a
    second, all that the scan of a text has."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def clean_server() -> Iterator[None]:
    """Leave no schema of the test's behind; what tests of a module share stays until the end."""
    before = backends.made()
    yield
    backends.forget(before)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean_server: None) -> Path:
    """Give the test a home; whatever would look for the user's finds this one."""
    for name in list(os.environ):
        if name.startswith(_OURS) or name in _LOOKS:
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TIDELINE_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TIDELINE_NOW", str(support.NOW))
    monkeypatch.chdir(tmp_path)
    if backends.is_server():
        monkeypatch.setenv("TIDELINE_DB", backends.use_home(str(folder)))
    return folder


@pytest.fixture(autouse=True, scope="session")
def _clean_server_at_last() -> Iterator[None]:
    yield
    backends.forget()


@pytest.fixture
def now() -> int:
    return support.NOW


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    """An empty store, open for writing."""
    connection = open_for_writing(str(support.empty_store_at(tmp_path / "test.db")))
    yield connection
    connection.close()


@dataclass
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON lines of stdout."""
        return [json.loads(line) for line in self.out.split("\n") if line]

    @property
    def error(self) -> Any:
        return json.loads(self.err.rstrip("\n").split("\n")[-1])["error"]

    @property
    def notes(self) -> list[str]:
        """The notes that a call with --json left on stderr."""
        forms = [json.loads(line) for line in self.err.split("\n") if line]
        return [form["note"]["message"] for form in forms if "note" in form]


def _text(raw: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8", errors="strict", newline="")


def run_main(*argv: str, stdin: str | bytes = b"") -> Result:
    """Run a command line in this process, with streams of its own."""
    streams = [_text(stdin.encode() if isinstance(stdin, str) else stdin), _text(b""), _text(b"")]
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = main(backends.in_words(argv))
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    for stream in streams[1:]:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
    return Result(code, out, err)


@pytest.fixture
def run() -> Callable[..., Result]:
    return run_main


@pytest.fixture
def process() -> Callable[..., Result]:
    """Run a command line in a process of its own."""

    def call(*argv: str, stdin: bytes | None = None, **given: Any) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "tideline_cli", *backends.in_words(argv)],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=120,
            check=False,
            **given,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
