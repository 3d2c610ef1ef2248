"""The other forgetting curves against the reference, and what commands show of them."""

from __future__ import annotations

from math import e, exp, log

import pytest

from tests.ranking.penalties import saturating_penalty
from tests.support import DAY, NOW, fact, golden, joined, put
from tideline_cli.memory.query import ALL, Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.fact import HEATS
from tideline_cli.model.origin import OWNER
from tideline_cli.ranking import decays
from tideline_cli.ranking.decay import DECAYS

RELEVANCE = golden("rsclaw_relevance")
PENALTIES = golden("ghost_search")["time_penalty"]


def test_relevance_is_that_of_the_reference():
    """Weibull's relevance agrees with the reference, which computes in 32 bits, to 1e-6."""
    assert len(RELEVANCE["items"]) == 510
    for item in RELEVANCE["items"]:
        told = decays.weibull(
            item["tier"], item["importance"], item["access_count"], item["age_days"],
            pinned=item["pinned"],
        )  # fmt: skip
        assert told.relevance == pytest.approx(item["relevance"], abs=1e-6), item


def test_the_parts_make_the_relevance():
    """Recency, frequency and importance add up to the composite, which the floor bounds below."""
    told = decays.weibull("working", 0.6, 3, 12.0, pinned=False)
    assert told.half_life == pytest.approx(30 * exp(0.9))
    assert told.recency == pytest.approx(exp(-log(2) / told.half_life * 12.0))
    assert told.frequency == pytest.approx(1 - exp(-0.6))
    assert told.composite == pytest.approx(
        0.4 * told.recency + 0.3 * told.frequency + 0.3 * told.intrinsic
    )
    assert told.relevance == told.composite > told.floor == 0.3


@joined("case", PENALTIES)
def test_penalties_are_those_of_the_reference(case):
    """The penalty of spaced repetition agrees with the document, and with its program."""
    given = case["retrieval_count"], case["age_days"]
    assert decays.penalty(*given) == pytest.approx(case["seed_linear"], abs=1e-9)
    assert saturating_penalty(*given) == pytest.approx(case["source_saturating"], abs=1e-9)
    assert decays.spaced(*given, immune=False) == pytest.approx(exp(-case["seed_linear"]))


@pytest.mark.parametrize("decay", DECAYS)
def test_what_is_pinned_never_fades(decay):
    """A pinned fact has the whole strength by every curve, and none is outside of 0..1."""
    old = fact("tea", "01" * 13, now=NOW - 4000 * DAY)
    pinned = fact("tea", "02" * 13, now=NOW - 4000 * DAY, pinned=True, heat="core")
    assert decays.strength_by(pinned, decay, now=NOW) == 1.0
    assert 0.0 <= decays.strength_by(old, decay, now=NOW) <= 1.0
    early = decays.strength_by(fact("tea", "03" * 13, now=NOW + DAY), decay, now=NOW)
    assert 0.0 < early <= 1.0


def test_show_prints_the_parts(run):
    """`show --decay weibull` prints the relevance and what makes it; spaced its penalty."""
    made = run("remember", "tea at five", "--json", "--now", "2026-01-01").json["id"]
    run("feedback", made, "up", "--now", "2026-01-05")
    later = ("--now", "2026-01-31")
    form = run("show", made, "--decay", "weibull", "--json", *later).json
    assert form["decay"] == "weibull"
    assert list(form["decay_parts"]) == [
        "half_life", "beta", "floor", "recency", "frequency", "intrinsic", "composite",
    ]  # fmt: skip
    parts = form["decay_parts"]
    assert form["strength"] == pytest.approx(
        0.4 * parts["recency"] + 0.3 * parts["frequency"] + 0.3 * form["fact"]["importance"]
    )
    text = run("show", made, "--decay", "weibull", *later).out
    assert f"strength now      {form['strength']:.3f} (weibull)\n" in text
    assert f"  half_life       {parts['half_life']:.6g}\n" in text
    parts = run("show", made, "--decay", "spaced", "--json", *later).json["decay_parts"]
    assert parts == pytest.approx({
        "days": 26.0, "keeps": 30 * log(1 + e), "penalty": 26.0 / (30 * log(1 + e)),
    })  # fmt: skip
    plain = run("show", made, "--json", *later).json
    assert "decay" not in plain
    assert "decay_parts" not in plain


def test_list_orders_by_a_curve(run):
    """`list --sort strength --decay` orders by that curve, and says how strong each fact is."""
    run("remember", "an old rule", "--segment", "correction", "--now", "2025-01-01")
    run("remember", "a new note", "--importance", "0.2", "--now", "2026-01-30")
    later = ("--sort", "strength", "--now", "2026-01-31")

    def listed(decay):
        rows = run("list", "--decay", decay, "--json", *later).json["facts"]
        assert [row["strength"] for row in rows] == sorted(
            (row["strength"] for row in rows), reverse=True
        )
        return [row["content"] for row in rows]

    assert listed("half-life") == ["a new note", "an old rule"]
    assert listed("weibull") == ["an old rule", "a new note"]
    assert run("list", "--decay", "weibull", *later).out.split("\t")[-1].startswith("strength 0.")
    assert "strength" not in run("list", "--json").json["facts"][0]


