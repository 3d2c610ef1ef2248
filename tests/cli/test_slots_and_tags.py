"""slots and tags: what there is, with counts, and the value that a slot has now."""

import json

import pytest

from tests.conftest import run_main
from tests.support import DAY, NOW

PEER = "channel:wa/c1/s1"


@pytest.fixture
def filled(run):
    """Slots of two scopes with values past, present and to come, and a few tags."""
    said = (
        ("We deploy on Fridays", "deploy_day", None, NOW - 9 * DAY, ("ops",), ()),
        ("We deploy on Mondays", "deploy_day", None, NOW - 2 * DAY, ("ops", "wörk"), ()),
        ("We deploy on Sundays", "deploy_day", "shop", NOW, (), ()),
        ("Postgres 17", "pg_version", None, NOW, ("ops",), ()),
        ("Postgres 18", "pg_version", None, NOW, (), ("--valid-from", "+30d")),
        ("a note without", None, None, NOW, ("once",), ()),
    )
    for text, slot, scope, at, tags, more in said:
        words = [word for tag in tags for word in ("--tag", tag)]
        words += ["--slot", slot] if slot else []
        words += ["--scope", scope] if scope else []
        assert run("remember", text, *words, *more, "--now", str(at)).code == 0
    run("forget", "--query", "a note", "--yes")


def test_slots(run, filled):
    """Each slot of each scope has its value of now, since when, and how many it has and had."""
    form = run("slots", "--json").json["slots"]
    told = [(one["slot"], one["scope"], one["content"], one["values"]) for one in form]
    assert told == [
        ("deploy_day", None, "We deploy on Mondays", 2),
        ("deploy_day", "shop", "We deploy on Sundays", 1),
        ("pg_version", None, "Postgres 17", 2),
    ]
    assert form[0]["since"] == "2025-10-07T08:53:20.000Z"
    lines = run("slots").out.splitlines()
    assert lines[1] == f"{form[1]['id']}\tdeploy_day (shop)\t1\tWe deploy on Sundays"
    later = run("slots", "--json", "--now", str(NOW + 31 * DAY)).json["slots"]
    assert later[2]["content"] == "Postgres 18"
    assert [json.loads(line)["slot"] for line in run("slots", "--jsonl").out.splitlines()] == [
        one["slot"] for one in form
    ]


def test_a_trusted_value_is_the_one_shown(run):
    """An untrusted value that stands beside a trusted one is not taken for the slot's."""
    run("remember", "we deploy on Fridays", "--slot", "day")
    run("remember", "we deploy on Mondays", "--slot", "day", "--source", "tool_output",
        "--now", str(NOW + DAY))  # fmt: skip
    (one,) = run("slots", "--json", "--now", str(NOW + 2 * DAY)).json["slots"]
    assert (one["content"], one["values"]) == ("we deploy on Fridays", 2)


def test_tags(run, filled):
    """Tags of active facts with their counts, the most frequent first."""
    form = run("tags", "--json").json["tags"]
    assert [(one["tag"], one["facts"]) for one in form] == [("ops", 2), ("wörk", 1)]
    assert form[1]["newest"] == "2025-10-07T08:53:20.000Z"
    assert run("tags").out == "2\tops\n1\twörk\n"


@pytest.mark.parametrize("command", ["slots", "tags"])
def test_nothing_to_name(run, home, command):
    """Without any, a note says how to make one; no store is made; words are refused."""
    done = run(command)
    assert (done.code, done.out, f"no {command}" in done.err) == (0, "", True)
    assert run(command, "--json").json == {command: []}
    assert not list(home.iterdir())
    assert run(command, "word").code == 2


def test_they_keep_to_their_scope_and_origin(run, filled):
    """A scope shows what it sees; another origin shows nothing of the owner's."""
    (one, two, three) = run("slots", "--scope", "shop", "--json").json["slots"]
    assert {one["scope"], two["scope"], three["scope"]} == {None, "shop"}
    assert len(run("slots", "--scope", "", "--json").json["slots"]) == 2
    assert run("tags", "--scope", "shop", "--json").json["tags"][0]["facts"] == 2
    assert run_main("slots", "--origin", PEER, "--json").json == {"slots": []}
    assert run_main("tags", "--origin", PEER, "--json").json == {"tags": []}
    run("remember", "their day", "--slot", "deploy_day", "--tag", "ops", "--origin", PEER)
    assert run("tags").out == "2\tops\n1\twörk\n"
    assert [one["content"] for one in run("slots", "--origin", PEER, "--json").json["slots"]] == [
        "their day"
    ]
