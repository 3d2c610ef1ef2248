"""Storing the rows of an import: as they are, each under its id, one value at a time in a slot."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.importer.references import References
from tideline_cli.exchange.importer.row_ids import RowIds, differs
from tideline_cli.exchange.importer.row_links import RowLinks
from tideline_cli.exchange.importer.row_times import RowTimes
from tideline_cli.exchange.importer.worth import was_confined, was_limited
from tideline_cli.memory.succession import repaint
from tideline_cli.model.origin import Origin
from tideline_cli.model.times import Times
from tideline_cli.store import slots, uses, visibility, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact


class Destination:
    """The store as one import sees it; every call but `number` is made in an open batch."""

    def __init__(self, db: Connection, context: ImportContext, summary: ImportSummary) -> None:
        self._db = db
        self._context = context
        self._summary = summary
        self._names = References(db, context)
        self._numbers: dict[str, int] = {}
        self.row_ids = RowIds(db, context)
        self.times = RowTimes(db, context)
        self.row_links = RowLinks(db, context, self._names, summary, self.times)

    def number(self, origin: Origin) -> int:
        """Return the number of an origin; it never changes once it is given."""
        if origin.key not in self._numbers:
            self._numbers[origin.key] = visibility.ensure_number(self._db, origin)
        return self._numbers[origin.key]

    def put(self, ready: Prepared) -> Fact | None:
        """Store the fact of a row as it is, with its use, unless the store has it already. Return
        the fact if it is new."""
        stated = self.row_links.citing(ready.fact)
        earlier = self.row_ids.older(ready, stated)
        if earlier is not None:
            self.present(ready, stated, earlier)
            return None
        number = self.number(stated.origin)
        fact = stated
        for fact in self.row_ids.attempts(ready, stated):
            if writes.insert(self._db, fact, origin_number=number, terms=ready.terms):
                self.put_use(fact)
                self.times.bring_new(ready.row, fact)
                self.added(ready, fact)
                return fact
        self._note_known(ready, fact)
        return None

    def added(self, ready: Prepared, fact: Fact) -> None:
        """Count a row whose fact has just been stored, and keep what it says of other facts."""
        self._summary.added += 1
        self._summary.confined += was_confined(ready.row, fact)
        self.taken(ready, fact)

    def added_plain(self, count: int) -> None:
        """Count rows whose facts have just been stored, and that say nothing of other facts."""
        self._summary.added += count

    def taken(self, ready: Prepared, fact: Fact) -> None:
        """Count a row of which something was not taken as stated, and keep what it says of other
        facts. `fact` is the fact in the store that says what the row says."""
        self._summary.limited += was_limited(
            ready.row, ready.fact, trusted=self._context.trusted, now=self._context.now
        )
        self._summary.renamed += bool(ready.row.get("id")) and fact.id != str(ready.row["id"])
        self.known(ready, fact)

    def present(self, ready: Prepared, stated: Fact, known: Fact) -> None:
        """Count a row whose fact is in the store already. What the row says of other facts may not
        be there yet, so it is kept."""
        self._summary.present += 1
        self._summary.differing += differs(known, stated)
        self.known(ready, known)

    def settle(self, new: Iterable[Fact]) -> None:
        """Paint the slots that have new values."""
        by_slot: dict[tuple[str, str | None, str], dict[str, Fact]] = {}
        for fact in new:
            if fact.slot is not None:
                by_slot.setdefault((fact.origin.key, fact.scope, fact.slot), {})[fact.id] = fact
        for (key, scope, slot), come in by_slot.items():
            values = slots.told(self._db, slot, scope=scope, viewer=Origin(key))
            if not values:
                continue
            said = {value.id: self.times.of(value).said_at for value in values}
            _, gone = repaint(self._db, values[0], now=max(said.values()), by=None, said=said)
            for end in gone:
                changed = self.times.of(end.before).changed_at  # to be painted over is no change
                self.times.bring(end.before, Times(changed, 0), gone="superseded")
                if end.before.lifecycle == "active":
                    self._summary.superseded += end.by.id in come
                    self._summary.older += end.by.id not in come

    def put_use(self, fact: Fact) -> None:
        """Store the use of a fact that has just come, if it has any."""
        if fact.access_count or fact.last_accessed_at != fact.created_at:
            uses.put(
                self._db, fact.id, access_count=fact.access_count,
                last_accessed_at=fact.last_accessed_at,
            )  # fmt: skip

    def known(self, ready: Prepared, fact: Fact) -> None:
        """Keep what a row says of other facts; `fact` is what became of its fact."""
        self._names.give(ready.fact.origin, ready.row.get("id"), fact.id)
        self.row_links.note(ready.line, ready.row, ready.fact, fact)

    def _note_known(self, ready: Prepared, fact: Fact) -> None:
        try:
            self.present(ready, fact, self.row_ids.there(fact))
        except UsageError as error:
            self._summary.refuse(ready.line, error)
