"""A prompt text cut to a length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support import joined
from tideline_cli.policy.cutting import cut
from tideline_cli.policy.render import prompt_text

FAMILY = "👨‍👩‍👧‍👦"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
WHOLE = (
    "&lt;", "&gt;", "e\u0301\u0323", FAMILY, "❤️", "1️⃣", "👩🏽‍💻", "🇩🇪", ENGLAND, "क्ष", "क्‍ष",
    "\u1112\u1161\u11ab", "가\u11a8", "กำ", "ｶﾞ", "葛\U000e0100", "नि", "\u0600١",
)  # fmt: skip


@joined("cluster", WHOLE)
@joined("before", ["", "ab", "字"])
def test_nothing_is_cut_inside(cluster, before):
    """What a reader takes for one character, and an escaped sign, goes in whole or not at all."""
    run = before + cluster * 12
    possible = {before + cluster * count + "…" for count in range(13)} | {"", "a…", run}
    for most in range(len(run) + 2):
        assert cut(run, most) in possible
        assert len(cut(run, most)) <= most


def test_a_cut_goes_back_to_a_space():
    """A word or a figure is not halved where a space is near; a text without spaces is."""
    assert cut("the budget is 50000 euros", 18) == "the budget is…"
    assert cut("the budget is 50000", 19) == "the budget is 50000"
    assert cut("x" * 100, 10) == "x" * 9 + "…"
    assert cut("用户喜欢素食重要会议", 5) == "用户喜欢…"
    assert cut("a" + "\u0301" * 5000, 100) == ""
    assert [cut("words", most) for most in (-3, 0, 1, 2)] == ["", "", "", "w…"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.integers(0, 60))
def test_a_piece_is_as_safe_as_the_whole(text, most):
    """A piece of a prompt text is a prompt text, within its length."""
    piece = cut(prompt_text(text), most)
    assert len(piece) <= most or piece == ""
    assert prompt_text(piece) == piece


PARTS = st.sampled_from([*WHOLE, "<", "](", "``", "~", " ", "\u202e", "x"])


@given(st.lists(PARTS), st.integers(0, 40))
def test_a_piece_of_hostile_text_is_as_safe_as_the_whole(parts, most):
    """The same for what the renderer breaks apart."""
    piece = cut(prompt_text("".join(parts)), most)
    assert prompt_text(piece) == piece
    assert not {"](", "```", "~~~", "<", ">"} & {
        piece[i : i + n] for n in (1, 2, 3) for i in range(len(piece))
    }
