"""Likeness to several texts at once, which embeds what waits once."""

from __future__ import annotations

import pytest

from tests.support import NOW, fact, put, view_at
from tideline_cli.memory import semantic
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER
from tideline_cli.ranking import priority
from tideline_cli.store.connection import writing

TEXTS = ("tea river kettle", priority.PROBE, "?!")


def _stored(db, *, embeds):
    words = ("tea", "river", "harbour", "kettle", "name", "user", "profile", "stone")
    put(db, [fact(" ".join(words[(i * step) % 8] for step in range(1, 2 + i % 6)), f"{i:026d}",
                  now=NOW - i) for i in range(1200)])  # fmt: skip
    if embeds:
        with writing(db):
            assert semantic.embed_backlog(db, origin_number=1, limit=2000) == 1200


def test_each_text_has_what_it_has_alone(db):
    """Each text has the same facts and cosines as by itself."""
    _stored(db, embeds=True)
    for limit in (5, 100):
        asked = {"limit": limit, "floor": 0.2}
        found, _ = semantic.likest(view_at(db), Query("tea"), TEXTS, **asked)
        assert [len(near) > 0 for near in found] == [True, True, False]
        for text, near in zip(TEXTS, found, strict=True):
            (alone,), _ = semantic.likest(view_at(db), Query("tea"), (text,), **asked)
            told = [(one.seq, cosine) for one, cosine in near]
            assert told == [(one.seq, cosine) for one, cosine in alone]


@pytest.mark.parametrize("embeds", [True, False])
def test_a_question_about_the_user_makes_each_vector_once(db, embeds):
    """Classes ask two questions, and embed what waits once."""
    _stored(db, embeds=embeds)
    answer = recall(db, Query("who likes tea", fusion="priority"), viewer=OWNER, now=NOW)
    assert answer.hits
    assert (answer.backlog is None) == embeds
