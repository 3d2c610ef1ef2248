"""The reference analyser, and likeness of term sets."""

from __future__ import annotations

import pytest

from tests.support import golden, joined
from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import jaccard


@joined("case", golden("tokenize")["items"])
def test_reference_analyser(case):
    """The reference analyser gives the reference's tokens, in order, repeats kept."""
    assert terms(case["text"], analyzer="reference") == case["tokens"]


def test_jaccard():
    """Jaccard over distinct reference tokens is that of every pair of the reference."""
    cases = golden("cosine_pairs")["items"]

    def likeness(case):
        a, b = (frozenset(terms(case[side], analyzer="reference")) for side in "ab")
        return jaccard(a, b)

    assert [likeness(case) for case in cases] == pytest.approx([c["jaccard"] for c in cases])
