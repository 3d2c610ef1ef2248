"""A memory file that was cut to nothing, or is gone, is not taken for a new one."""

from __future__ import annotations

import json
import os

import pytest

from tests.doors.mcp_talk import result
from tests.serve.conftest import client  # noqa: F401  a fixture
from tideline_cli import Memory
from tideline_cli.errors import TidelineError

pytestmark = pytest.mark.file_alone("a server's tables are no file that is cut")

TEXT = "the boiler wants 1.5 bar"
DOORS = (
    ("remember", "a second one"), ("recall", "boiler"), ("list",), ("status",), ("dream",), ("gc",),
    ("context", "boiler"), ("export",), ("doctor",), ("fading",), ("undo",),
)  # fmt: skip


@pytest.fixture
def kept(run, home):
    """Return the path of a memory with a fact, and that of its backup."""
    run("remember", TEXT)
    backup = str(home / "backup.db")
    assert run("backup", backup).code == 0
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


def test_without_the_reserve_a_new_memory_is_made(run, kept):
    """Who moves the reserve away begins anew, and a file that never was a memory is made one."""
    path, _ = kept
    os.truncate(path, 0)
    os.remove(f"{path}-reserve")
    assert run("remember", "a new start").code == 0
    assert "a new start" in run("list").out


def test_a_file_of_zeros_is_no_memory(run, kept):
    """It is refused as damaged, and not made anew."""
    path, _ = kept
    size = os.path.getsize(path)
    with open(path, "wb") as file:
        file.write(bytes(size))
    for end in ("-wal", "-shm"):
        if os.path.exists(path + end):
            os.remove(path + end)
    done = run("remember", "a second one")
    assert done.code == 5
    assert os.path.getsize(path) == size
