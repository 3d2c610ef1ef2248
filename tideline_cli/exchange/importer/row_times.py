"""When the states of facts were stated: what an import knows of it, and what it notes."""

from __future__ import annotations

from tideline_cli.exchange.importer.rows import STATED, is_to_come, reason_of, times_of
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import replace
from tideline_cli.model.times import Times
from tideline_cli.policy.later_state import is_forgotten
from tideline_cli.store import statements

STATED_KEYS = frozenset(STATED)
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact


class RowTimes:
    """The times of facts in the store, read once an origin, and those that rows bring."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self._known: dict[str, dict[str, Times]] = {}
        self._brought: dict[str, Times] = {}
        self._waiting: dict[str, Times] = {}
        self._gone: dict[str, str] = {}

    def stated(self, row: Mapping[str, Any], fact: Fact) -> Times:
        """Return when a row says that its state was stated; `fact` is what it states."""
        return times_of(row, fact, self._context)

    def stated_of(self, row: Mapping[str, Any], fact: Fact, there: Fact) -> Times:
        """Return when a row says that its state of a fact that is there was stated. Its birth is
        that which is known here, if that is earlier. A time to come proves nothing: it brings
        nothing back that was forgotten here."""
        born = min(fact.created_at, there.created_at)
        at = times_of(row, replace(fact, created_at=born), self._context)
        here = self.of(there)
        if is_forgotten(there, here) and is_to_come(row, self._context):
            return Times(min(at.changed_at, here.changed_at), min(at.said_at, here.said_at))
        return at

    def surely(self, row: Mapping[str, Any], fact: Fact) -> Times:
        """Return since when a row was surely stated: not since a time to come."""
        return Times(0, 0) if is_to_come(row, self._context) else self.stated(row, fact)

    def of(self, fact: Fact) -> Times:
        """Return when the state of a fact in the store was stated."""
        at = self._brought.get(fact.id) or self.in_store(fact.origin.key).get(fact.id)
        born = fact.created_at
        if at is None:
            return Times(born, born)
        return Times(max(at.changed_at, born), max(at.said_at, born))

    def in_store(self, key: str) -> Mapping[str, Times]:
        """Return the times of the facts of an origin that changed before this import."""
        if key not in self._known:
            self._known[key] = statements.times(self._db, viewer=Origin(key))
        return self._known[key]

    def bring(self, fact: Fact, at: Times, *, gone: str | None = None) -> None:
        """Note when the state that a fact gets was stated, and why it is archived, if it is;
        `flush` stores it. Times of `at` that are 0 say nothing."""
        known, told = self.of(fact), self._waiting.get(fact.id, at)
        self._waiting[fact.id] = Times(at.changed_at, max(at.said_at, told.said_at))
        self._brought[fact.id] = Times(at.changed_at, max(at.said_at, known.said_at))
        if gone is not None:
            self._gone[fact.id] = gone

    def bring_new(self, row: Mapping[str, Any], fact: Fact) -> None:
        """Note it of a fact that has just come, where it is not when the fact was made."""
        if fact.lifecycle == "active" and STATED_KEYS.isdisjoint(row):
            return  # most rows; a record takes 4 us, which for each is 1 % of an import
        at, gone = self.stated(row, fact), reason_of(row, self._context)
        if gone or (at.changed_at, at.said_at) != (fact.created_at, fact.created_at):
            self.bring(fact, at, gone=gone)

    def end(self, fact: Fact, *, by: Fact) -> None:
        """Note that a fact has ended because another was said."""
        at, since = self.of(fact), self.of(by).said_at
        self.bring(fact, Times(max(at.changed_at, since), 0), gone="superseded")

    def flush(self) -> None:
        """Store what was noted, in the transaction that has changed the facts."""
        statements.note(self._db, self._waiting, self._gone)
        self._waiting.clear()
        self._gone.clear()
