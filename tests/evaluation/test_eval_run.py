"""eval run: one's own questions, measured on the memory as it is."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from tests.conftest import run_main
from tideline_cli.cli.commands.eval.questions import DEFAULT_K
from tideline_cli.evaluation.ask import PROFILES

FACTS = {
    "deploy": ("I deploy on Fridays", "--slot", "deploy_day"),
    "cat": ("My cat is called Miso",),
    "plant": ("The office plant is a ficus",),
    "peer": ("The channel keeps a parrot", "--origin", "channel:wa/c/1"),
}


@pytest.fixture
def ids(home):
    return {name: run_main("remember", *words, "--json").json["id"]
            for name, words in FACTS.items()}  # fmt: skip


def gold(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def measured(path, *options):
    done = run_main("eval", "run", path, "--json", *options)
    assert done.code == 0, done.err
    return done.json


def test_answers_are_named_by_id_by_text_and_by_a_part_of_a_text(ids, tmp_path):
    """Answers are named by id by text and by a part of a text."""

    path = gold(
        tmp_path / "gold.jsonl",
        {"query": "when do I deploy", "ids": [ids["deploy"]]},
        {"question": "name of the cat", "answers": ["my cat is called  miso"]},
        {"query": "office plant", "answer": "is a ficus"},
        {"query": "office plant", "ids": {ids["plant"][:20]: 2, ids["cat"]: 0}},
    )

    form = measured(path)

    assert form["questions"] == 4 and not form["left_out"]
    assert form["ways"][0]["recall"]["mean"] == 1
    assert form["ways"][0]["mrr"]["mean"] == 1


def test_measures_are_those_of_the_first_k(ids, tmp_path):
    """Measures are those of the first k."""

    both = {"query": "cat plant", "ids": [ids["cat"], ids["plant"], ids["deploy"]]}
    path = gold(tmp_path / "gold.jsonl", both)

    way = measured(path, "--k", "1")["ways"][0]

    assert way["recall"]["mean"] == pytest.approx(1 / 3)
    assert way["mrr"]["mean"] == way["ndcg"]["mean"] == way["hit"]["mean"] == 1


def test_a_question_without_an_answer_is_answered_by_nothing(ids, tmp_path):
    """A question without an answer is answered by nothing."""

    path = gold(
        tmp_path / "gold.jsonl",
        {"query": "zebra crossings in Oslo", "ids": []},
        {"query": "my cat", "ids": []},
        {"query": "my cat", "ids": [ids["cat"]]},
    )

    form = measured(path)

    assert (form["questions"], form["unanswerable"]) == (1, 2)
    assert form["ways"][0]["silent"] == 1


def test_what_cannot_be_asked_is_told_and_the_rest_is_asked(ids, tmp_path):
    """What cannot be asked is told and the rest is asked."""

    run_main("remember", "At the hall the plant is a ficus too", "--json")
    path = gold(
        tmp_path / "gold.jsonl",
        {"query": "my cat", "ids": [ids["cat"]], "colour": "red"},
        {"query": "no answer is named"},
        {"ids": [ids["cat"]]},
        {"query": "gone", "ids": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]},
        {"query": "the parrot", "ids": [ids["peer"]]},
        {"query": "two of them", "answers": ["plant is a ficus"]},
        {"query": "says nobody", "answers": ["the parrot is green"]},
        {"query": "odd", "ids": 5}, {"query": "odd", "gold": {"x": "y"}},
        {"query": "odd", "ids": [ids["cat"]], "now": "soonish"},
    )

    done = run_main("eval", "run", path, "--json")

    assert done.json["questions"] == 1
    assert [one["line"] for one in done.json["left_out"]] == list(range(2, 11))
    assert any("9 questions left out" in note for note in done.notes)
    assert any("colour" in note for note in done.notes)
    assert run_main("eval", "run", path, "--strict").code == 2


def test_a_file_without_a_question_is_refused(ids, tmp_path):
    """A file without a question is refused."""

    done = run_main("eval", "run", gold(tmp_path / "gold.jsonl", {"query": "x"}), "--json")

    assert done.code == 2 and done.error["message"] == "no question can be asked"
    assert run_main("eval", "run", "missing.jsonl").code == 2
    assert run_main("eval", "run").code == 2


def test_an_archived_answer_is_told(ids, tmp_path):
    """An archived answer is told."""

    run_main("forget", ids["cat"])
    path = gold(tmp_path / "gold.jsonl", {"query": "my cat", "ids": [ids["cat"]]})

    done = run_main("eval", "run", path, "--json")

    assert done.json["archived"] == 1 and any("archived" in note for note in done.notes)


def test_questions_are_asked_in_their_origin_and_at_their_time(ids, tmp_path):
    """Questions are asked in their origin and at their time."""

    run_main("remember", "I live in Bern", "--valid-to", "2025-01-01", "--json")
    path = gold(
        tmp_path / "gold.jsonl",
        {"query": "parrot", "ids": [ids["peer"]], "origin": "channel:wa/c/1"},
        {"query": "I live in", "answers": ["I live in Bern"], "now": "2024-06-01T00:00:00Z"},
        {"query": "I live in", "answers": ["I live in Bern"]},
    )

    form = measured(path, "--misses")

    assert [one["id"] for one in form["misses"]] == ["3"]
    peer = run_main("eval", "run", path, "--json", "--origin", "channel:wa/c/2")
    assert peer.code == 2


def test_nothing_is_counted_as_use_and_nothing_is_written(ids, tmp_path, home):
    """Nothing is counted as use and nothing is written."""

    path = gold(tmp_path / "gold.jsonl", {"query": "my cat", "ids": [ids["cat"]]})
    before = _content(home)

    measured(path, "--profiles", "all", "--embedder", "hash-256")

    assert _content(home) == before
    assert run_main("show", ids["cat"], "--json").json["fact"]["access_count"] == 0


def _content(home):
    with closing(sqlite3.connect(home / "tideline.db")) as db:
        return list(db.iterdump())


def test_ways_are_compared_question_by_question(ids, tmp_path):
    """Ways are compared question by question."""

    path = gold(
        tmp_path / "gold.jsonl",
        {"id": "words", "query": "my cat", "ids": [ids["cat"]]},
        {"id": "else", "query": "plant of the office", "ids": [ids["plant"]]},
    )

    form = measured(path, "--profiles", "keyword,semantic", "--embedder", "hash-256")

    names = [(way["profile"], way["embedder"]) for way in form["ways"]]
    assert names == [(name, one) for one in ("hrr-256", "hash-256")
                     for name in ("default", "keyword", "semantic")]  # fmt: skip
    assert form["ways"][0]["against_first"] is None
    keyword = form["ways"][1]["against_first"]
    assert (keyword["won"], keyword["lost"]) == ([], [])
    for way in form["ways"][1:]:
        told = way["against_first"]
        for measure in ("recall", "mrr", "ndcg", "hit"):
            apart = way[measure]["mean"] - form["ways"][0][measure]["mean"]
            assert told[measure]["mean"] == pytest.approx(apart)
            assert told[measure]["low"] <= told[measure]["mean"] <= told[measure]["high"]
        assert len(told["won"]) - len(told["lost"]) == round(2 * told["hit"]["mean"])


def test_an_unknown_profile_or_embedder_is_refused(ids, tmp_path):
    """An unknown profile or embedder is refused."""

    path = gold(tmp_path / "gold.jsonl", {"query": "my cat", "ids": [ids["cat"]]})

    assert run_main("eval", "run", path, "--profiles", "loud").code == 2
    assert run_main("eval", "run", path, "--embedder", "nosuch").code in (2, 6)


def test_a_way_that_needs_a_learned_embedder_is_left_out_of_all(ids, tmp_path):
    """A way that needs a learned embedder is left out of all."""

    path = gold(tmp_path / "gold.jsonl", {"query": "my cat", "ids": [ids["cat"]]})

    done = run_main("eval", "run", path, "--profiles", "all", "--json")

    assert "score" not in [way["profile"] for way in done.json["ways"]]
    assert any("score needs a learned embedder" in note for note in done.notes)
    assert set(PROFILES) == {
        "default", "keyword", "semantic", "append", "score", "motherbrain", "vectormemory", "rsclaw"
    }  # fmt: skip


def test_a_list_a_pipe_and_categories(ids):
    """A list a pipe and categories."""

    rows = [{"query": "my cat", "ids": [ids["cat"]], "category": "pets"},
            {"query": "zzz", "ids": [ids["plant"]], "category": "plants"}]  # fmt: skip

    done = run_main("eval", "run", "-", "--json", stdin=json.dumps(rows))

    by = done.json["ways"][0]["by_category"]
    assert by["pets"]["recall"]["mean"] == 1 and by["plants"]["recall"]["mean"] == 0


def test_lines_in_a_pipe_say_what_json_says(ids, tmp_path):
    """Lines in a pipe say what JSON says."""

    path = gold(tmp_path / "gold.jsonl", {"query": "zzz", "ids": [ids["cat"]]})

    lines = run_main("eval", "run", path, "--profiles", "keyword", "--misses").out.splitlines()

    assert lines[0] == "1 question of 3 facts, the first 5 answers of each"
    assert lines[1].startswith("default · hrr-256\trecall@5 0.000 (0.000..0.000)\tMRR@5")
    assert lines[3].endswith("won 0, lost 0")
    assert lines[4] == f"1\tzzz\twanted {ids['cat']}"


@pytest.mark.parametrize("width", [50, 80, 130])
def test_a_table_fits_the_terminal(ids, tmp_path, monkeypatch, width):
    """A table fits the terminal."""

    monkeypatch.setenv("COLUMNS", str(width))
    path = gold(tmp_path / "gold.jsonl",
                {"query": "my cat", "ids": [ids["cat"]], "category": "pets"},
                {"query": "the plant", "ids": [ids["plant"]], "category": "plants"})  # fmt: skip

    out = run_main("eval", "run", path, "--color", "always", "--profiles", "semantic").out

    plain = out.replace("\x1b[2m", "").replace("\x1b[0m", "")
    table = plain.splitlines()[2:]
    assert max(map(len, table)) <= width
    assert "recall@5" in plain and "  difference" in plain


def test_the_memory_is_needed_for_questions_of_ones_own(tmp_path):
    """The memory is needed for questions of one's own."""

    done = run_main("eval", "run", gold(tmp_path / "g.jsonl", {"query": "x", "ids": []}))

    assert done.code == 2 and "no store yet" in done.err
    assert DEFAULT_K == 5


