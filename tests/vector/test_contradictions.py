"""Pairs that share words and differ in their vectors, against every pair."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from tests.support import NOW, PEER, ROOT, fact, put
from tideline_cli.memory import contradictions as module
from tideline_cli.memory.contradictions import contradictions as memory_contradictions
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.difference import is_restated
from tideline_cli.policy.sameness import jaccard
from tideline_cli.store import vectors
from tideline_cli.store.transactions import writing
from tideline_cli.vector import contradictions, shared_terms, term_pairs
from tideline_cli.vector.embedder import cosines, resolve

WORDS = "red green blue deploy friday monday tea boat lisbon berlin".split()


def texts_of(count, seed=7):
    rng = random.Random(seed)
    return [" ".join(rng.sample(WORDS, rng.randint(1, 5))) for _ in range(count)]


def found(texts, **given):
    embedder = resolve("hrr-256")
    terms = [frozenset(text.split()) for text in texts]
    codes = embedder.embed_packed(texts)
    parts = list(contradictions.likely(
        embedder, codes, terms, min_overlap=0.2, **({"min_score": 0.1, "most": 10_000} | given)
    ))  # fmt: skip
    return contradictions.Pairs(
        *(np.concatenate([getattr(part, name) for part in parts])
          for name in ("i", "j", "cosine", "bound"))
    )  # fmt: skip


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
@pytest.mark.parametrize(("longest", "per_row", "band"), [(0, 0, 9), (4, 256, 9), (24, 256, 999)])
def test_none_is_missed(monkeypatch, crowded, waiting, longest, per_row, band):
    """Each pair whose exact score reaches the floor is found, its bound no lower than that, whether
    it is found by pairs of terms or along posting lists."""
    monkeypatch.setattr(shared_terms, "_LONGEST", longest)
    monkeypatch.setattr(term_pairs, "_PER_ROW", per_row)
    monkeypatch.setattr(term_pairs, "_BAND", band)
    monkeypatch.setattr(shared_terms, "ROWS", 16)
    monkeypatch.setattr(contradictions, "ROWS", 16)
    monkeypatch.setattr(contradictions, "_FIRST", 8)
    monkeypatch.setattr(contradictions, "_AT_ONCE", 8)
    monkeypatch.setattr(contradictions, "_CROWDED", crowded)
    monkeypatch.setattr(contradictions, "_WAITING", waiting)
    texts = texts_of(90)
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


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("least", [0.15, 0.34, 0.5, 1.0])
def test_all_that_share_terms_are_counted(seed, least, monkeypatch):
    """Rows of all lengths, none and equal ones among them: the pairs are those of comparing each
    with each."""
    monkeypatch.setattr(shared_terms, "_LONGEST", 9)
    monkeypatch.setattr(term_pairs, "_BAND", 50)
    monkeypatch.setattr(term_pairs, "_SMALL_BITS", 31 * (seed % 3 > 0))
    rng = random.Random(seed)
    words, weights = [f"w{n}" for n in range(70)], [1 / (n + 1) for n in range(70)]
    told = [rng.choices(words, weights, k=rng.choice((0, 1, 2, 3, 5, 8, 13, 30)))
            for _ in range(150)]  # fmt: skip
    rows = [*map(set, told)]
    shared = shared_terms.SharedTerms(told if seed % 2 else rows)
    order = shared.order.tolist()
    counted = {}
    for _, _, i, j, overlap in shared.blocks(lambda: least):
        for a, b, share in zip(i.tolist(), j.tolist(), overlap.tolist(), strict=True):
            assert frozenset((order[a], order[b])) not in counted
            counted[frozenset((order[a], order[b]))] = share
    wanted = {
        frozenset((a, b)): share
        for a in range(150) for b in range(a)
        if rows[a] and rows[b] and (share := jaccard(rows[a], rows[b])) >= least
    }  # fmt: skip
    assert counted == wanted


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
    texts = list(dict.fromkeys(texts_of(400)))[:120]
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


@pytest.mark.parametrize("made", [0, 1])
@pytest.mark.parametrize("peers", [0, 60])
def test_the_newest_are_compared(db, made, peers):
    """The newest facts are compared, of one instant those that were stored last, whatever their
    ids are; and whoever else has written since."""
    texts = list(dict.fromkeys(text for text in texts_of(400) if len(text.split()) > 2))[:60]
    put(db, [fact(text, f"A{900 - place:03}", now=NOW - made * (60 - place) // 3)
             for place, text in enumerate(texts)])  # fmt: skip
    put(db, [fact("another", f"B{place:03}", origin=PEER) for place in range(peers)])
    report = memory_contradictions(db, viewer=OWNER, now=NOW, limit=9, newest=20)
    assert (report.compared, report.is_partial) == (20, True)
    kept = texts[40:]
    best = sorted(
        (score for i, j, score in every_pair(kept) if not is_restated(kept[j], kept[i])),
        reverse=True,
    )[:9]
    assert [found.score for found in report.found] == pytest.approx([s for s in best if s >= 0.12])


@pytest.mark.parametrize(("most", "reads"), [(10_000, 0), (5, 1), (0, 1)])
def test_vectors_of_facts_that_lie_far_apart(db, monkeypatch, most, reads):
    """Few are made of their texts, and all are read when more are asked for: whatever they are
    taken from, the pairs are the same, in one segment or in several."""
    texts = list(dict.fromkeys(texts_of(400)))[:120]
    put(db, [fact(text, f"{place:03}", segment=("knowledge", "project")[place % 2])
             for place, text in enumerate(texts)])  # fmt: skip
    with writing(db):
        embed_backlog(db, origin_number=1, limit=1000)
    asked = []

    def chunks_of(*args, **more):
        asked.append(more)
        return read(*args, **more)

    read = vectors.chunks_of
    monkeypatch.setattr(vectors, "chunks_of", chunks_of)
    known = memory_contradictions(db, viewer=OWNER, now=NOW, limit=40)
    assert len(asked) == 1 and len(known.found) == 40
    monkeypatch.setattr(module, "_STREWN", 0)
    monkeypatch.setattr(module, "_MADE", most)
    assert memory_contradictions(db, viewer=OWNER, now=NOW, limit=40) == known
    assert len(asked) == 1 + reads


def test_masked_arrays_are_not_loaded():
    """Counting needs no part of numpy that is loaded late: 20 ms of each call."""
    asked = (
        "import sys; from tideline_cli.vector.shared_terms import SharedTerms;"
        "shared = SharedTerms([['a', 'b', 'c'], ['b', 'a'], ['c', 'a', 'd']]);"
        "assert sum(len(block[2]) for block in shared.blocks(lambda: 0.2)) == 3;"
        "print('numpy.ma' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
