"""Which stored fact a distilled text repeats: found by the index, as by comparing with all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import NOW, PEER, fact, fresh_store, put
from tideline_cli.exchange.extract import store_reply
from tideline_cli.exchange.extract.store_reply import verbatim
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import jaccard
from tideline_cli.policy.survivor import richness

WORDS = "tea coffee lisbon port works atlas green dog rides the bus 茶 13800138000".split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
rows = st.lists(st.tuples(texts, st.booleans(), st.sampled_from(["active", "archived"])))


def equivalent(db, text):
    said = fact(text, "said", source="extraction")
    return store_reply.equivalent(db, said, viewer=OWNER, now=NOW)


def by_comparison(facts, text):
    asked = frozenset(terms(text, analyzer="standard"))

    def is_same(one):
        return jaccard(asked, frozenset(terms(one.content, analyzer="standard"))) >= 0.85

    same = [one for one in facts if one.lifecycle == "active" and asked and is_same(one)]
    return max(same, key=richness, default=None)


@given(rows, texts)
def test_equivalent(given_rows, text):
    """The index finds the fact that comparing with every active one of the origin finds."""
    facts = [
        fact(content, f"f{number}", now=NOW + number, lifecycle=lifecycle,
             slot=f"s{number}" if slotted else None)
        for number, (content, slotted, lifecycle) in enumerate(given_rows)
    ]  # fmt: skip
    with fresh_store(sameness="reference") as db:
        put(db, facts)
        put(db, [fact(text, "theirs", origin=PEER)])
        assert equivalent(db, text) == by_comparison(facts, text)


def test_what_has_ended(db):
    """A fact that has ceased to hold is not what is said now."""
    put(db, [fact("The user lives in Lisbon", "a", valid_to=NOW)])
    assert equivalent(db, "The user lives in Lisbon") is None
    assert verbatim(db, "The user lives in Lisbon", scope=None, viewer=OWNER, now=NOW) is None
    assert verbatim(db, "The user lives in Lisbon", scope=None, viewer=OWNER, now=NOW - 1).id == "a"


def test_verbatim(db):
    """Only the very same text, of the same origin, is the same."""
    mine, theirs = "用户手机号: 13800138000", "用户手机号: 13800138001"
    put(db, [fact(mine, "a"), fact(theirs, "b", origin=PEER)])
    assert verbatim(db, "用户手机号: 13800138000", scope=None, viewer=OWNER, now=NOW).id == "a"
    assert verbatim(db, "用户手机号: 13800138001", scope=None, viewer=OWNER, now=NOW) is None
    assert verbatim(db, "用户手机号 13800138000", scope=None, viewer=OWNER, now=NOW) is None
    assert verbatim(db, "", scope=None, viewer=OWNER, now=NOW) is None


def test_the_strict_rule(db):
    """A slot's fact in other words, or in another order, is not what is said now."""
    put(db, [fact("The user lives in Lisbon, Portugal", "a", slot="home"),
             fact("Anna owes Ben 50 euros", "b")])  # fmt: skip
    assert equivalent(db, "user living at Lisbon") is None
    assert equivalent(db, "Ben owes Anna 50 euros") is None
    assert equivalent(db, "anna owes Ben 50  euros").id == "b"


@pytest.mark.parametrize(("source", "finds"), [("extraction", 1), ("owner_message", 0)])
def test_what_is_distilled_again_holds_on(run, tmp_path, source, finds):
    """An end that a model's fact had ends when it is said again; an owner's word keeps its end."""
    text = "The user keeps bees"
    end = ("--valid-to", "2026-02-01T00Z", "--now", "2026-01-01")
    run("remember", text, "--source", source, *end)
    talk, model = tmp_path / "t.jsonl", tmp_path / "model"
    talk.write_text('{"role": "user", "content": "I keep bees"}\n')
    reply = json.dumps({"facts": [{"content": text, "segment": "knowledge"}]})
    model.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{reply}'\n")
    model.chmod(0o700)
    done = run("extract", str(talk), "--all-now", "--llm", str(model), "--now", "2026-01-10")
    assert (done.code, "1 reinforced" in done.out) == (0, True), done.err
    hits = run("recall", "bees", "--now", "2026-03-01", "--json").json["hits"]
    assert len(hits) == finds


@pytest.mark.parametrize("sameness", ["strict", "reference"])
@pytest.mark.parametrize("door", ["extract", "merge", "remember"])
def test_another_value_reinforces_no_slot(run, tmp_path, door, sameness):
    """What is much like the value of a slot, and names another place or figure, is stored beside it
    and shown as a contradiction: by every door, and by either rule of a file."""
    run("config", "set", "sameness", sameness)
    for text, slot in (("The user lives in Bern", "home"), ("The user rents desk 12", "desk")):
        run("remember", text, "--slot", slot)
    said = ["The user lives in Basel", "The user rents desk 14"]
    if door == "extract":
        talk, model = tmp_path / "t.jsonl", tmp_path / "model"
        talk.write_text('{"role": "user", "content": "I live in Basel and rent desk 14"}\n')
        reply = json.dumps({"facts": [{"content": one, "segment": "knowledge"} for one in said]})
        model.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{reply}'\n")
        model.chmod(0o700)
        assert run("extract", str(talk), "--all-now", "--llm", str(model)).code == 0
    elif door == "merge":
        rows = "\n".join(json.dumps({"content": one}) for one in said)
        assert run("import", "-", "--merge", stdin=rows).code == 0
    else:
        assert [run("remember", one, "--source", "tool_output").code for one in said] == [0, 0]
    listed = {one["content"]: one for one in run("list", "--json").json["facts"]}
    assert set(said) <= set(listed)
    assert all(one["access_count"] == 0 for one in listed.values())
    pairs = run("contradictions", "--min-score", "0.05", "--json").json
    shown = [{one["a"]["content"], one["b"]["content"]} for one in pairs["contradictions"]]
    assert {"The user lives in Bern", "The user lives in Basel"} in shown
    assert {"The user rents desk 12", "The user rents desk 14"} in shown
