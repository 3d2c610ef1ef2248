"""Any text is a valid query or a clean usage error."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import run_main
from tests.property.strategies import NASTY, anything
from tests.support import NOW, fact, fresh_store, often, put
from tideline_cli.errors import UsageError
from tideline_cli.memory.query import MODES, Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import ANALYZERS
from tideline_cli.store.connection import setting

TEXTS = (
    "I deploy on Fridays", "用户喜欢素食", "مرحبا بالعالم", "don't e-mail me", "and or not near",
)  # fmt: skip


@pytest.fixture(scope="module", params=ANALYZERS)
def store(request):
    with fresh_store(analyzer=request.param) as db:
        put(db, [fact(text, f"F{n}") for n, text in enumerate(TEXTS)], analyzer=request.param)
        yield db


def answer_or_usage_error(db, text, mode):
    try:
        answer = recall(db, Query(text, mode=mode), viewer=OWNER, now=NOW)
    except UsageError as error:
        assert "\x00" in text or any(0xD800 <= ord(char) < 0xE000 for char in text), error
        return
    write_back(db, answer, touch=True, now=NOW)
    assert [hit.score for hit in answer.hits] == sorted(
        (hit.score for hit in answer.hits), reverse=True
    )


@settings(max_examples=often(50, 200))
@given(text=anything, mode=st.sampled_from(MODES))
def test_any_text_is_a_query(store, text, mode):
    """Recall answers any text, in any mode, or says that it is not storable text."""
    answer_or_usage_error(store, text, mode)


@pytest.mark.parametrize("text", NASTY, ids=lambda text: ascii(text[:20]))
def test_nasty_texts_are_queries(store, text):
    """Syntax of the full-text index, controls and foreign scripts are words like any other."""
    for mode in MODES:
        answer_or_usage_error(store, text, mode)


@pytest.mark.parametrize("index", range(len(TEXTS)))
def test_every_text_finds_itself(store, index):
    """A stored text, asked for, comes first; one of stop words alone finds nothing."""
    answer = recall(store, Query(TEXTS[index]), viewer=OWNER, now=NOW)
    analyzer = setting(store, "analyzer", "standard")
    assert answer.hits[0].fact.id == f"F{index}", analyzer


@settings(max_examples=often(20, 60))
@given(raw=st.binary(max_size=60) | anything.map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_on_standard_input(raw):
    """Any bytes piped into recall and context give an answer, nothing, or a usage error."""
    for verb, codes in (("recall", {0, 1, 2}), ("context", {0, 2})):
        done = run_main(verb, "-", stdin=raw)
        assert done.code in codes, done.err
        assert "internal" not in done.err


@settings(max_examples=often(20, 60))
@given(text=anything)
def test_any_text_can_be_remembered_or_is_a_usage_error(text):
    """remember stores any text or refuses it cleanly, and what it stored is recalled by itself."""
    done = run_main("remember", "--json", "--", text)
    assert done.code in (0, 2), done.err
    if done.code == 0:
        content = done.json["fact"]["content"]
        listed = run_main("list", "--json", "--limit", "0").json["facts"]
        assert content in [one["content"] for one in listed]
