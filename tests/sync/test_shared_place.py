"""A stranger who can write into a place: by hand, in any folder of it."""

from __future__ import annotations

import json
import os

import pytest

from tests.conftest import run_main
from tests.support import NOW
from tests.sync.strangers import GOOD
from tideline_cli.sync import segment
from tideline_cli.sync.keys import from_secret
from tideline_cli.sync.segment import Header

EVE = "e7" * 16
DAY = 86_400_000


def line(**words):
    return json.dumps(words).encode()


class Shared:
    """A place that everybody can write, a memory that syncs with it, and the stranger's pen."""

    def __init__(self, tmp_path, *more):
        self.folder = tmp_path / "shared"
        self.folder.mkdir()
        self.folder.chmod(0o777)
        assert run_main("remember", "The boat lies at the north pier", "--slot", "boat").code == 0
        self.sync(str(self.folder), "--name", "ash", *more)
        self.place = json.loads((self.folder / "place.json").read_text())["id"]
        self.own = run_main("sync", "status", "--json").json["replica"]

    def sync(self, *argv):
        done = run_main("sync", *argv, "--json")
        assert done.code == 0, done
        return done.json["places"][0]

    def write(self, *lines, replica=EVE, number=1, name="eve", key=None, names=()):
        head = line(replicas=[[EVE, name], *names])
        kind = {"kind": "snapshot"} if number == 1 else {"previous": self.last(replica)}
        header = Header(self.place, replica, name, number, clock=1, knows={}, **kind)
        data = segment.pack(header, [head, *lines], key)
        folder = self.folder / replica
        folder.mkdir(exist_ok=True)
        (folder / f"{number:08d}.seg").write_bytes(data)

    def last(self, replica):
        return segment.digest(max((self.folder / replica).glob("*.seg")).read_bytes())


@pytest.fixture
def shared(tmp_path):
    return Shared(tmp_path, "--plain")


def add(said, number=0, *, at=NOW, **more):
    fact_id = f"01K7434FJ05GQ6R5KSCQ67A5{number:02d}"
    return line(add=fact_id, at=[at << 16, 0], values=GOOD | {"content": said} | more)


def facts():
    return {one["content"]: one for one in map(json.loads, run_main("export").out.splitlines())}


def test_what_a_stranger_says_is_text_from_outside(shared):
    """What a stranger says is text from outside."""
    shared.write(add("The harbour office opens at nine"), add("We meet at the pub", 1, slot="boat"))
    told = shared.sync()
    assert (told["received"], told["refused"], told["vouched"]) == (2, 0, False)
    assert facts()["The harbour office opens at nine"]["source"] == "retrieved_document"
    assert facts()["The boat lies at the north pier"]["lifecycle"] == "active"
    assert "not vouched for" in run_main("sync", "status").out


def test_who_vouches_takes_it_as_said(shared):
    """Who vouches takes it as said."""
    shared.write(add("The harbour office opens at nine"))
    assert shared.sync("--trust")["vouched"]
    assert facts()["The harbour office opens at nine"]["source"] == "owner_message"
    shared.write(add("The pub opens at ten", 1), number=2)
    assert shared.sync()["vouched"]  # it need not be said again


def test_what_is_refused_is_told(shared):
    """What is refused is told."""
    mine = facts()["The boat lies at the north pier"]["id"]
    shared.write(line(purge=[mine]), line(set=mine, at=[NOW << 16, 0], values={"pinned": True}))
    done = run_main("sync")
    assert done.code == 0
    assert "changes of 1 fact not taken" in done.err and "--trust" in done.err
    assert mine in run_main("sync", "status").out


def test_a_time_in_the_far_future_stops_the_stranger_alone(shared):
    """A time in the far future stops the stranger alone."""
    shared.write(add("The sun has gone out", at=NOW + 400 * DAY))
    (halt,) = shared.sync()["stopped"]
    assert (halt["reason"], halt["name"]) == ("clock", EVE[:8])
    assert run_main("remember", "The tent is in the attic").code == 0
    assert shared.sync()["sent"] == 1
    assert run_main("doctor", "--json").json["ok"]


