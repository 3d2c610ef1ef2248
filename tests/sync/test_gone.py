"""A machine that is lost, and forgotten: what it can read, what is read of it, how it comes back.
"""

from __future__ import annotations

import json

import pytest

from tests.faults.nursery import Nursery
from tests.sync.homes import World


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    with Nursery() as nursery:
        made = World(nursery, tmp_path_factory.mktemp("gone") / "world")
        made.join("--encrypt")
        made.say("cedar", "The boat lies at the north pier")
        assert made.settle() == []
        yield made, made.keep(), made.now


@pytest.fixture
def world(prepared):
    """Three machines in an encrypted place; the last of them gets lost."""
    made, kept, now = prepared
    made.back(kept)
    made.now = now
    return made


def lose(world, *, name="ash"):
    """Forget the third machine, sync, and bring the new key to the second one."""
    told = world.do(name, "sync", "forget", "cedar")
    assert (told["name"], told["forgotten"]) == ("cedar", True)
    notes = world.sync(name)["notes"]
    assert any("made a new key" in note and "cedar" in note for note in notes)
    world.carry("ash", "birch")


def names(world, name):
    return {one["name"] for place in world.do(name, "sync", "status")["places"]
            for one in place["replicas"]}  # fmt: skip


def test_it_can_read_nothing_that_is_said_from_then_on(world):
    """The others go on with a key that it does not have and cannot get from the place."""
    lose(world)
    world.do("birch", "sync", "forget", "cedar")
    world.say("ash", "The skis are in the garage")
    world.say("birch", "Ana waters the plants")
    assert world.settle(names=("ash", "birch")) == []
    assert names(world, "ash") == {"birch"} and names(world, "birch") == {"ash"}
    keys = world.do("birch", "sync", "key")["keys"]
    assert keys == world.do("ash", "sync", "key")["keys"]  # no second new one
    done = world.run("cedar", "sync", world.address)
    assert done.code == 0 and "cannot be read further" in done.err
    assert world.contents("cedar") == {"The boat lies at the north pier"}
    assert world.well("ash") == [] and world.well("birch") == []


def test_what_it_writes_with_the_old_key_is_not_read(world):
    """It is told once, and the facts of before stay."""
    lose(world)
    world.say("cedar", "The gate is open")
    world.run("cedar", "sync", world.address)
    notes = world.sync("ash")["notes"]
    assert any("cedar was forgotten, and what it left since" in note for note in notes)
    assert world.sync("ash")["notes"] == []
    assert world.contents("ash") == {"The boat lies at the north pier"}
    assert world.well("ash") == []


def test_it_comes_back_with_the_new_key(world):
    """A machine that was found again needs the key, and is read from then on."""
    lose(world)
    world.say("cedar", "The gate is open")
    world.carry("ash", "cedar")
    assert any("it is read again" in note
               for _ in range(3) for name in ("cedar", "ash")
               for note in world.sync(name)["notes"])  # fmt: skip
    assert world.settle() == []
    assert "The gate is open" in world.contents("ash")
    assert "cedar" in names(world, "ash")


def test_the_name_must_be_that_of_another_machine(world):
    """A name that nobody has, and its own."""
    for word, said in (("dune", "no such place or machine"), ("ash", "the machine itself")):
        done = world.run("ash", "sync", "forget", word, "--json")
        assert done.code == 2
        assert said in json.loads(done.err)["error"]["message"]
