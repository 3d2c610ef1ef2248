"""Where facts repeat one another, a block says the newest of them first and the rest last."""

from __future__ import annotations

import json

import pytest

from tests.support import DAY, NOW
from tideline_cli import Memory

NEAR = [
    f"the printed weekly report of the harbour team about trains, money, weather, repairs and "
    f"holidays goes to {name} in the old office" for name in
    ("Anna", "Boris", "Carla", "Dora")
]  # fmt: skip
OTHER = "the harbour team has a report about cranes, ferries, tides and the old lighthouse"


@pytest.fixture
def told(run):
    """Facts much alike, said one a day, and another of the same words."""
    ids = {}
    for day, text in enumerate((OTHER, *NEAR)):
        done = run("remember", text, "--json", "--now", str(NOW + day * DAY))
        ids[text] = done.json["id"]
    return ids


def test_a_small_block_says_the_newest(run, told):
    """In a block of two lines the newest of the group and the other fact stand; one with room holds
    them all, those behind."""
    small = run("context", "report of the harbour team", "--max-chars", "260", "--json")
    assert set(small.json["facts"]) == {told[NEAR[-1]], told[OTHER]}
    whole = run("context", "report of the harbour team", "--json").json["facts"]
    assert whole[:2] == [told[NEAR[-1]], told[OTHER]] or whole[:2] == [told[OTHER], told[NEAR[-1]]]
    assert set(whole) == set(told.values())


def test_recall_shows_them_all(run, told):
    """recall lists every fact: nothing is left out there."""
    hits = run("recall", "report of the harbour team", "--json").json["hits"]
    assert {hit["id"] for hit in hits} == set(told.values())


def test_python_and_the_hook(run, told, tmp_path):
    """The API and a hook say the newest first as well."""
    with Memory.open() as memory:
        block = memory.context("report of the harbour team", max_chars=260, fenced=False)
    assert set(block.facts) == {told[NEAR[-1]], told[OTHER]}
    call = {"hook_event_name": "UserPromptSubmit", "prompt": "report of the harbour team, please",
            "session_id": "s", "cwd": str(tmp_path)}  # fmt: skip
    done = run("hook", "claude-code", stdin=json.dumps(call))
    assert done.code == 0
    places = [done.out.find(text) for text in NEAR]
    assert places[-1] >= 0
    assert all(place == -1 or place > places[-1] for place in places[:-1])
