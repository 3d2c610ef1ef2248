"""A place is vouched for by who can write it; where others can, what was taken as a stranger's is
said, and `--trust` takes it as it was said."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from tests.support import NOW

NAMES = ("ash", "birch")
_MINUTE = 60_000
_EMPTY = '{"facts": []}'
_SAID = ("Standup is at nine", "Standup is at ten", "Lunch is at noon", "The van is white",
         "The van is red", "Ana waters the plants")  # fmt: skip


class Homes:
    """Two memories beside a place, and the time of both."""

    def __init__(self, run, folder):
        self._run, self._folder, self._now = run, folder, NOW
        self.place = str(folder / "place")

    def do(self, name, *words, code=0):
        self._now += _MINUTE
        done = self._run(*words, "--now", str(self._now), "--db", str(self._folder / f"{name}.db"))
        assert done.code == code, done.err
        return done

    def sync(self, name, *more):
        return self.do(name, "sync", self.place, "--plain", *more)

    def export(self, name):
        return self.do(name, "export").out


@pytest.fixture
def homes(run, tmp_path, monkeypatch):
    """Homes on a local disk, whatever the disk of the tests is."""
    listing = tmp_path / "mounts"
    listing.write_text("20 1 8:1 / / rw - ext4 /dev/sda1 rw\n")
    from tideline_cli.sync.places import folder

    alone = folder.is_owners_alone
    monkeypatch.setattr(folder, "is_owners_alone",
                        lambda folder: alone(folder, listing=str(listing)))  # fmt: skip
    return Homes(run, tmp_path)


def made(homes, mode):
    os.mkdir(homes.place)
    os.chmod(homes.place, mode)


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o750, 0o711])
def test_a_place_that_nobody_else_writes_is_the_owners(homes, mode):
    """The later value of a slot holds on both machines; that others read there is said once."""
    made(homes, mode)
    for name, said in zip(NAMES, ("Standup is at nine", "Standup is at ten"), strict=True):
        homes.do(name, "remember", said, "--slot", "day")
    told = [homes.sync(name).err for name in NAMES * 2]
    assert [("reads every fact" in one) for one in told] == [mode != 0o700, mode != 0o700, 0, 0]
    assert not any("stranger" in one for one in told)
    assert homes.export("ash") == homes.export("birch")
    assert "at ten" in homes.do("ash", "slots").out


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o757])
def test_where_others_write_it_is_said_what_was_not_taken_over(homes, mode):
    """In one line, with what vouches; status names the facts, and --trust takes them as said."""
    made(homes, mode)
    ids = {}
    for name, said in zip(NAMES, ("Standup is at nine", "Standup is at ten"), strict=True):
        told = homes.do(name, "remember", said, "--slot", "day", "--json").out
        ids[name] = json.loads(told)["id"]
    homes.sync("ash")
    told = homes.sync("birch").err
    (line,) = [one for one in told.replace("\n  hint: ", "; ").splitlines() if "stranger" in one]
    assert "1 fact taken as a stranger's" in line
    assert f"tideline sync {homes.place} --trust" in line
    status = homes.do("birch", "sync", "status").out
    assert ids["ash"] in status
    assert "--trust" in status
    form = json.loads(homes.do("birch", "sync", "status", "--json").out)
    assert form["places"][0]["strangers"] == [ids["ash"]]
    assert "stranger" not in homes.sync("birch").err  # nothing new is nothing to tell
    for name in NAMES * 2:
        homes.sync(name, "--trust")
    assert homes.export("ash") == homes.export("birch")
    assert "at ten" in homes.do("ash", "slots").out
    form = json.loads(homes.do("birch", "sync", "status", "--json").out)
    assert (form["places"][0]["strangers"], form["places"][0]["refused"]) == ([], [])


@pytest.mark.parametrize("what", ["a machine's folder", "a segment", "place.json", "keys"])
def test_where_others_write_a_part_of_it_nobody_vouches(homes, what):
    """However the place itself is closed: what others may write in it they may still write."""
    made(homes, 0o755)
    for name, said in zip(NAMES, ("Standup is at nine", "Standup is at ten"), strict=True):
        homes.do(name, "remember", said, "--slot", "day")
    homes.sync("ash")
    place = Path(homes.place)
    (segment,) = place.glob("*/*.seg")
    parts = {"a machine's folder": segment.parent, "a segment": segment,
             "place.json": place / "place.json", "keys": place / "keys"}  # fmt: skip
    (place / "keys").mkdir(exist_ok=True)
    mode = parts[what].stat().st_mode
    parts[what].chmod(mode | 0o022)
    assert "1 fact taken as a stranger's" in homes.sync("birch").err
    assert "at ten" in homes.do("birch", "slots").out
    parts[what].chmod(mode)
    for name in NAMES * 2:
        assert "stranger" not in homes.sync(name).err
    assert homes.export("ash") == homes.export("birch")


@pytest.mark.parametrize("what", ["*", "*/*.seg"])
def test_a_part_that_belongs_to_somebody_else_is_a_strangers(homes, what, monkeypatch):
    """Whoever made it while the place was open can write there for ever."""
    from tideline_cli.sync.places import folder

    made(homes, 0o755)
    for name in NAMES:
        homes.do(name, "remember", f"{name} was here")
    homes.sync("ash")
    parts = [path for path in Path(homes.place).glob(what) if path.name != "place.json"]
    numbers = {path.stat().st_ino for path in parts}
    monkeypatch.setattr(folder, "is_own", lambda state: state.st_ino not in numbers)
    assert "1 fact taken as a stranger's" in homes.sync("birch").err


def test_a_change_that_was_not_taken_is_named(homes):
    """A forget that a stranger may not do is no change here, and its fact is named."""
    made(homes, 0o700)
    homes.do("ash", "remember", "Lunch is at noon")
    for name in NAMES:
        homes.sync(name)
    os.chmod(homes.place, 0o777)
    (one,) = json.loads(homes.do("birch", "list", "--json").out)["facts"]
    homes.do("birch", "forget", one["id"])
    homes.sync("birch")
    told = homes.sync("ash").err
    assert "changes of 1 fact not taken" in told
    assert one["id"] in homes.do("ash", "sync", "status").out
    assert "noon" in homes.do("ash", "list").out
    homes.sync("ash", "--trust")
    assert "noon" not in homes.do("ash", "list").out


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_histories_in_places_of_any_mode(homes, number):
    """Whatever the rights are: where nobody else writes both are equal; else they are once both
    trust the place, and until then no word of one is lost on it."""
    random = Random(number)
    mode = random.choice((0o700, 0o755, 0o711, 0o770, 0o777))
    made(homes, mode)
    for _ in range(random.randrange(6, 14)):
        name = random.choice(NAMES)
        match random.choice(("say", "say", "forget", "sync")):
            case "say":
                said = random.choice(_SAID)
                slot = ("--slot", said.split()[0]) if random.random() < 0.6 else ()
                homes.do(name, "remember", said, *slot)
            case "forget":
                listed = homes.do(name, "list", "--json").out if _is_there(homes, name) else _EMPTY
                if facts := json.loads(listed)["facts"]:
                    homes.do(name, "forget", random.choice(facts)["id"])
            case "sync":
                homes.do(name, "remember", random.choice(_SAID))
                homes.sync(name)
    for name in NAMES:
        homes.do(name, "remember", "The end")
    trust = ("--trust",) if mode & 0o022 else ()
    for name in NAMES * 4:
        homes.sync(name, *trust)
    assert homes.export("ash") == homes.export("birch")


def _is_there(homes, name):
    return (homes._folder / f"{name}.db").exists()
