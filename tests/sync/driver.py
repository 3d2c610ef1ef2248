"""Random histories of several machines, which in the end must show the same and have lost nothing.
"""

from __future__ import annotations

import json
import tempfile
import traceback
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.soundness import sound
from tests.support import DAY, NOW
from tests.sync.drawing import Drawer
from tests.sync.network import network
from tideline_cli.errors import TidelineError
from tideline_cli.memory import doctor, undo
from tideline_cli.model.origin import OWNER, parse_origin
from tideline_cli.store import history, sync_registers
from tideline_cli.store.connection import has_synced
from tideline_cli.sync import rulings

UNSHOWN = """
SELECT sync_fact.id, sync_fact.by, told.value FROM sync_fact
  JOIN json_each(?1) AS edges ON edges.key = ruled JOIN json_each(edges.value) AS told
WHERE by IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM link JOIN fact AS a ON a.seq = from_fact JOIN fact AS b ON b.seq = to_fact
  WHERE a.id = by AND b.id = sync_fact.id AND (link.kind = told.value
    OR link.kind = 'succeeds' OR link.kind = 'replaces' AND told.value = 'transition'))
"""
"""Facts that give way by a ruling, without an edge from the one that holds."""
ENDLESS = """
SELECT id FROM fact WHERE lifecycle = 'archived' AND valid_to IS NULL
  AND id IN (SELECT value FROM json_each(?))
"""
"""Those of these facts that are archived and have no end."""
EDGES_TO = """
SELECT fact.id, number FROM link JOIN fact ON seq = to_fact
WHERE fact.id IN (SELECT value FROM json_each(?))
"""


class Different(Exception):
    """The machines differ, or something was lost."""


