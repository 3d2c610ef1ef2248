"""Whether the store shows what the log says: the log of a place is folded into a store beside, and
the two are compared."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing

from tideline_cli.errors import UsageError
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record
from tideline_cli.store import SERVERS, facts, links, sync_changes, sync_registers, sync_state
from tideline_cli.store.connection import snapshot, writing
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.undo_rows import known_ids
from tideline_cli.sync import folders, layout, operations, replica
from tideline_cli.sync.absorb import Absorber
from tideline_cli.sync.registers import wire
from tideline_cli.sync.stream import Stopped, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.segment import Ring

_AT_ONCE = 400
_PREFIX = ".tideline-fold-"


@record
class Folded:
    """How many facts were compared, the ids of those that differ, and for each replica whose log
    cannot be read to its end its name, why, and what to do. `waits`: the place has words that were
    not read here yet, so nothing was compared."""

    compared: int
    differing: tuple[str, ...]
    stopped: tuple[tuple[str, str, str], ...]
    waits: bool


def fold(db: Connection, folder: str, place: PlaceRow, ring: Ring | None, *, now: int) -> Folded:
    """Compare a store with the log in the folder of a place. Facts of which anything was said since
    the last sync, and what these may touch, are passed over, and so are those that the log does not
    tell. Raises TidelineError where nothing can be written beside the store."""
    with snapshot(db):
        if _waits(db, folder, place):
            return Folded(0, (), (), True)
        is_file = not db.filename.startswith(SERVERS)
        beside = os.path.dirname(os.path.abspath(db.filename)) if is_file else tempfile.gettempdir()
        _clear(beside)
        with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=beside) as at:
            other = open_for_writing(os.path.join(at, "fold.db"), network_allowed=True)
            with closing(other):
                gone = sync_state.forgotten_machines(db)
                stopped = tuple(_read(other, folder, place, ring, now, gone))
                if stopped or not place.is_vouched:  # what is confined is not as the log has it
                    return Folded(0, (), stopped, False)
                return _compared(db, other, place)


def _waits(db: Connection, folder: str, place: PlaceRow) -> bool:
    """Say whether a place has segments that were not read here."""
    known = sync_state.streams_of(db, place.number)
    read = {name: stream.segment for name, stream in known.items()}
    read[sync_state.SyncState(db).own_id] = place.segment
    gone = sync_state.forgotten_machines(db)
    return any(
        number > read.get(one, 0) and one not in gone
        for one in folders.replicas(folder) for number in layout.segment_numbers(folder, one)[-1:]
    )  # fmt: skip


def _clear(beside: str) -> None:
    """Remove what was left by one that was killed: it holds facts."""
    for name in os.listdir(beside):
        pid = name.removeprefix(_PREFIX).partition("-")[0]
        if name.startswith(_PREFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(os.path.join(beside, name), ignore_errors=True)


def _read(
    db: Connection, folder: str, place: PlaceRow, ring: Ring | None, now: int,
    gone: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[str, str, str]]:  # fmt: skip
    """Take what lies in a place, of `gone` machines what was read; yield what cannot be read on."""
    replica.ensure(db, now=now, name="fold")
    with writing(db):
        beside = sync_state.add_place(db, folder, is_sealed=ring is not None, is_vouched=True)
    absorber = Absorber(db, place=beside.number, now=now)
    for other in folders.replicas(folder):
        name = other[:8]
        last = gone[other]["seen"].get(place.place, 0) if other in gone else 0
        for one in unread(folder, other, after=0, last="", ring=ring, place=place.place):
            if other in gone and (isinstance(one, Stopped) or one.header.number > last):
                break
            if isinstance(one, Stopped):
                yield name, f"segment {one.number}: {one.message}", one.advice
                break
            name = one.header.name or name
            try:
                absorber.take(operations.parsed(one.lines)[1], whole=True)
            except UsageError as error:
                yield name, f"segment {one.header.number}: {error.message}", error.hint
                break


def _compared(db: Connection, other: Connection, place: PlaceRow) -> Folded:
    differing: list[str] = []
    compared = 0
    edges, theirs = _edges(db), _edges(other)
    for ids in _settled(db, place):
        own, told = sync_registers.in_table(db, ids), sync_registers.in_table(other, ids)
        for one in ids:
            if one in own and one in told:
                compared += 1
                is_same = wire(own[one][1]) == wire(told[one][1])
                if not is_same or edges.get(one) != theirs.get(one):
                    differing.append(one)
    return Folded(compared, tuple(differing), (), False)


def _settled(db: Connection, place: PlaceRow) -> Iterator[list[str]]:
    """Yield the ids of the facts of which the place has all that is known."""
    late = _late(db, place)
    last = facts.last_number(db)
    for start in range(0, last, _AT_ONCE):
        found = facts.get(db, range(start + 1, start + _AT_ONCE + 1), viewer=EVERYONE)
        yield [one.id for one in found.values() if one.id not in late]


def _late(db: Connection, place: PlaceRow) -> set[str]:
    """Return the facts of which the place does not have all, and those that they may touch."""
    late = set(sync_registers.facts_since(db, place.sent))
    for row in sync_registers.edges_since(db, place.sent):
        late |= {row.source, row.target}
    seqs: set[int] = set()
    rows: dict[int, str | None] = {}
    for told in sync_changes.since(db, sync_state.SyncState(db).change):
        if told.entity == "link":
            rows.setdefault(told.row, told.before)
        elif told.entity == "facts":
            seqs |= set(range(int(told.after or 0), told.row + 1))
        else:
            seqs.add(told.row)
    for start, _, end in sync_changes.edges_told(db, rows.items()):
        seqs |= {start, end}
    late |= set(known_ids(db, seqs).values())
    return late | _near(db, late)


def _near(db: Connection, late: set[str]) -> set[str]:
    """Return the facts that share a slot or text with these, or are shown otherwise by them."""
    rows = sync_registers.facts(db, late)
    stored = sync_registers.in_table(db, late)
    held = {
        (rows[one].origin, fact.scope, fact.slot)
        for one, (_, fact) in stored.items() if one in rows and fact.slot is not None
    }  # fmt: skip
    near = sync_registers.ruled_by(db, late)
    near |= {row.by for row in rows.values() if row.by is not None}
    near |= sync_registers.like(db, [row.alike for row in rows.values()])
    return near | sync_registers.slot_mates(db, held)


def _edges(db: Connection) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for link in links.each(db, viewer=EVERYONE):
        found.setdefault(link.source, set()).add((link.kind, link.target))
    return found
