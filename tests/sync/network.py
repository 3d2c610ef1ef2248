"""Machines that hold one memory, and places between them that lose, repeat and reorder nothing for
good: what each machine reads there, and when, is up to the test."""

from __future__ import annotations

import json
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from unittest.mock import patch

from tests.model.program import Program
from tests.support import empty_store_at
from tideline_cli.exchange import jsonl
from tideline_cli.memory import undo
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import as_dict
from tideline_cli.store import journal, links, listing, sync_registers, sync_state
from tideline_cli.store.connection import writing
from tideline_cli.store.facts import Filter
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.purging import finish_purge
from tideline_cli.sync import replica, show
from tideline_cli.sync.absorb import Absorber
from tideline_cli.sync.operations import PurgeOp, Writer, parsed
from tideline_cli.sync.outbox import NOWHERE, Publication

_EVERYTHING = Filter(lifecycle=None)


class Seen:
    """A store as the drawer of steps looks at a memory."""

    def __init__(self, db):
        self.rows, self.uses, numbers = {}, {}, {}
        for seq, fact in enumerate(
            listing.each(db, viewer=EVERYONE, wanted=_EVERYTHING, oldest_first=True), 1
        ):
            row = {**as_dict(fact), "origin": fact.origin.key}
            self.uses[seq] = row.pop("access_count"), row.pop("last_accessed_at")
            self.rows[seq] = row
            numbers[fact.id] = seq
        self.numbers = numbers
        self.links = {
            (edge.source, edge.kind, edge.target): [edge.reason, edge.strength, edge.created_at]
            for edge in links.each(db, viewer=EVERYONE)
        }

    @property
    def facts(self):
        return self.rows

    def in_order(self):
        return list(self.rows.items())

    def active(self, origin):
        return [(seq, fact) for seq, fact in self.rows.items()
                if fact["origin"] == origin and fact["lifecycle"] == "active"]  # fmt: skip

    def use(self, seq):
        return self.uses[seq]

    def seq_of(self, fact_id, viewer=None):
        seq = self.numbers.get(fact_id)
        return seq if seq and viewer in (None, self.rows[seq]["origin"]) else None

    def exported(self):
        return [
            {**fact, "access_count": self.uses[seq][0], "last_accessed_at": self.uses[seq][1]}
            for seq, fact in self.rows.items()
        ]

    def exported_links(self):
        return self.links


class Verbs(Program):
    """The program's own verb functions on one machine, and the step forward."""

    def _redo(self, step, given):
        done = undo.redo(self.db, **given)
        return {"undone": done.done.undone}

    def _import(self, step, given):
        done = super()._import(step, given)
        return {} if step["merge"] else done


class Wire:
    """A place: messages in the order in which they came, each with its author."""

    def __init__(self):
        self.messages = []


class Machine:
    """One machine: its store, its clock, and what it has read of each wire."""

    def __init__(self, path, name):
        self.name = name
        self.db = open_for_writing(str(empty_store_at(path)))
        self.db.execute("PRAGMA synchronous = OFF")
        self.verbs = Verbs(self.db)
        self.read = {}

    def join(self, wire, now):
        """Become a replica, and know a wire by its number."""
        fixed = SimpleNamespace(
            urandom=lambda size: f"{self.name:0>{size}}".encode()[-size:], stat=_stat
        )
        with patch.object(replica, "os", fixed):
            replica.ensure(self.db, now=now, name=self.name)
        address = f"wire {wire}"
        if sync_state.place_at(self.db, address) is None:
            with writing(self.db):
                sync_state.add_place(self.db, address, is_sealed=False, is_vouched=True)
        return sync_state.place_at(self.db, address)

    def sync(self, number, wire, choose, now):
        """Read of a wire what `choose` makes of the numbers of its unread messages, and leave there
        what is new here. Return the batches that this made."""
        place = self.join(number, now)
        absorber = Absorber(self.db, place=place.number, now=now)
        absorber.own_words()
        own = sync_state.SyncState(self.db).own_id
        known = self.read.setdefault(number, set())
        theirs = [at for at, message in enumerate(wire.messages) if message[0] != own]
        for at in choose(theirs, known):
            known.add(at)
            _, lines, whole = wire.messages[at]
            absorber.take(parsed(lines)[1], whole=whole)
        if absorber.purged:
            finish_purge(self.db)
        self.leave(wire, place)
        return absorber.batches

    def leave(self, wire, place):
        state = sync_state.SyncState(self.db)
        lines = self.told(since=place.sent, place=place.number)
        if lines:
            wire.messages.append((state.own_id, lines, False))
        with writing(self.db):
            sync_state.put_place(self.db, place.number, sent=state.version)

    def snapshot(self, wire, now):
        """Leave all that is known here."""
        absorber = Absorber(self.db, place=1, now=now)
        absorber.own_words()
        if absorber.purged:  # what an import has brought back
            finish_purge(self.db)
        own = sync_state.SyncState(self.db).own_id
        wire.messages.append((own, self.told(since=0, place=NOWHERE), True))

    def told(self, *, since, place):
        """Return what is to be told, as lines."""
        writer = Writer(dict(sync_state.replicas(self.db).values()))
        for operation in Publication(self.db, since=since, place=place).operations():
            writer.put(operation)
        return writer.whole() if writer.lines else []

    def known(self):
        """Return all that the registers hold as texts in order, each purge apart."""
        words = []
        for one in parsed(self.told(since=0, place=NOWHERE))[1]:
            some = [PurgeOp((gone,)) for gone in one.ids] if isinstance(one, PurgeOp) else [one]
            words += [(type(told).__name__, _text(told)) for told in some]
        return sorted(map(str, words))

    def look_at_all(self, now):
        """Make the rulings among all facts at once: a sync looks at those that it must touch."""
        with journal.batch(self.db, verb="sync", by=OWNER, now=now) as batch:
            names = {key: one for key, (one, _) in sync_state.replicas(self.db).items()}
            everything = sync_registers.facts_since(self.db, 0)
            own = sync_state.SyncState(self.db).own
            show.Shower(self.db, names, own=own).show(show.Taken(), everything, [])
            batch.is_empty()

    def seen(self):
        return Seen(self.db)

    def export(self):
        """Return the export, a line a fact, with the names in order: no order of them is told."""
        forms = jsonl.forms(self.db, viewer=EVERYONE)
        return [json.dumps(form, sort_keys=True) for form in forms]