class History:
    """Some machines, and the steps that they have taken."""

    def __init__(self, net, plan):
        self.net = net
        self.plan = plan
        self.steps = []
        self.batches = [{} for _ in net.machines]
        self.ever = set()
        self.latest = NOW
        self.settled = set()
        self.rulings = Counter()

    def take(self, step):
        """Take a step. An undo names a batch by the step that made it."""
        self.steps.append(step)
        self.latest = max(self.latest, step["at"])
        mine = self.batches[step["on"]]
        if step["do"] == "undo" and step["batch"] is not None:
            if step["batch"] not in mine:
                return
            step = {**step, "batch": mine[step["batch"]][1]}
        db = self.net.machines[step["on"]].db
        by = parse_origin(step.get("by", "owner"))
        before, had = newest(db, by), {*present(db), *taken_back(db)}
        given_way = ruled(db) if step["do"] == "forget" else set()
        try:
            with self._opening(db):
                self.net.do(step)
        except TidelineError:
            pass
        except Exception as error:
            raise Different(f"it breaks down: {traceback.format_exc()}") from error
        after = newest(db, by)
        if after > before:
            mine[step["step"]] = by.key, after
        if step["do"] in ("purge", "retention") and not self.net.machines[step["on"]].read:
            self.ever -= had - {*present(db), *taken_back(db)}  # nobody else has heard of them
        self.ever |= set(present(db))
        self.settled |= given_way - ruled(db)

    @contextmanager
    def _opening(self, db):
        """Forget of what was settled that which a step opens again: it stands as it was stated,
        perhaps without an end, and a machine that archives it then does not know of that."""
        before = edges_to(db, self.settled)
        yield
        self.settled -= {fact_id for fact_id, _ in edges_to(db, self.settled) - before}

    def end(self):
        """Let all settle, compare; take the last batch of each back, on every other machine also
        one that came by a sync, and compare again."""
        now = self.latest + DAY
        self._settle(now)
        self._compare_newcomer(now)
        ruled = self.net.machines[0].db.execute(
            "SELECT ruled FROM sync_fact WHERE ruled IS NOT NULL"
        )
        self.rulings = Counter(why for (why,) in ruled)
        for place, machine in enumerate(self.net.machines):
            last = next(history.back(machine.db, viewer=OWNER), None) if place % 2 == 0 else None
            batch = None if last is None else last.ordinal
            try:
                with self._opening(machine.db):
                    undo.undo(
                        machine.db, batch, viewer=OWNER, now=now + self.plan["skews"][place] + 1
                    )
            except TidelineError:
                pass
            except Exception as error:
                raise Different(f"undo breaks down: {traceback.format_exc()}") from error
        self._settle(now + DAY, "after the undo, ")
        for machine in self.net.machines:
            examine(machine)

    def operations(self):
        """Return how many operations were left in all places."""
        told = (message[1] for wire in self.net.wires for message in wire.messages)
        return sum(len(lines) - 1 for lines in told if lines)

    def _settle(self, now, when=""):
        try:
            if not self.net.settle(self.plan["reached"], now):
                raise Different(f"{when}they never settle")
        except Different:
            raise
        except Exception as error:
            raise Different(f"a sync breaks down: {traceback.format_exc()}") from error
        self._compare(when)
        back = set().union(*(taken_back(machine.db) for machine in self.net.machines))
        for machine in self.net.machines:
            judge(machine, self.ever - back, self.settled, when)
        self._look_at_all(now, when)

    def _look_at_all(self, now, when):
        """Compare one machine with itself, once it has made all rulings anew."""
        machine = self.net.machines[0]
        shown, known = machine.export(), machine.known()
        machine.look_at_all(now)
        if machine.export() != shown:
            raise Different(f"{when}{machine.name} and all at once show:\n"
                            + _difference(shown, machine.export()))  # fmt: skip
        if machine.known() != known:
            raise Different(f"{when}{machine.name} and all at once know:\n"
                            + _difference(known, machine.known()))  # fmt: skip

    def _compare_newcomer(self, now):
        """Compare with a machine that has heard the same in another order."""
        try:
            with self.net.newcomer(now, self.plan.get("late", 0)) as late:
                self._compare("heard late, ", late)
        except Different:
            raise
        except Exception as error:
            raise Different(f"a newcomer breaks down: {traceback.format_exc()}") from error

    def _compare(self, when, *more):
        first, *others = self.net.machines
        wanted, known = first.export(), first.known()
        for other in more or others:
            got = other.export()
            if got != wanted:
                raise Different(f"{when}{first.name} and {other.name} show:\n"
                                + _difference(wanted, got))  # fmt: skip
            if other.known() != known:
                raise Different(f"{when}{first.name} and {other.name} know:\n"
                                + _difference(known, other.known()))  # fmt: skip


def newest(db, origin):
    found = next(history.batches(db, viewer=origin), None)
    return 0 if found is None else found.ordinal


def ruled(db):
    """Return the facts that are archived by nobody's word."""
    if not has_synced(db):
        return set()
    return {gave_way for why in ("slot", "same")
            for gave_way, _ in sync_registers.ruled(db, why, origin_number=None)}  # fmt: skip


def edges_to(db, ids):
    """Return the facts among these to which edges lead, with the number of each edge."""
    return set(db.execute(EDGES_TO, (json.dumps(sorted(ids)),)))


def present(db):
    return [fact_id for (fact_id,) in db.execute("SELECT id FROM fact")]


def taken_back(db):
    """Return the ids of the facts that an undo has taken out."""
    return {fact_id for (fact_id,) in db.execute(
        "SELECT before ->> 'id' FROM change JOIN batch ON batch.number = batch"
        " WHERE entity = 'fact' AND act = '-' AND verb IN ('undo', 'redo')"
    )}  # fmt: skip


