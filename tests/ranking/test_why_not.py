"""Why a fact is not among the hits, where they are ranked in other ways."""

from __future__ import annotations

import pytest

from tests.support import NOW, fact, put
from tideline_cli.memory.query import ALL, Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.why_not import verdict
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace

LANES = [("hybrid", "rrf"), ("keyword", "rrf"), ("semantic", "rrf"), ("hybrid", "additive"),
         ("keyword", "additive"), ("hybrid", "priority"), ("keyword", "priority")]  # fmt: skip
WAYS = [*LANES, ("points", None), ("hybrid", "append")]


STORED = 72


def _stored(db):
    """72 facts about tea in one session, each alone in what it says besides."""
    sources = ("owner_message", "tool_output")
    put(db, [
        fact(f"tea {'and tea ' * (i % 5)}number {i}", f"{i:026d}", now=NOW - i * 3_600_000,
             importance=(i % 11) / 10, source=sources[i % 2], session="s", turn=i)
        for i in range(STORED)
    ])  # fmt: skip


def _asked(db, query, fact_id):
    return verdict(db, query, fact_id, viewer=OWNER, now=NOW)


def _hits(db, query):
    return [hit.fact.id for hit in recall(db, query, viewer=OWNER, now=NOW).hits]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("mode", "fusion"), WAYS)
def test_places_are_those_of_the_question(db, mode, fusion):
    """A fact that is no hit has a place among what the lanes put forward for just so many hits;
    what they do not put forward is told apart. The first hits are those of the question itself."""
    _stored(db)
    query = Query("tea", limit=5, mode=mode, fusion=fusion)
    shown = _hits(db, query)
    forward = _hits(db, replace(query, limit=ALL, pool=5))
    assert forward[:5] == shown
    for place, fact_id in enumerate(forward, 1):
        told = _asked(db, query, fact_id)
        assert (told.reason, told.rank) == ("found" if place <= 5 else "outranked", place)
    ids = {f"{i:026d}" for i in range(STORED)}
    reasons = {_asked(db, query, one).reason for one in sorted(ids.difference(forward))[:4]}
    limits = {"points": STORED, "append": 50}  # all are scored; those weighed in a session
    least = limits.get(fusion or mode, 0)
    assert len(forward) >= least
    assert reasons == ({"not_put_forward"} if len(forward) < STORED else set())


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_score_below_zero_is_no_reason(run, mode):
    """Scores of classes and distances are below 0 for most facts: it is the places that decide."""
    for number in range(3):
        made = run("remember", f"tea number {number}", "--source", "tool_output", "--json").json
    words = ("recall", "tea", "--mode", mode, "--fusion", "priority", "-n", "1")
    told = run(*words, "--why-not", made["id"], "--json").json
    hits = run(*words[:-2], "--json").json["hits"]
    place = next(hit for hit in hits if hit["id"] == made["id"])
    if place["rank"] == 1:
        made = {"id": hits[-1]["id"]}
        told = run(*words, "--why-not", made["id"], "--json").json
        place = hits[-1]
    assert told["score"] == place["score"] < 0
    assert (told["reason"], told["rank"]) == ("outranked", place["rank"])


def test_what_no_lane_brings_is_said(run, monkeypatch):
    """Each mode says what it has looked for; a fact too far behind learns of --limit."""
    made = run("remember", "coffee at nine", "--json").json["id"]
    run("remember", "tea at nine")

    def said(*words):
        return run("recall", "tea", *words, "--why-not", made).out.split("\t")[1].strip()

    assert said() == "it shares no word with the query, and is not much like it"
    assert said("--mode", "keyword") == "it shares no word with the query"
    assert said("--mode", "semantic") == "it is not much like the query"
    assert "no word of the query is a part of it" in said("--mode", "points")
    for number in range(40):
        run("remember", f"tea {number}")
    monkeypatch.setenv("TIDELINE_NOW", str(NOW - 1))  # behind those that score the same
    first = run("remember", "coffee and so much more than one cup of the dark old tea", "--json")
    words = ("--fusion", "additive", "--mode", "keyword", "-n", "2", "--now", "2030-01-01")
    told = run("recall", "tea", *words, "--why-not", first.json["id"])
    assert "a higher --limit ranks more" in told.out


def test_links_are_followed_for_why_not_too(run):
    """What comes by a link is a hit, and --why-not says so."""
    tea = run("remember", "tea at nine", "--json").json["id"]
    cup = run("remember", "the blue mug", "--json").json["id"]
    run("link", tea, cup, "--kind", "uses")
    assert run("recall", "tea", "--why-not", cup, "--json").json["reason"] == "no_shared_term"
    told = run("recall", "tea", "--graph", "on", "--why-not", cup, "--json").json
    assert (told["reason"], told["rank"]) == ("found", 2)


def test_a_limit_of_distance_is_told_and_can_be_moved(run):
    """Where classes have limits, --why-not tells which one holds a fact off; --min-sim takes its
    place, up and down."""
    made = run("remember", "I drive a blue car", "--json").json["id"]
    words = ("recall", "drive a blue automobile", "--profile", "vectormemory", "--mode", "semantic")
    told = run(*words, "--why-not", made, "--json").json
    cosine = told["explain"]["cosine"]
    assert (told["reason"], told["explain"]["group"]) == ("too_far", "manual")
    distance = told["explain"]["parts"]["distance"]
    assert distance > 0.55
    assert distance == pytest.approx(2 - 2 * cosine)
    assert "class manual has a distance below 0.55" in run(*words, "--why-not", made).out
    for least, found in ((cosine - 0.01, [made]), (cosine + 0.01, [])):
        hits = run(*words, "--min-sim", str(least), "--json").json["hits"]
        assert [hit["id"] for hit in hits] == found
