"""Bounds of products: never too low, and narrow enough to leave few pairs to look at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import corpus
from tests.support import often
from tideline_cli.vector import search
from tideline_cli.vector.embedder import resolve
from tideline_cli.vector.search import SLACK, Basis, Limits, basis_of, near_rows, passing

MANY = 10**12  # pairs enough to learn directions for
UNBOUNDED = Limits(0.95, 10**6, 10**6)


def facts(count):
    return [text for _, text in zip(range(count), corpus.facts(count), strict=False)]


@given(
    st.integers(0, 2**32), st.integers(2, 60), st.sampled_from([16, 48, 64, 80]),
    st.floats(-1.0, 1.0), st.floats(0.0, 3.0),
)  # fmt: skip
@settings(max_examples=often(37, 150))
def test_no_pair_that_reaches_the_least_is_left_out(seed, count, size, least, skew):
    """Whatever the rows are, short or long, and whatever directions come first: a pair whose
    product reaches the least passes."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, 96)) * (1.0 + np.arange(96)) ** -skew
    rows /= np.maximum(1.0, np.sqrt((rows * rows).sum(axis=1)))[:, None]
    rows[0] = 0.0
    rows[-1] = rows[count // 2]
    turned, _ = np.linalg.qr(rng.standard_normal((96, 96)))
    basis = Basis(turned[:, : min(2 * size, 96)].astype(np.float32), size)
    heads = basis.heads(rows.astype(np.float32))
    at, of = passing(heads, heads, least)
    found = set(zip(at.tolist(), of.tolist(), strict=True))
    wanted = np.argwhere(rows @ rows.T >= least)
    assert {(int(a), int(b)) for a, b in wanted} <= found


@pytest.mark.parametrize("name", ["hrr-256", "hash-256"])
def test_learned_directions_find_what_all_products_find(name):
    """With directions learned from the rows the pairs are those of brute force, whichever rows are
    fresh and however many threads share the blocks."""
    embedder = resolve(name)
    texts = facts(3000)
    codes = embedder.embed_packed(texts)
    rows = embedder.rows(codes)
    product = rows @ rows.T
    rng = np.random.default_rng(7)
    for share in (1.0, 0.4):
        fresh = rng.random(len(texts)) < share
        found = near_rows(embedder, codes, fresh, floor=0.8, limits=UNBOUNDED)
        least = 0.8 - 2 * embedder.tolerance
        near = np.tril(product >= least, -1) & (fresh[:, None] | fresh)
        sure = np.tril(product >= least + 1e-5, -1) & (fresh[:, None] | fresh)
        pairs_found = set(zip(found.later.tolist(), found.earlier.tolist(), strict=True))
        assert len(pairs_found) == len(found.later) > 50
        assert {(int(a), int(b)) for a, b in np.argwhere(sure)} <= pairs_found
        unsure = {(int(a), int(b)) for a, b in np.argwhere(product >= least - 1e-5)}
        assert pairs_found <= unsure
        assert abs(len(pairs_found) - int(near.sum())) <= len(unsure) - int(near.sum())


def test_the_bounds_of_a_learned_basis_leave_few_pairs():
    """Of unlike facts fewer than one pair in a hundred thousand is left to the whole vectors, and
    at most 96 of 256 values are multiplied for all."""
    embedder = resolve("hrr-256")
    codes = embedder.embed_packed(facts(4000))
    basis = basis_of(embedder, codes, least=0.774, pairs=MANY)
    heads = basis.heads(embedder.rows(codes))
    assert heads.first.shape[1] <= 97
    at, of = passing(heads.part(0, 2000), heads.part(2000, 4000), 0.774)
    rows = embedder.rows(codes)
    real = int((rows[:2000] @ rows[2000:].T >= 0.774 - SLACK).sum())
    assert real <= len(at) <= real + 2000 * 2000 // 100_000
    assert len(at) == len(of)


def test_threads_change_nothing(monkeypatch):
    """One thread and several return the same pairs in the same order."""
    embedder = resolve("hrr-256")
    codes = embedder.embed_packed([f"the number {n % 700} of {n % 9} lamps" for n in range(3000)])
    fresh = np.ones(len(codes), bool)
    made = []
    for count in (1, 4):
        monkeypatch.setattr(search, "thread_count", lambda count=count: count)
        made.append(near_rows(embedder, codes, fresh, floor=0.8, limits=Limits(0.95, 5, 3)))
    assert len(made[0].later) > 1000
    for name in ("later", "earlier", "cosines", "crowded"):
        assert np.array_equal(getattr(made[0], name), getattr(made[1], name))


def test_an_error_in_a_thread_is_told(monkeypatch):
    """What goes wrong in one block ends the comparison."""

    def broken(*_):
        raise MemoryError

    monkeypatch.setattr(search, "passing", broken)
    embedder = resolve("hrr-256")
    codes = embedder.embed_packed(facts(20))
    with pytest.raises(MemoryError):
        near_rows(embedder, codes, np.ones(20, bool), floor=0.8, limits=UNBOUNDED)