def judge(machine, ever, settled, when):
    """Raise Different where the store of a machine is not sound, a fact is lost, one that others
    have replaced does not show which, or one that a sync has archived and then somebody, until
    when."""
    db = machine.db
    bare = db.execute(UNSHOWN, (json.dumps(rulings.EDGES),)).fetchall()
    if bare:
        raise Different(f"{when}{machine.name} does not show why: {bare}")
    endless = db.execute(ENDLESS, (json.dumps(sorted(settled)),)).fetchall()
    if endless:
        raise Different(f"{when}{machine.name} does not show until when: {endless}")
    try:
        sound(db)
    except AssertionError as error:
        raise Different(f"{when}{machine.name} is not sound: {traceback.format_exc()}") from error
    away = ever - set(present(db))
    away -= sync_registers.purged(db, away)
    rows = sync_registers.facts(db, away)
    lost = sorted(one for one in away if one not in rows or "gone" not in rows[one].held)
    if lost:
        raise Different(f"{when}{machine.name} has lost {lost}")


def examine(machine):
    """Raise Different where doctor finds anything."""
    report = doctor.examine(
        machine.db.filename, deep=True, network_allowed=False, progress=lambda _: None
    )
    if report.findings:
        raise Different(f"doctor, {machine.name}: {report.findings}")


def _difference(one, other):
    """Return in what two lists differ, of facts field by field."""
    mine, theirs = _by_id(one), _by_id(other)
    told = []
    for key in sorted(mine.keys() | theirs.keys()):
        was, has = mine.get(key), theirs.get(key)
        if isinstance(was, dict) and isinstance(has, dict):
            told += [f"  {key} {name}: {was[name]!r} | {has[name]!r}"
                     for name in was if was[name] != has[name]]  # fmt: skip
        elif was != has:
            told.append(f"  {'<' if has is None else '>'} {was or has}")
    return "\n".join(told[:12])


def _by_id(lines):
    rows = [json.loads(line) if line[0] == "{" else line for line in lines]
    return {row["id"] if isinstance(row, dict) else row: row for row in rows}


def play(plan, steps):
    """Take these steps on fresh machines; return what was different or None, and the history."""
    with _machines(plan) as history:
        try:
            for step in steps:
                history.take(step)
            history.end()
        except Different as different:
            return str(different), history
    return None, history


@contextmanager
def _machines(plan):
    wires = [max(reached) for reached in plan["reached"]]
    with (
        tempfile.TemporaryDirectory(prefix="tideline-sync-") as folder,
        network(Path(folder), plan["skews"], wires) as net,
    ):
        yield History(net, plan)


def run(seed, count):
    """Take so many random steps; return the history, and what was different or None."""
    random = Random(seed)
    drawer = Drawer(random, NOW)
    plan = drawer.plan()
    joined = set()
    with _machines(plan) as history:
        try:
            for _ in range(count):
                step = drawer.network_step(history.net, plan, history.batches, joined)
                history.take(json.loads(json.dumps(step)))
            history.end()
        except Different as different:
            return history, str(different)
    return history, None


def shrunk(plan, steps):
    """Return the fewest of the steps that still end in a difference, by leaving some out."""
    size = max(1, len(steps) // 2)
    kind = _kind(play(plan, steps)[0])
    while size:
        start = 0
        while start < len(steps):
            fewer = steps[:start] + steps[start + size :]
            if _kind(play(plan, fewer)[0]) == kind:
                steps = fewer
            else:
                start += size
        size //= 2
    return steps


def _kind(different):
    words = ("show:", "know:", "lost", "why:", "when:", "sound", "settle", "doctor", "breaks", "")
    return None if different is None else next(word for word in words if word in different)


def script(plan, steps, seed, different):
    """Return a failing history as a small program that takes its steps again."""
    lines = [f"# seed {seed}: {different.splitlines()[0]}",
             "from tests.sync.driver import play", f"PLAN = {plan!r}", "STEPS = ["]  # fmt: skip
    lines += [f"    {step!r}," for step in steps]
    return "\n".join([*lines, "]", "print(play(PLAN, STEPS)[0])"])
