"""What befalls places and memory files: the next syncs bring all machines to the same, or say what
to do, and doing that helps."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.faults.figures import text
from tests.faults.nursery import Nursery
from tests.sync.homes import NAMES, World, holds, is_same, lived_in
from tideline_cli.store import locks

DAY = 86_400_000


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    with Nursery() as nursery:
        world = World(nursery, tmp_path_factory.mktemp("mishaps") / "world")
        ids = lived_in(world, more=("--encrypt",))
        yield world, world.keep(), world.now, ids


@pytest.fixture
def world(prepared):
    """Three machines that have met in an encrypted place; `ids` are those of some facts."""
    world, kept, now, ids = prepared
    world.back(kept)
    world.now, world.ids, world.names, world.skew = now, dict(ids), NAMES, {}
    world.address = str(world.folder / "place")
    return world


def place(world):
    return world.folder / "place"


def own_id(world, name):
    return world.do(name, "sync", "status")["replica"]


def own_folder(world, name):
    return place(world) / own_id(world, name)


def segments(world, name):
    return sorted(own_folder(world, name).glob("*.seg"))


def all_said(world):
    return set().union(*(world.contents(name) for name in world.names))


def test_a_place_that_is_not_there_is_waited_for(world):
    """Nothing is written where its disk was, and the memory works on."""
    place(world).rename(world.folder / "unplugged")
    world.say("ash", text(400))
    done = world.run("ash", "sync")
    assert (done.code, done.out) == (75, "") and "is its disk there?" in done.err
    assert not place(world).exists()
    (world.folder / "unplugged").rename(place(world))
    assert world.settle() == []
    assert text(400) in world.contents("cedar")


def test_a_sync_leaves_another_one_alone(world):
    """A sync leaves another one alone."""
    lock = locks.attempt(str(world.home("ash") / "tideline.db"), locks.SYNC)
    try:
        done = world.run("ash", "sync")
    finally:
        locks.release(lock)
    assert done.code == 0 and "another sync of this memory is running" in done.err


def test_syncs_beside_everything_else(world):
    """Two syncs of one memory, and what other processes write meanwhile."""
    gone = world.say("ash", "The word is mauerblume88")
    assert world.settle() == []
    nursery = world.nursery
    calls = [("ash", "sync"), ("birch", "sync"), ("ash", "sync"), ("cedar", "sync"),
             ("ash", "remember", text(410)), ("birch", "forget", world.ids["birch 1"]),
             ("ash", "purge", gone, "--yes"), ("birch", "dream", "--merge-at", "0.6"),
             ("cedar", "remember", text(411), "--slot", "editor"), ("cedar", "undo"),
             ("ash", "remember", text(412), "--slot", "editor"), ("ash", "recall", text(1)),
             ("birch", "sync"), ("ash", "sync"), ("cedar", "sync")]  # fmt: skip
    environ = {"TIDELINE_NOW": str(world.now)}
    running = [
        (argv, nursery.start(*argv, home=world.home(name), environ=environ))
        for name, *argv in calls
    ]
    ended = [(argv, child.wait()) for argv, child in running]
    assert [one for one in ended if one[1] not in (0, 4)] == []
    assert world.settle() == []
    assert {text(410), text(412)} <= world.contents("cedar")
    assert holds(world.folder, b"mauerblume88") == []


def test_an_undo_passes_over_what_others_said_meanwhile(world):
    """Cron may sync between a command and its undo: that takes back what was done here, and says
    what stays. The number of the sync takes that back."""
    world.say("cedar", text(415))
    world.say("ash", text(416))
    assert world.settle() == []
    done = world.run("cedar", "undo", "--dry-run")
    assert "(remember): 1 fact removed" in done.out
    [meant] = world.do("cedar", "undo", "--dry-run")["passed_over"]
    done = world.run("cedar", "undo")
    assert done.code == 0 and "(remember): 1 fact removed" in done.out
    [number] = re.findall(r"batch (\d+) came by a sync and stays", done.err)
    assert int(number) == meant
    assert text(415) not in world.contents("cedar") and text(416) in world.contents("cedar")
    assert int(number) not in {
        one["batch"] for one in world.do("cedar", "undo", "--list")["batches"]
    }
    assert world.run("cedar", "undo", number).code == 0
    assert text(416) not in world.contents("cedar")
    assert world.settle() == []
    assert all_said(world).isdisjoint({text(415), text(416)})


@pytest.mark.parametrize("is_clone", [False, True], ids=["copy", "clone"])
def test_a_copied_memory_becomes_a_replica_of_its_own(world, is_clone):
    """A clone cannot tell itself from the first one: the log shows what has happened."""
    shutil.copytree(world.home("ash"), world.home("dune"))
    if is_clone:
        is_same(world.home("dune") / "tideline.db")
    world.say("dune", text(420))
    world.say("ash", text(421))
    assert world.sync("ash")["notes"] == []
    assert any("a new id" in note for note in world.sync("dune")["notes"])
    world.names = (*NAMES, "dune")
    world.say("dune", text(422))
    world.say("ash", text(423))
    assert world.settle() == []
    assert {text(number) for number in range(420, 424)} <= world.contents("birch")
    assert own_id(world, "ash") != own_id(world, "dune")


@pytest.mark.parametrize("is_in_place", [False, True], ids=["restore", "cp"])
def test_a_memory_restored_from_a_backup_fetches_what_it_lacks(world, is_in_place):
    """It had sent more than it knows now."""
    backup = str(world.folder / "ash.backup")
    assert world.run("ash", "backup", backup).code == 0
    world.say("ash", text(430))
    gone = world.say("ash", "The word is nachtfalter31")
    assert world.settle() == []
    world.do("birch", "edit", world.ids["ash 0"], text(431))
    world.do("ash", "purge", gone, "--yes")
    assert world.settle() == []
    world.do("ash", "forget", world.ids["ash 1"])
    world.sync("ash")
    if is_in_place:
        path = world.home("ash") / "tideline.db"
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        path.write_bytes(Path(backup).read_bytes())
    else:
        assert world.run("ash", "restore", "--from", backup, "--yes").code == 0
    world.say("ash", text(432))
    assert world.settle() == []
    assert {text(430), text(431), text(432)} <= world.contents("ash")
    done = world.do("ash", "show", world.ids["ash 1"])
    assert "archived" in json.dumps(done)
    shutil.rmtree(world.folder / "ash.before", ignore_errors=True)
    assert world.well("ash") == []


def test_a_place_restored_from_a_backup_gets_what_it_lacks(world):
    """It holds what was purged since, sealed with a key that nobody has any more."""
    gone = world.say("ash", "The word is grasmuecke71")
    assert world.settle() == []
    shutil.copytree(place(world), world.folder / "old")
    world.do("ash", "purge", gone, "--yes")
    world.say("birch", text(440))
    assert world.settle() == []
    shutil.rmtree(place(world))
    (world.folder / "old").rename(place(world))
    world.say("cedar", text(441))
    assert world.settle() == []
    assert {text(440), text(441)} <= world.contents("ash")
    assert holds(world.folder, b"grasmuecke71") == []


@pytest.mark.parametrize("loss", ["all", "place.json", "garbage"])
def test_a_place_that_has_lost_something_gets_it_again(world, loss):
    """A place that has lost something gets it again."""
    held = place(world) / "place.json"
    was = held.read_bytes()
    if loss == "all":
        shutil.rmtree(place(world))
        place(world).mkdir(mode=0o700)
    elif loss == "place.json":
        held.unlink()
    else:
        held.write_bytes(b'{"format": 1, "id":')
        done = world.run("birch", "sync")
        assert done.code == 5 and "place.json" in done.err
        held.unlink()  # as the hint says: there is no backup of it
    world.say("birch", text(450))
    assert any("place.json" in note for note in world.sync("birch")["notes"])
    assert world.settle() == []
    assert held.read_bytes() == was
    assert text(450) in world.contents("cedar")


@pytest.mark.parametrize("is_other", [False, True], ids=["same", "other"])
def test_a_place_that_says_it_is_plain_now_gets_nothing(world, is_other):
    """A place that says it is plain now gets nothing."""
    held = place(world) / "place.json"
    was = json.loads(held.read_text())
    named = os.urandom(16).hex() if is_other else was["id"]
    held.write_text(json.dumps(was | {"form": "plain", "id": named}))
    world.say("ash", text(460))
    done = world.run("ash", "sync")
    assert done.code == 2 and "was encrypted, and says that it is not" in done.err
    assert holds(place(world), text(460).encode()) == []
    held.write_text(json.dumps(was))
    assert world.settle() == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("harm", ["remove", "truncate", "swap", "flip", "more"])
@pytest.mark.parametrize("which", [0, -1], ids=["first", "last"])
def test_a_harmed_segment_is_left_anew_by_its_machine(world, harm, which):
    """The others say so until then, and go on with what else there is."""
    for number in (470, 471):
        world.say("birch", text(number))
        world.sync("birch")
    files = segments(world, "birch")
    assert len(files) == 3
    victim = files[which]
    match harm:
        case "remove":
            victim.unlink()
        case "truncate":
            victim.write_bytes(victim.read_bytes()[:-20])
        case "swap":
            other = files[1]
            one, two = victim.read_bytes(), other.read_bytes()
            victim.write_bytes(two), other.write_bytes(one)
        case "flip":
            data = bytearray(victim.read_bytes())
            data[len(data) // 2] ^= 4
            victim.write_bytes(data)
        case "more":
            shutil.copy(victim, victim.with_name("00000040.seg"))
    shutil.rmtree(world.home("cedar"))
    world.home("cedar").mkdir()
    world.carry("ash", "cedar")
    told = world.sync("cedar", world.address, "--name", "cedar")
    if harm != "remove" or which != -1:
        assert [one["name"] for one in told["stopped"]] and told["stopped"][0]["advice"]
    assert text(0) in world.contents("cedar")  # ash is read all the same
    assert any("is sent again" in note for note in world.sync("birch")["notes"])
    assert world.settle() == []
    assert {text(470), text(471)} <= world.contents("cedar")
    assert own_id(world, "birch") in os.listdir(place(world))


def test_a_clock_that_was_a_year_ahead(world):
    """Nobody believes it; once it is right the machine says the same with times that can be."""
    world.skew["birch"] = 365 * DAY
    world.say("birch", text(480), "--slot", "editor")
    world.do("birch", "edit", world.ids["birch 1"], text(481))
    world.sync("birch")
    told = world.sync("ash")["stopped"]
    assert [(one["reason"], one["name"]) for one in told] == [("clock", "birch")]
    assert text(480) not in world.contents("ash")
    world.skew.clear()
    assert world.settle() == []
    assert {text(480), text(481)} <= world.contents("cedar")
    world.say("ash", text(482), "--slot", "editor")
    world.sync("ash")
    assert world.settle() == []
    holder = [one for one in map(json.loads, world.export("cedar")) if one.get("slot") == "editor"
              and one["lifecycle"] == "active"]  # fmt: skip
    assert [one["content"] for one in holder] == [text(482)]


def test_a_machine_with_a_newer_version_stops_nobody_else(world):
    """A machine with a newer version stops nobody else."""
    world.say("cedar", text(490))
    folder = own_folder(world, "birch")
    newest = max(folder.glob("*.seg"))
    (folder / f"{int(newest.stem) + 1:08d}.seg").write_bytes(b"tideline-segment 2 what is that\nxx")
    world.sync("cedar")
    told = world.sync("ash")
    assert [one["reason"] for one in told["stopped"]] == ["newer"]
    assert "upgrade" in told["stopped"][0]["advice"]
    assert text(490) in world.contents("ash")


def test_a_place_by_another_address_is_the_same_place(world):
    """It is not written twice over."""
    (world.folder / "way").symlink_to(place(world))
    world.say("ash", text(500))
    told = world.sync("ash", str(world.folder / "way"))
    assert any("this is the place that was" in note for note in told["notes"])
    assert told["sent"] == 1
    assert len(world.do("ash", "sync", "status")["places"]) == 1
    assert world.settle() == []


def test_a_place_that_was_forgotten_and_is_named_again(world):
    """A place that was forgotten and is named again."""
    was = own_id(world, "ash")
    assert world.run("ash", "sync", "forget", world.address).code == 0
    world.say("ash", text(510))
    world.sync("ash", world.address)
    assert own_id(world, "ash") == was
    assert world.settle() == []


def test_another_place_gets_all_after_the_first_was_forgotten(world):
    """What came from the first one too."""
    assert world.run("ash", "sync", "forget", world.address).code == 0
    world.sync("ash", str(world.folder / "second"), "--encrypt")
    world.carry("ash", "birch")
    shutil.rmtree(world.home("cedar"))
    world.home("cedar").mkdir()
    world.carry("ash", "cedar")
    world.sync("cedar", str(world.folder / "second"))
    assert world.contents("cedar") == world.contents("ash") == all_said(world)


def test_a_lost_key_is_a_clear_error(world):
    """A lost key is a clear error."""
    for one in world.home("cedar").rglob("sync.keys"):
        one.unlink()
    done = world.run("cedar", "sync")
    assert done.code == 3
    assert "`tideline sync key` prints it on a machine that has it" in done.err
    world.carry("ash", "cedar")
    assert world.settle() == []


def test_the_numbers_of_places_are_never_given_again(world):
    """The numbers of places are never given again."""
    with closing(apsw.Connection(str(world.home("ash") / "tideline.db"))) as db:
        before = db.execute("SELECT max(number) FROM sync_place").get
    assert world.run("ash", "sync", "forget", world.address).code == 0
    world.sync("ash", str(world.folder / "second"), "--encrypt")
    with closing(apsw.Connection(str(world.home("ash") / "tideline.db"))) as db:
        assert db.execute("SELECT min(number) FROM sync_place").get > before


def test_empty_folders_are_no_machines(run, tmp_path):
    """Thousands of them in a place cost next to nothing, and are not remembered."""
    path, place = str(tmp_path / "a.db"), tmp_path / "place"
    assert run("remember", "I deploy on Fridays", "--db", path).code == 0
    assert run("sync", str(place), "--plain", "--db", path).code == 0
    for number in range(1, 2001):
        (place / f"{number:032x}").mkdir()
    begun = time.process_time()
    assert run("sync", "--db", path).code == 0
    assert time.process_time() - begun < 3  # with a transaction for each of them it is a minute
    assert len(run("sync", "status", "--json", "--db", path).json["places"][0]["replicas"]) == 0


@pytest.mark.parametrize("most", [8, 9, 10])
def test_too_few_open_files_is_73(run, tmp_path, most):
    """Whichever file it is that cannot be opened."""
    path, place = str(tmp_path / "a.db"), str(tmp_path / "place")
    assert run("remember", "I deploy on Fridays", "--db", path).code == 0
    assert run("sync", place, "--plain", "--db", path).code == 0
    done = subprocess.run(
        ["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh", sys.executable, "-m", "tideline_cli",
         "sync", "--db", path],
        capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, "too many open files" in done.stderr) == (73, True), done.stderr
