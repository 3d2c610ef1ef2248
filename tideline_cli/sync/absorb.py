"""What was said here and elsewhere, joined in the store: each batch of another replica is one here.
"""

from __future__ import annotations

from tideline_cli.memory.screening import threats_in
from tideline_cli.memory.secret_screening import searched
from tideline_cli.model.edge import REPLACING, REWORDS
from tideline_cli.model.fact import SEGMENTS, initial_heat
from tideline_cli.model.origin import EVERYONE, OWNER, Origin
from tideline_cli.model.record import Record, replace
from tideline_cli.policy.gate import confined as confined_segment
from tideline_cli.store import (
    facts,
    fts,
    journal,
    purging,
    sync_changes,
    sync_registers,
    sync_state,
    undo_rows,
    visibility,
)
from tideline_cli.store.sync_registers import PURGED, EdgeRow
from tideline_cli.sync import registers
from tideline_cli.sync.gather import Gatherer
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp, UseOp
from tideline_cli.sync.registers import CLOCK, GONE, PRESENT, is_stamp
from tideline_cli.sync.show import Shower, Taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from typing import Final

    from apsw import Connection

    from tideline_cli.store.sync_registers import EdgeRow, FactRow
    from tideline_cli.store.sync_state import SyncState
    from tideline_cli.sync.operations import Operation, Stamp
    from tideline_cli.sync.registers import Mark, Registers

def take(db: Connection, ids: Sequence[str], *, place: int, state: SyncState) -> dict[int, str]:
    """Purge facts that a place has told of, in a bulk batch of the caller; return the ids of what
    is gone, by number.

    What derives from them goes too, here as everywhere. Of what says the same only that goes which
    this machine has stated and somebody has archived: what others have stated goes by their word,
    so that it does not matter what is heard first. The journal loses all that it knows of either.
    """
    sync_registers.purge(db, ids, place=place, state=state, is_heard=True)
    seqs = [seq for seq, _ in sync_registers.in_table(db, ids).values()]
    for one in ids:
        seqs += purging.undone(db, one, viewer=EVERYONE)
    gone = purging.with_citers(
        db, seqs, viewer=EVERYONE, is_spared=lambda seq: not sync_changes.is_archived_here(db, seq)
    )
    told = set(undo_rows.present_ids(db, gone).values())
    told |= set(gone.values()) - sync_changes.stated_elsewhere(db, gone.values())
    sync_registers.purge(db, sorted(told), place=0, state=state, is_heard=True)
    state.save()
    if gone:
        purging.remove(db, gone)
        sync_state.lower_change(db)
    return gone


_AT_ONCE = 1000  # operations of a transaction
_BULK = 100  # facts that are new, from which on they are indexed together


