"""What stands around a fact: sessions, speakers and times in recall, as its user sees them."""

from __future__ import annotations

import csv
import sys

import pytest

from tests.support import DAY, NOW, fact, fresh_store, put, view_at
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER, Origin

GUEST = Origin("channel:a/b/c")
ASKED = ("what is the name of your dog", "Rex", "I like rain", "see you")


def talk(origin=OWNER, session="s", start=0, **labels):
    return [
        fact(text, f"{origin.key[:1]}{start + n:025d}", origin=origin, session=session, turn=n,
             now=NOW - DAY, **labels)
        for n, text in enumerate(ASKED)
    ]  # fmt: skip


def found(db, text, viewer=OWNER, **more):
    hits = recall(db, Query(text, mode="keyword", **more), viewer=viewer, now=NOW).hits
    return {hit.fact.content: hit for hit in hits}


def test_an_answer_is_found_by_its_question(db):
    """A fact that shares no word comes by what was said before it, below that."""
    put(db, talk())
    hits = found(db, "the dog's name")
    assert list(hits) == [ASKED[0], "Rex"]
    assert hits["Rex"].why.matched_terms == () and hits["Rex"].why.neighbour > 0
    assert hits["Rex"].weak == hits[ASKED[0]].weak


def test_nothing_crosses_an_origin(db):
    """A session of the same name in another origin moves no score and gives no neighbour."""
    put(db, [fact("the dog sleeps", "G1", origin=GUEST, session="s", turn=0), *talk()])
    before = found(db, "dog name")
    alone = found(db, "dog name", GUEST)
    put(db, talk(GUEST, start=10))
    put(db, [fact("dog name dog name", "O9", session="other", turn=0)])
    with fresh_store() as other:
        put(other, [*talk(), fact("dog name dog name", "O9", session="other", turn=0)])
        expected = found(other, "dog name")
    after = found(db, "dog name")
    assert {name: hit.score for name, hit in after.items()} == pytest.approx(
        {name: hit.score for name, hit in expected.items()}
    )
    assert set(before) == {ASKED[0], "Rex"} and set(alone) == {"the dog sleeps"}
    assert not view_at(db, origin_number=99).origin.has_sessions


def test_an_untrusted_turn_moves_no_trusted_one(db):
    """What a tool claims to have been said in a session moves no fact of the owner's."""
    put(db, talk())
    before = found(db, "dog name")
    put(db, [fact("dog name dog name dog", "T1", session="s", turn=1, source="tool_output")])
    after = found(db, "dog name")
    rex = after["Rex"].why
    assert "Rex" in before
    assert rex.neighbour + rex.session == pytest.approx(0.6 * after[ASKED[0]].why.bm25)


def test_plain_facts_keep_their_scores(db, monkeypatch):
    """A memory without sessions and speakers ranks by words alone, and loads no more for it."""
    put(db, [fact(f"pear tree {n * 'tall '}", f"P{n}") for n in range(5)])
    monkeypatch.delitem(sys.modules, "tideline_cli.memory.surroundings", raising=False)
    hits = found(db, "tall pear")
    assert "tideline_cli.memory.surroundings" not in sys.modules
    for hit in hits.values():
        assert hit.score == hit.why.bm25 * hit.why.trust * hit.why.modulator


def test_the_reference_knows_no_surroundings():
    """With the analyser of the reference no session, speaker, role or time counts."""
    with fresh_store(analyzer="reference") as db:
        put(db, talk(speaker="dog", role="assistant"), analyzer="reference")
        (hit,) = found(db, "the dog yesterday").values()
        assert hit.score == hit.why.bm25 * hit.why.trust * hit.why.modulator


def test_a_named_speaker_and_a_named_time_lift(run):
    """What the named one said and what is of the named time comes first; --explain says so."""
    for name in ("Ann", "Bob"):
        said = f"a walk in the woods with {name[0]}."
        run("remember", said, "--speaker", name, "--session", name)
    assert "with A." in run("recall", "what did Ann say of woods", "-n", "1").out
    done = run("recall", "what did Bob say of woods", "-n", "1", "--explain")
    assert "with B." in done.out and "speaker 1.50" in done.out
    run("remember", "lamp of brass", "--now", "2025-01-05")
    run("remember", "lamp of glass", "--now", "2025-03-05")
    asked = ("recall", "which lamp in January", "--now", "2025-04-01", "--explain", "-n", "1")
    assert "brass" in run(*asked).out and "time 3.00" in run(*asked).out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("dog",), "found"), (("zebra",), "no_shared_term"), (("cat", "-n", "1"), "outranked"),
        (("dog", "--segment", "project"), "filtered"), (("dog", "--scope", "x"), "other_scope"),
        (("dog", "--min-score", "50"), "below_min_score"),
    ],
)
def test_why_not(run, options, reason):
    """--why-not says the first thing that keeps a fact from the hits."""
    made = run("remember", "my dog and my cat", "--scope", "y", "--json").json["id"]
    run("remember", "cat cat", "--scope", "y")
    scope = () if "--scope" in options else ("--scope", "y")
    done = run("recall", *options, *scope, "--why-not", made, "--json")
    assert (done.code, done.json["reason"], done.json["id"]) == (0, reason, made)
    line = run("recall", *options, *scope, "--why-not", made).out
    assert line.startswith(made + "\t")
    assert (done.json["score"] is None) == (reason not in ("found", "outranked", "below_min_score"))


def test_why_not_archived_and_unknown(run):
    """An archived fact says how it comes back; an unknown one is not found."""
    made = run("remember", "my dog", "--json").json["id"]
    run("forget", made)
    assert f"restore {made}" in run("recall", "dog", "--why-not", made).out
    assert run("recall", "dog", "--why-not", "01ARZ3NDEKTSV4RRFFQ69G5FAV").code == 3


def test_a_fact_without_trust_is_found_in_a_session(run):
    """Words find a fact that nobody trusts at all, in a session as outside of one."""
    by_words = ("--mode", "keyword", "--json")
    for session in ((), ("--session", "s")):
        made = run("remember", f"zebra {len(session)}", *session, "--confidence", "0", "--json")
        ids = [hit["id"] for hit in run("recall", "zebra", *by_words).json["hits"]]
        assert made.json["id"] in ids


def test_why_not_as_a_row(run):
    """The verdict is a row in every format that recall has."""
    made = run("remember", "my dog", "--json").json["id"]
    asked = ("recall", "dog", "--why-not", made, "--now", str(NOW))
    whole = run(*asked, "--json").out
    assert run(*asked, "--jsonl").out == whole == run(*asked, "--format", "json").out
    (row,) = csv.DictReader(run(*asked, "--csv").out.splitlines())
    assert (row["id"], row["reason"]) == (made, "found")
    assert "| reason" in run(*asked, "--fmt", "github").out
    assert run(*asked, "--format", "lines").out == run(*asked).out


def test_the_depth_of_fading_is_a_setting(run):
    """`fading` says how much of its score a faded fact loses; 0 is --decay none."""
    run("remember", "an old pear", "--now", "2024-01-01")
    assert run("config", "set", "fading", "0.1").code == 0
    asked = ("recall", "pear", "--json", "--explain", "--now", "2026-01-01")
    why = run(*asked).json["hits"][0]["explain"]
    assert why["modulator"] == pytest.approx(0.9, abs=1e-3)
    run("config", "set", "fading", "0")
    assert run(*asked).json["hits"][0]["explain"]["modulator"] == 1.0
    assert run("config", "set", "fading", "2").code == 2
