"""Near-duplicates are found as reading every fact would find them, by the reference's rule."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.strategies import ORIGINS, sources
from tests.support import NOW, fresh_store, often
from tideline_cli.memory import rivals
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking.score_bounds import bound_code, may_have_distinct
from tideline_cli.store import score_bounds, visibility, writes
from tideline_cli.store.connection import writing


def named(letter, number):
    """Return a word for a number."""
    return letter + "".join(chr(ord("a") + int(digit)) for digit in str(number))


class Model:
    """The active facts by brute force: the first that is like enough, and may be touched."""

    def __init__(self):
        self.facts = []  # (id, terms, source, origin)

    def twin(self, terms, source, origin):
        for fact_id, held, said_by, whose in self.facts:
            if whose == origin and is_trusted(source) == is_trusted(said_by):
                union = len(held | terms)
                if union and len(held & terms) / union >= 0.85:
                    return fact_id
        return None


def write_and_compare(db, model, number, words, source, origin):
    new = NewFact(" ".join(words), "knowledge", source, origin)
    done = remember(db, new, fact_id=f"F{number:06d}", now=NOW + number)
    expected = model.twin(frozenset(words), source, origin)
    if expected is None:
        assert (done.action, done.fact.id) == ("created", f"F{number:06d}")
        model.facts.append((done.fact.id, frozenset(words), source, origin))
    else:
        assert (done.action, done.fact.id) == ("reinforced", expected)


def near_texts(draw):
    """A text of distinct terms, and small changes of it."""
    size = draw(st.sampled_from((1, 2, 6, 7, 8, 13, 14, 20, 41, 60)))
    base = [named("t", n) for n in range(size)]
    gone = draw(st.sets(st.sampled_from(base), max_size=1 + size // 6))
    others = [named("x", n) for n in range(9)]
    extra = draw(st.lists(st.sampled_from(others), max_size=1 + size // 6))
    words = [word for word in base if word not in gone] + extra
    return words or [named("t", 0)]


@settings(max_examples=often(20, 60))
@given(st.data())
def test_twins_equal_brute_force(data):
    """A write reinforces the first fact with a Jaccard of at least 0.85 that it may touch, whether
    candidates are read or looked up in the bytes first."""
    many = mock.patch.object(rivals, "_MANY", data.draw(st.sampled_from((0, 256))))
    sooner = data.draw(st.sampled_from((0, 1024)))
    with (
        fresh_store(analyzer="reference", sameness="reference") as db,
        many,
        mock.patch.object(rivals, "_READ_SOONER", sooner),
    ):
        model = Model()
        for number in range(data.draw(st.integers(1, 14))):
            write_and_compare(
                db, model, number, near_texts(data.draw), data.draw(sources),
                data.draw(st.sampled_from(ORIGINS[:2])),
            )  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_twins_among_many_equal_brute_force(seed):
    """In a store of many similar texts the first twin is found as well."""
    rng = random.Random(seed)
    words = [named("v", n) for n in range(25)]
    with fresh_store(analyzer="reference", sameness="reference") as db:
        model = Model()
        for number in range(120):
            base = words[: rng.choice((3, 7, 9, 16, 25))]
            chosen = [w for w in base if rng.random() > 0.06] or [named("v", 0)]
            if rng.random() < 0.3:
                chosen = [*chosen, named("rare", rng.randrange(40))]
            rng.shuffle(chosen)
            source = rng.choice(("owner_message", "owner_message", "tool_output"))
            write_and_compare(db, model, number, chosen, source, ORIGINS[0])
            if rng.random() < 0.1 and model.facts:
                gone = model.facts.pop(rng.randrange(len(model.facts)))
                with writing(db):
                    writes.archive(db, gone[0], now=NOW)
        assert visibility.number(db, ORIGINS[0]) == 1


def test_figures_part_facts():
    """A text that differs in a number alone is another fact, and in a slot it replaces."""
    text = "The staging server of project Atlas behind the old proxy listens on port 80{}"
    for slot in (None, "port"):
        with fresh_store() as db:
            for number, port in enumerate((80, 81)):
                new = NewFact(text.format(port), "knowledge", "owner_message", ORIGINS[0],
                              slot=slot)  # fmt: skip
                done = remember(db, new, fact_id=f"F{number}", now=NOW + number)
                assert done.fact.id == f"F{number}"
            assert done.action == ("created" if slot is None else "superseded")


@given(
    words=st.lists(st.sampled_from("abcdefgh"), max_size=110), source=sources,
    least=st.integers(0, 9), most=st.integers(0, 12),
)  # fmt: skip
def test_no_byte_rules_out_a_fact_of_that_size(words, source, least, most):
    """A fact with so many distinct terms passes, whatever its length and its repeats."""
    if least <= len(set(words)) <= most:
        assert may_have_distinct(least, most)[bound_code(words, source, said=len(words))]


def test_a_common_word_reads_the_facts_of_its_size_alone(db, monkeypatch):
    """Among many facts that hold a word, one that says nothing else is found, and few are read."""
    texts = ["tea", "tea tea tea tea", *(f"tea with {named('v', n)} milk" for n in range(400))]
    for number, text in enumerate(texts):
        new = NewFact(text, "knowledge", "owner_message", ORIGINS[0])
        remember(db, new, fact_id=f"F{number:06d}", now=NOW)
    with writing(db):
        score_bounds.extend(db, limit=1000, origin_number=None)
    read = []
    terms_of = rivals.fts.terms_of

    def counting(db, seqs, *, origin_number):
        read.extend(seqs)
        return terms_of(db, seqs, origin_number=origin_number)

    holding = rivals.fts.holding
    listed = []

    def noting(*given, **more):
        found = holding(*given, **more)
        listed.extend(found)
        return found

    monkeypatch.setattr(rivals.fts, "terms_of", counting)
    monkeypatch.setattr(rivals.fts, "holding", noting)
    new = NewFact("Tea.", "knowledge", "owner_message", ORIGINS[0])
    done = remember(db, new, fact_id="FX", now=NOW)
    assert (done.action, done.fact.id) == ("reinforced", "F000000")
    assert len(read) <= rivals._FEW + 3
    assert len(listed) <= rivals._MANY + 1
