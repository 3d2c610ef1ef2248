"""Whether the store shows what the log says: the log of a place is folded into a store beside, and
the two are compared."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing

from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record
from tideline_cli.store import facts, links, sync_places, sync_rows, sync_state
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.transactions import writing
from tideline_cli.sync import folders, operations, replica
from tideline_cli.sync.absorb import Absorber
from tideline_cli.sync.stream import Stopped, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.sync.sealing import Ring

_AT_ONCE = 400


@record
class Folded:
    """How many facts were compared, the ids of those that differ, and the names of the replicas
    whose log could not be read to its end."""

    compared: int
    differing: tuple[str, ...]
    unread: tuple[str, ...]


def fold(db: Connection, folder: str, place: str, ring: Ring | None, *, now: int) -> Folded:
    """Compare a store with the log in the folder of a place, which has this id. What one of them
    does not have yet is passed over: facts of which anything was said since the last sync, and
    facts that the log does not tell."""
    with tempfile.TemporaryDirectory() as beside:
        other = open_for_writing(os.path.join(beside, "fold.db"), network_allowed=True)
        with closing(other):
            stopped = tuple(_read(other, folder, place, ring, now))
            differing: list[str] = []
            compared = 0
            edges, theirs = _edges(db), _edges(other)
            for ids in _settled(db, place):
                own, told = sync_rows.in_table(db, ids), sync_rows.in_table(other, ids)
                for one in ids:
                    if one in own and one in told:
                        compared += 1
                        is_same = own[one][1] == told[one][1]
                        if not is_same or edges.get(one) != theirs.get(one):
                            differing.append(one)
    return Folded(compared, tuple(differing), stopped)


def _read(
    db: Connection, folder: str, place: str, ring: Ring | None, now: int
) -> Iterator[str]:
    """Take all that lies in a place; yield the names of the replicas that cannot be read on."""
    replica.ensure(db, now=now, name="fold")
    with writing(db):
        number = sync_places.add(db, folder, is_sealed=ring is not None, is_vouched=True).number
    absorber = Absorber(db, place=number, now=now)
    for other in folders.replicas(folder):
        for one in unread(folder, other, after=0, last="", ring=ring, place=place):
            if isinstance(one, Stopped):
                yield sync_state.name_of(db, other)
                break
            absorber.take(operations.parsed(one.lines)[1], whole=True)


def _settled(db: Connection, place: str) -> Iterator[list[str]]:
    """Yield the ids of the facts of which the place has all that is known."""
    sent = next((one.sent for one in sync_places.each(db) if one.place == place), 0)
    late = set(sync_rows.facts_since(db, sent))
    for row in sync_rows.edges_since(db, sent):
        late |= {row.source, row.target}
    last = facts.last_number(db)
    for start in range(0, last, _AT_ONCE):
        found = facts.get(db, range(start + 1, start + _AT_ONCE + 1), viewer=EVERYONE)
        yield [one.id for one in found.values() if one.id not in late]


def _edges(db: Connection) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for link in links.each(db, viewer=EVERYONE):
        found.setdefault(link.source, set()).add((link.kind, link.target))
    return found
