"""One slot on two machines: what was said of a value travels, and what its slot shows does not."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support import NOW, named_id
from tests.sync.machines import HOUR, Machine, Wire, rows, settle
from tideline_cli.errors import TidelineError
from tideline_cli.memory import amend, edit, remember, undo
from tideline_cli.model import saying
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.slots import holds_at
from tideline_cli.store import facts, history, labels, sync_registers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SLOT = "town"
V1, V2, V3 = (f"0A{n}".ljust(26, "0") for n in range(1, 4))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine, Wire]]:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    yield one, two, Wire()
    one.close()
    two.close()


def at(hours: float) -> int:
    return NOW + int(hours * HOUR)


def say(machine, name, when, since=None, until=None, slot=SLOT):
    """Let a machine say a value of the slot, by hours."""
    times = {"valid_from": since and at(since), "valid_to": until and at(until)}
    new = NewFact(f"I live in {name}", "knowledge", "owner_message", OWNER, slot=slot, **times)
    return remember.remember(machine.db, new, fact_id=named_id(name), now=at(when)).fact.id


def change(machine, fact_id, when, name="A9", **changes):
    editor = edit.Editor("owner_message", typed=True)
    done = edit.edit(machine.db, fact_id, changes, editor=editor, fact_id=named_id(name),
                     viewer=OWNER, now=at(when))  # fmt: skip
    return done.fact.id


def forget(machine, fact_id, when):
    amend.forget(machine.db, [fact_id], viewer=OWNER, now=at(when))


def restore(machine, fact_id, when):
    amend.restore(machine.db, [fact_id], viewer=OWNER, now=at(when))


def shown(machine, fact_id):
    """Return whether a value is active, from when to when it holds, in hours, and why it went."""
    fact = facts.find(machine.db, fact_id, viewer=OWNER)
    hours = (t and (t - NOW) / HOUR for t in (fact.valid_from, fact.valid_to))
    [why] = [row["archived_reason"] for row in rows(machine) if row["id"] == fact_id]
    return (fact.lifecycle, *hours, why)


def in_time(machine, hours):
    """Return the values that hold at some hours."""
    values = labels.painted_values(machine.db, SLOT, scope=None, viewer=OWNER)
    return [{fact.id for fact in holds_at(values, at(hour))} for hour in hours]


def after_sync(pair, when):
    one, two, wire = pair
    settle([one, two], wire, at(when))
    assert rows(one) == rows(two)


class TestWordsOfAnother:
    """What is painted over here, and was changed there meanwhile."""

    @pytest.mark.parametrize("since", [None, 39], ids=["value", "plan"])
    @pytest.mark.parametrize(
        ("word", "becomes"),
        [
            (forget, ("archived", None, 13, "forgotten")),
            (lambda *a: change(*a, valid_to=at(15)), ("active", None, 15, None)),
            (lambda *a: change(*a, slot=""), ("active", None, None, None)),
        ],
        ids=["forget", "end", "leave"],
    )
    def test_it_counts(self, pair, since, word, becomes):
        """Another machine's word about a value stands beside a value that paints over it here."""
        one, two, _ = pair
        old = say(one, "A1", 3)
        after_sync(pair, 5)
        word(two, old, 13)
        new = say(one, "A2", 19, since)
        after_sync(pair, 22)
        assert shown(one, old) == becomes
        assert shown(one, new) == ("active", since, None, None)

    def test_new_words_hold_until_a_plan(self, pair):
        """A value that was reworded here holds until what was planned elsewhere begins."""
        one, two, _ = pair
        old = say(one, "A1", 3)
        after_sync(pair, 5)
        new = change(two, old, 13, name="B1", content="I live in Oslo")
        say(one, "A2", 19, 39)
        after_sync(pair, 22)
        assert shown(one, new) == ("active", 3, 39, None)

    def test_an_undo_of_what_painted_over_it_is_no_word(self, pair):
        """What was painted over, and is shown again, is as it was said."""
        one, two, _ = pair
        old = say(one, "A1", 3)
        after_sync(pair, 5)
        forget(two, old, 13)
        say(one, "A2", 19, 39)
        undo.undo(one.db, None, viewer=OWNER, now=at(20))
        after_sync(pair, 22)
        assert shown(one, old) == ("archived", None, 13, "forgotten")

    @pytest.mark.parametrize("early", [None, 16], ids=["value", "plan"])
    @pytest.mark.parametrize("late", [None, 15], ids=["value", "plan"])
    def test_an_end_that_was_painted_goes_with_what_painted_it(self, pair, early, late):
        """Also where two machines have painted it, one after the other."""
        one, two, _ = pair
        old = say(two, "A1", 7)
        new = say(one, "A2", 9, early)
        after_sync(pair, 11)
        last = say(one, "A3", 13, late)
        after_sync(pair, 13.2)
        assert saying.as_told(facts.find(two.db, old, viewer=OWNER)).valid_to is None
        if early and late:
            forget(one, last, 13.4)
            forget(one, new, 13.6)
            after_sync(pair, 14)
            assert shown(two, old) == ("active", None, None, None)


