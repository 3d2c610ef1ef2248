"""What hypothesis draws: texts of every script, words with skew, facts."""

from __future__ import annotations

import string

from hypothesis import strategies as st

from tests.support import DAY, NOW, fact
from tideline_cli.errors import UsageError
from tideline_cli.memory.remember import checked_text
from tideline_cli.model.fact import PROGRESSES, SEGMENTS, usual_progress
from tideline_cli.model.instant import EARLIEST_MS, LATEST_MS
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.policy.gate import confined

NASTY = (
    "", " ", "\x00", "a\x00b", '"', '"""', "'", "''", "AND", "OR NOT", "NEAR(a b)", "a*", "^a",
    "{a b}:c", "content:deploy", "fact_fts", "(", "))", "-deploy", "+a", "a OR b", "deploy;--",
    "\ud800", "x\udfffy", "👩‍👩‍👧", "שלום", "مرحبا بالعالم", "\u202egnp.exe", "用户喜欢素食", "ไทย",
    "e\u0301", "ﬁ", "İstanbul", "\u2028", "a" * 5000, "word " * 400, "\x1b[31m", "1_deploy", "2_",
    "\\", "%", "_", "\t\n\r", "don't", "e-mail", "--limit", "@1", "-",
)  # fmt: skip
anything = st.text(st.characters(exclude_categories=())) | st.sampled_from(NASTY)
"""Any text at all, lone surrogates and NUL included."""

storable = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
"""Text that can stand in a field."""

VOCABULARY = [f"w{n}" for n in range(14)]
_SKEWED = [word for n, word in enumerate(VOCABULARY) for _ in range(1 + 40 // (n + 1) ** 2)]
skewed_words = st.lists(st.sampled_from(_SKEWED), max_size=12)
ORIGINS = (OWNER, channel("wa", "c1", "s1"), channel("wa", "c1", "s2", "a@b/%"))
origins = st.sampled_from(ORIGINS)
# Draws are derandomised: from these lists, and not from the tables of the program, they stay the
# same when a word is added there. A test of tests/rules sees that all of them are words of it.
DRAWN = {
    "segment": ("identity", "correction", "relationship", "preference", "project", "knowledge",
                "context"),
    "tier": ("short", "long", "permanent"),
    "heat": ("core", "working", "peripheral"),
    "kind": ("entity", "fact", "preference", "note", "lesson"),
    "lifecycle": ("active", "archived", "pruned"),
    "status": ("asserted", "provisional", "confirmed", "disputed", "retracted"),
    "source": ("owner_message", "user_instruction", "channel_message", "dream", "tool_output",
               "retrieved_document", "compaction", "extraction"),
}  # fmt: skip
moments = st.integers(NOW - 400 * DAY, NOW + 30 * DAY)
shares = st.floats(0, 1)
sources = st.sampled_from(DRAWN["source"])


def _checked(text):
    try:
        return checked_text(text)
    except UsageError:
        return None


contents = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).map(_checked).filter(bool)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | storable,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(storable, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
_names = st.sampled_from(("s1", "Ann", "Ünal & Söhne", "会議"))
_slots = st.text(string.ascii_lowercase + "äß家3", min_size=1, max_size=8)
_anytime = st.integers(EARLIEST_MS, LATEST_MS) | moments


@st.composite
def facts(draw, fact_id, origin=origins):
    """One fact with every field drawn."""
    text = draw(contents)
    source = draw(sources)
    segment = confined(draw(st.sampled_from(DRAWN["segment"])), source)
    created = draw(_anytime)
    kind = draw(st.none() | st.sampled_from(DRAWN["kind"]))
    return fact(
        text, fact_id, now=created, segment=segment, source=source, origin=draw(origin),
        tier=draw(st.sampled_from(DRAWN["tier"])),
        heat=draw(st.sampled_from(DRAWN["heat"])),
        kind=kind,
        title=draw(st.none() | storable),
        tags=tuple(draw(st.lists(storable, max_size=3, unique=True))),
        importance=draw(shares),
        decay_rate=draw(st.just(SEGMENTS[segment].decay_rate) | st.floats(0, 100)),
        access_count=draw(st.integers(0, 2**31 - 1)),
        last_accessed_at=draw(st.just(created) | _anytime),
        lifecycle=draw(st.sampled_from(DRAWN["lifecycle"])),
        status=draw(st.none() | st.sampled_from(DRAWN["status"])),
        confidence=draw(st.none() | shares),
        slot=draw(st.none() | _slots),
        valid_from=draw(st.none() | _anytime),
        valid_to=draw(st.none() | _anytime),
        pinned=draw(st.booleans()),
        source_turn=draw(st.none() | storable),
        derived_from=tuple(draw(st.lists(storable, max_size=2, unique=True))),
        metadata=draw(st.none() | st.dictionaries(storable, json_values, max_size=3)),
        scope=draw(st.none() | st.sampled_from(("x", "x/y", "Häuser & Höfe"))),
        session=draw(st.none() | _names),
        turn=draw(st.none() | st.integers(0, 2**53 - 1)),
        speaker=draw(st.none() | _names),
        agent=draw(st.none() | _names),
        progress=draw(st.sampled_from(PROGRESSES) | st.just(usual_progress(kind))),
        statement=None,
        role=draw(st.none() | st.sampled_from(("user", "assistant", "system", "tool"))),
        document=draw(st.none() | _names),
    )  # fmt: skip


def ranked_fact(draw, number):
    """A fact of skewed words whose ranking columns are drawn, with a ULID that sorts by number."""
    made = draw(moments)
    return fact(
        " ".join(draw(skewed_words)), f"ID{number:024d}", now=made,
        segment=draw(st.sampled_from(DRAWN["segment"])),
        source=draw(sources), origin=draw(st.sampled_from((OWNER, OWNER, OWNER, *ORIGINS[1:]))),
        confidence=draw(st.none() | shares), importance=draw(shares),
        tier=draw(st.sampled_from(("long", "long", "short", "permanent"))),
        pinned=draw(st.sampled_from((False, False, False, True))),
        access_count=draw(st.integers(0, 9)), last_accessed_at=made + draw(st.integers(0, DAY)),
        lifecycle=draw(st.sampled_from(("active",) * 5 + ("archived", "pruned"))),
        valid_from=draw(st.none() | st.none() | moments),
        valid_to=draw(st.none() | st.none() | moments),
        tags=tuple(draw(st.lists(st.sampled_from(("x", "y")), max_size=2, unique=True))),
        role=draw(st.sampled_from((None, None, "user", "assistant", "system", "tool"))),
    )  # fmt: skip
