"""Hits that rest on little are marked as weak, and keep their place and score."""

from __future__ import annotations

import pytest

from tideline_cli.model.text import terms
from tideline_cli.ranking import worth

FACTS = (
    "Go is my favourite language for servers", "I am allergic to penicillin",
    "dentist on Tuesday at nine", "My car insurance number is 4711-22", "The user is vegetarian",
    "The boiler needs 1.5 bar",
)  # fmt: skip


@pytest.fixture
def told(run):
    for text in FACTS:
        run("remember", text)


def hits(run, *words):
    found = run("recall", *words, "--json", "--no-touch").json["hits"]
    return [(hit["content"].split()[0], hit["weak"]) for hit in found]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("when do I go to the dentist", [("dentist", False), ("Go", True)]),
        ("how tall am I", [("I", True)]),
        ("who is my boss", []),  # stop words are not like anything
        ("go", [("Go", False)]),  # a question of one word asks for it
        ("vegetarin", [("The", False)]),  # likeness alone, and much of it
        ("boiler warranty", [("The", False)]),  # one word, but none that is common
        ("which language for servers", [("Go", False)]),
    ],
)
def test_a_weak_hit_is_marked(run, told, asked, expected):
    """One common word of a longer question, or little likeness, makes a hit weak; no other does."""
    assert hits(run, asked) == expected


def test_a_word_that_many_facts_hold_is_common(run):
    """A name that a share of the memory holds tells its facts apart no more."""
    for n in range(8):
        run("remember", f"Caroline has visited place{n}")
    assert all(weak for _, weak in hits(run, "Caroline and her piano"))
    assert hits(run, "place3 and her piano", "-n", "1") == [("Caroline", False)]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_no_order_and_no_score_depends_on_it(run, told, monkeypatch, mode):
    """With every hit weak, or none, the answer is the same but for the mark."""
    ask = ("recall", "dentist on Tuesdays", "--json", "--no-touch", "--mode", mode)
    answers = []
    for verdict in (True, False):
        monkeypatch.setattr(worth, "is_weak_match", lambda *_, verdict=verdict, **__: verdict)
        monkeypatch.setattr(worth, "is_weak_likeness", lambda *_, verdict=verdict, **__: verdict)
        found = run(*ask).json["hits"]
        answers.append([{**hit, "weak": None} for hit in found])
    assert answers[0] == answers[1] != []


def test_a_terminal_shows_what_a_hit_is_worth(run, told):
    """A table says that a match is weak, how old a fact is, its slot and its document."""
    run("remember", "Postgres 16 it is", "--slot", "pg_version", "--title", "Ops handbook",
        "--now", "2026-01-01")  # fmt: skip
    shown = run("recall", "how tall am I", "--format", "table").out
    assert "weak match\n" in shown
    assert "just now" in shown
    shown = run("recall", "postgres", "--format", "table", "--now", "2026-01-04").out
    assert "slot pg_version · Ops handbook" in shown
    assert "3 days ago" in shown
    assert "weak" not in shown


def test_the_list_of_common_words_knows_their_stems():
    """Each common word is one in the form that the analyser gives it."""
    for word in worth._WORDS:
        for term in terms(word, analyzer="standard"):
            assert worth.is_common(term, holders=1, facts=1000), word
    assert not worth.is_common("dentist", holders=4, facts=5)
