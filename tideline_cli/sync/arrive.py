"""What other replicas have said, taken into the registers; and what a place may say that others can
write, and for which the owner does not vouch."""

from __future__ import annotations

from tideline_cli.memory.screening import threats_in
from tideline_cli.memory.secret_screening import searched
from tideline_cli.model.edge import REPLACING, REWORDS
from tideline_cli.model.fact import SEGMENTS, initial_heat
from tideline_cli.model.origin import EVERYONE, OWNER, Origin
from tideline_cli.model.record import Record, replace
from tideline_cli.policy.gate import confined as confined_segment
from tideline_cli.store import purging, sync_registers, sync_state, visibility
from tideline_cli.store.sync_registers import PURGED, EdgeRow
from tideline_cli.sync import registers
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp, UseOp
from tideline_cli.sync.registers import CLOCK, GONE, PRESENT, is_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

    from apsw import Connection

    from tideline_cli.store.sync_registers import FactRow
    from tideline_cli.store.sync_state import SyncState
    from tideline_cli.sync.operations import Operation, Stamp
    from tideline_cli.sync.registers import Mark, Registers

SOURCE: Final = "retrieved_document"
"""Who says what such a place says: as with an import that nobody vouches for."""
_ALLOWED = ("content", "created_at", "origin", "kind", "title", "tags", "valid_from", "valid_to",
            "scope", "session", "turn", "speaker", "role", "source_turn", "lifecycle", "metadata",
            "derived_from")  # fmt: skip
_CHANGED = frozenset(("lifecycle", "valid_to", "present", GONE))


class Confined(Record):
    """What is taken of what a place tells; the ids of the facts that are new and `strangers`, and
    of those of which something was `refused`."""

    taken: list[Operation]
    strangers: set[str]
    refused: set[str]


def confined_words(db: Connection, told: Sequence[Operation], *, place: int) -> Confined:
    """Return what is taken of what a place tells. A fact that is new here is taken as text from
    outside: of no standing, without its secrets, and not at all where the scan finds an attack. The
    place may change and take back what is known from it alone."""
    ids = {one.id for one in told if isinstance(one, AddOp | SetOp)}
    ids |= {end for one in told if isinstance(one, EdgeOp) for end in (one.source, one.target)}
    ids |= {fact_id for one in told if isinstance(one, PurgeOp) for fact_id in one.ids}
    rows, stored = sync_registers.facts(db, ids), sync_registers.in_table(db, ids)
    own = {one for one, row in rows.items() if _is_of(row, place)}
    here = sync_state.SyncState(db).own_id
    new = ids - rows.keys() - stored.keys()
    taken: list[Operation] = []
    strangers, refused = set[str](), set[str]()
    for one in told:
        match one:
            case BatchOp() if one.stamp[1] != here:
                taken.append(replace(one, origin=OWNER.key))
            case AddOp() if one.id in new and not threats_in(_text(one)):
                taken.append(replace(one, values=_plain(one)))
                own.add(one.id)
                strangers.add(one.id)
            case AddOp() if one.id in new:
                refused.add(one.id)
            case SetOp() if one.id in own and one.values.keys() <= _CHANGED:
                taken.append(replace(one, values=_unexplained(one.values)))
            case EdgeOp() if {one.source, one.target} <= own and one.kind not in REPLACING:
                taken.append(one)
            case PurgeOp():
                gone = tuple(fact_id for fact_id in one.ids if fact_id in own)
                if gone and not _reaches_own(db, gone, place):
                    gone = ()
                taken += [PurgeOp(gone)] if gone else []
                refused |= {known for known in one.ids if known in stored} - {*gone}
            case SetOp() | EdgeOp() if one.stamp[1] != here:
                refused.add(one.id if isinstance(one, SetOp) else one.source)
            case BatchOp() | SetOp() | EdgeOp() | UseOp() | AddOp():
                pass
    return Confined(taken, strangers, refused)


def _reaches_own(db: Connection, ids: Sequence[str], place: int) -> bool:
    """Say whether a purge of these takes nothing that is known from elsewhere with it."""
    seqs = [seq for seq, _ in sync_registers.in_table(db, ids).values()]
    reached = set(purging.with_citers(db, seqs, viewer=EVERYONE).values())
    rows = sync_registers.facts(db, reached)
    return all(one in rows and _is_of(rows[one], place) for one in reached)


def _is_of(row: FactRow, place: int) -> bool:
    """Say whether a fact, and all that was said of it, is known from this place alone."""
    stamps = [mark for name, mark in row.marks.items() if is_stamp(name)]
    return row.clock > 0 and row.place == place and all(mark[3] == place for mark in stamps)


def _unexplained(values: Mapping[str, object]) -> dict[str, object]:
    """Return what is stated without why a fact is archived: what faded or was merged is announced,
    and nobody vouches for that."""
    return {name: None if name == GONE else value for name, value in values.items()}


def _text(one: AddOp) -> str:
    return "\n".join(str(one.values[name] or "") for name in ("title", "content"))


def _plain(one: AddOp) -> dict[str, object]:
    """Return the fields of a fact for which nobody vouches."""
    stated = one.values
    segment = confined_segment(stated["segment"], SOURCE)
    defaults = SEGMENTS[segment]
    values: dict[str, object] = dict.fromkeys(stated)
    values |= {name: stated[name] for name in _ALLOWED}
    values |= {
        "source": SOURCE, "origin": OWNER.key, "segment": segment, "tier": defaults.tier,
        "heat": initial_heat(segment, None, defaults.tier, defaults.importance),
        "importance": min(float(stated["importance"]), defaults.importance),
        "decay_rate": max(float(stated["decay_rate"] or 0), defaults.decay_rate), "pinned": False,
    }  # fmt: skip
    found, _ = searched(values)
    return found


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
