"""Histories of one slot that were written by hand, and the time lines that they must have: at every
time `recall --as-of`, `slots` and `timeline --slot` show the value that the time line says."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import pairwise

import pytest

from tests.conftest import run_main
from tests.support import ROOT

LAST = "2026-12-01"


def histories():
    """Yield (name, steps, time line) of each history."""
    text = (ROOT / "tests/golden/slot_histories.txt").read_text()
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            yield lines[0], lines[1:-1], lines[-1].removeprefix("=> ")


HISTORIES = list(histories())
# A person takes back on a machine what was said on it.
SPREAD = [one for one in HISTORIES if not any(step.endswith("do") for step in one[1])]


def day(word):
    return word if len(word) > 5 else f"2026-{word}"


def text_of(value):
    return f"I work from {value}"


class Door:
    """Plays the steps of a history by the commands."""

    def __init__(self, path):
        self.path, self.ids = str(path), {}

    def run(self, at, *words, **more):
        done = run_main(*words, "--db", self.path, "--now", f"{day(at)}T12Z", **more)
        assert done.code == 0, (words, done.err)
        return done

    def step(self, line):
        at, verb, *words = line.split()
        getattr(self, verb)(at, *words)

    def say(self, at, value, *period):
        times = dict(zip(period[::2], period[1::2], strict=True))
        options = [word for name, to in times.items()
                   for word in (f"--valid-{name}", f"{day(to)}T12:00Z")]  # fmt: skip
        done = self.run(at, "remember", text_of(value), "--slot", "where", "--json", *options)
        self.ids[value] = done.json["id"]

    def edit(self, at, value, _, other, *since):
        options = ["--from", f"{day(since[1])}T12:00Z"] if since else []
        done = self.run(at, "edit", self.ids[value], text_of(other), "--json", *options)
        self.ids[other] = done.json["id"]

    def end(self, at, value, _, to):
        self.run(at, "edit", self.ids[value], "--valid-to", f"{day(to)}T12:00Z")

    def forget(self, at, value):
        self.run(at, "forget", self.ids[value])

    def restore(self, at, value):
        self.run(at, "restore", self.ids[value])

    def purge(self, at, value):
        self.run(at, "purge", self.ids[value], "--yes")

    def undo(self, at):
        self.run(at, "undo")

    def redo(self, at):
        self.run(at, "redo")


class Batches(Door):
    """Says each value as a line of a batch."""

    def say(self, at, value, *period):
        times = dict(zip(period[::2], period[1::2], strict=True))
        row = {"content": text_of(value), "slot": "where"}
        row |= {f"valid_{name}": f"{day(to)}T12:00:00Z" for name, to in times.items()}
        done = self.run(at, "remember", "--batch", "--json", stdin=json.dumps(row))
        self.ids[value] = json.loads(done.out.splitlines()[0])["id"]


def line_of(text):
    """Return [(since, value or None, whether it holds again)] of a written time line."""
    found = []
    for part in text.split(" | "):
        since, value, *mark = part.split()
        found.append((day(since), None if value == "-" else value, bool(mark)))
    return found


def instants(line):
    """Yield (instant, value, whether it holds again) within each part of a time line, and before
    the first one."""
    first = date.fromisoformat(line[0][0])
    yield f"{first - timedelta(days=1)}T13:00Z", None, False
    for since, value, again in line:
        yield f"{since}T13:00Z", value, again
    for (_, value, again), (until, *_) in pairwise(line):
        yield f"{until}T11:00Z", value, again
    yield f"{LAST}T12:00Z", *line[-1][1:]


def check(door, line):
    """Compare what the doors show with a written time line."""
    for at, value, _ in instants(line):
        then = run_main("recall", "I work from", "--as-of", at, "--json", "--db", door.path,
                        "--now", f"{LAST}T12:00Z", "--limit", "50")  # fmt: skip
        texts = [hit["content"] for hit in then.json["hits"]]
        assert texts == ([] if value is None else [text_of(value)]), f"--as-of {at}"
    for at, value, again in instants(line):
        if at < f"{door.last}T12:00Z":
            continue
        now = run_main("recall", "I work from", "--json", "--db", door.path, "--now", at)
        texts = [hit["content"] for hit in now.json["hits"]]
        assert texts == ([] if value is None else [text_of(value)]), f"--now {at}"
        (slot,) = run_main("slots", "--json", "--db", door.path, "--now", at).json["slots"]
        assert slot["content"] == (None if value is None else text_of(value)), f"slots at {at}"
        assert slot["again"] == again, f"slots at {at}"
    steps = run_main("timeline", "--slot", "where", "--json", "--db", door.path, "--now",
                     f"{LAST}T12:00Z").json["facts"]  # fmt: skip
    shown = [(step["since"][:10], step["content"], step["again"]) for step in steps
             if step["until"] is None or step["since"] < step["until"]]  # fmt: skip
    wanted = [(since, text_of(value), again) for since, value, again in line if value]
    assert shown == wanted, "timeline"


@pytest.mark.sampled(30)
@pytest.mark.parametrize("kind", [Door, Batches])
@pytest.mark.parametrize(("name", "steps", "line"), HISTORIES, ids=[one[0] for one in HISTORIES])
def test_history(name, steps, line, kind, tmp_path):
    """The time line of a slot is the one that was written by hand, in every door."""
    door = kind(tmp_path / "slots.db")
    for step in steps:
        door.step(step)
    door.last = day(steps[-1].split()[0])
    check(door, line_of(line))


@pytest.mark.sampled(15)
@pytest.mark.parametrize(("name", "steps", "line"), HISTORIES, ids=[one[0] for one in HISTORIES])
def test_history_merged(name, steps, line, tmp_path):
    """An export of the slot, merged into a memory that has heard its first statement, has the same
    time line."""
    door, other = Door(tmp_path / "slots.db"), Door(tmp_path / "other.db")
    for step in steps:
        door.step(step)
    first = tmp_path / "all.jsonl"
    door.run(steps[-1].split()[0], "export", "-o", str(first))
    other.run(LAST[5:], "import", str(first), "--merge", "--trust")
    other.last = LAST
    check(other, line_of(line))


class Homes(Door):
    """Says every other step on a second machine, and syncs both behind each."""

    def __init__(self, path):
        super().__init__(path)
        self.paths = [self.path, self.path.replace("slots", "other")]
        self.place = self.path.replace("slots.db", "place")
        self.steps = 0

    def step(self, line):
        self.path = self.paths[self.steps % 2]
        super().step(line)
        self.steps += 1
        for number in ((0, 1), (1, 0))[(self.steps - 1) % 2]:
            self.path = self.paths[number]
            self.run(line.split()[0], "sync", self.place, "--plain", "--trust", "--name",
                     f"machine{number}")  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("name", "steps", "line"), SPREAD, ids=[one[0] for one in SPREAD])
def test_history_synced(name, steps, line, tmp_path):
    """Two machines that say a history by turns have its time line both."""
    door = Homes(tmp_path / "slots.db")
    for step in steps:
        door.step(step)
    door.last = day(steps[-1].split()[0])
    for path in door.paths:
        door.path = path
        check(door, line_of(line))
