"""The lexical lane against brute force: the same facts, the same scores, the same order."""

from __future__ import annotations

import random
from contextlib import contextmanager
from math import exp, log
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.strategies import DRAWN, ORIGINS, VOCABULARY, ranked_fact
from tests.support import DAY, NOW, fact, fresh_store, often, put, searched
from tideline_cli.memory import large, lexical
from tideline_cli.memory import scorer as reading
from tideline_cli.memory.query import Question
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.model.source import STANDING
from tideline_cli.store import as_of, common_postings, score_bounds, visibility, writes
from tideline_cli.store.connection import writing
from tideline_cli.store.facts import Filter


def asked_for(one, wanted):
    return (
        (not wanted.segments or one.segment in wanted.segments)
        and set(wanted.tags) <= set(one.tags)
        and (wanted.since is None or one.created_at >= wanted.since)
        and (wanted.until is None or one.created_at <= wanted.until)
    )


def holds(one, wanted):
    if wanted.as_of is None:
        begun = one.valid_from is None or one.valid_from <= NOW
        return one.lifecycle == "active" and begun and (one.valid_to is None or one.valid_to > NOW)
    begins = one.created_at if one.valid_from is None else one.valid_from
    ends = one.valid_to is None or one.valid_to > wanted.as_of
    return one.lifecycle != "pruned" and begins <= wanted.as_of and ends


def brute_force(every, query, *, origin, limit, wanted, weighs_roles=True):
    """Return (id, score) of the best for terms with their weights, by reading all facts."""
    mine = [one for one in every if one.origin == origin and holds(one, wanted)]
    held = {one.id: one.content.split() for one in mine}
    if not mine:
        return []
    mean = max(1.0, sum(map(len, held.values())) / len(mine))
    moment = NOW if wanted.as_of is None else wanted.as_of
    ranked = []
    for one in mine:
        total = 0.0
        for term in query:
            n = sum(term in listed for listed in held.values())
            f = held[one.id].count(term)
            norm = 1.2 * (1.0 - 0.75 + 0.75 * len(held[one.id]) / mean)
            idf = log(1.0 + (len(mine) - n + 0.5) / (n + 0.5))
            total += query[term] * idf * f * 2.2 / (f + norm) if f else 0.0
        if total > 0 and asked_for(one, wanted):
            sure = 1.0 if one.confidence is None else one.confidence
            trusted = STANDING[one.source].weight * sure
            spoken = 0.65 if weighs_roles and one.role in ("assistant", "tool") else 1.0
            factor = trusted * modulator(one, moment) * spoken
            ranked.append((-total * factor, -one.created_at, one.id))
    return [(fact_id, -score) for score, _, fact_id in sorted(ranked)[:limit]]


def modulator(one, moment):
    if one.tier == "permanent" or one.pinned:
        return 1.0
    days = max(0.0, (moment - one.last_accessed_at) / DAY)
    rate = 0.8 * log(2) / (11.25 * (1 + one.importance)) * (1 + one.decay_rate)
    strength = one.importance * exp(-rate * days) * (1 + 0.1 * log(1 + one.access_count))
    return 0.5 + 0.5 * min(1.0, max(0.0, strength))


def assert_same(db, every, query, *, origin, limit, wanted, weighs_roles=True):
    number = visibility.number(db, origin)
    question = Question(query, analyzer="standard" if weighs_roles else "reference")
    found, _ = searched(
        db, question, origin_number=number, now=NOW, limit=limit, wanted=wanted
    )
    how = {"origin": origin, "wanted": wanted, "weighs_roles": weighs_roles}
    expected = brute_force(every, query, limit=limit, **how)
    assert [match.score for match in found] == pytest.approx([s for _, s in expected], abs=1e-12)
    scores = dict(brute_force(every, query, limit=len(every), **how))
    for match in found:
        assert match.score == pytest.approx(scores[match.id], abs=1e-12)
    if len({round(score, 9) for score in scores.values()}) == len(scores):
        assert [match.id for match in found] == [fact_id for fact_id, _ in expected]
    elif len({(round(s, 9)) for _, s in expected}) == 1:
        assert len({match.id for match in found}) == len(expected)


def bounded(db, limit):
    """Make the bytes of up to `limit` facts, and keep which facts hold common terms."""
    with writing(db):
        score_bounds.extend(db, limit=limit, origin_number=None)
        common_postings.settle_all(db)


