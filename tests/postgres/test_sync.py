"""A memory on a server as one machine of a sync."""

from __future__ import annotations

import json

import pytest

from tests.support import DAY, NOW
from tideline_cli.store.postgres import copying, opening


@pytest.fixture
def machines(run, address, tmp_path, monkeypatch):
    """Return what runs a command on a machine, by name: `file` has a file, others are on the
    server. Each call is an hour later."""
    places = {"file": str(tmp_path / "file.db")}
    hours = [0]

    def call(name, *argv, codes=(0, 1), **given):
        hours[0] += 1
        monkeypatch.setenv("TIDELINE_NOW", str(NOW + hours[0] * DAY // 24))
        if name not in places:
            places[name] = address()
        monkeypatch.setenv("TIDELINE_DB", places[name])
        done = run(*argv, **given)
        assert done.code in codes, (name, argv, done)
        return done

    call.places = places
    call.place = str(tmp_path / "place")
    return call


def meet(machines, *names):
    """Let machines sync until none of them has news."""
    for name in (*names, *names, *names):
        machines(name, "sync", machines.place, "--plain", "--trust", "--quiet")


def told(machines, name):
    """Return what a memory holds, but for what each machine has of its own."""
    return sorted(machines(name, "export").lines, key=lambda fact: fact["id"])


def test_a_file_and_two_servers_become_one(machines):
    """What is said on one is on all, also values of a slot, links, an edit, an undo, a purge."""
    first = machines("file", "remember", "the lamp is of brass", "--tag", "home", "--json").json
    machines("one", "remember", "the key hangs by the door")
    machines("two", "--origin", "channel:chat/a/b", "remember", "said in a channel")
    meet(machines, "file", "one", "two")
    assert told(machines, "file") == told(machines, "one") == told(machines, "two")
    assert len(told(machines, "two")) == 2
    machines("one", "remember", "Lena drinks tea", "--slot", "drink")
    machines("file", "remember", "Lena drinks coffee", "--slot", "drink")
    other = machines("two", "remember", "the code is 4711", "--json").json["id"]
    machines("two", "link", first["id"], other, "--kind", "supports")
    machines("one", "pin", first["id"])
    machines("one", "edit", first["id"], "the lamp is of old brass")
    meet(machines, "file", "one", "two")
    assert told(machines, "file") == told(machines, "one") == told(machines, "two")
    machines("file", "purge", other, "--yes")
    machines("one", "undo")
    machines("two", "recall", "brass lamp")
    meet(machines, "file", "one", "two")
    assert told(machines, "file") == told(machines, "one") == told(machines, "two")
    assert "4711" not in json.dumps(told(machines, "one"))
    for name in ("file", "one", "two"):
        done = machines(name, "doctor", "--deep", "--json")
        assert done.code == 0 and "sync_log" in done.json["checks"], done.json["findings"]


def test_status_log_and_forget(machines):
    """The other actions of sync say the same as for a file."""
    machines("one", "remember", "the lamp is of brass")
    meet(machines, "one")
    assert machines.place in machines("one", "sync", "status").out
    machines("one", "sync", "log")
    machines("one", "sync", "forget", machines.place)
    assert machines.place not in machines("one", "sync", "status").out


def test_a_copy_is_another_machine(machines):
    """A copied schema gets an id of its own, so that both can sync."""
    machines("one", "remember", "the lamp is of brass")
    meet(machines, "one")
    copied = copying.copy_before(machines.places["one"], "test", now=NOW)
    machines.places["copy"] = copied
    machines("copy", "remember", "said in the copy alone")
    machines("one", "remember", "said in the first alone")
    done = machines("copy", "sync", machines.place)
    assert "a copy of one that syncs" in done.err
    meet(machines, "one", "copy")
    assert told(machines, "one") == told(machines, "copy") and len(told(machines, "one")) == 3


def test_what_nobody_tells_is_found(machines):
    """doctor compares a memory on a server with the log of its place."""
    machines("one", "remember", "the lamp is of brass")
    meet(machines, "one")
    db = opening.open_or_make(machines.places["one"])
    db.execute("BEGIN IMMEDIATE")
    db.as_it_is("SET LOCAL session_replication_role = replica")
    db.execute("UPDATE fact SET content = 'the lamp is of glass'")
    db.execute("COMMIT")
    db.close()
    found = machines("one", "doctor", "--deep", "--json", codes=(5,)).json["findings"]
    assert {"digests", "sync_log"} <= {one["check"] for one in found}
