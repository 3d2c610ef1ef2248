"""Homes of several machines on this one, each with a memory, keys and settings of its own, and the
place in which they meet. Commands are processes."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import apsw

from tests import support
from tests.faults.figures import text
from tests.soundness import sound
from tideline_cli.exchange import jsonl
from tideline_cli.model import codec
from tideline_cli.model.origin import EVERYONE
from tideline_cli.store.opening import open_for_writing
from tideline_cli.sync.replica import _mark

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.nursery import Done, Nursery

MINUTE = 60_000
NAMES = ("ash", "birch", "cedar")
ROUNDS = 6  # after which machines that sync in turn have nothing new


class World:
    """Machines below a folder, by name, and a place beside them. `address` is what they sync with.
    `now` is the time of all of them; each command takes a minute."""

    def __init__(
        self, nursery: Nursery, folder: Path, *, names: tuple[str, ...] = NAMES, address: str = "",
        now: int = support.NOW,
    ) -> None:  # fmt: skip
        self.nursery = nursery
        self.folder = folder
        self.names = names
        self.address = address or str(folder / "place")
        self.now = now
        self.skew: dict[str, int] = {}
        self.environ: dict[str, str] = {}
        self.notes: list[str] = []  # of the last `settle`
        for name in names:
            (folder / name).mkdir(parents=True, exist_ok=True)

    def home(self, name: str) -> Path:
        return self.folder / name

    def run(self, name: str, *argv: str, **given: Any) -> Done:
        """Run a command on a machine."""
        self.now += MINUTE
        environ = {"TIDELINE_NOW": str(self.now + self.skew.get(name, 0))}
        environ |= self.environ | given.pop("environ", {})
        return self.nursery.run(*argv, home=self.home(name), environ=environ, **given)

    def do(self, name: str, *argv: str, **given: Any) -> Any:
        """Run a command that must work; return what it prints as JSON."""
        done = self.run(name, argv[0], "--json", *argv[1:], **given)
        assert done.code == 0, (name, argv, done)
        return json.loads(done.out) if done.out else None

    def say(self, name: str, said: str, *more: str) -> str:
        """Remember a text; return its id."""
        return str(self.do(name, "remember", *more, "--", said)["id"])

    def sync(self, name: str, *more: str, **given: Any) -> Any:
        """Sync a machine, which must work; return what it tells of the place."""
        (told,) = self.do(name, "sync", *more, **given)["places"]
        return told

    def join(self, *more: str) -> None:
        """Let all machines meet: the first makes the place and its key, which the others take."""
        first, *others = self.names
        self.sync(first, self.address, "--name", first, *more)
        for name in others:
            self.carry(first, name)
            self.sync(name, self.address, "--name", name, *more)

    def carry(self, giver: str, taker: str) -> None:
        """Take the keys of a machine to another one."""
        lines = self.run(giver, "sync", "key").out
        if lines:
            assert self.run(taker, "sync", "key", "add", stdin=lines).code == 0

    def settle(self, *, names: tuple[str, ...] = ()) -> list[str]:
        """Sync in turn until nobody has anything new; return what is not well after that."""
        told: dict[str, Any] = {}
        self.notes = []
        for _ in range(ROUNDS):
            is_new = False
            for name in names or self.names:
                done = self.run(name, "sync", self.address, "--json")
                if done.code != 0:
                    return [f"{name} cannot sync: {done.code} {done.err}"]
                told[name] = json.loads(done.out)["places"]
                self.notes += [note for one in told[name] for note in one["notes"]]
                is_new |= any(one["received"] or one["sent"] or one["notes"] for one in told[name])
            if not is_new:
                break
        else:
            return [f"there is always something new: {told}"]
        return [
            f"{name}: {stop}" for name in told for one in told[name] for stop in one["stopped"]
        ] + self.differences(names or self.names)

    def differences(self, names: tuple[str, ...] = ()) -> list[str]:
        """Return what is wrong with the memories: unsound ones, those that are not equal."""
        wrong: list[str] = []
        exports: dict[str, list[str]] = {}
        for name in names or self.names:
            try:
                exports[name] = self.export(name)
            except AssertionError as error:
                wrong.append(f"{name} is not sound: {error}")
        first, *others = exports
        for name in others:
            if exports[name] != exports[first]:
                apart = set(exports[name]) ^ set(exports[first])
                wrong.append(f"{name} is not as {first}: {sorted(apart)[:4]}")
        return wrong

    def export(self, name: str) -> list[str]:
        """Return the export of a memory that is sound, a line a fact."""
        with closing(open_for_writing(str(self.home(name) / "tideline.db"))) as db:
            sound(db)
            return [codec.dumps(form) for form in jsonl.forms(db, viewer=EVERYONE)]

    def contents(self, name: str) -> set[str]:
        """Return all texts of a memory."""
        return {json.loads(line)["content"] for line in self.export(name)}

    def well(self, name: str) -> list[str]:
        """Return what `doctor --deep` finds on a machine."""
        done = self.run(name, "doctor", "--deep", "--json")
        return [str(one) for one in json.loads(done.out)["findings"]]

    def keep(self) -> Path:
        """Put a copy of all aside, to go back to."""
        aside = self.folder.with_name(f"{self.folder.name}-kept")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(self.folder, aside, symlinks=True)
        return aside

    def back(self, aside: Path) -> None:
        """Go back to a copy: the machines are the same ones."""
        shutil.rmtree(self.folder)
        shutil.copytree(aside, self.folder, symlinks=True)
        for name in self.names:
            is_same(self.home(name) / "tideline.db")


def is_same(path: Path) -> None:
    """Let a copy of a memory file count as the file itself."""
    if path.exists():
        with closing(apsw.Connection(str(path))) as db:
            db.execute("UPDATE setting SET value = ? WHERE name = 'replica_mark'", (_mark(db),))


def holds(folder: Path, words: bytes) -> list[str]:
    """Return the files below a folder in whose bytes some words stand."""
    found = []
    for above, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(above, name)
            if not os.path.islink(path):
                with open(path, "rb") as file:
                    if words in file.read():
                        found.append(path)
    return found


def lived_in(world: World, *, more: tuple[str, ...] = ()) -> dict[str, str]:
    """Let the machines of a world join and say a few things; return ids by what they are for."""
    ids = {f"{name} {place}": world.say(name, text(10 * at + place))
           for at, name in enumerate(world.names) for place in range(3)}  # fmt: skip
    world.join(*more)
    assert world.settle() == []
    return ids
