"""Machines that hold one memory, each with a home of its own, and what lies between them in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests import support
from tideline_cli.exchange import jsonl
from tideline_cli.model import codec
from tideline_cli.model.origin import EVERYONE
from tideline_cli.store import sync_state
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.purging import finish_purge
from tideline_cli.sync import replica
from tideline_cli.sync.absorb import Absorber
from tideline_cli.sync.operations import Writer, parsed
from tideline_cli.sync.outbox import Publication

if TYPE_CHECKING:
    from pathlib import Path

    from apsw import Connection

NOW = support.NOW
HOUR = 3_600_000


class Wire:
    """A place in memory: what each replica has left there, in order."""

    def __init__(self) -> None:
        self.left: list[tuple[str, list[bytes]]] = []


class Machine:
    """One machine: its store, its clock, and how far it has read the wire."""

    def __init__(self, folder: Path, name: str, *, skew: int = 0) -> None:
        self.name = name
        self.path = str(folder / f"{name}.db")
        self.skew = skew
        self.read = 0
        self.db: Connection = open_for_writing(self.path)

    def close(self) -> None:
        self.db.close()

    def join(self, now: int) -> None:
        """Become a replica."""
        replica.ensure(self.db, now=now + self.skew, name=self.name)
        with writing(self.db):
            if not sync_state.all_places(self.db):
                sync_state.add_place(self.db, "wire", is_sealed=False, is_vouched=True)

    def sync(self, wire: Wire, now: int, *, upto: int | None = None, whole: bool = False) -> None:
        """Read what is new on the wire, up to its `upto`th message, and leave there what is new
        here."""
        now += self.skew
        self.join(now)
        absorber = Absorber(self.db, place=1, now=now)
        absorber.own_words()
        own = sync_state.SyncState(self.db).own_id
        end = len(wire.left) if upto is None else max(upto, self.read)
        for author, lines in wire.left[self.read : end]:
            if author != own:
                _, operations = parsed(lines)
                absorber.take(operations, whole=whole)
        self.read = end
        if absorber.purged:
            finish_purge(self.db)
        place = sync_state.all_places(self.db)[0]
        state = sync_state.SyncState(self.db)
        names = dict(sync_state.replicas(self.db).values())
        writer = Writer(names)
        for operation in Publication(self.db, since=place.sent, place=1).operations():
            writer.put(operation)
        if writer.lines:
            wire.left.append((own, writer.whole()))
        with writing(self.db):
            sync_state.put_place(self.db, 1, sent=state.version)

    def export(self) -> list[str]:
        """Return the export, a line a fact."""
        return [codec.dumps(form) for form in jsonl.forms(self.db, viewer=EVERYONE)]


def rows(machine: Machine) -> list[dict[str, Any]]:
    return [codec.loads(line) for line in machine.export()]


def settle(machines: list[Machine], wire: Wire, now: int) -> None:
    """Let all machines sync until nobody has anything new."""
    before = -1
    while len(wire.left) != before:
        before = len(wire.left)
        for machine in machines:
            machine.sync(wire, now)