class Absorber:
    """Joins what a place has with what the store has. `place` is its number, `now` the time of the
    sync. `batches` are the numbers, as the owner sees them, of the batches that changed anything;
    `facts` the ids of the facts of which anything was new, `purged` those that were purged."""

    def __init__(self, db: Connection, *, place: int, now: int) -> None:
        self._db = db
        self._place = place
        self._now = now
        self.batches: list[int] = []
        self._snapshot = 0  # the batch that snapshots have become
        self.facts: set[str] = set()
        self.purged: list[str] = []

    def own_words(self) -> None:
        """Put what was said here into the registers, and show what follows from it. What was purged
        stays away, also where an old file has brought it back."""
        again = sync_registers.purged_and_here(self._db)
        if again:
            self._purge(again)
        self._join([], OWNER, 0, uses=True)

    def take(self, operations: Sequence[Operation], *, whole: bool) -> None:
        """Take operations: purges first, then the words of each batch in the order of their times;
        a `whole` snapshot is one batch, and so is what belongs to none."""
        gone = [fact_id for one in operations if isinstance(one, PurgeOp) for fact_id in one.ids]
        if gone:
            self._purge(gone)
        told = {one.stamp: one for one in operations if isinstance(one, BatchOp)}
        for stamp, words in _by_batch(operations, () if whole else told):
            batch = told[stamp] if stamp else None
            by = OWNER if batch is None else Origin(batch.origin)
            number = 0 if stamp else self._snapshot
            for start in range(0, len(words), _AT_ONCE):
                number = self._join(words[start : start + _AT_ONCE], by, number, told=batch)
            if stamp is None:
                self._snapshot = number

    def _join(
        self, words: Sequence[Operation], by: Origin, number: int, *, uses: bool = False,
        told: BatchOp | None = None,
    ) -> int:  # fmt: skip
        """Take words in one transaction, into the batch of this number (0: new); return it."""
        is_bulk = sum(isinstance(one, AddOp) for one in words) >= _BULK
        db = self._db
        with journal.batch(
            db, verb=sync_changes.VERB, by=by, now=self._now, resume=number or None, bulk=is_bulk
        ) as batch:
            state = sync_state.SyncState(db)
            gatherer = Gatherer(db, state, now=self._now)
            mine = gatherer.gather(uses=uses)
            taken = Taker(db, state, place=self._place).take(words)
            self.facts |= taken.changed
            for row in taken.edges.values():
                self.facts |= {row.source, row.target}
            last = facts.last_number(db)
            if gatherer.has_taken_back:
                mine |= sync_registers.all_ruled(db)
            self._show(taken, mine, gatherer.waiting, state)
            if is_bulk:
                fts.index_after(db, last)
            state.change = max(state.change, sync_changes.last_number(db))  # all is told
            state.save()
            return self._closed(batch, told, number)

    def _show(
        self, taken: Taken, mine: set[str], waiting: Sequence[EdgeRow], state: SyncState
    ) -> None:
        """Show what was taken, what was said here, which edges have `waiting` for that, and what
        waits since a purge or the first sync."""
        db = self._db
        purge = sync_registers.last_purge(db)
        if purge > state.ruled:
            mine |= sync_registers.all_ruled(db)
            state.ruled = purge
        mine |= state.freed
        state.freed = set()
        names = {key: replica for key, (replica, _) in sync_state.replicas(db).items()}
        Shower(db, names, own=state.own).show(taken, mine, waiting)

    def _closed(self, batch: journal.batch, told: BatchOp | None, number: int) -> int:
        """Note what a batch is, or leave none that changed nothing; return its number, or 0."""
        if batch.is_empty():
            return number
        if told is not None:
            name = sync_state.name_of(self._db, told.stamp[1])
            batch.explain(f"{told.verb} of {name}:{told.number}")
        if batch.ordinal not in self.batches:
            self.batches.append(batch.ordinal)
        return batch.number

    def _purge(self, ids: Sequence[str]) -> None:
        """Purge facts, and all that derives from them here."""
        while not self._is_purged(ids):
            self._join([], OWNER, 0)  # others have said something meanwhile
        self._join([], OWNER, 0)  # what was shown otherwise because of them

    def _is_purged(self, ids: Sequence[str]) -> bool:
        """Purge facts; say whether that was done: the journal must have been told before it loses
        its part."""
        db = self._db
        with journal.batch(db, verb=sync_changes.VERB, by=OWNER, now=self._now, bulk=True) as batch:
            state = sync_state.SyncState(db)
            is_told = not any(sync_changes.since(db, state.change))
            gone = take(db, ids, place=self._place, state=state) if is_told else {}
            if gone:
                batch.explain(f"{len(gone):,} purged elsewhere")
                self.purged += gone.values()
            else:
                batch.is_empty()
        return is_told


def _by_batch(
    operations: Iterable[Operation], batches: Container[Stamp]
) -> Iterator[tuple[Stamp | None, list[Operation]]]:
    """Yield the words of each of these batches, by their times; all others, such as uses, last."""
    groups: dict[Stamp | None, list[Operation]] = {}
    for one in operations:
        if isinstance(one, PurgeOp):
            continue
        stamp = one.stamp if isinstance(one, BatchOp | AddOp | SetOp | EdgeOp) else None
        groups.setdefault(stamp if stamp in batches else None, []).append(one)
    for stamp in sorted(one for one in groups if one is not None):
        yield stamp, groups[stamp]
    if None in groups:
        yield None, groups[None]


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
            if self._counts(one.stamp, known, name):
                known.put(name, value, self._mark(one.stamp))
        if not known.is_present:
            known.forget(self._before(self._stamp(known.marks[PRESENT]), known))

    def _counts(self, stamp: Stamp, known: Registers, name: str) -> bool:
        """Say whether a word is the latest on a register, and no earlier than the birth."""
        held = [known.mark(name), None if known.is_present else known.marks[PRESENT]]
        is_born = known.birth is None or stamp >= self._stamp(known.birth)
        return is_born and all(mark is None or self._is_later(stamp, mark) for mark in held)

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
        if was is not None and not self._is_later(one.stamp, (was.clock, was.replica, 0, 0)):
            return
        values = one.values or (None, None, was.created_at if was else 0)
        mark = self._mark(one.stamp)
        taken.edges[key] = EdgeRow(*key, *mark, one.values is not None, *values)

    def _reword(self, one: EdgeOp, taken: Taken) -> None:
        """Note that a fact rewords one that was purged; as of the time of the edge, so that whoever
        notes it notes the same."""
        known = taken.facts[one.source]
        if self._counts(one.stamp, known, PURGED):
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