def test_a_name_that_no_fact_has_is_told(home, tmp_path):
    """A misspelt answer in `gold` is no silent miss: told, refused by --strict, and alone no
    question at all."""
    run_main("remember", "My cat is called Miso", "--source-turn", "talk:1", "--json")
    gone = run_main("remember", "My dog is called Rex", "--source-turn", "talk:2", "--json").json
    run_main("forget", gone["id"], "--json")
    path = gold(
        tmp_path / "gold.jsonl",
        {"query": "cat", "gold": ["talk:1", "talk:9"]},
        {"query": "dog", "gold": {"talk:2": 2}},
        {"query": "bird", "gold": ["talk:7"]},
    )

    form = measured(path)

    assert form["unknown"] == [{"id": "1", "names": ["talk:9"]}] and form["archived"] == 1
    assert [one["line"] for one in form["left_out"]] == [3]
    assert "source_turn 'talk:9'" in run_main("eval", "run", path).err
    assert run_main("eval", "run", path, "--strict").code == 2
    alone = gold(tmp_path / "one.jsonl", {"query": "cat", "gold": ["talk:1", "talk:9"]})
    strict = run_main("eval", "run", alone, "--strict")
    assert strict.code == 2 and "no fact is called 'talk:9'" in strict.err
    assert not measured(gold(tmp_path / "good.jsonl", {"query": "cat", "gold": ["talk:1"]}),
                        "--strict")["unknown"]  # fmt: skip


def test_the_settings_of_the_user_are_measured(ids, tmp_path):
    """The first way is that of the user's own recalls; the usual one is compared with it."""
    path = gold(tmp_path / "gold.jsonl", {"query": "cat", "ids": [ids["cat"]]})
    assert run_main("config", "set", "profile", "rsclaw").code == 0

    done = run_main("eval", "run", path, "--profiles", "default")

    ways = measured(path, "--profiles", "default")["ways"]
    assert [(one["profile"], one["fusion"]) for one in ways] == [
        ("rsclaw", "rrf"), ("default", "append")
    ]
    assert "by the profile rsclaw" in done.err
