"""Two memories that are exported and merged both ways become one."""

from __future__ import annotations

import os
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import run_main
from tests.support import DAY, NOW, often

TEXTS = ("I live in Rome", "I live in Oslo", "I live in Bern", "the cat sleeps on the stove",
         "winters are cold up north", "my bike is a blue Peugeot")  # fmt: skip
SLOT = dict.fromkeys(TEXTS[:3], "city")
LABELS = ("tags", "pinned", "title", "slot", "valid_to", "lifecycle")


class Machine:
    def __init__(self, folder, name):
        self.db = ("--db", os.path.join(folder, f"{name}.db"))

    def do(self, at, *words, **more):
        # In front: behind the `--` of a call all is text.
        return run_main(*self.db, "--now", str(NOW + at * DAY), *words, **more)

    def facts(self, at):
        listed = self.do(at, "list", "--lifecycle", "all", "--limit", "0", "--json")
        return listed.json["facts"]

    def export(self, at):
        return self.do(at, "export").out

    def take(self, at, exported):
        done = self.do(at, "import", "-", "--merge", "--trust", "--json", stdin=exported)
        assert done.code == 0, done.err
        assert done.json["errors"] == []
        return done.json


def act(machine, at, verb, text, number):
    """Do something with a fact: the words of a person at one machine."""
    named = [one for one in machine.facts(at) if one["content"] == text]
    active = [one["id"] for one in named if one["lifecycle"] == "active"]
    gone = [one["id"] for one in named if one["lifecycle"] != "active"]
    if verb == "remember":
        slot = ("--slot", SLOT[text]) if text in SLOT else ()
        done = machine.do(at, "remember", *slot, "--", text)
        assert done.code == 0, done.err
        assert text in [one["content"] for one in machine.facts(at)]
    elif verb == "forget" and active:
        machine.do(at, "forget", "-y", active[0])
    elif verb == "restore" and gone:
        machine.do(at, "restore", gone[0])
    elif verb == "tag" and active:
        machine.do(at, "edit", active[0], "--tag", f"tag{number}")
    elif verb == "pin" and active:
        machine.do(at, "pin", active[0])
    elif verb == "reword" and active and text not in SLOT:
        machine.do(at, "edit", active[0], f"{text}, said {number}")
    elif verb == "recall":
        machine.do(at, "recall", text)
    elif verb == "undo":
        machine.do(at, "undo")


def state(machine, at):
    """Return what a memory holds, without the ids of facts that two machines have said."""
    facts = machine.facts(at)
    active = sorted(
        (one["slot"] or "", one["content"]) for one in facts if one["lifecycle"] == "active"
    )
    return active, {one["id"]: [one[name] for name in LABELS] for one in facts}


steps = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(("remember",) * 4 + ("forget", "restore", "tag", "pin", "reword",
                                            "recall", "undo", "sync", "sync")),
        st.sampled_from(TEXTS),
    ),
    min_size=3, max_size=14,
)  # fmt: skip


@settings(max_examples=often(4, 25))
@given(steps)
def test_two_machines_become_one(history):
    """After both have taken what the other exports, they hold the same active values, in each slot
    one. A second exchange brings the archived copies that the first one made: then facts that both
    have are in one state, and a third changes nothing."""
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        both = [Machine(folder, name) for name in "ab"]
        at = 0
        for number, (which, verb, text) in enumerate(history):
            at += 1
            if verb == "sync":
                both[which].take(at, both[1 - which].export(at))
            else:
                act(both[which], at, verb, text, number)
        at = exchange(both, at)
        one, two = (state(machine, at)[0] for machine in both)
        assert one == two
        held = [slot for slot, _ in one if slot]
        assert len(held) == len(set(held))
        at = exchange(both, at)
        (again, ours), (as_well, theirs) = (state(machine, at) for machine in both)
        assert again == as_well == one
        shared = ours.keys() & theirs.keys()
        assert {key: ours[key] for key in shared} == {key: theirs[key] for key in shared}
        before = [machine.export(at) for machine in both]
        at = exchange(both, at)
        assert [machine.export(at) for machine in both] == before
        for machine in both:
            assert machine.do(at, "doctor", "--deep", "--json").json["findings"] == []


def exchange(both, at):
    one, two = both
    at += 1
    two.take(at, one.export(at))
    one.take(at + 1, two.export(at + 1))
    return at + 2
