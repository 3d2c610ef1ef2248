"""Power cuts, replayed from a recorded log of writes; and acknowledgement at every door."""

from __future__ import annotations

import pytest

from tests.faults import doors, powercut


def test_power_cuts_lose_nothing(nursery, tmp_path, random):
    """Whatever of the unsynced writes a disk keeps, all that was said is there."""
    figures = powercut.cut(nursery, tmp_path, random, states=60)
    assert figures.violations == []
    assert figures.counts["states"] == 60


@pytest.mark.parametrize(
    ("control", "lying"), [("sync-normal", False), ("sync-off", False), ("", True)]
)
def test_power_cuts_lose_what_was_not_synced(nursery, tmp_path, random, control, lying):
    """Control: with weaker syncs, or on a disk that lies about them, facts are lost."""
    figures = powercut.cut(nursery, tmp_path, random, states=24, control=control, lying=lying)
    assert figures.violations != []


def test_every_door_speaks_after_the_commit(nursery, tmp_path):
    """The instant a command has spoken, what it said is on the disk."""
    figures = doors.acknowledged(nursery, tmp_path)
    assert figures.violations == []
    assert figures.counts["doors"] == len(doors.DOORS)


def test_doors_that_speak_too_early_are_seen(nursery, tmp_path):
    """Control: without a sync at each commit, what was said is not on the disk."""
    figures = doors.acknowledged(nursery, tmp_path, control="sync-normal")
    assert "remember: spoke before it was on the disk" in figures.violations