def _stat(path):
    return SimpleNamespace(st_dev=0, st_ino=path)


def _text(one):
    """Return what an operation holds as a text, with the names in order."""
    names = one.__slots__ if hasattr(one, "__slots__") else ()
    return json.dumps([getattr(one, name) for name in names], sort_keys=True)


class Network:
    """Some machines and wires. `at` of a step is the time of the world: each machine has its own
    clock beside it."""

    def __init__(self, folder, skews, wires):
        self.folder = folder
        self.machines = [Machine(folder / f"{at}.db", f"m{at}") for at in range(len(skews))]
        self.skews = skews
        self.wires = [Wire() for _ in range(max(wires) + 1)]

    def close(self):
        for machine in self.machines:
            machine.db.close()

    @contextmanager
    def newcomer(self, now, seed):
        """Yield a machine that has heard all that was ever left in all places, in any order, and
        has told nothing."""
        late = Machine(self.folder / "late.db", "late")
        random = Random(seed)
        try:
            for number in random.sample(range(len(self.wires)), len(self.wires)):
                wire = Wire()
                wire.messages += self.wires[number].messages
                for how in ("any", "any", "all"):
                    late.sync(number, wire, chooser(how, random.random()), now)
            yield late
        finally:
            late.db.close()

    def do(self, step):
        """Take a step on a machine; return the batches of a sync, else the answer of the verb."""
        machine = self.machines[step["on"]]
        now = max(0, step["at"] + self.skews[step["on"]])
        if step["do"] == "snapshot":
            if machine.read:
                machine.snapshot(self.wires[step["wire"]], now)
            return None
        if step["do"] == "sync":
            choose = chooser(step["how"], step["pick"])
            return machine.sync(step["wire"], self.wires[step["wire"]], choose, now)
        return machine.verbs.do({**step, "at": now})

    def settle(self, reached, now, *, most=20):
        """Let all machines sync by the wires that each reaches until nobody has anything new; say
        whether that came to an end."""
        quiet = 0
        for _ in range(most):
            before = [len(wire.messages) for wire in self.wires]
            for place, machine in enumerate(self.machines):
                for wire in reached[place]:
                    at = now + self.skews[place]
                    machine.sync(wire, self.wires[wire], chooser("all", 0), at)
            quiet = quiet + 1 if before == [len(wire.messages) for wire in self.wires] else 0
            if quiet == 2:  # what one place has told is told to the other a round later
                return True
        return False


def chooser(how, seed):
    """Return what picks the messages to read: all that are unread, in order; the first of them; or
    any, in any order, with some that were read before."""
    random = Random(seed)

    def choose(theirs, known):
        unread = [at for at in theirs if at not in known]
        if how == "all":
            return unread
        if how == "first":
            return unread[: random.randint(0, len(unread))]
        listed = [at for at in theirs if at not in known or random.random() < 0.2]
        random.shuffle(listed)
        return listed[: random.randint(0, len(listed))]

    return choose


@contextmanager
def network(folder, skews, wires):
    made = Network(folder, skews, wires)
    try:
        yield made
    finally:
        made.close()