def test_an_answer_is_ranked_by_a_curve(run):
    """recall and context rank by the curve; the score is what --explain says, in both lanes."""
    run("remember", "tea from the old shop", "--segment", "correction", "--now", "2025-01-01")
    run("remember", "tea from the new shop", "--now", "2026-01-30")
    run("remember", "teapots", "--now", "2025-06-01")
    later = ("--now", "2026-01-31", "--no-touch")
    found = {}
    for decay in DECAYS:
        done = run("recall", "tea shop", "--decay", decay, "--json", "--explain", *later).json
        for hit in done["hits"]:
            why = hit["explain"]
            own = why["bm25"] if hit["lane"] == "lexical" else why["base"] * why["damping"]
            assert why["modulator"] == pytest.approx(0.5 + 0.5 * why["strength"])
            assert hit["score"] == pytest.approx(own * why["trust"] * why["modulator"], abs=1e-12)
        found[decay] = [hit["content"] for hit in done["hits"]][:2]
    assert found["half-life"] == ["tea from the new shop", "tea from the old shop"]
    assert found["weibull"] == ["tea from the old shop", "tea from the new shop"]
    assert found["spaced"] == found["half-life"]
    block = run("context", "tea shop", "--decay", "weibull", *later[:2]).out
    assert block.startswith("- [correction] tea from the old shop (said 2025-01-01)\n")


def test_passes_keep_to_the_half_life(run):
    """What fades for good is decided by the half-life, whatever an answer is ranked by."""
    options = {name: run(name, "--help").out for name in ("dream", "gc", "fading", "forget")}
    assert not any("--decay" in text for text in options.values())


@pytest.mark.parametrize("decay", ["weibull", "spaced"])
def test_the_best_are_found_without_reading_all(db, decay):
    """The best few by a curve are the first of all, whatever the bounds leave unread."""
    words = ("tea", "shop", "harbour", "river", "kettle", "stone")
    put(db, [
        fact(
            " ".join(words[(i * step) % 6] for step in range(1, 2 + i % 5)) + f" n{i}",
            f"{i:026d}", now=NOW - (i * 37 % 1500) * DAY, heat=HEATS[i % 3],
            access_count=i % 7, importance=(i % 11) / 10, segment=("knowledge", "context")[i % 2],
        )
        for i in range(1500)
    ])  # fmt: skip

    def found(limit):
        query = Query("tea river kettle", limit=limit, mode="keyword", decay=decay)
        return [hit.fact.id for hit in recall(db, query, viewer=OWNER, now=NOW).hits]

    assert found(12) == found(ALL)[:12]


def test_a_list_of_the_past_has_the_strengths_of_then(run):
    """`list --as-of` orders by the strengths at that time, and shows them."""
    at = run("remember", "a short note", "--segment", "context", "--importance", "1", "--json",
             "--now", "2026-01-01").json["id"]  # fmt: skip
    run("remember", "a lasting rule", "--importance", "0.4", "--now", "2025-12-31")
    then = ("--as-of", "2026-01-02T00:00:00Z", "--now", "2026-12-01")
    for decay in DECAYS:
        rows = run("list", "--sort", "strength", "--decay", decay, "--json", *then).json["facts"]
        strength = next(row["strength"] for row in rows if row["id"] == at)
        shown = run("show", at, "--decay", decay, "--json", "--now", "2026-01-02T00:00:00Z").json
        assert strength == shown["strength"], decay
    listed = run("list", "--sort", "strength", "--json", *then).json["facts"]
    assert [row["content"] for row in listed] == ["a short note", "a lasting rule"]


def _places(db):
    """Facts that are found by their text, their labels, their session, or as a name."""
    put(db, [
        fact(f"tea {'and tea ' * (i % 3)}number {i}", f"{i:026d}", now=NOW - i * DAY,
             heat=HEATS[i % 3], importance=(i % 10) / 10, access_count=i % 7, pinned=i % 40 == 3,
             tags=("tea", "cup") if i % 5 == 0 else (), session="s" if i % 2 else None, turn=i)
        for i in range(200)
    ])  # fmt: skip
    put(db, [fact(f"ask Will about {i}", f"{i:026d}", now=NOW - i * DAY, heat=HEATS[i % 3])
             for i in range(300, 330)])  # fmt: skip


@pytest.mark.parametrize("asked", ["tea", "tea number 7 cup", "Will"])
def test_rows_are_as_strong_as_their_facts(db, asked):
    """Whatever finds a fact, its strength by each curve is that of the fact itself."""
    _places(db)
    for decay in ("weibull", "spaced"):
        query = Query(asked, limit=300, mode="keyword", decay=decay)
        hits = recall(db, query, viewer=OWNER, now=NOW).hits
        assert len(hits) >= 30
        for hit in hits:
            told = decays.strength_by(hit.fact, decay, now=NOW)
            assert hit.why.strength == pytest.approx(told, abs=1e-12), (decay, hit.fact.id)


def test_a_curve_costs_no_statement_a_fact(db):
    """Weibull reads heat with the rows: as many statements as the half-life, which reads none."""
    _places(db)

    def statements(decay):
        told = []
        db.exec_trace = lambda _, sql, __: told.append(sql) or True
        try:
            query = Query("tea number", limit=10, mode="keyword", decay=decay)
            assert recall(db, query, viewer=OWNER, now=NOW).hits
        finally:
            db.exec_trace = None
        return told

    usual, other = statements("half-life"), statements("weibull")
    assert len(usual) == len(other)
    assert not any("heat" in sql for sql in usual if "fact.terms, source" in sql)
