"""What was said here and elsewhere, joined in the store: each batch of another replica is one here.
"""

from __future__ import annotations

from tideline_cli.model.origin import EVERYONE, OWNER, Origin
from tideline_cli.store import (
    facts,
    fts,
    journal,
    purging,
    sync_changes,
    sync_registers,
    sync_state,
    undo_rows,
)
from tideline_cli.sync.arrive import Taken, Taker
from tideline_cli.sync.gather import Gatherer
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp
from tideline_cli.sync.show import Shower

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.store.sync_registers import EdgeRow
    from tideline_cli.store.sync_state import SyncState
    from tideline_cli.sync.operations import Operation, Stamp


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
        """Take some words in one transaction, into the batch of this number, 0 for a new one;
        return its number."""
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
        """Note what a batch is, or leave none where it has changed nothing; return the number of
        the batch to go on with."""
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
        with journal.batch(
            db, verb=sync_changes.VERB, by=OWNER, now=self._now, bulk=True
        ) as batch:
            state = sync_state.SyncState(db)
            is_told = not any(sync_changes.since(db, state.change))
            gone = (
                take(db, ids, place=self._place, state=state) if is_told else {}
            )
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
