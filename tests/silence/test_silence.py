"""`context --auto` says nothing where a prompt has nothing to do with the memory, and answers where
it has."""

from __future__ import annotations

import pytest

from tests.silence.prompts import ANSWERED, FACTS, UNRELATED
from tests.support import NOW, fact, put
from tideline_cli.store.opening import open_for_writing


@pytest.fixture
def store(home):
    db = open_for_writing(str(home / "tideline.db"))
    put(db, [fact(text, f"FACT{n:022d}", now=NOW - n * 1000) for n, text in enumerate(FACTS)])
    db.close()


def said(run, prompt, *options):
    done = run("context", prompt, "--auto", "--verbose", *options)
    assert done.code == 0
    return done.out


def test_unrelated_prompts_are_met_with_silence(run, store):
    """Nine of ten prompts that have nothing to do with the memory get nothing."""
    assert len(UNRELATED) == 50
    loud = [prompt for prompt in UNRELATED if said(run, prompt)]
    assert len(loud) <= 5, loud


def test_answers_are_kept(run, store):
    """Of the prompts that the memory answers, nineteen of twenty get their answer."""
    assert len(ANSWERED) == 50
    pairs = [line.split("|") for line in ANSWERED]
    lost = [prompt for prompt, answer in pairs if answer not in said(run, prompt)]
    assert len(lost) <= 2, lost


def test_who_asks_hears_more(run, store):
    """Without --auto the same prompt gets all that shares a word; --verbose says what --auto left
    out."""
    assert "backup" in run("context", "go and get the laptop").out
    done = run("context", "make a plan for the kids of our country", "--auto", "--verbose")
    assert "share too little with the prompt" in done.err


def test_the_least_score_is_a_floor(run, store):
    """--min-score leaves out what scores less, and says so where nothing is left."""
    scores = [hit["score"] for hit in run("recall", "my dog Biscuit", "--json").json["hits"]]
    least = f"{scores[0] - 1e-9:.9f}"
    assert len(run("recall", "my dog Biscuit", "--json", "--min-score", least).json["hits"]) == 1
    done = run("recall", "my dog Biscuit", "--min-score", "99")
    assert (done.code, done.out) == (1, "")
    assert "nothing matched with a score of 99 or more" in done.err
