"""The doors of programs to a memory on a server."""

from __future__ import annotations

import json
import os
import threading
from contextlib import closing

import pytest

from tests.doors import payloads
from tests.doors.mcp_talk import call as call_of
from tests.doors.mcp_talk import request, talk, told
from tests.doors.payloads import CLIENTS
from tideline_cli import Memory
from tideline_cli.errors import StoreError, TidelineError
from tideline_cli.store.postgres import opening


def test_a_program_in_python(address, tmp_path, monkeypatch):
    """The methods of Memory answer as for a file, in threads too, and no file is made."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    place = address()
    with Memory.open(place) as memory:
        assert memory.recall("kettle") == ()
        said = memory.remember("The kettle is in the blue cupboard", slot="kettle")
        assert memory.show(said.fact.id).fact.content == "The kettle is in the blue cupboard"
        memory.remember("The kettle is on the stove", slot="kettle")
        assert [hit.fact.content for hit in memory.recall("kettle")] == [
            "The kettle is on the stove"
        ]
        assert "stove" in memory.context("kettle").text
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(len(memory.recall("kettle"))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [1] * 4
        memory.undo()
        assert "cupboard" in memory.context("kettle").text
        assert memory.status().active == 1
    with Memory.open(place, origin="channel:chat/team/one") as other:
        assert other.recall("kettle") == ()
    assert os.listdir() == []


def test_tools_and_hooks(run, address, monkeypatch):
    """A model that calls tools, and the hook of its client, have the same memory."""
    monkeypatch.setenv("TIDELINE_DB", address())
    assert told("recall", query="kettle")["hits"] == []
    told("remember", text="The kettle is in the blue cupboard", argv=("--write",))
    assert [hit["text"] for hit in told("recall", query="kettle")["hits"]] == [
        "The kettle is in the blue cupboard"
    ]
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "the blue kettle?", "cwd": "/"}
    done = run("hook", "claude-code", "prompt", stdin=json.dumps(event).encode())
    assert (done.code, done.err) == (0, "")
    assert "blue cupboard" in done.out


@pytest.mark.parametrize(
    ("state", "told"), [("nobody answers", "no connection to"), ("newer", "has schema version 99")]
)
def test_a_memory_that_cannot_be_asked(run, address, home, monkeypatch, state, told):
    """A hook is silence, with a line in its log that has no word of the prompt; a program is told,
    and its server stays."""
    place = "postgresql://anna@localhost:1/memory" if state == "nobody answers" else address()
    monkeypatch.setenv("TIDELINE_DB", place)
    if state == "newer":
        run("remember", "The kettle is in the blue cupboard")
        with closing(opening.connected(place)) as db:
            db.execute("UPDATE setting SET value = 99 WHERE name = 'schema_version'")
    for client in CLIENTS:
        for call in (payloads.start(client), payloads.prompt(client, "where is my zanzibar?")):
            done = run("hook", client, stdin=call)
            assert (done.code, done.out, done.err) == (0, "", "")
    said = (home / "hooks" / "hook.log").read_text()
    assert said.count(told) == 2 * len(CLIENTS) and "zanzibar" not in said
    found, again = talk(call_of("recall", query="tea"), request(2, "ping"), argv=("--write",))
    assert found["result"]["isError"] is True
    assert told in found["result"]["content"][0]["text"]
    assert again["result"] == {}
    with Memory.open(place) as memory:
        for verb in (memory.recall, memory.context, memory.remember):
            with pytest.raises(StoreError, match=told):
                verb("tea is green")


def test_a_connection_that_was_lost_is_made_anew(address):
    """The call that finds it lost says so; the next one has a new connection."""
    with Memory.open(address()) as memory, Memory.open(memory.path) as other:
        memory.remember("The kettle is in the blue cupboard")
        assert len(other.recall("kettle", touch=False)) == 1
        process = other._db.execute("SELECT pg_backend_pid()").get
        assert memory._db.execute(f"SELECT pg_terminate_backend({process})").get
        with pytest.raises(TidelineError, match="connection"):
            other.recall("kettle")
        assert len(other.recall("kettle")) == 1
