"""Dreaming night by night, against dreaming once; and the same memory dreams the same dream."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import NOW, PEER, fact, fresh_store, often, put
from tideline_cli.dream import comparison
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.exchange.jsonl import forms
from tideline_cli.memory.amend import archive_fact
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, journal, listing, passes, visibility, writes
from tideline_cli.store.connection import writing
from tideline_cli.vector.embedder import resolve
from tideline_cli.vector.search import Limits, near_rows

WORDS = "the user prefers dark mode tea green old editor on friday deploys at 喜欢 素食".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=3, max_size=7).map(" ".join)
ADD = st.tuples(st.just("add"), TEXTS, st.sampled_from([False, False, False, True]))
STEPS = st.tuples(
    st.lists(ADD, min_size=6, max_size=12),
    st.lists(
        st.one_of(
            ADD,
            st.tuples(st.just("archive"), st.integers(0, 30)),
            st.tuples(st.just("restore"), st.integers(0, 30)),
            st.tuples(st.just("remove"), st.integers(0, 30)),
            st.tuples(st.just("dream"), st.booleans()),
        ),
        min_size=4, max_size=25,
    ),
).map(lambda parts: parts[0] + parts[1])  # fmt: skip
KEEP = Settings(stages=("relate",), relate_at=0.8, max_loss=1.0)


def play(db, steps):
    """Do what the steps say; dreams among them only link, so that facts stay."""
    made = []
    for number, (verb, *given_) in enumerate(steps):
        if verb == "add":
            text, peer = given_
            one = fact(text, f"F{number:03}", now=NOW + number, origin=PEER if peer else OWNER)
            put(db, [one])
            made.append(one.id)
        elif verb == "dream":
            settings_ = KEEP if given_[0] else replace(KEEP, relate_at=0.7)
            dream(db, settings_, viewer=OWNER, now=NOW + number, dry_run=False)
        elif made:
            _change(db, verb, made[given_[0] % len(made)], NOW + number)


def _change(db, verb, fact_id, now):
    everything = listing.each(db, viewer=EVERYONE, wanted=facts.Filter(None))
    for one in [f for f in everything if f.id == fact_id]:
        if verb == "archive":
            with journal.batch(db, verb="forget", by=one.origin, now=now):
                archive_fact(db, one, by=None, now=now)
        elif verb == "restore":
            with journal.batch(db, verb="restore", by=one.origin, now=now):
                writes.change(db, one, replace(one, lifecycle="active", valid_to=None))
        else:
            with writing(db):
                db.execute("DELETE FROM fact WHERE id = ?", (fact_id,))


@given(STEPS)
@settings(max_examples=often(20, 60))
def test_night_by_night_finds_what_one_night_finds(steps):
    """Pairs that are compared once and kept are the pairs that a comparison of all finds."""
    with fresh_store() as db:
        play(db, steps)
        if visibility.number(db, OWNER) == visibility.NOBODY:
            return
        found = comparison.compare(db, origin_number=1, viewer=OWNER, floor=0.8)
        if found is None:
            return
        with writing(db):
            passes.forget_pairs(db, origin_number=1)
        anew = comparison.compare(db, origin_number=1, viewer=OWNER, floor=0.8)
        assert sorted(found.pairs) == sorted(anew.pairs)


@given(STEPS)
@settings(max_examples=often(10, 30))
def test_the_same_memory_dreams_the_same_dream(steps):
    """The same facts give the same export after a dream, to the byte."""
    exports = []
    for _ in range(2):
        with fresh_store() as db:
            play(db, steps)
            dream(db, Settings(max_loss=1.0), viewer=OWNER, now=NOW + 1000, dry_run=False)
            exports.append(list(forms(db, viewer=EVERYONE)))
    assert exports[0] == exports[1]


@given(
    st.lists(TEXTS, min_size=2, max_size=60), st.integers(0, 2**60),
    st.sampled_from(["hrr-256", "hash-256"]),
)  # fmt: skip
@settings(max_examples=often(20, 60))
def test_blocked_products_lose_no_pair(texts, seed, name):
    """Every pair whose exact cosine reaches the floor is found, whichever rows are fresh."""
    embedder = resolve(name)
    codes = embedder.embed_packed(texts)
    exact = embedder.embed(texts)
    cosines = exact @ exact.T
    fresh = np.array([bool(seed >> place & 1) for place in range(len(texts))])
    found = near_rows(embedder, codes, fresh, floor=0.8, limits=Limits(0.95, 10**6, 10**6))
    pairs = set(zip(found.later.tolist(), found.earlier.tolist(), strict=True))
    assert len(pairs) == len(found.later)
    wanted = {
        (a, b)
        for a in range(len(texts))
        for b in range(a)
        if cosines[a, b] >= 0.8 and (fresh[a] or fresh[b])
    }
    assert wanted <= pairs
    assert all(cosines[a, b] >= 0.8 - 3 * embedder.tolerance for a, b in pairs)


def test_a_crowd_of_alike_facts_stays_bounded():
    """Of many partners each row keeps the most alike; those with more twins are named."""
    embedder = resolve("hrr-256")
    texts = [f"The colour number {n} of the user is blue" for n in range(3000)] + ["same"] * 200
    codes = embedder.embed_packed(texts)
    limits = Limits(0.95, 5, 3)
    whole = near_rows(embedder, codes, np.ones(len(texts), bool), floor=0.8, limits=limits)
    counts = np.bincount(whole.later, minlength=len(texts))
    assert counts.max() <= 8
    assert set(range(3006, 3200)) <= set(whole.crowded.tolist())
    late = np.zeros(len(texts), bool)
    late[2900:] = True
    first = near_rows(embedder, codes[:2900], np.ones(2900, bool), floor=0.8, limits=limits)
    second = near_rows(embedder, codes, late, floor=0.8, limits=limits)
    pairs = [set(zip(n.later.tolist(), n.earlier.tolist(), strict=True)) for n in
             (whole, first, second)]  # fmt: skip
    assert pairs[0] == pairs[1] | pairs[2]
