"""Which stored fact a distilled text repeats: found by the index, as by comparing with all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import NOW, PEER, fact, fresh_store, put
from tideline_cli.exchange.extract import known
from tideline_cli.exchange.extract.known import near_slots, verbatim
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import jaccard
from tideline_cli.policy.survivor import richness
from tideline_cli.store.connection import put_setting
from tideline_cli.vector import hrr_plain

WORDS = "tea coffee lisbon port works atlas green dog rides the bus 茶 13800138000".split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
rows = st.lists(st.tuples(texts, st.booleans(), st.sampled_from(["active", "archived"])))


def equivalent(db, text):
    (near,) = near_slots(db, [text], viewer=OWNER)
    return known.equivalent(db, text, scope=None, viewer=OWNER, now=NOW, near=near)


def by_comparison(facts, text):
    asked = frozenset(terms(text, analyzer="standard"))

    def is_same(one):
        likeness = jaccard(asked, frozenset(terms(one.content, analyzer="standard")))
        cosine = hrr_plain.cosine(hrr_plain.embed(text), hrr_plain.embed(one.content))
        return likeness >= 0.85 or (one.slot and (likeness >= 0.40 or cosine >= 0.45))

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


def test_many_slots(db, monkeypatch):
    """Many facts in slots are compared roughly first, with the same result."""
    kept = [fact(f"the value number {n} is {n * 37}", f"f{n}", slot=f"s{n}") for n in range(40)]
    put(db, [*kept, fact("The user lives in Lisbon, Portugal", "home", slot="home")])
    put_setting(db, "sameness", "reference")
    asked = "user living at Lisbon"
    exact = equivalent(db, asked)
    monkeypatch.setattr(known, "_FEW", 5)
    rough = equivalent(db, asked)
    assert exact == rough
    assert rough.id == "home"


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


def test_what_left_its_slot_meanwhile(db):
    """A fact that was archived after the slots were compared is not the same any more."""
    put(db, [fact("The user lives in Lisbon, Portugal", "a", slot="home")])
    put_setting(db, "sameness", "reference")
    asked = "user living at Lisbon"
    (near,) = near_slots(db, [asked], viewer=OWNER)
    assert len(near) == 1
    db.execute("UPDATE fact SET lifecycle = 'archived'")
    assert known.equivalent(db, asked, scope=None, viewer=OWNER, now=NOW, near=near) is None


def test_the_strict_rule(db):
    """A slot's fact in other words, or in another order, is not what is said now."""
    put(db, [fact("The user lives in Lisbon, Portugal", "a", slot="home"),
             fact("Anna owes Ben 50 euros", "b")])  # fmt: skip
    assert equivalent(db, "user living at Lisbon") is None
    assert equivalent(db, "Ben owes Anna 50 euros") is None
    assert equivalent(db, "anna owes Ben 50 euros.").id == "b"


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
