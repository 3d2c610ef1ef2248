"""A team on one server: each with a role of their own, from homes that nothing stays in.

Agents write and ask, hooks and cron run beside them, and one of the team leaves meanwhile. Nobody
sees what is not theirs, and what was acknowledged is there. `make team` lets twenty people work.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.postgres.people import as_role, new_role
from tests.support import often

PEOPLE = often(4, 20)
ROUNDS = often(2, 12)
AT_ONCE = often(3, 6)
SHARED = "channel:team/all/board"
COMMAND = (sys.executable, "-m", "tideline_cli")
WORDS = ("river", "bridge", "lamp", "garden", "train", "letter", "window", "harbour", "clock")


class Person:
    """One of the team. `told` are the facts whose ids were printed: those are acknowledged."""

    def __init__(self, place, role):
        self.role = role
        self.origin = f"channel:team/{role}/notes"
        self.mark = f"mark{role.replace('_', '')}x"
        self.place = as_role(place, role)
        self.told = {self.origin: {}, SHARED: {}}
        self.seen = []
        self.codes = []
        self.chance = random.Random(role)

    def command(self, *argv, origin):
        """Run a command in a home that is new, and gone after it."""
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                [*COMMAND, "--origin", origin, *argv],
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": home,
                    "TIDELINE_HOME": home,
                    "TIDELINE_DB": self.place,
                },
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=300,
                check=False,
            )
        self.seen.append((origin, done.stdout))
        self.codes.append((argv[0], done.returncode, done.stderr))
        return done

    def remember(self, number, origin):
        text = f"{self.mark} {' '.join(self.chance.sample(WORDS, 4))} {number}"
        done = self.command("remember", text, "--json", origin=origin)
        if done.returncode == 0:
            self.told[origin][json.loads(done.stdout)["id"]] = text

    def work(self, number):
        """One round: what an agent, its hooks and cron do."""
        self.remember(number, self.origin)
        asked = " ".join(self.chance.sample(WORDS, 2))
        self.command("context", "--auto", asked, origin=self.origin)
        if number % 3 == 0:
            self.remember(number, SHARED)
            self.command("recall", f"{self.mark} {asked}", "--json", origin=SHARED)
        self.command("recall", f"{self.mark} {asked}", "--json", origin=self.origin)
        if self.chance.random() < 0.3:
            self.command("dream", origin=self.origin)
        self.command(self.chance.choice(("list", "history", "export")), origin=self.origin)


@pytest.mark.nightly
def test_a_team(run, address, server, monkeypatch):
    """Some rounds at the same time; in the last one a member is removed."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the owner has a garden that nobody else sees").code == 0
    team = [Person(place, new_role(server)) for _ in range(PEOPLE)]
    for person in team:
        for origin in (person.origin, SHARED):
            assert run("member", "add", person.role, "--origin", origin).code == 0
    leaver = team[-1]

    def turn(person, number):
        if person is leaver and number == ROUNDS - 1:
            assert as_owner(place, "member", "remove", person.role) == 0
            person.seen.clear()
            person.codes.clear()
        person.work(number)

    for number in range(ROUNDS):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            beside = pool.submit(as_owner, place, "dream", "--quiet")
            list(pool.map(turn, team, [number] * PEOPLE))
            assert beside.result() in (0, 75)
    check(run, team, leaver)


def as_owner(place, *argv):
    """Run a command of the owner's, and return its exit code."""
    done = subprocess.run(
        [*COMMAND, *argv],
        env=os.environ | {"TIDELINE_DB": place},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 75), done.stderr
    return done.returncode


def check(run, team, leaver):
    stored = {}
    for origin in (SHARED, *(person.origin for person in team)):
        lines = run("--origin", origin, "export").lines
        stored[origin] = {fact["id"]: fact["content"] for fact in lines}
    acknowledged = 0
    for person in team:
        for origin, told in person.told.items():
            for fact_id, text in told.items():
                assert stored[origin].get(fact_id) == text, (person.role, origin, text)
                acknowledged += 1
        others = [other.mark for other in team if other is not person]
        for origin, out in person.seen:
            assert "owner has" not in out, person.role
            for mark in others:
                assert mark not in out or origin == SHARED, (person.role, out)
        failed = [one for one in person.codes if one[1] not in (0, 1, 75)]
        if person is leaver:
            assert not any(out.strip() for _, out in person.seen), person.seen
            # A hook never fails its caller, and says nothing.
            assert {code for verb, code, _ in person.codes if verb != "context"} == {73}
        else:
            assert failed == [], failed
    own = sum(len(stored[person.origin]) for person in team)
    assert acknowledged >= own + len(stored[SHARED]) - 1 > PEOPLE * (ROUNDS - 1)
    private = [fact for person in team for fact in stored[person.origin].values()]
    assert all(person.mark in text for person in team for text in stored[person.origin].values())
    assert len(set(private)) == len(private)
