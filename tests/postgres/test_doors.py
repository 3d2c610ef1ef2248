"""The doors of programs to a memory on a server."""

from __future__ import annotations

import json
import os
import threading

import pytest

from tests.doors.mcp_talk import told
from tideline_cli import Memory
from tideline_cli.errors import TidelineError


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
