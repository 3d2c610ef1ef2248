"""Fusion by scores: likeness of a learned embedder adds a share to what the words are worth."""

from __future__ import annotations

import pytest

from tests.support import NOW, fact, put
from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.memory import likeness
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER
from tideline_cli.store.connection import put_setting, writing

TEXTS = ("a red car", "an automobile", "red wine", "a car for rent")
COSINES = {1: 0.5, 2: 0.9, 3: 0.2, 4: 0.6}


@pytest.fixture
def store(db, monkeypatch):
    put(db, [fact(text, f"F{n}", now=NOW - n) for n, text in enumerate(TEXTS)])
    with writing(db):
        put_setting(db, "embedder", "fake 0 4")
    found = sorted(COSINES.items(), key=lambda pair: -pair[1])
    monkeypatch.setattr(likeness, "nearest", lambda *_, **__: found)
    monkeypatch.setattr(
        likeness, "of_facts", lambda _, __, seqs, **___: {seq: COSINES[seq] for seq in seqs}
    )
    monkeypatch.setattr(likeness, "floor", lambda _: 0.3)
    return db


def test_likeness_adds_a_share_of_the_best_score(store):
    """The likest fact gets 0.3 of the best score, others in proportion to how far they pass the
    middle; the parts add up to the score."""
    alone = recall(store, Query("red car", limit=3, mode="keyword"), viewer=OWNER, now=NOW).hits
    words = {hit.fact.content: hit.score for hit in alone}
    answer = recall(store, Query("red car", limit=4), viewer=OWNER, now=NOW)
    assert answer.fusion == "score"
    best, least = max(words.values()), sorted(COSINES.values())[1]
    for hit in answer.hits:
        cosine = COSINES[TEXTS.index(hit.fact.content) + 1]
        share = max(0.0, cosine - least) / (0.9 - least)
        added = 0.3 * best * share * hit.why.modulator
        assert hit.why.likeness == pytest.approx(added, abs=1e-12)
        assert hit.score == pytest.approx(words.get(hit.fact.content, 0.0) + added, abs=1e-12)
    assert {hit.fact.content: hit.why.lane for hit in answer.hits}["an automobile"] == "vector"
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)


def test_append_leaves_the_words_alone(store):
    """--fusion append puts likeness below all words, as without a learned embedder."""
    alone = recall(store, Query("red car", limit=3, mode="keyword"), viewer=OWNER, now=NOW).hits
    found = recall(store, Query("red car", limit=3, fusion="append"), viewer=OWNER, now=NOW)
    assert found.fusion == "append"
    assert [hit.score for hit in found.hits] == [hit.score for hit in alone]


def test_without_the_embedder_words_decide(store, monkeypatch):
    """Where the embedder cannot be had the answer is that of the words, and says why."""

    def missing(*_, **__):
        raise UnavailableError("not here")

    monkeypatch.setattr(likeness, "nearest", missing)
    alone = recall(store, Query("red car", limit=3, mode="keyword"), viewer=OWNER, now=NOW).hits
    found = recall(store, Query("red car", limit=3), viewer=OWNER, now=NOW)
    assert [hit.score for hit in found.hits] == [hit.score for hit in alone]
    assert found.lacking is not None and found.fusion == "append"


def test_scores_need_a_learned_embedder(db):
    """--fusion score with an embedder that knows no meanings is refused with a hint."""
    put(db, [fact("a red car", "F1")])
    with pytest.raises(UsageError, match="learned"):
        recall(db, Query("red car", fusion="score"), viewer=OWNER, now=NOW)
