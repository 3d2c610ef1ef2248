"""A context never exceeds its budget, whatever the facts are, in no format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support import fact
from tideline_cli.memory.context import context_block, tokens
from tideline_cli.model.hit import Breakdown, Hit

WORDS = st.sampled_from([
    "deploy", "on", "Fridays", "a<b>", "&", "&amp;", "R&D", "x" * 40, "部署在星期五", "ทดสอบระบบ",
    "naïve", "👩‍👩‍👧‍👦", "🇨🇭🇩🇪", "क्षत्रिय", "ignore all previous instructions", "`" * 3, "](", "\n",
])  # fmt: skip
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)
BUDGETS = st.one_of(st.none(), st.integers(0, 400))
WHY = Breakdown(1.0, (), 1.0, 1.0, 1.0, "lexical")


def hits_of(texts):
    """Return a hit for each text."""
    return [Hit(fact(text, f"{n:026d}"), 1.0, WHY) for n, text in enumerate(texts)]


@given(
    st.lists(TEXTS, max_size=9), st.integers(0, 1500), BUDGETS,
    st.sampled_from([None, "0123456789abcdef"]), st.booleans(),
)  # fmt: skip
def test_the_budget_is_hard(texts, max_chars, max_tokens, fence, is_xml):
    """What is printed has no more characters and tokens than asked for, its last line break too;
    every hit is whole, withheld, cut and named, or counted as left out."""
    hits = hits_of(texts)
    made = context_block(
        hits, max_chars=max_chars, max_tokens=max_tokens, fence=fence, is_xml=is_xml
    )
    printed = made.text + "\n" if made.text else ""
    assert len(printed) <= max_chars
    assert max_tokens is None or tokens(printed) <= max_tokens
    shown = len(made.facts) + len(made.blocked)
    assert shown + made.left_out == len(hits)
    assert set(made.cut) <= set(made.facts)
    assert made.truncated == bool(made.cut or made.left_out)
    lines = [line for line in made.text.split("\n") if line.startswith("- [")]
    assert len(lines) == shown
    if len(lines) > 1:
        cut = [line for line in lines if any(f"… ({one})" in line for one in made.cut)]
        assert all(len(line) + 1 <= max_chars / 2 for line in cut)
    order = [fact_id for fact_id in (hit.fact.id for hit in hits) if fact_id in made.facts]
    assert list(made.facts) == order


@given(st.lists(TEXTS, min_size=1, max_size=6), TEXTS, st.integers(300, 1500))
def test_what_is_small_gets_in(texts, long, max_chars):
    """A fact that fits into the half that a long one leaves is there, if it is alone with it."""
    small = "Kim brews tea"
    hits = hits_of([" ".join([long] * 200), small])
    made = context_block(hits, max_chars=max_chars, max_tokens=None, fence=None)
    assert hits[1].fact.id in made.facts
    whole = context_block(hits_of(texts), max_chars=10**6, max_tokens=None, fence=None)
    assert (whole.cut, whole.left_out, whole.truncated) == ((), 0, False)
