"""What holds for every text: rendering is settled at once, and the scan sees what is rendered."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tideline_cli.policy.render import prompt_text, screen_text
from tideline_cli.policy.threats.patterns import (
    ADDED_ROWS,
    CUE_WIDTH,
    CUES,
    HIDDEN_TEXT,
    INVISIBLE,
    MARKS,
    REFERENCE_ROWS,
)
from tideline_cli.policy.threats.scan import scan

RAW = (INVISIBLE, HIDDEN_TEXT)  # they report characters that the renderer takes away
PIECES = (
    "\x1b", "\x1b[", "\x1b]", "\x9b", "\x9c", "\x07", "\\", "m", ";", " ", "  ", "\n", "\u3000",
    "\u00a0", "\u200b", "\u200c", "\u200d", "\ufe0f", "\ufe00", "\U000e0100", "\u180b", "\u20e3",
    "\u202e", "\U000e0067", "\U000e007f", "\U0001f3f4", "🙂", "👩", "🏽", "❤", "1", "ن", "क", "्",
    "葛", "ᠮ", "<", ">", "&", "&lt;", "`", "``", "~", "~~", "]", "(", "](", "\ud800", "%69", "%",
    "&#105;", "\\u0069", "ignore", "all", "previous", "instructions", "forget everything above",
    "system:", "i g n o r e", "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM=", "<!--", "secret",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(
    st.characters(exclude_categories=()), max_size=40
)
ROWS = [
    (literals, alternative)
    for table in (REFERENCE_ROWS, ADDED_ROWS)
    for rows in table.values()
    for _, literals, alternatives in rows
    for alternative in alternatives
]


@settings(max_examples=1000)
@given(texts)
def test_prompt_text_is_idempotent(text):
    """Rendering a rendered text changes nothing."""
    once = prompt_text(text)
    assert prompt_text(once) == once


@settings(max_examples=1000)
@given(texts)
def test_scan_sees_what_is_rendered(text):
    """The scan of a text and of its rendering agree, but for characters that rendering removes."""
    found = [name for name in scan(text) if name not in RAW]
    assert list(scan(prompt_text(text))) == found


@settings(max_examples=500)
@given(texts)
def test_prompt_text_is_safe(text):
    """A rendered text is one printable line without tags, live links or fences."""
    shown = prompt_text(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert not {"<", ">"} & set(shown)
    assert not any(mark in shown for mark in ("](", "```", "~~~", "  "))
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f") & set(
        shown
    )


@settings(max_examples=500)
@given(texts)
def test_screen_text_is_safe(text):
    """A screened text holds no control, no line break and no direction override."""
    shown = screen_text(text)
    assert screen_text(shown) == shown
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert "\u202e" not in shown


def _simple(alternative: str) -> str:
    """Return the pattern with one word for each gap and without the unbounded fillers."""
    short = re.sub("«\\d+»", "(?:zzqq )?", alternative).replace("(?i:", "(?:")
    short = short.replace("(?:[^<>]{0,400}?[^<>\\w-])?", "(?:x )?").replace(".{0,200}?", " ")
    return short.replace("[^\\w\\s-]\\s", "[.!?] ")


@settings(max_examples=1000, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_literals_follow_from_patterns(data):
    """Every text that a pattern matches holds the literals and a cue of its row."""
    literals, alternative = data.draw(st.sampled_from(ROWS))
    alphabet = st.characters(min_codepoint=32, max_codepoint=126)
    pattern = re.compile(_simple(alternative))
    low = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=alphabet)).lower()
    assert all(any(literal in low for literal in group) for group in literals)
    words = re.split("[^a-z0-9]+", low)
    cues = [*CUES.intersection(word[:CUE_WIDTH] for word in words), *(m for m in MARKS if m in low)]
    assert any(cue in literal for cue in cues for group in literals for literal in group)
