"""What is permanent stays so, whatever segment it comes into by default."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact
from tideline_cli.policy.survivor import merged


@pytest.mark.parametrize(("tier", "after"), [("permanent", "permanent"), ("short", "long")])
def test_a_pass_takes_no_permanence(tier, after):
    """Of two that say the same the one that stays gets the segment of the other, whose tier is a
    default."""
    kept = fact("A", "the office is closed", segment="knowledge", tier=tier)
    found = merged(kept, fact("B", "the office is closed", segment="project"))
    assert (found.segment, found.tier) == ("project", after)


def test_a_dream_evicts_nothing_that_was_made_permanent(run):
    """Years later the fact is there, and as permanent as it was said to be."""
    run("remember", "the office is closed", "--tier", "permanent", "--slot", "office",
        "--now", str(NOW))  # fmt: skip
    row = '{"content": "the office is closed", "segment": "project"}\n'
    run("import", "-", "--trust", "--now", str(NOW + DAY), stdin=row)
    run("dream", "--max-loss", "1", "--now", str(NOW + 3000 * DAY))
    assert [one["tier"] for one in run("list", "--json").json["facts"]] == ["permanent"]


def test_saying_it_again_takes_no_permanence(run):
    """A segment that is named brings its usual tier along; only a tier that is named takes the
    permanence away."""
    run("remember", "the office is closed", "--tier", "permanent")
    run("remember", "the office is closed", "--segment", "project")
    assert run("list", "--json").json["facts"][0]["tier"] == "permanent"
    run("remember", "the office is closed", "--tier", "long")
    assert run("list", "--json").json["facts"][0]["tier"] == "long"