@contextmanager
def summed(enough=0, chunk=64, long=None):
    """Add sums up as bits from so many holders on, with rows of common terms of so many facts; take
    facts for long from a mean of `long` terms on, where no sums are added as bits."""
    with (
        mock.patch.object(lexical, "LONG", lexical.LONG if long is None else long),
        mock.patch.object(lexical, "FEW_HOLDERS", 0 if long is None else 1 << 40),
        mock.patch.object(large, "_WORTH", large._WORTH if long is None else chunk / 16),
        mock.patch.object(lexical, "ENOUGH", enough),
        mock.patch.object(lexical, "LARGE", enough),
        mock.patch.object(lexical, "MANY", 4),
        mock.patch.object(large, "_SPARSE", chunk // 16),
        mock.patch.object(lexical, "MUCH", 0),
        mock.patch.object(common_postings, "CHUNK", chunk),
        mock.patch.object(common_postings, "TOKENS", 1),
        mock.patch.object(common_postings, "_LEAST_GROWN", 0),
        mock.patch.object(common_postings, "_HOLDERS", 3),
    ):
        yield


WEIGHTS = (1.0, 1.0, 0.5, 2.0, 1.5)
queries = st.dictionaries(
    st.sampled_from([*VOCABULARY, "nowhere"]), st.sampled_from(WEIGHTS), min_size=1, max_size=6
)
filters = st.builds(
    Filter,
    segments=st.sampled_from(((), (), ("knowledge", "project"))),
    tags=st.sampled_from(((), (), ("x",))),
    since=st.sampled_from((None, None, NOW - 60 * DAY)),
    until=st.sampled_from((None, None, NOW - DAY)),
    as_of=st.sampled_from((None, None, None, NOW - 30 * DAY, NOW + 10 * DAY)),
)


@settings(max_examples=often(50, 150))
@given(st.data())
def test_search_equals_brute_force(data):
    """For any store, query, limit and filter the best facts are those of reading all of them."""
    every = [ranked_fact(data.draw, n) for n in range(data.draw(st.integers(0, 14)))]
    few = data.draw(st.sampled_from((0, 1, 3, 400)))
    analyzer = data.draw(st.sampled_from(("standard", "standard", "reference")))
    with (
        fresh_store(analyzer=analyzer) as db,
        summed(data.draw(st.sampled_from((0, 1 << 40))), chunk=8,
               long=data.draw(st.sampled_from((None, 0)))),
        mock.patch.object(reading, "FEW", max(few, 1)),
        mock.patch.object(reading, "_MANY", max(few - 1, 0)),
        mock.patch.object(as_of, "_FEW", few),
        mock.patch.object(as_of, "_PASSED", data.draw(st.sampled_from((16, 1 << 40)))),
    ):
        split = data.draw(st.integers(0, len(every)))
        put(db, every[:split], analyzer="reference")
        bounded(db, data.draw(st.integers(1, 20)))
        put(db, every[split:], analyzer="reference")
        for _ in range(3):
            assert_same(
                db, every, data.draw(queries), origin=data.draw(st.sampled_from(ORIGINS)),
                limit=data.draw(st.integers(1, 20)), wanted=data.draw(filters),
                weighs_roles=analyzer == "standard",
            )  # fmt: skip


def large_store(seed):
    rng = random.Random(seed)
    words = [f"w{n}" for n in range(60)]
    weights = [1 / (n + 1) for n in range(60)]
    for number in range(300):
        created = NOW - rng.randrange(200 * DAY)
        yield fact(
            " ".join(rng.choices(words, weights, k=rng.choice((1, 2, 3, 5, 8, 20, 60)))),
            f"ID{number:024d}", now=created, segment=rng.choice(DRAWN["segment"]),
            source=rng.choice((*DRAWN["source"], *["owner_message"] * 8)),
            origin=rng.choice((OWNER, OWNER, *ORIGINS)),
            importance=rng.random(), confidence=rng.choice((None, None, rng.random())),
            lifecycle=rng.choice(("active",) * 8 + ("archived",)),
            valid_to=rng.choice((None,) * 8 + (NOW - DAY, NOW + DAY)),
            valid_from=rng.choice((None,) * 8 + (NOW - DAY, NOW + DAY)),
            pinned=rng.random() < 0.1, access_count=rng.randrange(5),
            role=rng.choice((None, None, "user", "assistant", "tool")),
        )  # fmt: skip


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(often(3, 8)))
@pytest.mark.parametrize("few", [2, 17])
@pytest.mark.parametrize("is_orderly", [False, True])
@pytest.mark.parametrize(("enough", "long"), [(0, None), (1 << 40, None), (1 << 40, 0)])
def test_bounded_search_equals_brute_force(seed, few, is_orderly, enough, long):
    """A store too large to be read is searched by its bounds, and gives the same answers, whether
    or not its facts came in the order in which they were made, and when all are taken for long."""
    every = list(large_store(seed))
    rng = random.Random(seed + 1000)
    if is_orderly:
        every.sort(key=lambda one: one.created_at)
        every[100], every[200] = every[200], every[100]
    with (
        fresh_store() as db,
        summed(enough, long=long),
        mock.patch.object(reading, "FEW", few),
        mock.patch.object(reading, "_MANY", 0),
        mock.patch.object(as_of, "_FEW", few),
        mock.patch.object(as_of, "_PASSED", 1 << 40 if is_orderly else 16),
    ):
        half = rng.randrange(len(every))
        put(db, every[:half], analyzer="reference")
        bounded(db, rng.choice((10, 100, 4096)))
        put(db, every[half:], analyzer="reference")
        for _ in range(40):
            listed = rng.sample([f"w{n}" for n in range(62)], rng.randint(1, 7))
            query = {term: rng.choice(WEIGHTS) for term in listed}
            then = NOW - rng.randrange(-10, 200) * DAY + rng.choice((0, 0, 0, 400 * DAY))
            wanted = rng.choice((
                Filter(), Filter(), Filter(segments=("project", "context")), Filter(as_of=then),
                Filter(as_of=then, segments=("project",)),
            ))  # fmt: skip
            assert_same(
                db, every, query, origin=rng.choice(ORIGINS), limit=rng.choice((1, 3, 8, 20)),
                wanted=wanted,
            )  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("wanted", [Filter(), Filter(as_of=NOW - DAY), Filter(as_of=NOW + DAY)])
