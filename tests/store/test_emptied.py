"""A memory file that was cut to nothing, or is gone, is not taken for a new one."""

from __future__ import annotations

import os

import pytest

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
