"""The n-th write, sync, truncate, open, read or mapping fails."""

from __future__ import annotations

import pytest

from tests.faults.sweep import COMMANDS, sweep


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["remember", "forget"])
def test_each_of_the_first_calls_fails(nursery, tmp_path, command):
    """Whichever call fails, the command says why on one line, claims nothing that is not so, and
    leaves the store sound; a read error is not called damage."""
    figures = sweep(nursery, tmp_path, commands=(command,), most=8)
    assert figures.violations == []
    assert figures.counts["refused"] > 40


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"remember", "forget"}))
def test_some_calls_fail_in_every_command(nursery, tmp_path, command):
    """The same holds for every command that writes, and for recall."""
    faults = ("write:enospc", "write:short", "sync:eio", "read:eio", "write:kill")
    figures = sweep(nursery, tmp_path, commands=(command,), faults=faults, most=5)
    assert figures.violations == []
    assert figures.counts["runs"] > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["remember", "recall"])
def test_reads_of_the_log_fail(nursery, tmp_path, command):
    """A log that cannot be read is told as such, wherever that happens, and is not damage."""
    faults = ("read:eio",)
    figures = sweep(nursery, tmp_path, commands=(command,), faults=faults, logged=True)
    assert figures.violations == []
    assert figures.counts["refused"] > 20
