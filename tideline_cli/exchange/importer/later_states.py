"""Bringing facts of the store to the state that rows of a merge state, where that is later."""

from __future__ import annotations

from tideline_cli.exchange.importer.copies import Copies
from tideline_cli.exchange.importer.rows import reason_of
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import replace
from tideline_cli.model.times import Times
from tideline_cli.policy import later_state
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import ended
from tideline_cli.store import slots, uses, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.exchange.importer.destination import Destination
    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact


class LaterStates:
    """What a merge makes of facts that are there, by when their states were stated."""

    def __init__(
        self, db: Connection, context: ImportContext, destination: Destination,
        summary: ImportSummary,
    ) -> None:  # fmt: skip
        self._db = db
        self._context = context
        self._destination = destination
        self._summary = summary
        self.copies = Copies(db, destination)
        # The values of slots that rows have named, by origin, scope and slot.
        self._slots: dict[tuple[str, str | None, str], set[str]] = {}

    def bring(self, ready: Prepared, stated: Fact, there: Fact) -> None:
        """Bring a fact that is there to the state of a row, if that was stated later; its use to
        the higher one."""
        times = self._destination.times
        at, row_at = times.of(there), times.stated_of(ready.row, ready.fact, there)
        after = later_state.brought(there, at, stated, row_at)
        is_same, may = later_state.is_same(there, stated), may_touch(stated.source, there.source)
        self._summary.usurping += not (is_same or may)
        if may and (is_same or after != there):
            self.note_times(ready, there)
        writes.change(self._db, there, after)
        used = self._use_more(stated, there) if self._context.trusted else there
        if after == there:
            self._destination.present(ready, stated, used)
        else:
            self._summary.brought[later_state.change(there, after)] += 1
            self._destination.known(ready, after)
            self.copies.heard(after, times.of(after))
        self.in_slot(after)

    def _use_more(self, stated: Fact, there: Fact) -> Fact:
        """Raise the use of a fact to that of a row."""
        count = max(there.access_count, stated.access_count)
        last = max(there.last_accessed_at, stated.last_accessed_at)
        if (count, last) == (there.access_count, there.last_accessed_at):
            return there
        uses.put(self._db, there.id, access_count=count, last_accessed_at=last)
        self._summary.used += 1
        return replace(there, access_count=count, last_accessed_at=last)

    def put_gone(self, ready: Prepared) -> None:
        """Store a row that was forgotten or replaced. If somebody's word has ended it, end also
        what says the same here and was said before that."""
        times = self._destination.times
        fact = self._destination.put(ready) or ready.fact
        at = times.stated(ready.row, ready.fact)
        if not later_state.is_forgotten(fact, at):
            return
        self.copies.heard(fact, at)
        for copy in self.copies.active(ready):
            if times.of(copy).changed_at >= at.changed_at:
                continue
            if not may_touch(fact.source, copy.source):
                self._summary.usurping += 1
                continue
            end = fact.valid_to or at.changed_at
            after = ended(copy, at=end, now=max(end, self._context.now))
            writes.change(self._db, copy, after)
            times.bring(copy, Times(at.changed_at, 0), gone="forgotten")
            self._summary.ended += 1

    def note_times(self, ready: Prepared, known: Fact) -> None:
        """Note that a known fact was said when a row has said it, if that is later."""
        times = self._destination.times
        at, row_at = times.of(known), times.stated(ready.row, ready.fact)
        gone = reason_of(ready.row, self._context)
        changed, said = (
            max(at.changed_at, row_at.changed_at), max(at.said_at, row_at.said_at)
        )
        if gone or (changed, said) != (at.changed_at, at.said_at):
            times.bring(known, Times(changed, row_at.said_at), gone=gone)

    def in_slot(self, fact: Fact) -> None:
        """Note that a row has named a value of a slot."""
        if fact.slot is not None:
            self._slots.setdefault((fact.origin.key, fact.scope, fact.slot), set()).add(fact.id)

    def settle(self) -> None:
        """Let every slot that rows have named hold one value: rows may restore a value before the
        row comes that ends its rival."""
        for (key, scope, slot), come in self._slots.items():
            values = slots.told(self._db, slot, scope=scope, viewer=Origin(key))
            self._destination.settle(value for value in values if value.id in come)
        self._destination.times.flush()
