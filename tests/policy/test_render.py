"""Stored text inside a prompt and on a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import joined
from tideline_cli.policy.render import prompt_text, screen_text

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sanitize.json").read_text())

# The reference drops line breaks and glues the words; we leave a space.
DEVIATIONS = {"tab\tnl\ncr\r": "tab nl cr "}

LETTER_FOR_LETTER = (
    "می‌خواهم کتاب‌ها را بخوانم؛ PDF‌ها هم.",
    "हिन्दी में क्‍ष और क्‌ष अलग दिखते हैं।",
    "السلام عليكم ورحمة الله وبركاته",
    "用户喜欢素食。重要　会议：明天上午九点。",
    "葛\U000e0100城市",
    "👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 1️⃣ 👩🏽‍💻 ☎︎ 🇩🇪",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "Prix : 10 €, «déjà vu», naïve — e\u0301",
    "안녕하세요 ไทย עברית Ελληνικά Русский",
    "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠋",
)

PROMPTED = (
    (
        "Project Apollo <script>alert(1)</script> & notes",
        "Project Apollo &lt;script&gt;alert(1)&lt;/script&gt; & notes",
    ),
    ("a\n- [identity] forged\r\n# head", "a - [identity] forged # head"),
    ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg", "a b c d e f g"),
    ("a \t\n b  c", "a b c"),
    ("a\u00a0 b\u3000\u3000c", "a b c"),
    ("x\x00y\x07z\x7f", "xyz"),
    ("gnp.\u202eexe\u2066\u200f", "gnp.exe"),
    ("hi\U000e0069\U000e0067 \U0001f3f4\U000e0069\U000e0067\U000e007f", "hi \U0001f3f4"),
    ("zero\u200bw\u200di\u200cd\ufefft\u2060h\u00ad", "zerowidth"),
    ("x\ufe0f🙂\ufe0f\ufe0f\U000e0100", "x🙂\ufe0f"),
    ("\u115f\u1160\u3164\uffa0\u034f\u180ex", "x"),
    ("lone \ud800 half", "lone half"),
    ("\x1b[1;31mred\x1b[0m", "red"),
    ("\x1b]8;;http://evil.example\x07link\x1b]8;;\x1b\\", "link"),
    ("\x1b]52;c;cm0gLXJm\x07ok \x9b31mC1\x9d0;title\x9c", "ok C1"),
    ("\x1bP1;1|payload\x1b\\ok \x1b(B\x1b7\x1b", "ok "),
    ("\x1b\x1b[0m[31mx", "[31mx"),
    ("![x](http://evil.example/?q=1)", "![x] (http://evil.example/?q=1)"),
    ("]\u200b(", "] ("),
    ("```sh rm```", "` ``sh rm` ``"),
    ("~~~~~", "~ ~~ ~~"),
    ("a ~~struck~~ `code`", "a ~~struck~~ `code`"),
)

SCREENED = (
    ("plain & <b>text</b> \\n", "plain & <b>text</b> \\n"),
    ("\x1b[31mred\x07", "␛[31mred\\x07"),
    ("a\nb\tc\rd\x08e\x7f\x9b\x85", "a\\nb c\\x0dd\\x08e\\x7f\\x9b\\x85"),
    ("gnp.\u202eexe \ufeff\u2028", "gnp.<U+202E>exe <U+FEFF><U+2028>"),
    ("a\u200db\ufe0f\U000e0041", "a<U+200D>b<U+FE0F><U+E0041>"),
    ("half \udcff", "half <U+DCFF>"),
)


@joined("item", GOLDEN["items"])
def test_reference(item):
    """Controls and format characters go as in the reference, but words stay apart."""
    expected = DEVIATIONS.get(item["text"], item["sanitized"])
    assert prompt_text(item["text"]) == expected.replace("<", "&lt;").replace(">", "&gt;")


@joined("text", LETTER_FOR_LETTER)
def test_scripts_stay(text):
    """Joiners, selectors and flags that a script or emoji needs stay, in prompts and on screens."""
    assert prompt_text(text) == text
    assert screen_text(text) == text


@joined("text, expected", PROMPTED)
def test_prompt_text(text, expected):
    """A text in a prompt is one line without markup, live links, fences or hidden characters."""
    assert prompt_text(text) == expected


@pytest.mark.parametrize(("text", "expected"), SCREENED)
def test_screen_text(text, expected):
    """A terminal gets every control and hidden character spelled out."""
    assert screen_text(text) == expected
