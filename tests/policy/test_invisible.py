"""Which characters show nothing."""

from __future__ import annotations

from unicodedata import category

from tideline_cli.policy import invisible


def test_eastern_characters_are_shown_but_for_one():
    """The scripts of the East are passed over at once; what their range holds agrees with that."""
    shown = range(0x2E80, 0xD800)
    assert [code for code in shown if invisible._is_hidden(code)] == [0x3164]
    hidden = {code for low, high in invisible._IGNORABLE for code in range(low, high + 1)}
    assert hidden.intersection(shown) == {0x3164}
    assert not any(category(chr(code)) in ("Cf", "Cs", "Zl", "Zp") for code in shown)


def test_a_long_eastern_text_asks_once_a_character():
    """A text of Han characters is shown as it is, and its filler is spelled out."""
    text = "".join(map(chr, range(0x4E00, 0x5200)))
    assert invisible.for_screen(text) == text
    assert invisible.for_prompt(text) == text
    assert invisible.for_screen("한\u3164") == "한<U+3164>"
