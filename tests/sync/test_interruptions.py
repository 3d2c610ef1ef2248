"""A sync is cut short at some of its steps; `make faults PARTS=sync` does it at each."""

from __future__ import annotations

import pytest

from tests.faults.nursery import Nursery
from tests.sync import interruptions

# Of each pair the steps that are tried: the first, and each so many behind it.
SOME = (("news", "step:kill", 3, 31), ("erase", "step:kill", 24, 61),
        ("purged", "step:enospc:sticky", 4, 41), ("first", "sync:kill", 2, 7))  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("scene", "fault", "first", "stride"), SOME)
def test_the_next_syncs_put_it_right(tmp_path, scene, fault, first, stride):
    """The next syncs put it right."""
    with Nursery() as nursery:
        figures = interruptions.sweep(
            nursery, tmp_path, scenes=[scene], faults=[fault], first=first, stride=stride
        )
    assert figures.violations == []
    assert figures.counts["runs"] >= 1


@pytest.mark.slow
def test_a_sync_that_forgets_what_it_was_sending_is_found(tmp_path):
    """The rig sees a machine that takes its own segments for those of another one."""
    with Nursery() as nursery:
        figures = interruptions.sweep(
            nursery, tmp_path, scenes=["news"], faults=["step:kill"], first=14, stride=6,
            control="forget-pending",
        )  # fmt: skip
    assert figures.violations
