"""Whatever happens on some machines, and in whatever order they hear of it: in the end they show
the same, and nothing that was said is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import some
from tests.sync import driver, faults

FOUND = json.loads(Path(__file__).with_name("found.json").read_text(encoding="utf-8"))
"""Histories after which machines differed once, with what they differed in."""

PLANTED = ("what was taken back is not told", "the clock does not follow others",
           "why a fact is archived is not told")  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(1, 7))
def test_machines_end_with_the_same_memory(seed):
    """Exports are equal byte for byte, and so is what the registers hold; stores are sound; each
    fact is there, was purged, or was taken back; and all of that again after each machine has
    undone its last batch."""
    history, different = driver.run(seed, 36)
    if different is not None:
        fewer = driver.shrunk(history.plan, history.steps)
        said, _ = driver.play(history.plan, fewer)
        pytest.fail(driver.script(history.plan, fewer, seed, said or different))


@pytest.mark.parametrize("found", FOUND, ids=[one["what"].replace(" ", "_") for one in FOUND])
def test_machines_that_differed_once_are_the_same(found):
    """Whatever is heard first."""
    different, _ = driver.play(found["plan"], found["steps"])
    assert different is None, different


@pytest.mark.nightly
@pytest.mark.parametrize("name", some(PLANTED))
def test_a_planted_fault_is_found(name):
    """The comparison is no formality: a changed rule is noticed within some histories."""
    assert faults.found_after(name, most=18) is not None
