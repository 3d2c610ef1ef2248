"""A fortnight on two laptops and a server: what is done on which day, and what must be so then."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from tests.journeys.fortnight import FACTS
from tests.sync.homes import World, holds
from tideline_cli.errors import TidelineError
from tideline_cli.sync import segment
from tideline_cli.sync.keys import KeyRing

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("lark", "moth", "server")  # a laptop that travels, one at home, a server
FIRST_DAY = 1_762_070_400_000
DAY = 86_400_000
MORNING, EVENING, NIGHT = 8 * 3_600_000, 19 * 3_600_000, 23 * 3_600_000
CHANNEL = ("--origin", "channel:chat/home/ana")
PURGED = "quittenbrot6613"
_AWAY = frozenset((2, 3, 6, 7, 8, 10, 11, 12))  # days on which the first laptop has no network
_ROWS = "".join(
    json.dumps({"content": f"Box {number} in the attic holds {what}", "tags": ["attic"]}) + "\n"
    for number, what in enumerate(("lamps", "winter coats", "school books", "a projector"), 1)
)


class Fortnight:
    """Lives the days on the machines of a world, the last one being `days`. `ids` are those of
    facts, by what they are for."""

    def __init__(self, world: World, *, days: int = 14) -> None:
        self.world = world
        self.days = days
        self.ids: dict[str, str] = {}
        self.syncs = 0

    def live(self) -> None:
        """Go through all days."""
        for day in range(1, self.days + 1):
            start = FIRST_DAY + day * DAY
            self.world.now = start + MORNING
            self._write(day)
            self._read(day)
            self._do(day)
            self.world.now = start + EVENING
            if day == 1:
                self.world.join("--encrypt")
            for name in NAMES:
                if name != "lark" or day not in _AWAY:
                    self.world.sync(name)
                    self.syncs += 1
            if day == 4:
                assert [*self.world.settle(), *self._undone()] == []
            self.world.now = start + NIGHT
            for name in NAMES:
                self.world.do(name, "dream")
            if day % 3 == 0:
                self.world.sync("server")

    def _write(self, day: int) -> None:
        """Type the facts of a day, on the laptops in turn."""
        facts = [one for one in FACTS if one[0] == day]
        for at, (_, key, said, options) in enumerate(facts):
            self.ids[key] = self.world.say(NAMES[at % 2], said, *options)
        self.world.say("server", f"Ana asks on day {day} whether the boat is dry", *CHANNEL)

    def _read(self, day: int) -> None:
        for name in NAMES:
            assert self.world.run(name, "recall", "when do we deploy the shop").code in (0, 1)
            assert self.world.run(name, "context", f"plans of day {day}").code == 0

    def _do(self, day: int) -> None:
        """What happens once: early enough that a short life has all of it."""
        world = self.world
        match day:
            case 2:
                world.do("moth", "import", "-", "--trust", stdin=_ROWS)
                self.ids["purged"] = world.say("lark", f"The password of the door is {PURGED}")
                world.do("server", "forget", self.ids["wifi"])
            case 3:  # one slot, two machines, and neither knows of the other's
                self.ids["gate 1"] = world.say("moth", "The gate code is 1812", "--slot", "gate")
                self.ids["gate 2"] = world.say("lark", "The gate code is 1914", "--slot", "gate")
                world.do("lark", "edit", self.ids["coffee"], "I take my coffee with milk")
                world.say("server", f"Keep {PURGED} in mind", "--derived-from", self.ids["staging"])
            case 4:
                self.ids["room 1"] = world.say("moth", "We meet in room 4", "--slot", "room")
                self.ids["room 2"] = world.say("lark", "We meet in room 9", "--slot", "room")
                world.say("lark", "A thought that is taken back")
                world.do("lark", "undo")
                world.say("moth", "A thought that comes again")
                world.do("moth", "undo")
                world.do("moth", "redo")
                world.do("server", "pin", self.ids["diet"])
            case 9:
                world.do("moth", "forget", self.ids["tent"])
                world.do("moth", "undo")
                world.do("server", "feedback", self.ids["bins"], "up")

    def end(self) -> list[str]:
        """Let all machines meet, and return what is wrong."""
        world = self.world
        world.now = FIRST_DAY + (self.days + 1) * DAY
        return [
            *world.settle(), *self._forgotten(), *self._purge(), *world.settle(),
            *self._last_look(),
        ]

    def _undone(self) -> list[str]:
        """One undo takes back everywhere what came and was in conflict: here on the machine of the
        earlier value, where the later one came as a batch of a sync."""
        world = self.world
        wrong = self._untold("room")
        told = world.do("moth", "history", self.ids["room 2"])["changes"]
        came = [one["batch"] for one in told if (one["entity"], one["act"]) == ("fact", "added")]
        world.do("moth", "undo", str(came[0]))
        return wrong + world.settle() + self._standing("room", "room 1")

    def _forgotten(self) -> list[str]:
        """To forget the wrong value settles a conflict everywhere."""
        wrong = self._untold("gate")
        self.world.do("server", "forget", self.ids["gate 1"])
        return wrong + self.world.settle() + self._standing("gate", "gate 2")

    def _untold(self, slot: str) -> list[str]:
        """Return the machines that do not show a conflict."""
        return [f"{one} does not tell of {slot}" for one in NAMES if not self._is_told(one, slot)]

    def _standing(self, slot: str, held: str) -> list[str]:
        """Return the machines where a value does not hold, or the conflict is shown."""
        wrong = []
        for name in NAMES:
            fact = self.world.do(name, "show", self.ids[held])["fact"]
            if self._is_told(name, slot) or fact["lifecycle"] != "active":
                wrong.append(f"{name} has another value of {slot}: {fact}")
        return wrong

    def _is_told(self, name: str, slot: str) -> bool:
        told = self.world.run(name, "contradictions", "--json")
        return all(self.ids[f"{slot} {which}"] in told.out for which in (1, 2))

    def _purge(self) -> list[str]:
        """What is purged on one machine is nowhere, nor can anybody read it in the place."""
        for one in map(json.loads, self.world.export("moth")):
            if PURGED in one["content"]:
                self.world.do("moth", "purge", one["id"], "--yes")
        return self.world.settle()

    def _last_look(self) -> list[str]:
        world = self.world
        wrong = [f"{path} holds what was purged" for path in holds(world.folder, PURGED.encode())]
        exports = {name: world.run(name, "export").out for name in NAMES}
        if len(set(exports.values())) > 1:
            wrong.append("the exports differ")
        for name in NAMES:
            wrong += [f"{name}: {one}" for one in world.well(name)]
            told = world.do(name, "sync", "log", "--limit", "500")["batches"]
            if {one["name"] for one in told} != set(NAMES):
                wrong.append(f"{name}: its log lacks a machine")
        return wrong


def readable(world: World, blobs: list[bytes]) -> list[str]:
    """Return what is read with the keys that are left, in blobs: the purged word."""
    wrong = []
    for name in NAMES:
        (path,) = world.home(name).rglob("sync.keys")
        ring = KeyRing.load(str(path))
        for blob in blobs:
            try:
                _, lines = segment.unpack(blob, ring)
            except TidelineError:
                continue
            if any(PURGED.encode() in line for line in lines):
                wrong.append(f"{name} can still read what was purged")
    return wrong


def objects(repository: Path) -> list[bytes]:
    """Return all blobs that a git repository has, also of its history."""
    def git(*words: str) -> bytes:
        return subprocess.run(("git", f"--git-dir={repository}", *words), check=True,
                              capture_output=True).stdout  # fmt: skip

    listed = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
    names = [line.split()[0] for line in listed.decode().splitlines() if line.endswith(" blob")]
    return [git("cat-file", "blob", name) for name in names]
