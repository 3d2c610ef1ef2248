"""Facts found by their labels against brute force: the same facts with the same scores."""

from __future__ import annotations

from math import log
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.strategies import ORIGINS, VOCABULARY
from tests.property.test_lexical import asked_for, brute_force, filters, holds, modulator, queries
from tests.support import DAY, NOW, fact, fresh_store, often, put, searched
from tideline_cli.memory import by_label
from tideline_cli.memory import scorer as reading
from tideline_cli.memory.query import Question
from tideline_cli.model.source import STANDING
from tideline_cli.store import fts, visibility
from tideline_cli.store.facts import Filter

words = st.sampled_from(VOCABULARY)
label = st.one_of(st.none(), words)


@st.composite
def labelled_facts(draw):
    return [
        fact(
            " ".join(draw(st.lists(words, min_size=1, max_size=6))), f"ID{n:024d}",
            now=NOW - draw(st.integers(0, 90)) * DAY, origin=draw(st.sampled_from(ORIGINS)),
            title=draw(label), slot=draw(label), tags=tuple(draw(st.lists(words, max_size=2))),
            segment=draw(st.sampled_from(("knowledge", "project", "context"))),
            lifecycle=draw(st.sampled_from(("active", "active", "active", "archived"))),
            source=draw(st.sampled_from(("owner_message", "tool_output"))),
            valid_to=draw(st.sampled_from((None, None, NOW - DAY, NOW + DAY))),
        )
        for n in range(draw(st.integers(1, 14)))
    ]  # fmt: skip


def label_words(one):
    """Return the words of a fact's labels that its text does not hold."""
    return {word for word in (one.title, one.slot, *one.tags) if word} - set(one.content.split())


def with_labels(every, query, *, origin, wanted):
    """Return the score of each fact by its id: that of its text, and what its labels add."""
    scores = dict(brute_force(every, query, origin=origin, limit=len(every), wanted=wanted))
    mine = [one for one in every if one.origin == origin and holds(one, wanted)]
    mean = max(1.0, sum(len(one.content.split()) for one in mine) / max(1, len(mine)))
    moment = NOW if wanted.as_of is None else wanted.as_of
    for one in mine:
        named = [term for term in query if term in label_words(one)]
        if not named or not asked_for(one, wanted):
            continue
        norm = 1.2 * (0.25 + 0.75 * (len(one.content.split()) + len(label_words(one))) / mean)
        total = 0.0
        for term in named:
            n = sum(term in {*other.content.split(), *label_words(other)} for other in mine)
            idf = query[term] * log(1.0 + (len(mine) - n + 0.5) / (n + 0.5))
            total += idf * 2.2 / (1.0 + norm)
        factor = STANDING[one.source].weight * modulator(one, moment)
        scores[one.id] = scores.get(one.id, 0.0) + total * factor
    return scores


@settings(max_examples=often(37, 150))
@given(every=labelled_facts(), query=queries, wanted=filters, limit=st.integers(1, 20),
       origin=st.sampled_from(ORIGINS), few=st.sampled_from((1, 400)))  # fmt: skip
def test_labels_equal_brute_force(every, query, wanted, limit, origin, few):
    """The best of text and labels are those of scoring every fact of the origin; a fact that no
    label finds has the score of its text, whatever labels others have."""
    with fresh_store(analyzer="reference") as db, mock.patch.object(reading, "FEW", few):
        put(db, every, analyzer="reference")
        number = visibility.number(db, origin)
        found, _ = searched(
            db, Question(query), origin_number=number, now=NOW, limit=limit, wanted=wanted
        )
    scores = with_labels(every, query, origin=origin, wanted=wanted)
    expected = sorted(scores.values(), reverse=True)[:limit]
    assert [match.score for match in found] == pytest.approx(expected, abs=1e-12)
    by_id = {one.id: one for one in every}
    for match in found:
        assert match.score == pytest.approx(scores[match.id], abs=1e-12)
        named = label_words(by_id[match.id])
        assert match.why.label_terms == tuple(term for term in query if term in named)
        assert set(match.why.label_terms) <= set(match.why.matched_terms)


def test_what_is_bounded_is_the_newest(db):
    """Of a label on more facts than are read, the newest are found; those of rare labels go before
    those of common ones; all of them count for the idf."""
    put(db, [fact("green tea", f"ID{n:024d}", tags=("common",)) for n in range(30)])
    put(db, [fact("black tea", f"IE{n:024d}", tags=("rare",)) for n in range(3)])
    asked = {"origin_number": 1, "now": NOW, "limit": 50, "wanted": Filter()}
    exact, _ = searched(db, Question({"common": 1.0, "rare": 1.0}), **asked)
    assert len(exact) == 33
    with mock.patch.object(fts, "MOST_LABELLED", 10), mock.patch.object(by_label, "_MOST_READ", 8):
        few, _ = searched(db, Question({"common": 1.0, "rare": 1.0}), **asked)
    assert [match.id for match in few if match.id.startswith("IE")] == [
        f"IE{n:024d}" for n in range(3)
    ]
    assert {match.id for match in few if match.id.startswith("ID")} == {
        f"ID{n:024d}" for n in range(25, 30)
    }
    worth = {match.id: match.score for match in exact}
    assert all(match.score == worth[match.id] for match in few)
