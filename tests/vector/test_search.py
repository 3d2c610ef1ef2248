"""Nearest rows: nothing over the floor is missed, and no row depends on its neighbours."""

from __future__ import annotations

import random
import tracemalloc
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tideline_cli.vector.embedder import resolve
from tideline_cli.vector.search import best

if TYPE_CHECKING:
    from tideline_cli.vector.embedder import Embedder

WORDS = [
    "deploy",
    "deploys",
    "deployed",
    "friday",
    "fridays",
    "vegetarian",
    "diet",
    "tabs",
    "never",
]
NAMES = ["hrr-256", "hash-256"]


@cache
def corpus(name: str) -> tuple[Embedder, np.ndarray, np.ndarray, np.ndarray]:
    embedder, rng, count = resolve(name), random.Random(5), 1500
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(count)]
    seqs = np.arange(count, dtype=np.int64)
    return embedder, seqs, embedder.embed_packed(texts), embedder.embed(texts)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("floor", [-1.0, 0.0, 0.3, 0.9])
def test_all_rows_over_the_floor_are_found(name: str, floor: float) -> None:
    """Every row whose exact cosine reaches the floor is returned, and none far below it."""
    embedder, seqs, codes, vectors = corpus(name)
    (query,) = embedder.embed(["deploys on friday"])
    exact = vectors @ query
    found, approximate = best(embedder, query, [(seqs, codes)], floor=floor)
    assert set(np.flatnonzero(exact >= floor)) <= set(found.tolist())
    assert (exact[found] >= floor - 2 * embedder.tolerance).all()
    assert (np.abs(approximate - exact[found]) <= embedder.tolerance).all()
    assert (np.diff(approximate) <= 0).all()


@settings(deadline=None, max_examples=25)
@given(
    name=st.sampled_from(NAMES),
    cuts=st.lists(st.integers(0, 1500), max_size=12),
    floor=st.sampled_from([-1.0, 0.2, 0.3]),
    order=st.randoms(use_true_random=False),
)
def test_chunks_do_not_matter(
    name: str, cuts: list[int], floor: float, order: random.Random
) -> None:
    """The same rows come back in the same order with the same bits however they are cut."""
    embedder, seqs, codes, _ = corpus(name)
    (query,) = embedder.embed(["never a vegetarian diet"])
    edges = [0, *sorted(cuts), len(seqs)]
    pieces = [slice(*pair) for pair in pairwise(edges)]
    order.shuffle(pieces)
    whole = best(embedder, query, [(seqs, codes)], floor=floor)
    cut = best(embedder, query, [(seqs[piece], codes[piece]) for piece in pieces], floor=floor)
    assert (whole[0] == cut[0]).all()
    assert (whole[1] == cut[1]).all()


@settings(deadline=None, max_examples=25)
@given(
    name=st.sampled_from(NAMES),
    rows=st.lists(st.integers(0, 1499), min_size=1, max_size=700),
    floor=st.sampled_from([-1.0, 0.1, 0.3]),
)
def test_a_score_does_not_depend_on_other_rows(name: str, rows: list[int], floor: float) -> None:
    """A row's approximate cosine has the same bits alone, among some and among all rows."""
    embedder, _, codes, _ = corpus(name)
    (query,) = embedder.embed(["deploy never"])
    among_all = embedder.similarities(query, codes, floor=floor)
    assert (embedder.similarities(query, codes[rows], floor=floor) == among_all[rows]).all()
    alone = embedder.similarities(query, codes[rows[:1]], floor=floor)
    assert alone.tolist() == among_all[rows[:1]].tolist()


def test_equal_scores_are_in_sequence() -> None:
    """Rows of one score come in the order of their sequence numbers."""
    embedder = resolve("hrr-256")
    codes = embedder.embed_packed(["deploy"] * 3)
    (query,) = embedder.embed(["deploy"])
    found, _ = best(embedder, query, [(np.array([7, 3, 5]), codes)], floor=0.3)
    assert found.tolist() == [3, 5, 7]


@pytest.mark.parametrize("chunks", [[], [(np.empty(0, np.int64), np.empty((0, 128), np.uint8))]])
def test_no_rows(chunks: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """A search among no rows finds none."""
    embedder = resolve("hrr-256")
    found, approximate = best(embedder, embedder.embed(["deploy"])[0], chunks, floor=0.3)
    assert found.tolist() == approximate.tolist() == []


def test_memory_stays_small() -> None:
    """A search among 100,000 rows takes less than 25 MiB beside them."""
    embedder = resolve("hrr-256")
    codes = np.random.default_rng(1).integers(0, 256, (100_000, 128), dtype=np.uint8)
    seqs = np.arange(len(codes), dtype=np.int64)
    (query,) = embedder.embed(["deploy"])
    chunks = ((seqs[start : start + 1000], codes[start : start + 1000]) for start in seqs[::1000])
    tracemalloc.start()
    try:
        best(embedder, query, chunks, floor=0.0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 25 << 20
