"""Gates, kinds and identifiers against the reference."""

from __future__ import annotations

import pytest

from tests.support import NOW, deviation, golden
from tideline_cli.exchange.extract_parts import kind_proposal
from tideline_cli.model.fact import NewFact, birth
from tideline_cli.model.origin import OWNER
from tideline_cli.policy import identifiers
from tideline_cli.policy.salience import is_correction, is_salient

MISC = golden("rsclaw_misc")
SPELLED = {"x*4001 + ' i like'": "x" * 4001 + " i like"}


@pytest.mark.parametrize("case", MISC["gates"], ids=lambda case: case["text"])
def test_gates(case):
    """A message is salient, or a correction, by the reference's markers and lengths."""
    text = SPELLED.get(case["text"], case["text"])
    assert (is_salient(text), is_correction(text)) == (case["salience"], case["correction"])


@pytest.mark.parametrize("kind", MISC["kind_policy"]["l1"])
def test_kinds(kind):
    """A kind gives temperature and importance as in the reference; none is pinned by a model."""
    heat, importance, pinned = MISC["kind_policy"]["l1"][kind]
    proposal = kind_proposal(kind, "x y z", "extraction")
    born = birth(
        NewFact(proposal.content, "knowledge", "extraction", OWNER, kind=kind),
        fact_id="x", now=NOW,
    )  # fmt: skip
    assert (born.heat, born.importance) == (heat, importance)
    if pinned:
        assert deviation("distilled_unpinned")
    assert (proposal.pinned, born.pinned) == (False, False)


OURS = {
    "mail me at a.b+c@example.co.uk.": (
        deviation("identifier_trailing_dot"), [("email", "a.b+c@example.co.uk")]
    ),
    "phone +8613800138000": (
        deviation("identifier_country_code"), [("phone_number", "13800138000")]
    ),
}  # fmt: skip
LABELS = {"email": "用户邮箱", "phone_number": "用户手机号"}


@pytest.mark.parametrize("case", golden("rsclaw_text")["entities"], ids=lambda case: case["text"])
def test_identifiers(case):
    """Phones, IDs, e-mail and postal addresses are found as in the reference, worded as there."""
    wanted = [(e["kind"], e["value"], e["memory_text"]) for e in case["entities"]]
    if case["text"] in OURS:
        _, values = OURS[case["text"]]
        wanted = [(kind, value, f"{LABELS[kind]}: {value}") for kind, value in values]
    assert [(i.name, i.value, i.text) for i in identifiers.found(case["text"])] == wanted
