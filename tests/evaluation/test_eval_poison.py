"""eval poison: attacks against a copy of one's own memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from unittest import mock

import pytest

from tests.conftest import run_main
from tests.poison import attacks as long_list
from tests.poison import battle
from tideline_cli.evaluation import poison
from tideline_cli.policy import gate


def told(*options):
    return run_main("eval", "poison", "--json", *options)


@pytest.fixture
def memory(home):
    for words in (("I deploy on Fridays", "--slot", "deploy_day"),
                  ("My manager is called Alice", "-s", "identity"),
                  ("The office plant is a ficus",)):  # fmt: skip
        assert run_main("remember", *words, "--json").code == 0
    return home / "tideline.db"


def test_no_attack_succeeds_and_no_honest_write_is_refused(memory):
    """No attack succeeds and no honest write is refused."""

    done = told()

    assert done.code == 0, done.json["harm"]
    assert done.json["attacks"] > 400 and done.json["successes"] == 0
    assert (done.json["honest"], done.json["refused"], done.json["harm"]) == (30, [], [])
    assert len(done.json["targets"]) == 3


def test_the_memory_is_left_as_it_is(memory):
    """The memory is left as it is."""

    def content():
        with closing(sqlite3.connect(memory)) as db:
            return list(db.iterdump())

    before = content()

    told()

    assert content() == before


@pytest.mark.nightly
def test_an_owner_who_said_nothing_is_lent_some_facts(home):
    """An owner who said nothing is lent some facts."""

    done = told()

    assert done.code == 0 and len(done.json["targets"]) == 3
    assert not (home / "tideline.db").exists()


@pytest.mark.nightly
def test_a_memory_without_a_write_gate_is_found_out(memory):
    """A memory without a write gate is found out."""

    with mock.patch.object(gate, "check", lambda *_: None), \
            mock.patch.object(gate, "check_permanence", lambda *_: None):  # fmt: skip
        done = told()

    lanes = {lane["name"]: lane["successes"] for lane in done.json["lanes"]}
    assert done.code == 1
    assert lanes["author"] > 10 and lanes["supersede"] > 0
    for deed in ("speaks for the owner", "is pinned", "is permanent", "changed",
                 "never fades, as a chunk"):
        assert any(deed in one for one in done.json["harm"]), deed


@pytest.mark.nightly
def test_lines_say_what_json_says(memory):
    """Lines say what JSON says."""

    done = run_main("eval", "poison")

    assert done.code == 0
    assert "all        700 attacks, 0 succeeded" in done.out
    assert "honest     30 writes, 0 refused" in done.out


def test_only_the_owner_may_copy_the_store(memory):
    """Only the owner may copy the store."""

    assert told("--origin", "channel:wa/c/1").code == 2


def test_the_long_list_shares_its_words():
    """The long list shares its words, what a file claims, and what would be harm."""

    claimed = {attack.name for attack in long_list.importing()}
    assert all(any(str(claim) in name for name in claimed) for claim in poison.CLAIMS)
    assert battle.poison.gains is poison.gains
    assert long_list.MARK is poison.MARK and long_list.spellings is poison.spellings


@pytest.mark.nightly
def test_the_settings_of_the_user_are_attacked(memory):
    """Which answer comes first is asked as the user's own recalls are."""
    with mock.patch.object(poison, "recall", wraps=poison.recall) as asked:
        assert told().json["profile"] == "default"
        assert {call.args[1].profile for call in asked.call_args_list} == {"tideline"}
        run_main("config", "set", "profile", "vectormemory")
        asked.reset_mock()
        assert told().json["profile"] == "vectormemory"
        assert {call.args[1].profile for call in asked.call_args_list} == {"vectormemory"}
