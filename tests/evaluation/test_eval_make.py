"""eval make: questions proposed from one's own facts."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.conftest import run_main
from tests.support import NOW

MODEL = """
import json, re, sys
ids = re.findall(r"^\\[(\\d+)\\]", sys.stdin.read(), re.M)
print("Here they are:", json.dumps({"questions": [
    {"id": one, "question": f"Where is number {n}?"} for n, one in enumerate(ids) if n]}))
"""


@pytest.fixture
def ids():
    said = (
        ("I deploy on Fridays", "--slot", "deploy_day"),
        ("My cat is called Miso", "--title", "The cat's name"),
        ("The office plant is a very old ficus elastica from the market",),
    )  # fmt: skip
    return [
        run_main("remember", *words, "--json", "--now", str(NOW - 1000 * (9 - number))).json["id"]
        for number, words in enumerate(said)
    ]


def test_a_question_is_made_of_the_slot_the_title_or_rare_words(ids):
    """A question is made of the slot the title or rare words."""

    lines = run_main("eval", "make").lines

    assert [(one["by"], one["query"]) for one in reversed(lines)] == [
        ("slot", "What is the deploy day?"), ("title", "The cat's name"),
        ("words", "office elastica market"),
    ]  # fmt: skip
    assert [one["ids"] for one in reversed(lines)] == [[one] for one in ids]


def test_what_it_makes_can_be_asked(ids, tmp_path):
    """What it makes can be asked."""

    done = run_main("eval", "make", "--output", "gold.jsonl", "--json")

    assert done.json["output"] == "gold.jsonl" and len(done.json["questions"]) == 3
    asked = run_main("eval", "run", "gold.jsonl", "--json")
    assert asked.json["questions"] == 3 and not asked.notes
    assert (tmp_path / "gold.jsonl").stat().st_mode & 0o777 == 0o600


def test_it_adds_to_the_file_that_is_there(ids, tmp_path):
    """It adds to the file that is there."""

    (tmp_path / "gold.jsonl").write_text('{"query": "mine", "ids": []}')

    run_main("eval", "make", "--output", "gold.jsonl", "--count", "1")

    lines = (tmp_path / "gold.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["query"] == "mine" and len(lines) == 2


def test_a_link_in_the_place_of_the_file_is_not_followed(ids, tmp_path):
    """A link in the place of the file is not followed."""

    (tmp_path / "real").write_text("")
    os.symlink(tmp_path / "real", tmp_path / "gold.jsonl")

    assert run_main("eval", "make", "--output", "gold.jsonl").code == 73
    assert (tmp_path / "real").read_text() == ""


def test_facts_are_spread_over_the_memory_and_bounded(ids):
    """Facts are spread over the memory and bounded."""

    for number in range(20):
        run_main("remember", f"Box {number} holds item {number * 7}", "--json")

    lines = run_main("eval", "make", "--count", "5").lines

    assert len(lines) == 5
    assert ids[0] in {one["ids"][0] for one in run_main("eval", "make", "--count", "99").lines}


def test_a_model_words_the_questions_that_it_answers(ids, tmp_path):
    """A model words the questions that it answers."""

    (tmp_path / "model.py").write_text(MODEL)

    lines = run_main("eval", "make", "--llm", f"{sys.executable} model.py").lines

    assert [one["by"] for one in lines] == ["words", "model", "model"]
    assert lines[1]["query"] == "Where is number 1?"


def test_a_reply_that_cannot_be_read_is_an_error(ids, tmp_path):
    """A reply that cannot be read is an error."""

    done = run_main("eval", "make", "--llm", f"{sys.executable} -c print(5)", "--json")

    assert done.code == 6 and done.error["code"] == "bad_reply"


def test_a_model_of_the_settings_is_not_asked_unasked_for(ids):
    """A model of the settings is not asked unasked for."""

    run_main("config", "set", "llm", "false")

    assert [one["by"] for one in run_main("eval", "make").lines] == ["words", "title", "slot"]


def test_identifiers_and_other_origins_are_left_out(ids):
    """Identifiers and other origins are left out."""

    run_main("remember", "A parrot of the channel", "--origin", "channel:wa/c/1", "--json")
    run_main("extract", "-", "--llm", "none", "--trust-owner", "--json",
             stdin="USER: my mail is ada@example.org\n")  # fmt: skip

    out = run_main("eval", "make").out

    assert "parrot" not in out and "ada@example.org" not in out


def test_texts_without_blanks_give_a_part(ids):
    """Texts without blanks give a part."""

    run_main("remember", "用户最喜欢的水果是新鲜的芒果和草莓", "--json")

    line = run_main("eval", "make", "--count", "4").lines[0]

    assert line["query"] in line["says"] and len(line["query"]) == 6


def test_an_empty_memory_has_nothing_to_ask_about():
    """An empty memory has nothing to ask about."""

    assert run_main("eval", "make").code == 2


def test_a_person_at_a_terminal_keeps_drops_and_edits(ids, tmp_path):
    """On a terminal each question is asked about: y keeps, n drops, e takes other words, q stops;
    what a text holds does not act on the terminal."""
    run_main("remember", "\x1b[31mred\u202e words of old", "--json", "--now", str(NOW - 9000))
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "tideline_cli", "eval", "make", "-o", "gold.jsonl"], stdin=theirs,
        stdout=theirs, stderr=theirs, env=os.environ | {"NO_COLOR": "1", "TERM": "dumb"},
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, b"y\nwhat\nn\ne\nwhen do I ship\n")
    seen = b""
    while b"4/4" not in seen:
        seen += os.read(ours, 65536)
    os.write(ours, b"q\n")
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:  # nobody has the other end any more
        pass
    os.close(ours)

    assert child.wait(timeout=60) == 0
    lines = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert [(one["by"], one["query"]) for one in lines] == [
        ("words", "office elastica market"), ("person", "when do I ship"),
    ]  # fmt: skip
    assert b"2 questions added" in seen and b"\x1b[31m" not in seen
    assert "\u202e" not in seen.decode()


def test_nobody_is_asked_without_input(ids, tmp_path):
    """`--no-input` asks nobody; then the questions are printed, and a note says that nobody has
    confirmed them."""
    done = run_main("eval", "make", "--no-input", "--json")

    assert len(done.json["questions"]) == 3
    assert any("nobody has confirmed" in note for note in done.notes)
