"""Pairs that share words and differ in their vectors, against every pair."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.support import NOW, fact, put
from tideline_cli.memory.contradictions import contradictions as memory_contradictions
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.difference import is_restated
from tideline_cli.policy.sameness import jaccard
from tideline_cli.vector import contradictions
from tideline_cli.vector.embedder import cosines, resolve

WORDS = "red green blue deploy friday monday tea boat lisbon berlin".split()


def made(count, seed=7):
    rng = random.Random(seed)
    return [" ".join(rng.sample(WORDS, rng.randint(1, 5))) for _ in range(count)]


def found(texts, **given):
    embedder = resolve("hrr-256")
    terms = [frozenset(text.split()) for text in texts]
    codes = embedder.embed_packed(texts)
    return contradictions.likely(
        embedder, codes, terms, min_overlap=0.2, **({"min_score": 0.1, "most": 10_000} | given)
    )


def every_pair(texts):
    terms = [frozenset(text.split()) for text in texts]
    pairs = [(i, j) for j in range(len(texts)) for i in range(j)]
    exact = cosines(resolve("hrr-256"), [(texts[i], texts[j]) for i, j in pairs])
    for (i, j), cosine in zip(pairs, exact, strict=True):
        overlap = jaccard(terms[i], terms[j])
        if overlap >= 0.2:
            yield i, j, overlap * (1 - max(0.0, cosine))


@pytest.mark.parametrize("crowded", [0.0, 1.0])
@pytest.mark.parametrize("waiting", [40, 1 << 18])
def test_none_is_missed(monkeypatch, crowded, waiting):
    """Each pair whose exact score reaches the floor is found, its bound no lower than that."""
    monkeypatch.setattr(contradictions, "_ROWS", 16)
    monkeypatch.setattr(contradictions, "_AT_ONCE", 8)
    monkeypatch.setattr(contradictions, "_CROWDED", crowded)
    monkeypatch.setattr(contradictions, "_WAITING", waiting)
    texts = made(90)
    pairs = found(texts)
    bounds = dict(zip(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True), pairs.bound.tolist(),
                      strict=True))  # fmt: skip
    wanted = {(i, j): score for i, j, score in every_pair(texts) if score >= 0.1}
    assert wanted.keys() <= bounds.keys()
    assert all(bounds[pair] >= score for pair, score in wanted.items())
    assert list(pairs.bound) == sorted(pairs.bound, reverse=True)
    few = found(texts, most=25)
    assert few.bound.tolist() == pairs.bound.tolist()[:25]
    assert (few.i.tolist(), few.j.tolist()) == (pairs.i.tolist()[:25], pairs.j.tolist()[:25])


def test_nothing_to_compare():
    """One text, texts without terms and texts that share none have no pairs."""
    assert len(found(["red"]).i) == 0
    assert len(found(["", ""]).i) == 0
    assert len(found(["red boat", "blue tea"]).i) == 0


def test_codes_by_number():
    """Codes are found in whatever chunk they are; facts without one are named."""
    embedder = resolve("hrr-256")
    codes = embedder.embed_packed(["a", "b", "c"])
    numbers = [b"".join(n.to_bytes(4, "little") for n in part) for part in ((3, 9), (7,))]
    chunks = list(zip(numbers, (codes[:2].tobytes(), codes[2:].tobytes()), strict=True))
    got, missing = contradictions.codes_of(embedder, [7, 5, 3], chunks)
    assert np.array_equal(got, np.stack([codes[2], np.zeros_like(codes[0]), codes[0]]))
    assert missing.tolist() == [1]


def test_few_exact_cosines_are_made(db, monkeypatch):
    """The strongest pairs come first, so that exact cosines of a few decide, and the answer is that
    of looking at every pair."""
    texts = list(dict.fromkeys(made(400)))[:120]
    put(db, [fact(text, f"{place:03}") for place, text in enumerate(texts)])
    asked = []

    def counted(embedder, pairs):
        asked.append(len(pairs))
        return cosines(embedder, pairs)

    monkeypatch.setattr("tideline_cli.vector.embedder.cosines", counted)
    report = memory_contradictions(db, viewer=OWNER, now=NOW, limit=3)
    best = sorted(
        (score for i, j, score in every_pair(texts) if not is_restated(texts[j], texts[i])),
        reverse=True,
    )[:3]
    assert [found.score for found in report.found] == pytest.approx(best)
    assert sum(asked) < 200
