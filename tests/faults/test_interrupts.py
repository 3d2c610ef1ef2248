"""Ctrl-C, SIGTERM, closed pipes."""

from __future__ import annotations

import subprocess
import sys

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
