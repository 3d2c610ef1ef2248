"""Clients and servers that are killed: what was acknowledged is there, and nothing is half there.

The servers of these tests sync what they write, as the others need not.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.postgres import cluster
from tests.support import often

COMMAND = (sys.executable, "-m", "tideline_cli")
DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")


@pytest.fixture
def durable():
    """A server that syncs."""
    programs = cluster.programs()
    if programs is None:
        pytest.skip("NO POSTGRESQL SERVER IS INSTALLED: Debian: apt install postgresql")
    with cluster.Cluster(programs, settings=DURABLE) as made:
        yield made


class Writer(threading.Thread):
    """Remembers one fact after another, each with a slot and a tag, until it is told to end. `told`
    are the facts whose ids were printed."""

    def __init__(self, place, name, *, kills=False):
        super().__init__()
        self.place, self.name, self.kills = place, name, kills
        self.told = {}
        self.killed = 0
        self.is_wanted = True
        self.chance = random.Random(name)

    def run(self):
        number = 0
        while self.is_wanted:
            number += 1
            text = f"writer {self.name} saw number {number} at the harbour"
            argv = ["remember", text, "--slot", f"{self.name} {number % 3}", "--tag", "kill"]
            process = subprocess.Popen(
                [*COMMAND, *argv, "--json"],
                env=os.environ | {"TIDELINE_DB": self.place},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            if self.kills and self.chance.random() < 0.7:
                time.sleep(self.chance.uniform(0.02, 0.6))
                process.send_signal(signal.SIGKILL)
                self.killed += 1
            out, _ = process.communicate(timeout=120)
            if out.endswith("\n"):  # acknowledged, whatever came after it
                self.told[json.loads(out)["id"]] = text


def whole(run, told):
    """Check that a memory holds all that was acknowledged, and nothing in part."""
    lines = run("export").lines
    stored = {fact["id"]: fact for fact in lines}
    for fact_id, text in told.items():
        assert stored[fact_id]["content"] == text
    for fact in lines:
        assert fact["tags"] == ["kill"] and fact["slot"], fact
    slots = [fact["slot"] for fact in lines if fact["lifecycle"] == "active"]
    assert len(slots) == len(set(slots)), "one value a slot"
    listed = run("history", "--json", "--limit", "100000").json
    births = [one for one in listed["changes"] if (one["entity"], one["act"]) == ("fact", "added")]
    assert sorted(one["id"] for one in births) == sorted(stored), "the journal knows each"
    for fact in lines:
        if fact["lifecycle"] == "active":
            found = run("recall", fact["content"], "--json").json["hits"]
            assert fact["id"] in [hit["id"] for hit in found]
    return len(lines)


@pytest.mark.nightly
def test_killed_clients(run, durable, monkeypatch):
    """At any moment: the server ends their transactions, and the next writer waits for nobody."""
    place = f"{durable.address}&schema=killed"
    monkeypatch.setenv("TIDELINE_DB", place)
    monkeypatch.delenv("TIDELINE_NOW")
    assert run("remember", "the first word", "--slot", "first", "--tag", "kill").code == 0
    writers = [Writer(place, name, kills=True) for name in ("one", "two")]
    for one in writers:
        one.start()
    time.sleep(often(8, 90))
    for one in writers:
        one.is_wanted = False
    for one in writers:
        one.join()
    told = {**writers[0].told, **writers[1].told}
    assert sum(one.killed for one in writers) >= often(2, 40)
    assert whole(run, told) >= len(told)
    start = time.monotonic()
    assert run("remember", "the last word", "--slot", "last", "--tag", "kill").code == 0
    assert time.monotonic() - start < 5


@pytest.mark.nightly
def test_killed_servers(run, durable, monkeypatch):
    """Stopped at once, some times, and started again: what was acknowledged is there."""
    place = f"{durable.address}&schema=killed"
    monkeypatch.setenv("TIDELINE_DB", place)
    monkeypatch.delenv("TIDELINE_NOW")
    writers = [Writer(place, name) for name in ("one", "two")]
    for one in writers:
        one.start()
    chance = random.Random(4)
    for _ in range(often(2, 15)):
        time.sleep(chance.uniform(1.5, 4))
        durable.stop("immediate")
        durable.start()
    time.sleep(1)
    for one in writers:
        one.is_wanted = False
    for one in writers:
        one.join()
    told = {**writers[0].told, **writers[1].told}
    assert len(told) >= 2
    assert whole(run, told) >= len(told)


@pytest.mark.nightly
def test_failover(run, durable, monkeypatch):
    """A standby takes over while people write: what was acknowledged is there, and the address that
    names both servers leads to the one that can be written."""
    monkeypatch.delenv("TIDELINE_NOW")
    address = f"{durable.address}&schema=killed"
    monkeypatch.setenv("TIDELINE_DB", address)
    assert run("remember", "the first word", "--slot", "first", "--tag", "kill").code == 0
    with durable.standby() as other:
        folders = f"{durable.folder},{other.folder}"
        both = f"{durable.address.partition('?')[0]}?host={folders}&target_session_attrs=read-write"
        monkeypatch.setenv("TIDELINE_DB", f"{both}&schema=killed")
        writer = Writer(f"{both}&schema=killed", "one")
        writer.start()
        time.sleep(often(4, 15))
        durable.stop("immediate")
        other.promote()
        time.sleep(often(3, 10))
        writer.is_wanted = False
        writer.join()
        before = len(writer.told)
        assert before >= 2
        assert whole(run, writer.told) >= before
        assert run("remember", "after it", "--slot", "after", "--tag", "kill").code == 0
        durable.start()
