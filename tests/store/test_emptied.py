"""A memory file that was cut to nothing, or is gone, is not taken for a new one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.doors.mcp_talk import result
from tests.serve.conftest import client  # noqa: F401  a fixture
from tideline_cli import Memory
from tideline_cli.errors import TidelineError
from tideline_cli.store import locks

pytestmark = pytest.mark.file_alone("a server's tables are no file that is cut")

TEXT = "the boiler wants 1.5 bar"
DOORS = (
    ("remember", "a second one"), ("recall", "boiler"), ("list",), ("status",), ("dream",), ("gc",),
    ("context", "boiler"), ("export",), ("doctor",), ("fading",), ("undo",), ("show", "01K"),
    ("forget", "01K"), ("restore", "01K"), ("edit", "01K", "other words"), ("pin", "01K"),
    ("unpin", "01K"), ("link", "01K", "01M"), ("feedback", "01K", "up"), ("purge", "01K"),
    ("import", "-"), ("timeline", "01K"), ("history",),
)  # fmt: skip
TRACES = ("-reserve", "-lock", "-wal")


@pytest.fixture
def kept(run, home):
    """Return the path of a memory with a fact, and that of its backup."""
    run("remember", TEXT)
    backup = str(home / "backup.db")
    assert run("backup", backup).code == 0
    run("remember", "the pump is blue")  # in the log
    return str(home / "tideline.db"), backup


@pytest.mark.parametrize("is_there", [True, False])
def test_every_door_refuses_what_was_a_memory(run, kept, is_there):
    """Nothing is written beside it, and a backup brings the facts back."""
    path, backup = kept
    os.truncate(path, 0)
    if not is_there:
        os.remove(path)
    said = f"{path} was a memory, and is {'empty' if is_there else 'gone'} now"
    for words in DOORS:
        done = run(*words, stdin="")
        assert said in done.out + done.err, words
        assert done.code == 5, words
        assert os.path.lexists(path) == is_there
    assert "tideline restore --from BACKUP" in run("list").err
    assert run("restore", "--from", backup, "--yes").code == 0
    assert TEXT in run("recall", "boiler").out


@pytest.mark.parametrize("is_there", [True, False])
def test_the_doors_for_programs_refuse_it(run, client, kept, is_there):  # noqa: F811  the fixture
    """MCP, the HTTP API, the page and Python say the same, and make nothing."""
    path, _ = kept
    os.truncate(path, 0)
    if not is_there:
        os.remove(path)
    with pytest.raises(TidelineError, match="was a memory"), Memory.open() as memory:
        memory.remember("a second one")
    assert result("recall", query="boiler")["isError"] is True
    assert json.loads(client("/api/v1/recall?q=boiler").body)["error"]["code"] == "emptied"
    assert client("/").status >= 400
    assert os.path.lexists(path) == is_there
    assert not (is_there and os.path.getsize(path))


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("is_there", [True, False])
def test_one_trace_is_enough(run, kept, trace, is_there):
    """The reserve, the lock of the writers or a log alone tell of a memory; who moves away what the
    hint names begins anew."""
    path, _ = kept
    assert os.path.getsize(f"{path}-wal")
    os.truncate(path, 0)
    if not is_there:
        os.remove(path)
    for other in TRACES:
        if other != trace:
            os.remove(path + other)
    for words in DOORS:
        assert run(*words, stdin="").code == 5, words
    assert f"move {path}{trace} away" in run("remember", "a new start").err
    os.remove(path + trace)
    assert run("remember", "a new start").code == 0
    assert "a new start" in run("list").out


def test_the_lock_of_an_unmade_memory_is_no_trace(run, home):
    """Whoever was killed before there were tables, or still makes them, has lost nothing."""
    path = str(home / "tideline.db")
    run("list")
    home.mkdir(exist_ok=True)
    with open(path, "wb"):
        pass
    lock = locks.wait(path, locks.WRITER, seconds=1)
    locks.put_mark(lock, path, "")
    locks.release(lock)
    assert run("remember", "a first fact").code == 0


@pytest.mark.parametrize("keeps", ["size", "rest", "half"])
@pytest.mark.parametrize("content", [bytes, os.urandom])
def test_what_was_overwritten_is_left_alone(run, kept, content, keeps):
    """It is refused as what was a memory, and neither it nor its log changes."""
    path, _ = kept
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.write(content(size if keeps == "size" else 4096))
    if keeps == "half":
        os.truncate(path, size // 2)
    before = [Path(path + end).read_bytes() for end in ("", "-wal")]
    for words in (("remember", "another"), ("pin", "01K"), ("import", "-"), ("list",)):
        done = run(*words, stdin='{"content": "x y"}')
        assert (done.code, "was a memory" in done.err) == (5, True), (words, done.err)
        assert "tideline restore --from BACKUP" in done.err
    assert [Path(path + end).read_bytes() for end in ("", "-wal")] == before
