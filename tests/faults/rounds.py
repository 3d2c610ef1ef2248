"""Rounds of a crowd: two or three commands of any kind at once, after which all must be well."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from tests.faults.figures import Figures, problem, state, text
from tests.faults.round_commands import ALL, LOSING, World
from tideline_cli.store.opening import open_for_reading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from tests.faults.nursery import Child, Nursery
    from tests.faults.round_commands import Command

OLD = "2026-01-02T10:00:00Z"
_ALLOWED = re.compile(
    r"tideline\.db(|-wal|-shm|-lock(-[a-z0-9-]+)?|-reserve|\.before-(restore|repair)-\w+(-\d+)?)$"
    r"|hooks$"  # what asking a model has cost
)
_NO_CODES = ("Traceback", "internal error", "Error processing", "OpenBLAS")


@dataclass
class Ran:
    """One command of a round: what it was, and what it left behind."""

    command: Command
    argv: tuple[str, ...]
    code: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"{' '.join(self.argv)[:90]!r} -> {self.code} {self.err.strip()[:200]!r}"


@dataclass
class Round:
    """What a round began with and what became of it."""

    home: Path
    ran: list[Ran] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    @property
    def kinds(self) -> set[str]:
        return {one.command.name for one in self.ran}

    def acknowledged(self) -> set[str]:
        done = [one for one in self.ran if one.code == 0]
        return {fact_id for one in done for fact_id in one.command.said(one.out)}


def template(nursery: Nursery, folder: Path) -> World:
    """Make a store with facts of every kind, a backup of an earlier state of it, and what the
    commands read."""
    home = folder / "template"
    home.mkdir(parents=True)
    world = World(folder, home)

    def run(*argv: str, stdin: str = "") -> str:
        done = nursery.run(*argv, home=home, stdin=stdin)
        assert done.code == 0, (argv, done)
        return done.out

    rows: list[dict[str, Any]] = [{"content": text(number)} for number in range(24)]
    rows += [{"content": f"{text(n)} {text(n)} as well", "tags": ["twin"]} for n in range(3)]
    rows += [{"content": f"the {name} is {text(40)}", "slot": name} for name in world.slots]
    rows += [{"content": f"apple {n} " + f"lorem{n} " * 200} for n in range(50)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    told = run("remember", "--batch", "--now", OLD, stdin=lines).splitlines()
    ids = [json.loads(line)["id"] for line in told]
    world.ids, world.twins, world.held = ids[:24], ids[24:27], ids[27:30]
    run("backup", str(folder / "old.db"))
    run("remember", "--origin", "channel:irc/tide/1", "someone else has said this")
    for number in range(4):
        world.newest.append(json.loads(run("remember", text(100 + number), "--json"))["id"])
    world.archived = world.ids[:3]
    run("forget", *world.archived)
    run("link", world.ids[4], world.ids[5])
    run("dream")
    world.write()
    return world


def once(nursery: Nursery, world: World, random: Random, home: Path, chosen: Sequence[Command],
         *, longest: float, control: str = "") -> Round:  # fmt: skip
    """Start the commands within `longest` seconds of one another, and wait for all."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(world.home, home)
    if any(one.name == "doctor --repair" for one in chosen):
        _harm(home)
    done = Round(home)
    with contextlib.closing(apsw.Connection(str(home / "tideline.db"))) as db:
        done.known = {row[0] for row in db.execute("SELECT id FROM fact")}
    running = [(_Running(nursery, one, world, random, home, control)) for one in chosen]
    waits = sorted((random.uniform(0, longest), place) for place in range(len(chosen)))
    begun = time.monotonic()
    for wait, place in waits:
        time.sleep(max(0.0, begun + wait - time.monotonic()))
        running[place].start()
    done.ran = [one.wait() for one in running]
    return done


def _harm(home: Path) -> None:
    """Make a count wrong, so that a repair has something to do."""
    with contextlib.closing(apsw.Connection(str(home / "tideline.db"))) as db:
        db.execute("UPDATE tally SET facts = facts + 3")


class _Running:
    """A command and its streams; one with a slow reader writes into a pipe that is read late."""

    def __init__(
        self, nursery: Nursery, command: Command, world: World, random: Random, home: Path,
        control: str,
    ) -> None:  # fmt: skip
        self._nursery, self._command, self._home, self._control = nursery, command, home, control
        self.argv, self._input = command.words(world, random)
        self._pause = random.uniform(0.05, 0.5) if command.slowly else 0.0
        self._out = b""
        self._child: Child | None = None
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        self._error = tempfile.TemporaryFile()  # noqa: SIM115  closed in `wait`
        given: dict[str, Any] = {"control": self._control} if self._control else {}
        with tempfile.TemporaryFile() as stdin:
            stdin.write(self._input.encode())
            stdin.seek(0)
            seen, into = os.pipe()
            self._child = self._nursery.start(
                *self.argv, home=self._home, stdin=stdin.fileno(), out=into,
                err=self._error.fileno(), **given,
            )  # fmt: skip
            os.close(into)
        self._reader = threading.Thread(target=self._read, args=(seen,))
        self._reader.start()

    def _read(self, seen: int) -> None:
        time.sleep(self._pause)
        with open(seen, "rb") as pipe:
            self._out = pipe.read()

    def wait(self) -> Ran:
        assert self._child is not None and self._reader is not None
        code = self._child.wait(120)
        self._reader.join()
        self._error.seek(0)
        err = self._error.read().decode()
        self._error.close()
        return Ran(self._command, tuple(self.argv), code, self._out.decode(), err)


