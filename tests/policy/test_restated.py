"""Which texts that are much alike do not contradict each other."""

from __future__ import annotations

import pytest

from tideline_cli.policy.difference import is_restated

RESTATED = (
    ("Lena eats no dairy", "No dairy for Lena"), ("The pump needs 2 bar", "a pump needs 2 bar."),
    ("The API is public", "The API is public and slow"),
    ("Deploys run on Fridays", "Deploys run automatically on Fridays"),
)  # fmt: skip
APART = (
    ("Anna owes Ben", "Ben owes Anna"), ("cats chase dogs", "dogs chase cats"),
    ("The user lives in Basel", "The user lives in Bern"), ("The desk is 12", "The desk is 14"),
    ("I deploy on Fridays", "I deploy on Mondays"), ("I like tea", "I do not like tea"),
    ("Not all birds fly", "All birds fly not"), ("The valve is open", "The valve is closed"),
    ("I love cilantro", "I hate cilantro"), ("Kim drinks tea", "Kim drinks tea only on Sundays"),
    ("The release is done", "The release is almost done"), ("Tom has a dog", "Tom had a dog"),
    ("Deploys are green", "Deploys are red"), ("Lena eats no dairy", "Lena eats dairy"),
    ("Lena eats no dairy", "No meat for Lena"), ("Run it before lunch", "Run it after lunch"),
)  # fmt: skip


@pytest.mark.parametrize(("one", "other"), RESTATED)
def test_restatements(one, other):
    """The same in another order, or with a word more, contradicts nothing; either way round."""
    assert is_restated(one, other) and is_restated(other, one)


@pytest.mark.parametrize(("one", "other"), APART)
def test_contradictions_stay(one, other):
    """Another value, name, figure, negation or role is no restatement."""
    assert not is_restated(one, other) and not is_restated(other, one)


def test_a_restatement_is_no_contradiction(run):
    """contradictions leaves restatements out, and shows what differs."""
    for text in ("Lena eats no dairy", "No dairy for Lena", "Lena lives in Bern",
                 "Lena lives in Basel"):  # fmt: skip
        run("remember", text)
    found = run("contradictions", "--min-score", "0.05", "--json").json["contradictions"]
    pairs = [{one["a"]["content"], one["b"]["content"]} for one in found]
    assert {"Lena lives in Bern", "Lena lives in Basel"} in pairs
    assert {"Lena eats no dairy", "No dairy for Lena"} not in pairs
