"""Whatever happens to facts: the program does what the specification of their life says."""

from __future__ import annotations

import pytest

from tests.model import driver, faults
from tests.model.vocabulary import TEXTS, says_the_same, shared
from tests.support import often, some
from tideline_cli.policy.sameness import says_same

HISTORIES = range(1, often(16, 31))
PLANTED = ("dream merges twins of other times", "as of an instant is off by one")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(3))
def test_random_histories_go_as_specified(part):
    """After each step of some histories the whole state is the specified one, and so is what held
    at any instant, at each boundary, and one millisecond beside it."""
    for seed in HISTORIES[part::3]:
        steps, different = driver.run(seed, 60)
        if different is not None:
            fewer = driver.shrunk(steps, seed)
            said, _ = driver.play(fewer, seed)
            pytest.fail(driver.script(fewer, seed, said or different))


@pytest.mark.nightly
@pytest.mark.parametrize("name", some(PLANTED))
def test_a_planted_fault_is_found(name):
    """The comparison is no formality: a fault of one line is noticed within some histories."""
    assert faults.found_after(name, most=60) is not None


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*faults.FAULTS, *faults.OF_SLOTS])
def test_each_fault_can_be_planted(tmp_path, name):
    """The line that a fault changes is there, once."""
    faults.planted(tmp_path, name)


def test_the_table_of_sameness_is_that_of_the_program():
    """Of texts that share their words, those that the table takes for the same are no others than
    those that the program does."""
    for one in TEXTS:
        for other in TEXTS:
            if shared(one, other) >= 0.85:
                same = says_same(one, other, rule="strict")
                assert same == says_the_same(one, other), (one, other)
            else:
                assert not says_the_same(one, other)


def test_a_difference_is_shrunk_to_the_steps_that_make_it(monkeypatch):
    """Of a long history those steps are left that still end in a difference, as a script that
    takes them again."""
    steps = driver.run(3, 40)[0]
    true = driver.History._compare

    def compare(self, rows, edges):
        if any(step["do"] == "forget" for step in self.steps):
            raise driver.Different("forgetting is told apart")
        true(self, rows, edges)

    monkeypatch.setattr(driver.History, "_compare", compare)
    fewer = driver.shrunk(steps, 3)
    assert [step["do"] for step in fewer] == ["forget"]
    assert "play(STEPS, 3)" in driver.script(fewer, 3, "told apart")
