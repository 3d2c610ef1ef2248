"""What a place does not have yet, as operations: read from the registers."""

from __future__ import annotations

from tideline_cli.store import sync_registers, sync_state
from tideline_cli.sync import registers
from tideline_cli.sync.fields import CHANGING, FIXED
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp, UseOp
from tideline_cli.sync.registers import GONE, PLACE, PRESENT, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.sync.operations import Operation, Stamp
    from tideline_cli.sync.registers import Mark, Registers

_AT_ONCE = 400


class Publication:
    """What has become known after version `since` and not from the place of this number; all of it
    where `since` is 0 and the place is NOWHERE."""

    def __init__(self, db: Connection, *, since: int, place: int) -> None:
        self._db = db
        self._since = since
        self._place = place
        self._ids = {
            number: replica for number, (replica, _) in sync_state.replicas(db).items()
        }

    def operations(self) -> Iterator[Operation]:
        """Yield the operations: batches, facts, edges, purges."""
        db, since = self._db, self._since
        batches = sync_registers.batches_since(db, since)
        for clock, replica, number, origin, verb, at, version, place in batches:
            if self._is_new((clock, replica, version, place)):
                yield BatchOp((clock, self._ids[replica]), number, origin, verb, at)
        listed = sync_registers.facts_since(db, since)
        for start in range(0, len(listed), _AT_ONCE):
            yield from self._facts(listed[start : start + _AT_ONCE])
        for edge in sync_registers.edges_since(db, since):
            if self._is_new((edge.clock, edge.replica, edge.version, edge.place)):
                values = (edge.reason, edge.strength, edge.created_at) if edge.present else None
                stamp = (edge.clock, self._ids[edge.replica])
                yield EdgeOp(edge.source, edge.kind, edge.target, stamp, values)
        purges = sync_registers.purges_since(db, since)
        gone = [fact_id for fact_id, place in purges if place != self._place]
        for start in range(0, len(gone), _AT_ONCE):
            yield PurgeOp(tuple(gone[start : start + _AT_ONCE]))

    def _facts(self, ids: list[str]) -> Iterator[Operation]:
        rows = sync_registers.facts(self._db, ids)
        stored = sync_registers.in_table(self._db, ids)
        for fact_id in ids:
            known = registers.read(rows[fact_id], fact_id, stored.get(fact_id))
            yield from self._fact(known)

    def _fact(self, known: Registers) -> Iterator[Operation]:
        is_new = known.birth is not None and self._is_new(known.birth)
        told = {name: mark for name, mark in known.marks.items() if is_new or self._is_new(mark)}
        if is_new and known.birth is not None and "content" in known.values:
            # A birth is whole, and a register that was stated later is told after it.
            values = {name: known.values[name] for name in (*FIXED, *CHANGING)}
            yield AddOp(known.id, self._stamp(known.birth), values | {GONE: known.gone()})
        by_stamp: dict[Stamp, dict[str, Any]] = {}
        for name, mark in told.items():
            if name != PRESENT and name not in known.values:
                continue  # it was taken back a moment ago: the next sync tells that
            value = known.is_present if name == PRESENT else known.values[name]
            by_stamp.setdefault(self._stamp(mark), {})[name] = value
        for stamp, values in sorted(by_stamp.items()):
            yield SetOp(known.id, stamp, values)
        for replica, use in known.uses.items():
            if is_new or self._is_new((0, 0, use[VERSION], use[PLACE])):
                yield UseOp(known.id, self._ids[replica], *use[:VERSION])

    def _is_new(self, mark: Mark) -> bool:
        return mark[2] > self._since and mark[3] != self._place

    def _stamp(self, mark: Mark) -> Stamp:
        return mark[0], self._ids[mark[1]]


NOWHERE = -1
"""The number of no place: nothing is known from there."""
