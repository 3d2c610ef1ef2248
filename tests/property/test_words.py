"""Questions whose words have forms and weights against a plain formula: every fact read, a word
counted once in text and labels."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.test_lexical import bounded, modulator, summed
from tests.support import DAY, NOW, fact, fresh_store, often, put, searched
from tideline_cli.memory import scorer as reading
from tideline_cli.memory.query import Match, question_of
from tideline_cli.model.fact import role_weight, trust
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.model.record import replace
from tideline_cli.model.text import WITH_FORMS, index_terms, terms
from tideline_cli.ranking import bm25, one_word
from tideline_cli.store import visibility
from tideline_cli.store.facts import Filter

PEER = channel("wa", "c", "s")
WORDS = ("Zürich", "Zurich", "mice", "mouse", "5GB", "5 GB", "F-07", "f07", "e-mail", "email",
         "went", "go", "office", "the", "note", "about")  # fmt: skip
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
rows = st.lists(
    st.fixed_dictionaries({
        "content": texts, "title": st.one_of(st.none(), st.none(), texts),
        "origin": st.sampled_from((OWNER, OWNER, PEER)),
        "role": st.sampled_from((None, "user", "assistant")),
        "source": st.sampled_from(("owner_message", "tool_output")),
    }),
    min_size=1, max_size=14,
)  # fmt: skip


def word_worth(forms, worth, said):
    """Return what terms add: of the spellings and parts of a word the best, and a quarter of the
    rest; another spelling eight tenths of itself, and a quarter a small part of a word that the
    question says as a whole."""

    def best(ways):
        return max(ways) + 0.25 * (sum(ways) - max(ways)) if ways else 0.0

    left = dict(worth)
    for term, others in forms.others.items():
        ways = [0.8 * left.pop(other) for other in others if other in left]
        ways += [left.pop(term)] if term in left else []
        if ways:
            left[term] = best(ways)
    for parts, wholes in forms.wholes:
        there = [part for part in parts if part in left]
        is_small = 2 * len("".join(there)) < len("".join(parts)) and not said.issuperset(parts)
        held = [left.pop(part) * (0.25 if is_small else 1) for part in there]
        ways = [left.pop(whole) for whole in wholes if whole in left]
        ways += [sum(held)] if held else []
        if ways:
            left[parts[0]] = best(ways)
    return sum(left.values())


def expected(every, question, text, origin):
    said = set(terms(text, analyzer=WITH_FORMS))
    mine = [one for one in every if one.origin == origin]
    texts = {one.id: [*index_terms(one.content, analyzer=WITH_FORMS)] for one in mine}
    labels = {
        one.id: set(index_terms(one.title or "", analyzer=WITH_FORMS)) - set(texts[one.id])
        for one in mine
    }
    mean = max(1.0, sum(map(len, texts.values())) / max(1, len(mine)))

    def idf(term, *, labelled):
        others = {} if labelled or question.forms is None else question.forms.others
        group = next(([head, *more] for head, more in others.items() if term in (head, *more)), [])
        alike = [one for one in group if one.isalpha()] if term in group[1:] else []
        alike = alike if term.isalpha() else []
        n = max(
            sum(one in texts[key] or (labelled and one in labels[key]) for key in texts)
            for one in {term, *alike}
        )
        return question.weights[term] * log(1.0 + (len(mine) - n + 0.5) / (n + 0.5))

    scores = {}
    for one in mine:
        listed, named = texts[one.id], labels[one.id]
        norm = 1.2 * (0.25 + 0.75 * len(listed) / mean)
        wide = 1.2 * (0.25 + 0.75 * (len(listed) + len(named)) / mean)
        worth = {}
        for term in question.terms:
            f = listed.count(term)
            if f:
                worth[term] = idf(term, labelled=False) * f * 2.2 / (f + norm)
            elif term in named:
                worth[term] = idf(term, labelled=True) * 2.2 / (1.0 + wide)
        total = sum(worth.values()) if question.forms is None else word_worth(
            question.forms, worth, said
        )
        if total:
            factor = trust(one.source, one.confidence) * role_weight(one.role)
            scores[one.id] = total * factor * modulator(one, NOW)
    return scores


@settings(max_examples=often(30, 120))
@given(rows=rows, text=texts, limit=st.integers(1, 8), origin=st.sampled_from((OWNER, PEER)),
       few=st.sampled_from((1, 400)), enough=st.sampled_from((0, 1 << 40)),
       long=st.sampled_from((None, 0)))  # fmt: skip
def test_words_equal_brute_force(rows, text, limit, origin, few, enough, long):
    """The best by words with forms, weights, roles and labels are those of reading all facts."""
    every = [fact(row["content"], f"ID{n:024d}", now=NOW - n * DAY,
                  **{name: value for name, value in row.items() if name != "content"})
             for n, row in enumerate(rows)]  # fmt: skip
    question = replace(question_of(text, WITH_FORMS), by_beginning=False)
    patching = pytest.MonkeyPatch.context()
    with fresh_store() as db, summed(enough, chunk=8, long=long), patching as patch:
        patch.setattr(reading, "FEW", few)
        put(db, every)
        bounded(db, 4096)
        sure, weak = searched(
            db, question, origin_number=visibility.number(db, origin), now=NOW, limit=limit,
            wanted=Filter(),
        )  # fmt: skip
    found = sorted([*sure, *weak], key=Match.order)[:limit]
    scores = expected(every, question, text, origin) if question.weights else {}
    best = sorted(scores.values(), reverse=True)[:limit]
    assert [match.score for match in found] == pytest.approx(best, abs=1e-12)
    assert [match.score for match in found] == pytest.approx(
        [scores[match.id] for match in found], abs=1e-12
    )


def test_a_form_weighs_as_much_as_its_word():
    """Forms share the weight of their word: a common one half. One that is said twice counts twice
    as it is said, and its forms, which nobody said, once."""
    question = question_of("tell mice about mice in Zürich", WITH_FORMS)
    assert (question.weights["mice"], question.weights["mous"]) == (2.0, 1.0)
    twice = question_of("mice and mouse, mice", WITH_FORMS)
    assert (twice.weights["mice"], twice.weights["mous"]) == (2.0, 1.0)
    assert question.weights["zürich"] == question.weights["zurich"] == 1.0
    assert question.weights["tell"] == question.weights["about"] == 0.5
    assert question.weights["told"] == 0.5


def test_a_word_keeps_how_rare_it_is_beside_a_common_form():
    """A rare word with a common form is as rare as it is; the form is as common as it is, and a
    rare form as common as its word."""
    weights = {"programm": 1.0, "program": 1.0}
    forms = question_of("programmer", WITH_FORMS).forms
    found = bm25.statistics(100, 1000, {"programm": 2, "program": 60}, weights, forms)
    assert found.idf == {"programm": bm25.idf_of(100, 2), "program": bm25.idf_of(100, 60)}
    found = bm25.statistics(100, 1000, {"programm": 60, "program": 2}, weights, forms)
    assert found.idf == dict.fromkeys(("programm", "program"), bm25.idf_of(100, 60))


def test_a_small_part_of_a_word_counts_a_quarter():
    """Of EL1, which the question says as a whole, the 1 alone says little; el says the most of it;
    of a word that the question says in parts each part is a word."""
    values = {"el": 2.0, "1": 2.0}
    el1 = question_of("EL1", WITH_FORMS).forms
    assert one_word.combined({"1": values["1"]}, el1) == (0.5, ("1",))
    assert one_word.combined({"el": values["el"]}, el1) == (2.0, ("el",))
    assert one_word.combined(values, el1) == (4.0, ("el", "1"))
    parts = question_of("EL 1", WITH_FORMS).forms
    assert parts is None or one_word.combined({"1": 2.0}, parts) == (2.0, ("1",))
