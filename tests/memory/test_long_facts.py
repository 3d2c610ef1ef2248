"""Long facts: few of them are read, fewer are scored, and the answers are those of scoring all."""

from __future__ import annotations

import random

import pytest

from tests.support import NOW, fact, put, view_at
from tideline_cli.memory import large, lexical
from tideline_cli.memory.query import Query, question_of
from tideline_cli.memory.search import Search
from tideline_cli.model.text import WITH_FORMS
from tideline_cli.ranking import bm25
from tideline_cli.ranking.one_word import combined


def paragraphs(count):
    rng = random.Random(3)
    signs = [chr(0x4E00 + n) for n in rng.sample(range(6000), 400)]
    made = ["".join(rng.choices(signs, k=rng.choice((1, 2, 2, 3)))) for _ in range(2000)]
    weights = [1 / (n + 20) for n in range(len(made))]
    return [",".join("".join(rng.choices(made, weights, k=8)) for _ in range(16))[:250]
            for _ in range(count)]  # fmt: skip


def search(db, question, limit=8):
    return lexical.best_by_words(view_at(db), Search(Query("", limit), question, limit, limit))


@pytest.fixture
def texts(db):
    every = paragraphs(300)
    put(db, [fact(text, f"ID{n:024d}", now=NOW - n) for n, text in enumerate(every)])
    return every


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", [7, 100, 250])
def test_a_sentence_of_a_paragraph_is_found_without_scoring_many(db, texts, place, monkeypatch):
    """Of 300 long facts some fifty are cut into terms; the best are those of scoring each."""
    question = question_of(texts[place][40:56], WITH_FORMS)
    scored = []
    score = bm25.score
    monkeypatch.setattr(bm25, "score", lambda *args: (scored.append(1), score(*args))[1])
    found = search(db, question).matches
    assert found[0].id == f"ID{place:024d}"
    assert len(scored) <= 80
    every = search(db, question, limit=len(texts)).matches
    assert [(one.id, one.score) for one in found] == [(one.id, one.score) for one in every[:8]]


def test_a_word_of_two_spellings_is_bounded_as_one(db, texts):
    """A question in traditional characters is bounded by what its words can add, not by all terms
    that they are looked up by."""
    question = question_of("懭徳五形唄", WITH_FORMS)
    assert question.forms is not None
    idf = dict.fromkeys(question.terms, 2.0)
    stats = bm25.Statistics(300, 500.0, idf, {}, question.forms)
    every = large.spelled(stats)
    others = sum(map(len, question.forms.others.values()))
    assert others > 2
    assert len(every) == len(question.terms) - others
    bound = sum(word.most for word in every)
    assert combined(idf, question.forms)[0] <= bound + 1e-9
    assert bound < sum(idf.values()) - others


@pytest.mark.parametrize("values", [[], [3.0], [1.0, 2.0], [2.0, 2.0, 1.0]])
def test_spellings_together_are_the_best_and_a_share(values):
    """Spellings add what the best adds, and a quarter of what the others do."""
    best = max(values, default=0.0)
    assert large.together(values) == pytest.approx(best + 0.25 * (sum(values) - best))


def test_a_term_behind_itself_counts_each_time(db):
    """What stands twice in a row is bounded as two occurrences: that fact is not left out."""
    rest = [f"w{n} " * 3 for n in range(40)]
    texts = [" ".join(rest[n % 7:]) + " other" * 9 for n in range(60)]
    texts += [" ".join(rest) + " deep" * 12, " ".join(rest) + " deep far" * 5]
    put(db, [fact(text, f"ID{n:024d}", now=NOW - n) for n, text in enumerate(texts)])
    found = search(db, question_of("deep other w3", WITH_FORMS), limit=2).matches
    assert {one.id for one in found} == {f"ID{60:024d}", f"ID{61:024d}"}