class TestRewordings:
    @pytest.mark.parametrize("again", [None, 10, 15], ids=["once", "said before", "said after"])
    def test_a_later_forget_asks(self, pair, again):
        """As outside of a slot, also where its machine has said the old words again."""
        one, two, _ = pair
        old = say(one, "A1", 3)
        after_sync(pair, 5)
        new = change(two, old, 12, name="B1", content="I live in Oslo")
        if again:
            assert say(one, "A1", again) == old
        forget(one, old, 20)
        after_sync(pair, 22)
        for machine in (one, two):
            assert sync_registers.reworded(machine.db, origin_number=None) == [(old, new)]
            assert sync_registers.ruled(machine.db, "slot", origin_number=None) == []
        assert shown(one, new) == ("active", 3, None, None)
        forget(one, old, 23)
        after_sync(pair, 24)
        assert sync_registers.reworded(two.db, origin_number=None) == []
        assert shown(two, new)[0] == "active"

    def test_a_later_end_of_the_old_words_is_no_contradiction(self, pair):
        """The old words of a value that was reworded end, and the new ones hold."""
        one, two, _ = pair
        old = say(one, "A1", 3)
        after_sync(pair, 5)
        new = change(two, old, 12, name="B1", content="I live in Oslo")
        change(one, old, 20, valid_to=at(40))
        after_sync(pair, 22)
        assert sync_registers.ruled(one.db, "slot", origin_number=None) == []
        assert (shown(one, old)[0], shown(one, new)[0]) == ("archived", "active")

    @pytest.mark.parametrize("slot", [SLOT, None])
    def test_the_old_words_that_are_said_again_later_hold(self, pair, slot):
        """The later of two sayings holds, also of words that were reworded before."""
        one, two, _ = pair
        old = say(one, "A1", 3, slot=slot)
        after_sync(pair, 5)
        new = change(two, old, 10, name="B1", content="I live in Oslo")
        assert say(one, "A1", 20, slot=slot) == old
        after_sync(pair, 22)
        assert shown(one, old)[0] == "active"
        told = ("archived", 3, 20, "superseded") if slot else ("active", 3, None, None)
        assert shown(one, new) == told
        ruled = sync_registers.ruled(one.db, "slot", origin_number=None)
        assert ruled == ([(new, old)] if slot else [])

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_why_it_went_is_told_alike(self, pair, order):
        """Of a wording that another value paints over, whoever hears of it first."""
        one, two, wire = pair
        old = say(one, "A1", 3)
        after_sync(pair, 5)
        say(one, "A1", 10)
        new = change(two, old, 20, name="B1", content="I live in Oslo")
        say(one, "A2", 30)
        for step in range(4):
            for place in order:
                pair[place].sync(wire, at(40 + step))
        assert rows(one) == rows(two)
        assert shown(one, new)[3] == shown(two, new)[3] == "superseded"


SEEDS = range(24)
WORDS = ("say", "plan", "stay", "forget", "forget", "end", "reword", "restore", "undo", "sync")