def test_the_past_is_searched_by_bounds(db, wanted, monkeypatch):
    """Of many facts with a common word a question reads a part, about the past too."""
    every = [
        fact("common words " * (1 + n % 9) + "rare" * (n % 99 == 0), f"ID{n:024d}",
             now=NOW - n * DAY // 1000)
        for n in range(2000)
    ]  # fmt: skip
    put(db, every, analyzer="reference")
    bounded(db, 4096)
    read = []
    add = lexical.Scorer.add
    monkeypatch.setattr(
        lexical.Scorer, "add", lambda self, rows: (read.extend(rows), add(self, rows))
    )
    assert_same(db, every, {"common": 1.0, "rare": 1.0}, origin=OWNER, limit=5, wanted=wanted)
    assert 0 < len(read) < 500


@pytest.mark.nightly
@pytest.mark.parametrize("lasting", [False, True])
def test_faded_facts_are_not_read(db, lasting, monkeypatch):
    """Long after their last use facts score half of their bounds; those that a fact which lasts, or
    was used of late, leaves behind are not read, in a question about the future or of today."""
    every = [
        fact(f"common {'words ' * (n % 4)}", f"ID{n:024d}", now=NOW - 300 * DAY + n)
        for n in range(3000)
    ]
    every[1500] = replace(every[1500], last_accessed_at=NOW - DAY, access_count=2)
    if lasting:
        every[700] = replace(every[700], pinned=True)
    put(db, every, analyzer="reference")
    bounded(db, 4096)
    monkeypatch.setattr(reading, "_MANY", 100)
    read = []
    add = lexical.Scorer.add
    monkeypatch.setattr(
        lexical.Scorer, "add", lambda self, rows: (read.extend(rows), add(self, rows))
    )
    for wanted in (Filter(), Filter(as_of=NOW), Filter(as_of=NOW + 900 * DAY)):
        read.clear()
        query = {"common": 1.0, "words": 1.0}
        assert_same(db, every, query, origin=OWNER, limit=1 + lasting, wanted=wanted)
        assert 0 < len(read) < 2000


def test_a_fact_that_never_weighed_much_does_not_fade_twice(db, monkeypatch):
    """The byte of a fact of no importance bounds it as faded already: looking at what has faded
    does not leave it out."""
    fresh = [("common words here too", 0.9)] * 12
    every = [
        fact(text, f"ID{n:024d}", now=NOW - 300 * DAY + n, importance=importance)
        for n, (text, importance) in enumerate([*fresh, *[("common words", 0.002)] * 30])
    ]
    put(db, every, analyzer="reference")
    bounded(db, 4096)
    monkeypatch.setattr(reading, "FEW", 10)
    monkeypatch.setattr(reading, "_MANY", 0)
    assert_same(db, every, {"common": 1.0}, origin=OWNER, limit=10, wanted=Filter())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("enough", [0, 1 << 40])
def test_statistics_follow_what_is_archived_and_used(db, enough, monkeypatch):
    """Archiving, touching and changing facts afterwards, their roles too, leaves ranking equal to
    brute force."""
    every = [one for one in large_store(99) if one.origin == OWNER]
    monkeypatch.setattr(lexical, "ENOUGH", enough)
    monkeypatch.setattr(lexical, "MUCH", 0)
    put(db, every, analyzer="reference")
    bounded(db, 50)
    rng = random.Random(7)
    for n, one in enumerate(list(every)):
        if n % 3 == 0:
            writes.archive(db, one.id, now=NOW - 1)
            every[n] = replace(one, lifecycle="archived", valid_to=NOW - 1)
        elif n % 5 == 0:
            after = replace(one, lifecycle="active", pinned=True)
            writes.change(db, one, after)
            every[n] = after
        elif n % 7 < 3:
            every[n] = replace(one, role=rng.choice((None, "user", "assistant")))
            writes.change(db, one, every[n])
    assert score_bounds.wrong_count(db) == 0
    for _ in range(60):
        query = dict.fromkeys(rng.sample([f"w{n}" for n in range(30)], 3), 1.0)
        assert_same(db, every, query, origin=OWNER, limit=8, wanted=Filter())
