"""Months of nightly dreams over what a person typed: nothing is gone without a word."""

from __future__ import annotations

import pytest

from tests.memory import nights
from tests.support import DAY, NOW

MACHINES = (
    ("the linter wants lines below 100", "--agent", "codex"),
    ("the deploy took nine minutes", "--source", "tool_output"),
    ("the page says that the shop opens at nine", "--source", "retrieved_document"),
    ("the train to Brugg is late", "--segment", "context"),
    ("Kim waits in the lobby", "--tier", "short"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("asked", [0, 5])
def test_what_a_person_typed_is_recalled_after_120_nights(run, asked):
    """Whether nobody asks or five questions a week are asked: every lasting fact that a person
    typed is active and found by its question, and no night has anything to say of them."""
    questions = nights.type_all(run)
    start = NOW + 14 * DAY
    assert nights.recalled(run, questions, start) == set(questions)
    weekly = tuple(list(questions.values())[::12])[:asked]
    now = nights.dream_nightly(run, 120, weekly, quietly=True)
    assert run("status", "--json").json["archiving_passes"] == []
    assert nights.recalled(run, questions, now) == set(questions)
    assert run("fading", "--within", "3650d", "--json", "--now", str(now)).json["total"] == 0
    assert run("doctor", "--deep").code == 0


def test_machines_and_short_lived_words_fade_among_typed_ones(run):
    """What agents brought and what was called short-lived is gone after the nights, and each
    night that took what a person typed says so in a line."""
    questions = nights.type_all(run)
    brought = {run("remember", *one, "--json").json["id"] for one in MACHINES}
    told = []
    for night in range(15, 135, 5):
        told += run("dream", "--quiet", "--now", str(NOW + night * DAY)).err.splitlines()
    assert len(told) == 2
    for line, text in zip(told, ("the train to Brugg is late", "Kim waits"), strict=True):
        assert "archived 1 fact that a person typed: " in line and text in line
    listed = run("list", "--lifecycle", "archived", "-n", "0", "--json").json["facts"]
    assert {row["id"] for row in listed} == brought
    passes = run("status", "--json").json["archiving_passes"]
    assert sum(one["archived"] for one in passes) == len(brought)
    assert nights.recalled(run, questions, NOW + 135 * DAY) == set(questions)


@pytest.mark.nightly
def test_nothing_fades_unseen(run, monkeypatch):
    """Where what is typed fades like the rest: after 120 nights every fact is found, or announced
    as archived; fading has named each of those before, status counts them, and the way back
    works."""
    monkeypatch.setenv("TIDELINE_EVICT_AFTER_OWNER", "reference")
    questions = nights.type_all(run)
    now = nights.dream_nightly(run, 60)
    assert nights.lost(run, questions, now) == []
    form = run("fading", "--within", "60d", "-n", "0", "--json", "--now", str(now)).json
    foretold = {row["id"] for row in form["facts"]}
    for night in range(61):
        run("dream", "--quiet", "--now", str(now + night * DAY))
    now += 60 * DAY
    assert nights.lost(run, questions, now) == []
    listed = run("list", "--lifecycle", "archived", "-n", "0", "--json", "--now", str(now)).json
    archived = {row["id"] for row in listed["facts"]}
    assert len(archived) > 20
    early = run("list", "--lifecycle", "archived", "--as-of", str(now - 60 * DAY), "-n", "0",
                "--json", "--now", str(now)).json["facts"]  # fmt: skip
    assert archived & {row["id"] for row in early} <= foretold
    both = run("list", "--archived", "-n", "0", "--json", "--now", str(now)).json["facts"]
    assert {row["id"] for row in both} == set(questions)
    one = sorted(archived)[0]
    assert run("restore", one, "--now", str(now)).code == 0
    assert nights.lost(run, {one: questions[one]}, now) == []
    assert run("doctor", "--deep").code == 0
