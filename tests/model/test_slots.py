"""Random histories of a slot: every door shows what the specification says."""

from __future__ import annotations

import os

import pytest

from tests.model import faults, slots
from tests.support import DAY, NOW, some

HISTORIES = int(os.environ.get("HISTORIES", "25"))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_history_of_a_slot(run, seed):
    """What holds at any time is what was said last of that time."""
    steps = list(slots.drawn(seed))
    statements = slots.play(run, steps)
    if statements:
        slots.compare(run, statements, NOW + len(steps) * DAY)


@pytest.mark.nightly
@pytest.mark.parametrize("name", some(faults.OF_SLOTS, 2))
def test_a_planted_fault_is_found(name):
    """A fault of one line is noticed within some histories."""
    assert faults.found_after(name, most=60) is not None


def test_the_specification():
    """A present value gives way to a plan, and holds again behind a stay."""
    home = slots.Statement("home", "Rome", 0, 0)
    plan = slots.Statement("plan", "Oslo", 1, 50)
    stay = slots.Statement("stay", "Bern", 2, 20, 30)
    again = slots.Statement("again", "Kyiv", 3, 3)
    line = [slots.holder([home, plan, stay, again], at) for at in (-1, 0, 3, 20, 30, 50)]
    assert line == [None, "home", "again", "stay", "again", "plan"]
    stay.until = 25
    assert slots.holder([home, stay], 27) is None
    assert slots.holder([home, stay], 35) is None
