"""Words as people type them: does a question find its fact among those of many languages?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import run_main
from tests.findability.distractors import texts

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()
]
ANSWERABLE = [(f"c{at}", case) for at, case in enumerate(CASES) if case["fact"] is not None]
OTHERS = [(f"c{at}", case) for at, case in enumerate(CASES) if case["fact"] is None]
LIMIT = 5


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The hits of every question: their source turns, best first; of those that nothing answers
    the sure ones. One store has all the facts."""
    folder = tmp_path_factory.mktemp("findability")
    rows = [{"content": text, "source_turn": f"d{at}"} for at, text in enumerate(texts())]
    rows += [{"content": case["fact"], "source_turn": name} for name, case in ANSWERABLE]
    corpus = folder / "facts.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIDELINE_HOME", str(folder / "home"))
        assert run_main("import", str(corpus), "--trust").code == 0
        asked = "".join(
            json.dumps({"id": name, "query": case["question"]}) + "\n"
            for name, case in (*ANSWERABLE, *OTHERS)
        )
        done = run_main(
            "recall", "--batch", "--limit", str(LIMIT), "--no-touch", "--json", stdin=asked
        )
    answered = map(json.loads, done.out.splitlines())
    unanswerable = {name for name, _ in OTHERS}
    return {
        one["id"]: [hit["source_turn"] for hit in one["hits"]
                    if not (hit["weak"] and one["id"] in unanswerable)]
        for one in answered
    }  # fmt: skip


def test_the_set_is_large_enough():
    """At least 400 cases in 60 groups, 60 questions without an answer, 1,000 other facts."""
    assert len(ANSWERABLE) >= 400
    assert len({case["group"] for _, case in ANSWERABLE}) >= 60
    assert len(OTHERS) >= 60
    assert len(texts()) >= 1000


def test_facts_are_found_by_the_words_people_type(answers):
    """Of the questions at least 95 % find their fact first, and 97 % among the first five."""
    first = [name for name, _ in ANSWERABLE if answers[name][:1] == [name]]
    among = [name for name, _ in ANSWERABLE if name in answers[name]]
    missed = [case for name, case in ANSWERABLE if name not in answers[name]]
    assert len(first) >= 0.95 * len(ANSWERABLE), missed
    assert len(among) >= 0.97 * len(ANSWERABLE), missed


def test_every_group_finds_most_of_its_facts(answers):
    """No language and no kind of word is left behind."""
    groups = {}
    for name, case in ANSWERABLE:
        groups.setdefault(case["group"], []).append(name in answers[name])
    assert [group for group, found in groups.items() if 2 * sum(found) < len(found)] == []


def test_questions_without_an_answer_get_few(answers):
    """At most 45 % of them get a hit that is not marked weak."""
    answered = [case["question"] for name, case in OTHERS if answers[name]]
    assert len(answered) <= 0.45 * len(OTHERS), answered
