"""What systems do differently, as far as it can be tried here: the parts that Windows takes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from tideline_cli.store import locks
from tideline_cli.system import durable, lock_queue, machine, words_of
from tideline_cli.system.pipes import PipeThreads

pytestmark = pytest.mark.file_alone("what systems do with files")

SENT = b"x" * 300_000


@pytest.fixture
def windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")


def test_a_lock_is_asked_for_again(tmp_path):
    """Where the kernel has no queue that ends, the lock is had as soon as it is free."""
    held = locks.attempt(str(tmp_path / "m.db"), locks.WRITER)
    other = os.open(tmp_path / "m.db-lock", os.O_RDWR)
    assert not lock_queue._polled(other, 0.05, locks._taken)
    timer = threading.Timer(0.1, lambda: locks.release(held))
    timer.start()
    assert lock_queue._polled(other, 10, locks._taken)
    timer.join()
    os.close(other)


@pytest.mark.parametrize(("text", "found"), [
    (r"C:\Tools\ask.exe --quick", [r"C:\Tools\ask.exe", "--quick"]),
    (r'"C:\My Tools\ask.exe" -m "a b"', [r"C:\My Tools\ask.exe", "-m", "a b"]),
    ("", []),
])  # fmt: skip
def test_backslashes_are_letters_of_paths(windows, text, found):
    """On Windows the words of a setting keep their backslashes."""
    assert words_of.split(text) == found


@pytest.mark.parametrize("text", [
    "a 'b c' d\\ e", 'x "y\\"z" # no comment', "a''b ''", "-m $x;y|z",
])  # fmt: skip
def test_words_are_those_of_a_shell(text):
    """Elsewhere the words are those that shlex gives."""
    import shlex

    assert words_of.split(text) == shlex.split(text)
    assert words_of.join(shlex.split(text)) == shlex.join(shlex.split(text))


@pytest.mark.parametrize("text", ["'", '"a', "a\\"])
def test_a_quote_that_does_not_end(text):
    """A command that is cut in two is refused."""
    with pytest.raises(ValueError, match=r"No (closing|escaped)"):
        words_of.split(text)


def test_a_command_line_for_two_shells(windows):
    """Double quotes are read by cmd and by the shells of POSIX."""
    words = ["C:/My Tools/tideline.exe", "hook", "cursor"]
    line = words_of.join(words)
    assert line == '"C:/My Tools/tideline.exe" hook cursor'
    assert words_of.split(line) == words


@pytest.mark.parametrize("code", [
    "import sys; sys.stderr.write('e' * 200_000); d = sys.stdin.read(); sys.stdout.write(d)",
    "import sys; sys.stdout.write('x' * 300_000)",
])  # fmt: skip
def test_pipes_by_threads(code):
    """A program is served on all its pipes at once, and may leave its input unread."""
    with subprocess.Popen([sys.executable, "-c", code], bufsize=0, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        threads = PipeThreads(process, SENT)
        said = {"out": b"", "err": b""}
        while not threads.is_over:
            for name, raw in threads.pieces(5):
                said[name] += raw
    assert said["out"] == SENT
    assert said["err"] in (b"", b"e" * 200_000)


def test_room_and_drives(tmp_path):
    """The room is that of the disk; there are no drives of other machines here."""
    assert 0 < machine.free_bytes(str(tmp_path)) <= os.statvfs(tmp_path).f_bsize * 2**50
    assert machine.network_kind(str(tmp_path)) == ""


def test_names_move_as_the_system_moves_them(tmp_path):
    """One file takes the place of another; what is not there cannot be removed."""
    (tmp_path / "a").write_text("new")
    (tmp_path / "b").write_text("old")
    durable.put_over(str(tmp_path / "a"), str(tmp_path / "b"))
    assert (tmp_path / "b").read_text() == "new"
    with pytest.raises(FileNotFoundError):
        durable.remove(str(tmp_path / "a"))