class History:
    """Two machines of one slot, and a third one that hears all of it in order of time."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.draw = random.Random(seed)
        self.machines = [Machine(folder, f"{name}{seed}") for name in ("one", "two")]
        self.oracle = Machine(folder, f"oracle{seed}")
        self.wire = Wire()
        self.now = 1
        self.count = 0
        self.known: list[list[str]] = [[], []]
        self.touched: dict[str, int] = {}  # whose words about a value the other has not heard
        self.undoable: list[int | None] = [None, None]
        self.told: list[tuple[object, ...]] = []

    def close(self) -> None:
        for machine in (*self.machines, self.oracle):
            machine.close()

    def step(self) -> None:
        self.now += self.draw.randint(1, 4)
        who = self.draw.randrange(2)
        word = self.draw.choice(WORDS)
        if not self.known[who]:
            word = "say"
        if word == "sync":
            self.sync()
        elif word == "undo":
            self.take_back(who)
        elif word in ("say", "plan", "stay"):
            self.speak(who, word)
        elif mine := [one for one in self.known[who] if self.touched.get(one, who) == who]:
            self.amend(who, word, self.draw.choice(mine[-3:]))

    def sync(self) -> None:
        settle(self.machines, self.wire, at(self.now))
        self.known = [list(dict.fromkeys([*self.known[0], *self.known[1]])) for _ in range(2)]
        self.touched.clear()
        self.undoable = [None, None]
        self.told.append((self.now, "sync"))

    def speak(self, who: int, word: str) -> None:
        self.count += 1
        since = None if word == "say" else self.now + self.draw.randint(1, 15)
        until = since and self.now + 16 + self.draw.randint(0, 9) if word == "stay" else None
        name = f"V{self.count}"
        self.do(who, lambda one: say(one, name, self.now, since, until), name, word, since, until)

    def amend(self, who: int, word: str, fact_id: str) -> None:
        end, name = self.now + self.draw.randint(1, 12), f"W{self.count}X{self.now}"
        text = f"I live in {name}"
        verbs = {
            "forget": lambda one: forget(one, fact_id, self.now),
            "restore": lambda one: restore(one, fact_id, self.now),
            "end": lambda one: change(one, fact_id, self.now, valid_to=at(end)),
            "reword": lambda one: change(one, fact_id, self.now, name=name, content=text),
        }
        self.do(who, verbs[word], fact_id, word, end if word == "end" else None)

    def do(self, who: int, act, name: str, *told: object) -> None:
        """Let one machine and the oracle do the same, or neither."""
        machine = self.machines[who]
        before = newest(machine)
        try:
            made = act(machine)
        except TidelineError:
            return
        if newest(machine) == before:
            return
        done = newest(self.oracle)
        try:
            act(self.oracle)
        except TidelineError:
            done = newest(self.oracle)
        if newest(self.oracle) == done:
            undo.undo(machine.db, None, viewer=OWNER, now=at(self.now))
            return
        self.told.append((self.now, who, name, *told))
        fact_id = made if made is not None else name
        self.known[who] += [fact_id] if fact_id not in self.known[who] else []
        self.touched[fact_id] = self.touched[name] = who
        self.undoable[who] = newest(self.oracle)

    def take_back(self, who: int) -> None:
        """Undo the last word of a machine, if it has not been sent."""
        number = self.undoable[who]
        if number is None:
            return
        try:
            undo.undo(self.oracle.db, number, viewer=OWNER, now=at(self.now))
        except TidelineError:
            return
        undo.undo(self.machines[who].db, None, viewer=OWNER, now=at(self.now))
        self.undoable[who] = None
        held = {row["id"] for row in rows(self.machines[who])}
        self.known[who] = [one for one in self.known[who] if one in held]
        self.told.append((self.now, who, "undo"))

    def difference(self) -> str | None:
        """Return what the machines show otherwise than the one that has heard all."""
        one, two = self.machines
        if rows(one) != rows(two):
            return "the exports differ"
        for hour in range(self.now + 40):
            [told], [wanted] = in_time(one, [hour + 0.5]), in_time(self.oracle, [hour + 0.5])
            if told != wanted:
                return f"at {hour}.5: {sorted(told)}, not {sorted(wanted)}"
        return None


def newest(machine: Machine) -> int | None:
    """Return the number of the newest batch of somebody that stands."""
    return next((one.ordinal for one in history.back(machine.db, viewer=OWNER)), None)


def found(folder: Path, seeds: range, length: int) -> tuple[int, str, list[object]] | None:
    """Return the first history that ends otherwise than on one machine."""
    for seed in seeds:
        history = History(folder, seed)
        try:
            for _ in range(length):
                history.step()
            history.sync()
            different = history.difference()
            if different is not None:
                return seed, different, list(history.told)
        finally:
            history.close()
    return None


@pytest.mark.nightly
def test_two_machines_show_what_one_would_that_heard_all_in_order(tmp_path):
    """Random words on a slot: each value is spoken of by one machine between two syncs, and painted
    over by both."""
    assert found(tmp_path, SEEDS, 20) is None


@pytest.mark.nightly
def test_a_painted_value_that_is_taken_as_a_word_is_noticed(tmp_path, monkeypatch):
    """The comparison is no formality."""
    as_shown = lambda state: {name: state[name] for name in saying.SHOWN}  # noqa: E731
    monkeypatch.setattr(saying, "unpainted", as_shown)
    monkeypatch.setattr("tideline_cli.store.statements.unpainted", as_shown)
    assert found(tmp_path, SEEDS, 20) is not None