def flaws(nursery: Nursery, done: Round) -> list[str]:
    """Return what is not as it must be after a round."""
    found = [f"undocumented end: {one}" for one in done.ran if one.code not in one.command.codes]
    found += [f"{one}" for one in done.ran if any(word in one.err for word in _NO_CODES)]
    if "doctor --repair" in done.kinds:  # it may have been refused, or come before a restore
        nursery.run("doctor", "--repair", "--yes", home=done.home)
    for check in (_whole, _told, _alone, _journalled, _tidy):
        try:
            found += check(nursery, done)
        except Exception as error:
            found.append(f"{check.__name__}: {problem(error)}")
    return found


def _whole(nursery: Nursery, done: Round) -> list[str]:
    """The store is sound, by the checks of the tests and by doctor's."""
    state(done.home)
    told = nursery.run("doctor", "--deep", "--json", home=done.home)
    return [] if told.code == 0 else [f"doctor --deep: {told.out[:400]}"]


def _told(nursery: Nursery, done: Round) -> list[str]:
    """What was acknowledged is there, or in the copy that a restore has made; what an export gives
    is what status counts."""
    exported = nursery.run("export", "--all-origins", home=done.home)
    rows = [json.loads(line) for line in exported.out.splitlines()]
    own = Counter(row["lifecycle"] for row in rows if row["origin"] == "owner")
    counts = nursery.run("status", "--json", home=done.home).json["facts"]
    found = [] if own == +Counter(counts) else [f"status {counts}, export {dict(own)}"]
    if done.kinds & LOSING:
        return found
    there = {row["id"] for row in rows}
    for copy in done.home.glob("tideline.db.before-restore-*"):
        with contextlib.closing(apsw.Connection(str(copy))) as db:
            there |= {row[0] for row in db.execute("SELECT id FROM fact")}
    lost = (done.acknowledged() | done.known) - there
    return [*found, f"{len(lost)} acknowledged facts are gone: {min(lost)}"] if lost else found


def _alone(_: Nursery, done: Round) -> list[str]:
    """A slot has one value at any instant."""
    db = open_for_reading(str(done.home / "tideline.db"))
    assert db is not None
    with contextlib.closing(db):
        return [
            f"two values of slot {slot} at once"
            for (slot,) in db.execute(
                """
                SELECT a.slot FROM fact AS a JOIN fact AS b
                ON a.slot = b.slot AND a.origin = b.origin AND a.seq < b.seq
                WHERE a.lifecycle = 'active' AND b.lifecycle = 'active'
                  AND max(ifnull(a.valid_from, a.created_at), ifnull(b.valid_from, b.created_at))
                    < min(ifnull(a.valid_to, 9e15), ifnull(b.valid_to, 9e15))
                """
            )
        ]


def _journalled(_: Nursery, done: Round) -> list[str]:
    """Every change has its batch, and none is open."""
    db = open_for_reading(str(done.home / "tideline.db"))
    assert db is not None
    with contextlib.closing(db):
        stray = db.execute(
            "SELECT count(*) FROM change WHERE batch NOT IN (SELECT number FROM batch)"
        ).get
        verbs = {verb for (verb,) in db.execute("SELECT DISTINCT verb FROM batch")}
    found = [f"{stray} changes without a batch"] if stray else []
    return found + ([f"unknown verbs {verbs}"] if "" in verbs else [])


def _tidy(_: Nursery, done: Round) -> list[str]:
    """No file is left but the store, what belongs to it, and the copies that were announced."""
    left = [path.name for path in done.home.iterdir() if not _ALLOWED.match(path.name)]
    left += [path.name for path in done.home.parent.iterdir() if ".part-" in path.name]
    return [f"left behind: {left}"] if left else []


def rounds(
    nursery: Nursery, folder: Path, random: Random, *, count: int, seconds: float = 1e9,
    commands: Sequence[Command] = ALL, sizes: Sequence[int] = (2, 2, 3), control: str = "",
    enough: int = 10,
) -> Figures:  # fmt: skip
    """Play rounds until there are `count`, the time is over, or enough has gone wrong."""
    figures = Figures("rounds")
    world = template(nursery, folder)
    end = time.monotonic() + seconds
    weights = [one.weight for one in commands]
    for number in range(count):
        if time.monotonic() > end or len(figures.violations) >= enough:
            break
        longest = random.choice((0.0, 0.08, 0.25))
        done = once(
            nursery, world, random, folder / "home",
            random.choices(commands, weights, k=random.choice(sizes)),
            longest=longest, control=control,
        )  # fmt: skip
        figures.counts["rounds"] += 1
        for one in done.ran:
            figures.counts["commands"] += 1
            figures.counts[f"ended with {one.code}"] += 1
        told = "; ".join(map(str, done.ran))
        figures.violations += [f"{number}: {one} [{told}]" for one in flaws(nursery, done)]
    return figures
