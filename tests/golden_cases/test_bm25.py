"""BM25, its breakdown and its ties: as pure functions, and through a store."""

from __future__ import annotations

import pytest

from tests.support import NOW, fresh_store, golden, joined, put, reference_fact, searched
from tideline_cli.memory.query import Query, Question
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import terms
from tideline_cli.ranking import bm25, decay
from tideline_cli.store.facts import Filter

GOLDEN = golden("bm25")
FACTS = [reference_fact(form) for form in GOLDEN["corpus"]]
CLOSE = 1e-9


@pytest.fixture(scope="module")
def store():
    with fresh_store(analyzer="reference") as db:
        put(db, FACTS, analyzer="reference")
        yield db


def query_terms(text):
    return list(dict.fromkeys(terms(text, analyzer="reference")))


def reference_statistics():
    held = [terms(fact.content, analyzer="reference") for fact in FACTS]
    every = {term for listed in held for term in listed}
    counts = {term: sum(term in listed for listed in held) for term in every}
    return bm25.statistics(len(held), sum(map(len, held)), counts)


def ids(case, kind):
    return [hit["id"] for hit in case[kind]]


def test_constants():
    """k1 and b are those of the reference."""
    assert (GOLDEN["k1"], GOLDEN["b"]) == (bm25.K1, bm25.B)


@joined("case", GOLDEN["queries"])
def test_pure_scores(case):
    """The pure functions give every score, factor and matched term of the reference."""
    stats = reference_statistics()
    asked = query_terms(case["query"])
    found = {}
    for fact in FACTS:
        value, matched = bm25.score(terms(fact.content, analyzer="reference"), asked, stats)
        if matched:
            days = (NOW - fact.last_accessed_at) / 86_400_000
            power = decay.strength(
                fact.importance, fact.decay_rate, fact.access_count, days,
                immune=decay.is_immune(fact.tier, fact.pinned),
            )  # fmt: skip
            found[fact.id] = (value, list(matched), power, decay.modulator(power))
    assert found.keys() == set(ids(case, "modulated"))
    for hit in case["modulated"]:
        value, matched, power, factor = found[hit["id"]]
        assert matched == hit["matchedTerms"]
        assert [value, power, factor, value * factor] == pytest.approx(
            [hit["bm25"], hit["effective"], hit["modulator"], hit["score"]], abs=CLOSE
        )


@pytest.mark.parametrize("case", GOLDEN["queries"], ids=lambda case: repr(case["query"]))
def test_stored_scores(store, case):
    """A store with the reference analyser ranks as the reference does, with the same breakdown."""
    hits = recall(store, Query(case["query"], limit=20, mode="keyword"), viewer=OWNER, now=NOW).hits
    assert [hit.fact.id for hit in hits] == ids(case, "modulated")
    for hit, wanted in zip(hits, case["modulated"], strict=True):
        why = hit.why
        assert list(why.matched_terms) == wanted["matchedTerms"]
        assert (why.trust, why.lane) == (1.0, "lexical")
        assert [why.bm25, why.strength, why.modulator, hit.score] == pytest.approx(
            [wanted["bm25"], wanted["effective"], wanted["modulator"], wanted["score"]], abs=CLOSE
        )


@pytest.mark.parametrize("case", GOLDEN["queries"], ids=lambda case: repr(case["query"]))
def test_scores_without_fading(store, case):
    """Without decay the scores are BM25 alone, in its order."""
    matches, _ = searched(
        store, Question(dict.fromkeys(query_terms(case["query"]), 1.0), analyzer="reference"),
        origin_number=1, now=NOW, limit=20, wanted=Filter(), fading=0.0,
    )  # fmt: skip
    assert [match.id for match in matches] == ids(case, "pure")
    assert [match.score for match in matches] == pytest.approx(
        [hit["score"] for hit in case["pure"]], abs=CLOSE
    )


def test_ties():
    """Facts with equal scores come newest first."""
    case = golden("bm25_ties")
    with fresh_store(analyzer="reference") as db:
        put(db, map(reference_fact, case["corpus"]), analyzer="reference")
        answer = recall(db, Query(case["query"]), viewer=OWNER, now=case["now"])
    assert [hit.fact.id for hit in answer.hits] == case["order"]
