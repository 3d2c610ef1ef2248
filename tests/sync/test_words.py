"""Histories of one fact on some machines: the latest word of a person that stands says whether it
holds, whoever has heard of which word when."""

from __future__ import annotations

from random import Random

import pytest

from tests.support import DAY, NOW, named_id
from tests.sync.machines import Machine, Wire, rows, settle
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.errors import TidelineError
from tideline_cli.memory import amend, remember, undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER

TEXT = "the cat is grey"
PASS = Settings(stages=("evict",), evict_below=2.0, evict_after_ms=0, evict_after_owner_ms=0,
                max_loss=1.0)  # fmt: skip
STEPS = ("say", "forget", "restore", "dream", "undo", "redo", "sync", "sync")
FACT = named_id("A1")


class Word:
    """What a batch of a machine has said of the fact, when, and which words it knew."""

    def __init__(self, at, verb, known):
        self.at, self.verb, self.known, self.stands = at, verb, set(known), True


class History:
    """Machines that share a fact; `words` are all that was said of it, by machine and number of the
    batch; `heard` are those that each knows, `left` those that lie in the place."""

    def __init__(self, folder, names=("ash", "birch")):
        self.wire = Wire()
        self.machines = [Machine(folder, name) for name in names]
        self.words = {}
        self.told = []
        self.heard = [set() for _ in names]
        self.now = NOW
        self.left = set()
        new = NewFact(TEXT, "knowledge", "owner_message", OWNER, tier="short")
        remember.remember(self.machines[0].db, new, fact_id=FACT, now=self.now)
        self.settle()

    def close(self):
        for machine in self.machines:
            machine.close()

    def settle(self):
        self.now += DAY
        settle(self.machines, self.wire, self.now)
        self.heard = [set(self.words) for _ in self.machines]

    def state(self, on):
        (row,) = [row for row in rows(self.machines[on]) if row["id"] == FACT]
        return row["lifecycle"]

    def take(self, on, verb):
        """Take a step, where there is one to take."""
        self.now += DAY
        db, is_there = self.machines[on].db, self.state(on) == "active"
        if verb == "sync":
            self.machines[on].sync(self.wire, self.now)
            self.heard[on] |= self.left
            self.left |= self.heard[on]
        elif verb == "say" and is_there:
            new = NewFact(TEXT, "knowledge", "owner_message", OWNER, tier="short")
            self.say(on, verb, remember.remember(db, new, fact_id="", now=self.now).batch)
        elif verb == "forget" and is_there:
            self.say(on, verb, amend.forget(db, [FACT], viewer=OWNER, now=self.now).batch)
        elif verb == "restore" and not is_there:
            self.say(on, verb, amend.restore(db, [FACT], viewer=OWNER, now=self.now).batch)
        elif verb == "dream" and is_there:
            dream(db, PASS, verb="dream", dry_run=False, viewer=OWNER, now=self.now)
            assert self.state(on) == "archived"
            last = db.execute("SELECT max(ordinal) FROM batch WHERE verb = 'dream'").get
            self.say(on, verb, last)
        elif verb in ("undo", "redo"):
            self.step(on, verb)

    def say(self, on, verb, batch):
        self.words[on, batch] = Word(self.now, verb, self.heard[on])
        self.heard[on].add((on, batch))
        self.told.append((on, verb, self.now))

    def step(self, on, verb):
        db, given = self.machines[on].db, {"viewer": OWNER, "now": self.now}
        try:
            if verb == "undo":
                ahead = undo.undo(db, None, dry_run=True, **given)
                if ahead.removed or (on, ahead.undone) in self.left:
                    return  # the fact itself, or what others have heard of
                number = undo.undo(db, None, **given).undone
            else:
                number = undo.redo(db, viewer=OWNER, now=self.now).back.ordinal
        except TidelineError:
            return
        if (on, number) in self.words:
            word = self.words[on, number]
            word.stands = verb == "redo"
            if word.stands:  # it is later than what was known here
                latest = max(self.words[one].at for one in self.heard[on])
                word.at, word.known = max(word.at, latest + 1), set(self.heard[on])
        self.told.append((on, verb, self.now))

    def wanted(self):
        """Return the state by the latest word that stands; of passes those count that knew it."""
        standing = {key: word for key, word in self.words.items() if word.stands}
        said = [key for key, word in standing.items() if word.verb != "dream"]
        last = max(said, key=lambda key: standing[key].at, default=None)
        if last and standing[last].verb == "forget":
            return "archived"
        passes = [word for word in standing.values() if word.verb == "dream"]
        faded = any(last is None or last in word.known for word in passes)
        return "archived" if faded else "active"


@pytest.mark.sampled(24)
@pytest.mark.parametrize("seed", range(1, 81))
def test_the_latest_word_that_stands_holds(tmp_path, seed):
    """Said, said again, forgotten, restored, faded, undone and redone in any order."""
    random = Random(seed)
    history = History(tmp_path)
    try:
        for _ in range(random.randint(3, 14)):
            history.take(random.randrange(2), random.choice(STEPS))
        history.settle()
        states = [history.state(0), history.state(1)]
        assert states == [history.wanted()] * 2, history.told
        assert history.machines[0].export() == history.machines[1].export()
    finally:
        history.close()