def test_nobody_is_renamed(shared):
    """Nobody is renamed."""
    shared.write(add("The pub opens at ten"), names=[[shared.own, "eve's machine"]])
    shared.sync()
    assert run_main("sync", "status", "--json").json["name"] == "ash"
    shared.write(add("The pub opens at ten", 1), number=2, name="ash")
    shared.sync()
    (other,) = run_main("sync", "status", "--json").json["places"][0]["replicas"]
    assert other["name"] == "eve"


@pytest.mark.parametrize("how", ["huge", "deep", "nonsense", "link", "folder", "fifo", "zeros"])
def test_odd_files_stop_the_stranger_alone(shared, tmp_path, how):
    """Odd files stop the stranger alone."""
    (shared.folder / EVE).mkdir()
    path = shared.folder / EVE / "00000001.seg"
    match how:
        case "huge":
            with path.open("wb") as file:
                file.truncate((64 << 20) + 1)
        case "deep":
            shared.write(b"[" * 1_000_000)
        case "nonsense":
            path.write_bytes(os.urandom(1000))
        case "link":
            path.symlink_to(tmp_path / "home" / "tideline.db")
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "zeros":
            path.write_bytes(bytes(1000))
    assert run_main("remember", "The tent is in the attic").code == 0
    told = shared.sync()
    assert told["sent"] == 1
    assert [one["advice"] for one in told["stopped"]]
    assert "Traceback" not in run_main("sync").err


def test_a_stranger_in_the_folder_of_another_machine_of_a_plain_place(shared):
    """He can say what he likes under its name, and it is text from outside all the same. The
    machine takes a new id; nothing of its own is lost."""
    before = facts()
    shared.write(add("The boat was sold", slot="boat"), replica=shared.own, number=2, name="ash")
    told = shared.sync()
    assert any("a new id from now on" in note for note in told["notes"])
    shared.sync()
    after = facts()
    assert {said: after[said] for said in before} == before
    assert after["The boat was sold"]["source"] == "retrieved_document"
    assert run_main("sync", "status", "--json").json["replica"] != shared.own


@pytest.mark.parametrize("form", ["plain", "other key", "garbage"])
def test_a_stranger_without_the_key_in_an_encrypted_place(tmp_path, form):
    """Nothing of it is read, and what he wrote over is written anew, under the same id."""
    shared = Shared(tmp_path)
    for replica, number in ((EVE, 1), (shared.own, 2)):
        if form == "garbage":
            (shared.folder / replica).mkdir(exist_ok=True)
            (shared.folder / replica / f"{number:08d}.seg").write_bytes(b"tideline-segment 1 x")
        else:
            key = None if form == "plain" else from_secret(bytes(32), 99, shared.place)
            shared.write(add("The boat was sold"), replica=replica, number=number, key=key)
    told = shared.sync()
    assert [(one["replica"], bool(one["advice"])) for one in told["stopped"]] == [(EVE, True)]
    assert told["received"] == 0 and any("sent again" in one for one in told["notes"])
    assert list(facts()) == ["The boat lies at the north pier"]
    assert run_main("sync", "status", "--json").json["replica"] == shared.own
    assert shared.sync()["notes"] == []


def test_a_key_that_a_stranger_lays_there_is_not_taken(tmp_path):
    """A key that a stranger lays there is not taken."""
    shared = Shared(tmp_path)
    (ours,) = run_main("sync", "key", "--json").json["keys"]
    (shared.folder / "keys").mkdir(exist_ok=True)
    (shared.folder / "keys" / f"{'a' * 16}.{ours['id']}").write_bytes(os.urandom(200))
    shared.sync()
    assert [one["id"] for one in run_main("sync", "key", "--json").json["keys"]] == [ours["id"]]
