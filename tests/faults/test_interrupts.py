"""Ctrl-C, SIGTERM, closed pipes."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.faults import signals

_DOOR = """
from tideline_cli.cli import fast
def interrupted(argv):
    raise KeyboardInterrupt
fast.run = interrupted
from tideline_cli.__main__ import enter
enter()
"""


def test_interrupted_commands(nursery, tmp_path, random):
    """An interrupt ends a command with 130, SIGTERM as a shell shows 143, both without a word;
    the store is whole, and what was not committed is not there."""
    figures = signals.interrupt(nursery, tmp_path, random, rounds=6)
    assert figures.violations == []
    assert figures.counts["in a transaction"] == 8


def test_closed_pipes(nursery, tmp_path):
    """A reader that went away ends a command with 0 and no word; the command has done its work."""
    assert signals.closed_pipes(nursery, tmp_path).violations == []


def test_an_interrupt_at_the_door():
    """Ctrl-C while a command is still being found ends with 130 and without a word."""
    done = subprocess.run([sys.executable, "-c", _DOOR], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


# An interrupt that meets a callback of a weak reference, as those of Python's import: Python prints
# it and goes on. It is sent to the thread that runs it; one that just starts, as that of a hook,
# would take one sent to the process, a moment later.
_CALLBACK = """
import signal, sys, weakref
from tideline_cli.cli import fast, perform
class Thing: pass
def interrupt(_):
    signal.raise_signal(signal.SIGINT)
    return sum(range(10))
def interrupted(argv):
    perform.HAS_BEGUN[:] = [{begun}]
    thing = Thing()
    seen = weakref.ref(thing, interrupt)
    del thing
    sys.stderr.write("went on\\n" if sum(range(10)) else "")
    return 5
fast.run = interrupted
from tideline_cli.__main__ import enter
enter()
"""


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("words", "code"), [
    (["list"], 130), (["context", "--auto", "hook"], 130), (["hook", "claude-code", "prompt"], 0),
])  # fmt: skip
def test_an_interrupt_where_python_would_drop_it(begun, words, code):
    """It ends the command without a word, before the verb and in it; a hook ends with 0."""
    script = _CALLBACK.format(begun="True" if begun else "")
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, check=False, timeout=30
    )
    assert (done.returncode, done.stderr) == (code, b"")


def test_an_ignored_interrupt_stays_ignored():
    """Whoever starts a command with Ctrl-C ignored, as `nohup` and scripts do, is not interrupted;
    what Python drops beside is told as Python tells it."""
    script = _CALLBACK.format(begun="")
    done = subprocess.run(
        [sys.executable, "-c", script, "list"], capture_output=True, check=False, timeout=30,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (5, b"went on\n")
    script = _CALLBACK.format(begun="").replace("signal.raise_signal(signal.SIGINT)", "len(0)")
    done = subprocess.run([sys.executable, "-c", script, "list"], capture_output=True, check=False)
    assert done.returncode == 5 and b"TypeError" in done.stderr


def test_signals_while_modules_load(tmp_path):
    """Ctrl-C, SIGTERM and SIGHUP at each of the first modules end a command without a word."""
    figures = signals.loading(tmp_path / "home", every=7)
    assert figures.violations == []
    assert figures.counts["signals"] > 15


def test_an_unknown_error_at_the_door():
    """What nobody expected before there is a command is one line and code 70; --debug shows where;
    a door for programs ends with 0."""
    line = b"tideline: internal error: KeyError: 'odd'\n  hint: run it again with --debug\n"
    for words, code, said in (
        (["list"], 70, line),
        (["list", "--debug"], 70, None),
        (["context", "--auto", "x"], 0, b""),
    ):  # fmt: skip
        door = _DOOR.replace("KeyboardInterrupt", "KeyError('odd')")
        done = subprocess.run(
            [sys.executable, "-c", door, *words], capture_output=True, check=False
        )
        assert done.returncode == code
        assert done.stderr == said or (said is None and b"Traceback" in done.stderr)
