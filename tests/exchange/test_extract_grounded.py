"""Distilled facts rest on words of the user's own: not on what is quoted, pasted, or guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import NOW
from tideline_cli.exchange.extract import passes
from tideline_cli.exchange.extract.conversation import Message
from tideline_cli.exchange.extract.types import ExtractContext
from tideline_cli.llm import prompts
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.grounding import UNGROUNDED, Ground, told_apart

SETS = Path(__file__).parent / "said"
CASES = [json.loads(line) for line in (SETS / "injections.jsonl").read_text().splitlines()]
TALKS = [json.loads(line) for line in (SETS / "conversations.jsonl").read_text().splitlines()]


def ground(case):
    return Ground(turn["text"] for turn in case["turns"] if turn["role"] == "user")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['lang']}-{case['form']}")
def test_what_is_quoted_is_no_fact(case):
    """Nothing that a quoted, pasted or forwarded text says may be stored, however it is put."""
    said = ground(case)
    assert [text for text in case["bad"] if said.bears(text)] == []


def test_what_the_user_says_beside_a_quote_is_mostly_kept():
    """Of what the user says themselves beside such texts, and in plain talk, most may be stored."""
    beside = [ground(case).bears(text) for case in CASES for text in case["good"]]
    plain = [ground(case).bears(text) for case in TALKS for text in case["facts"]]
    assert sum(beside) >= 0.9 * len(beside) and sum(plain) >= 38


@pytest.mark.parametrize(
    ("said", "fact", "bears"),
    [
        ("I moved to Lisbon", "The user lives in Lisbon", True),
        ("Katrin darf keine Nüsse essen", "Katrin is allergic to peanuts", False),
        ("we fly to Chengdu in May", "Chengdu's hotpot is very popular", False),
        ("we deploy on port 8443", "The service listens on port 8080", False),
        ("we deploy on port 8443", "We deploy on port 8443", True),
        ("I use Neovim", "Neovim is a text editor", False),
        ("我对花生过敏", "用户对花生过敏", True), ("我对花生过敏", "The user is allergic", False),
        ("Ich bin gegen Birkenpollen allergisch", "Der Nutzer ist allergisch gegen Birken", True),
        ("I never eat meat", "The user eats meat", False),
        ("I eat meat", "The user never eats meat", False),
        ("I keep bees since 2019, next week I get more",
         "The user gets more bees on 12 May 2026", True),
        ("My preferences: tabs, dark mode", "The user prefers dark mode", True),
        ("Here it says \"Sylvain approves purchases\". With us Aïcha approves purchases",
         "Sylvain approves purchases", False),
        ("Here it says \"Sylvain approves purchases\". With us Aïcha approves purchases",
         "Aïcha approves purchases", True),
    ],
)  # fmt: skip
def test_what_bears(said, fact, bears):
    """Half of the telling words, every number, the script, and what is denied decide."""
    assert Ground([said]).bears(fact) is bears


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("> I am the boss\nwho is that?", "who is that?"),
        ('he wrote: "I am the boss" to me', "he wrote . to me"),
        ("what is this?\n```\nuser: root\n", "what is this?"),
        ("see:\nI am the boss\nand so on", "see"),
        ("Sal: I am the boss\nwho is that?", "Sal who is that?"),
        ("shorten this\nDear all,\nI am the boss\nto ten words", "shorten this to ten words"),
        ("My habits: tea, no sugar", "My habits, tea, no sugar"),
        ("I like <b>tea</b> much", "I like . much"),
        ("I like tea\nand I like milk", "I like tea and I like milk"),
        ("see https://a.example at 10:30 and\nI like it",
         "see https://a.example at 10:30 and I like it"),
    ],
)  # fmt: skip
def test_what_is_the_users_own(text, own):
    """What is marked, what a colon leads, and what stands in the middle are another's words."""
    assert " ".join(told_apart(text)[0].split()).strip() == own


def test_an_example_that_is_said_again_is_no_fact(run, model, talk):
    """A small model that has nothing to say repeats the example of the prompt."""
    path = talk("USER: thanks, that will do\nASSISTANT: fine\n")
    model.says(prompts.EXTRACTION.rpartition("Reply:\n")[2])
    done = run("extract", path, "--llm", model.command, "--json")
    assert (done.code, done.json["stored"], done.json["refused_items"]) == (0, 0, 2)


def test_a_small_window_keeps_messages_whole():
    """A window that is smaller than a message takes this message alone, and all of it."""
    context = ExtractContext("s", OWNER, NOW, str, window=300)
    messages = [Message("user", word * 200) for word in ("ab ", "cd ", "ef ")]
    asked = [*passes.fact_requests(None, context, messages, 0, min_new=1)]
    assert [one.said for one in asked] == [(message.text,) for message in messages]
    assert all(one.said[0].strip() in one.prompt for one in asked)


def test_a_refusal_has_its_reason(run, model, talk):
    """What is refused is told with its reason: in JSON, with -v, and where nothing else came."""
    path = talk("USER: is this right? \"The user is rich\"\nASSISTANT: no\nUSER: ok\n")
    model.says({"facts": [{"content": "The user is rich", "segment": "knowledge"}]})
    done = run("extract", path, "--llm", model.command, "--json")
    assert (done.code, done.json["stored"], done.json["refused_items"]) == (0, 0, 1)
    assert done.json["refusals"] == [{"text": "The user is rich", "reason": UNGROUNDED}]
    told = run("extract", path, "--session", "b", "--llm", model.command)
    assert f"refused: {UNGROUNDED}; -v tells all" in told.err
    told = run("extract", path, "--session", "c", "--llm", model.command, "-v")
    assert f"refused: The user is rich: {UNGROUNDED}" in told.err
    assert run("list", "--json").json["facts"] == []


@pytest.mark.parametrize(("said", "fact"), [
    ("Three things first\n- I am left-handed\n- my screen has 43 inches\n\nnow the colours?",
     "The user is left-handed"),
    ("Bevor wir anfangen:\n1. Ich bin Hebamme\n2. Rechnungen nur als PDF\n\nSchreib den Brief",
     "Der Nutzer ist Hebamme"),
    ("Please note: the billing service is Pika", "The billing service is Pika"),
    ("Merk dir: der Server heißt Zeus", "Der Server heißt Zeus"),
])  # fmt: skip
def test_lists_and_what_is_to_be_kept_are_the_users_own(said, fact):
    """A list without quotes, and what a colon leads behind a wish to remember it."""
    assert Ground([said]).bears(fact)
