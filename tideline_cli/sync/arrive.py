"""What other replicas have said, taken into the registers and shown in the store."""

from __future__ import annotations

from tideline_cli.model.edge import REWORDS
from tideline_cli.model.origin import Origin
from tideline_cli.store import sync_registers, sync_state, visibility
from tideline_cli.store.sync_registers import PURGED, EdgeRow
from tideline_cli.sync import registers
from tideline_cli.sync.confine import SOURCE
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp, UseOp
from tideline_cli.sync.registers import CLOCK, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.store.sync_state import SyncState
    from tideline_cli.sync.operations import Operation, Stamp
    from tideline_cli.sync.registers import Mark, Registers


class Taken:
    """What operations have changed in the registers, not yet shown: facts by id, edges, ids that
    are to be purged."""

    def __init__(self) -> None:
        self.facts: dict[str, Registers] = {}
        self.changed: set[str] = set()
        self.edges: dict[tuple[str, str, str], EdgeRow] = {}
        self.purges: list[str] = []


class Taker:
    """Takes operations from a place into the registers, in a transaction of the caller. What has
    the later stamp counts; what was purged stays away."""

    def __init__(self, db: Connection, state: SyncState, *, place: int) -> None:
        self._db = db
        self._state = state
        self._place = place
        self._numbers: dict[str, int] = {}
        self._ids: dict[int, str] = {
            number: replica for number, (replica, _) in sync_state.replicas(db).items()
        }
        self._numbers = {replica: number for number, replica in self._ids.items()}

    def take(self, operations: Sequence[Operation]) -> Taken:
        """Put operations into the registers; return what has changed. Registers are stored by
        `show`, once it is known what the store shows of each fact."""
        taken = Taken()
        ids = {one.id for one in operations if isinstance(one, AddOp | SetOp | UseOp)}
        edges = [one for one in operations if isinstance(one, EdgeOp)]
        ends = {end for one in edges for end in (one.source, one.target)}
        purged = sync_registers.purged(self._db, ids | ends)
        ids |= {one.source for one in edges if one.kind == REWORDS and one.target in purged}
        ids -= purged
        rows, stored = sync_registers.facts(self._db, ids), sync_registers.in_table(self._db, ids)
        taken.facts = {
            one: registers.read(rows.get(one), one, stored.get(one)) for one in sorted(ids)
        }
        for one in operations:
            self._take(one, taken, purged)
        return taken

    def _take(self, one: Operation, taken: Taken, purged: set[str]) -> None:
        before = self._state.version
        match one:
            case BatchOp():
                self._batch(one)
                return
            case PurgeOp():
                taken.purges += one.ids
                return
            case EdgeOp():
                if one.source not in purged and one.target not in purged:
                    self._edge(one, taken)
                elif one.source not in purged and one.kind == REWORDS and one.values is not None:
                    self._reword(one, taken)
                return
        if one.id in purged:
            return
        known = taken.facts[one.id]
        match one:
            case AddOp():
                self._add(one, known)
            case SetOp():
                self._set(one, known)
            case UseOp():
                self._use(one, known)
        if self._state.version != before:
            taken.changed.add(one.id)

    def _batch(self, one: BatchOp) -> None:
        mark = self._mark(one.stamp)
        sync_registers.note_batch(
            self._db, mark[0], mark[1], one.number, one.origin, one.verb, one.at,
            version=mark[2], place=self._place,
        )  # fmt: skip

    def _add(self, one: AddOp, known: Registers) -> None:
        """Take the birth of a fact. Of two births of one id the later counts: one that was taken
        back and is here again. The same one counts again where it lacks the text, or where it was
        taken as a stranger's, and comes from a place now that is vouched for."""
        born = known.birth
        if born is not None and not self._is_later(one.stamp, born):
            is_missing = "content" not in known.values
            is_confined = known.values.get("source") == SOURCE != one.values["source"]
            if not (is_missing or is_confined) or self._stamp(born) != one.stamp:
                return
        mark = self._mark(one.stamp)
        known.origin = visibility.ensure_number(self._db, Origin(str(one.values["origin"])))
        known.forget(self._before(one.stamp, known))
        known.bear(one.values, mark)

    def _set(self, one: SetOp, known: Registers) -> None:
        """Take fields. What was said before a fact was taken back goes with it."""
        for name, value in one.values.items():
            held = [known.mark(name), None if known.is_present else known.marks[PRESENT]]
            if all(mark is None or self._is_later(one.stamp, mark) for mark in held):
                known.put(name, value, self._mark(one.stamp))
        if not known.is_present:
            known.forget(self._before(self._stamp(known.marks[PRESENT]), known))

    def _before(self, stamp: Stamp, known: Registers) -> list[str]:
        return [name for name, held in known.marks.items() if self._is_later(stamp, held)]

    def _use(self, one: UseOp, known: Registers) -> None:
        number = self._number(one.replica)
        was = known.uses.get(number)
        if number == self._state.own and was is not None:
            return  # nobody knows better
        if was is not None and was[CLOCK] >= one.clock:
            return
        told = [one.base, one.since, one.last, one.changed, one.said, one.clock]
        known.uses[number] = [*told, self._state.next_version(), self._place, 0]

    def _edge(self, one: EdgeOp, taken: Taken) -> None:
        key = (one.source, one.kind, one.target)
        was = taken.edges.get(key) or sync_registers.edge(self._db, *key)
        if was is not None and not self._is_later(
            one.stamp, (was.clock, was.replica, 0, 0)
        ):
            return
        values = one.values or (None, None, was.created_at if was else 0)
        mark = self._mark(one.stamp)
        taken.edges[key] = EdgeRow(*key, *mark, one.values is not None, *values)

    def _reword(self, one: EdgeOp, taken: Taken) -> None:
        """Note that a fact rewords one that was purged; as of the time of the edge, so that whoever
        notes it notes the same."""
        known = taken.facts[one.source]
        held = known.mark(PURGED)
        if held is None or self._is_later(one.stamp, held):
            known.put(PURGED, True, (*self._mark(one.stamp)[:3], 0))
            taken.changed.add(one.source)

    def _is_later(self, stamp: Stamp, mark: Mark) -> bool:
        return stamp > self._stamp(mark)

    def _stamp(self, mark: Mark) -> Stamp:
        return mark[0], self._ids[mark[1]]

    def _mark(self, stamp: Stamp) -> Mark:
        self._state.clock = max(self._state.clock, stamp[0])
        return stamp[0], self._number(stamp[1]), self._state.next_version(), self._place

    def _number(self, replica: str) -> int:
        if replica not in self._numbers:
            number = sync_state.replica_number(self._db, replica)
            self._numbers[replica], self._ids[number] = number, replica
        return self._numbers[replica]
