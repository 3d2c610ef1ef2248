"""Months of nightly dreams over what a person typed: nothing is gone without a word."""

from __future__ import annotations

from tests.memory import nights
from tests.support import DAY


def test_nothing_fades_unseen(run):
    """After 120 nights every fact is found, or announced as archived; fading has named each of
    those before, status counts them, and the way back works."""
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
