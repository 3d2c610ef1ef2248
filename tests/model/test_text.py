"""The forms of Unicode that texts are brought into."""

from __future__ import annotations

from time import thread_time
from unicodedata import normalize

import pytest

from tideline_cli.model import letters, text
from tideline_cli.model.fact import slot_key
from tideline_cli.model.unicode_forms import in_form

MARKS = (
    "\u0301\u0323",
    "\u0f73",
    "\uff9e\u0301",
    "\u0f73\u0323",
    "\u3099\u0334\u0301",
    "\u0345\u0308",
)


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
@pytest.mark.parametrize("marks", MARKS, ids=ascii)
def test_marks_in_bad_order_are_sorted_in_linear_time(form, marks):
    """A text of marks has its form; in eight times the text that takes no thirty times the time."""
    for start in ("", "i", "é", "가", "か"):
        text = (start + marks * 70 + "a" + marks[::-1]) * 3
        assert in_form(form, text) == normalize(form, text)

    def least(size):
        times = []
        for _ in range(3):
            began = thread_time()
            in_form(form, "i" + marks * (size // len(marks)))
            times.append(thread_time() - began)
        return min(times)

    assert least(32_768) < 30 * max(least(4_096), 1e-3)


@pytest.mark.parametrize(
    "text", ["Việt Nam " * 200, "हिन्दी " * 100, "ｶﾞｷﾞ" * 50, "שָׁלוֹם " * 90, "ཱིུ" * 80]
)
def test_forms_of_texts_with_many_marks(text):
    """Texts of scripts that need marks have the form that the library gives."""
    for form in ("NFC", "NFKC", "NFKD"):
        for given in (text, normalize("NFD", text)):
            assert in_form(form, given) == normalize(form, given)


def test_scripts_without_spaces_begin_where_both_modules_say():
    """The analyser and the module of letters agree on the first letter without spaces."""
    assert text._FIRST_SPACELESS == letters.FIRST_SPACELESS
    assert letters.is_spaceless(letters.FIRST_SPACELESS)


def test_the_first_line_of_several_keeps_its_indentation():
    """The blanks before the first line of several belong to the text; empty lines around it do
    not, nor do the blanks around a single line."""
    assert text.normalise("  b: 1\n  c: 2") == "  b: 1\n  c: 2"
    assert text.normalise("\n \n\tdef f():\n\t\tpass\n\n") == "\tdef f():\n\t\tpass"
    assert text.normalise("  größe\n  b ") == "  größe\n  b"
    assert text.normalise(" \n plain \n") == "plain"


@pytest.mark.parametrize(
    ("one", "other"), [("दिन", "दान"), ("กิน", "กัน"), ("மணி", "மண"), ("größe", "grosse")]
)
def test_marks_tell_slots_apart(one, other):
    """A vowel sign belongs to its letter; a name is the same however its letters are composed."""
    assert slot_key(one) == one
    assert slot_key(one) != slot_key(other)
    assert slot_key(normalize("NFD", one)) == one
