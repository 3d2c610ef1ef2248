"""Pairs that may contradict each other by the rule of the reference, against its own pairs and
against trying every pair."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import NOW, fact, fresh_store, golden, put
from tideline_cli.memory.contradictions import contradictions
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import terms
from tideline_cli.policy.contradictions import MIN_SCORE, ComparedFact, compared, order
from tideline_cli.vector.embedder import cosines, resolve

CASES = golden("contradictions")
LOOSE = 0.05


def statement(form):
    return ComparedFact(form["memoryId"], form["content"], form["createdAt"])


def listed(text):
    return frozenset(terms(text, analyzer="reference"))


def told(found):
    return [
        {"a": pair.a.id, "b": pair.b.id, "overlap": pair.overlap, "divergence": pair.divergence,
         "score": pair.score}
        for pair in found
    ]  # fmt: skip


def close(pairs):
    return [
        {name: value if isinstance(value, str) else pytest.approx(value, abs=1e-9)
         for name, value in pair.items()}
        for pair in pairs
    ]  # fmt: skip


def of_reference(forms, min_score):
    """Return what our rule says of every pair of the reference's records."""
    embedder = resolve("hrr-256")
    found = []
    for one, other in combinations(forms, 2):
        if one["segment"] != other["segment"]:
            continue
        both = one["has_hrr_embedding"] and other["has_hrr_embedding"]
        pair = [(one["content"], other["content"])]
        cosine = cosines(embedder, pair)[0] if both else None
        both_terms = (listed(one["content"]), listed(other["content"]))
        found.append(compared(statement(one), statement(other), both_terms, cosine))
    kept = [pair for pair in found if pair is not None and pair.score >= min_score]
    return sorted(kept, key=order)


def test_the_reference_pairs():
    """The rule gives the reference's pairs and numbers, with vectors and without."""
    assert told(of_reference(CASES["records"], MIN_SCORE)) == close(CASES["default"])
    assert told(of_reference(CASES["records"], LOOSE)) == close(CASES["loose"])


@pytest.mark.parametrize("name", ["default", "loose"])
def test_the_reference_store(name):
    """The command's way finds the same pairs in a store, where each fact has a vector."""
    held = [form for form in CASES["records"] if form["has_hrr_embedding"]]
    with fresh_store(analyzer="reference") as db:
        put(
            db,
            [
                fact(form["content"], form["memoryId"], segment=form["segment"],
                     now=form["createdAt"])
                for form in held
            ],
            analyzer="reference",
        )  # fmt: skip
        least = MIN_SCORE if name == "default" else LOOSE
        report = contradictions(db, viewer=OWNER, now=NOW, limit=50, min_score=least)
    known = {form["memoryId"] for form in held}
    assert told(report.found) == close(p for p in CASES[name] if {p["a"], p["b"]} <= known)


WORDS = "deploy friday monday lisbon berlin tea coffee boat red green".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
FACTS = st.lists(
    st.tuples(TEXTS, st.sampled_from(["knowledge", "context"]), st.integers(0, 3)), max_size=14
)


@given(FACTS, st.sampled_from([0.0, 0.05, 0.12, 0.3]), st.integers(1, 12))
def test_like_every_pair(made, least, limit):
    """Whatever a store of the reference's analyser holds, the strongest pairs are those that trying
    every pair gives."""
    with fresh_store(analyzer="reference") as db:
        forms = [
            fact(text, f"F{n:03}", segment=segment, now=NOW - age)
            for n, (text, segment, age) in enumerate(made)
        ]
        put(db, forms, analyzer="reference")
        report = contradictions(db, viewer=OWNER, now=NOW, limit=limit, min_score=least)
        expected = []
        for one, other in combinations(forms, 2):
            sides = [ComparedFact(f.id, f.content, f.created_at) for f in (one, other)]
            cosine = cosines(embedder_of(db), [(one.content, other.content)])[0]
            both = (listed(one.content), listed(other.content))
            pair = compared(*sides, both, cosine) if one.segment == other.segment else None
            if pair is not None and pair.score >= least:
                expected.append(pair)
    scores = sorted((pair.score for pair in expected), reverse=True)[:limit]
    assert [pair.score for pair in report.found] == scores
    ours = {(pair.a.id, pair.b.id): pair for pair in report.found}
    theirs = {(pair.a.id, pair.b.id): pair for pair in expected}
    assert len(ours) == len(report.found)
    assert ours.items() <= theirs.items()
    assert not report.is_bounded
