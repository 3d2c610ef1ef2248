"""Facts of the store that have exactly the text of a row, under another id."""

from __future__ import annotations

from tideline_cli.memory.near_duplicates import stating
from tideline_cli.model.origin import Origin
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.later_state import is_forgotten
from tideline_cli.store import facts, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.exchange.importer.destination import Destination
    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.times import Times

    # the text of a fact, its slot, and the scope of both; of a chunk its document and its place
    Text = tuple[str, str | None, str | None, str | None, int | None]


class Copies:
    """Finds the facts with the text of a row: active ones by the index, and those that somebody
    has forgotten or replaced by a table that is read once an origin."""

    def __init__(self, db: Connection, destination: Destination) -> None:
        self._db = db
        self._destination = destination
        self._gone: dict[str, dict[Text, tuple[Fact, int]]] = {}

    def active(self, ready: Prepared) -> list[Fact]:
        """Return the active facts that have the text and the place of a row, oldest first."""
        fact = ready.fact
        found = stating(
            self._db, fact.content, frozenset(ready.terms.said), viewer=fact.origin,
            origin_number=self._destination.number(fact.origin),
        )  # fmt: skip
        return [one for one in found if _text(one) == _text(fact) and one.id != fact.id]

    def forgotten(self, fact: Fact, at: Times) -> Fact | None:
        """Return a fact with the text of a row that was forgotten after the row was stated."""
        found = self._of(fact.origin).get(_text(fact))
        if found is None or found[1] <= at.changed_at:
            return None
        return found[0] if may_touch(found[0].source, fact.source) else None

    def heard(self, fact: Fact, at: Times) -> None:
        """Note a fact that a row has brought, if it was forgotten."""
        if is_forgotten(fact, at):
            _put(self._of(fact.origin), fact, at)

    def _of(self, origin: Origin) -> dict[Text, tuple[Fact, int]]:
        if origin.key not in self._gone:
            self._gone[origin.key] = self._read(origin)
        return self._gone[origin.key]

    def _read(self, origin: Origin) -> dict[Text, tuple[Fact, int]]:
        found: dict[Text, tuple[Fact, int]] = {}
        times = self._destination.times
        if not times.in_store(origin.key):
            return found  # nothing here was ever changed
        archived = facts.Filter(lifecycle="archived")
        for fact in listing.each(self._db, viewer=origin, wanted=archived):
            at = times.of(fact)
            if is_forgotten(fact, at):
                _put(found, fact, at)
        return found


def _text(fact: Fact) -> Text:
    place = fact.turn if fact.document else None
    return fact.content, fact.slot, fact.scope, fact.document, place


def _put(found: dict[Text, tuple[Fact, int]], fact: Fact, at: Times) -> None:
    known = found.get(_text(fact))
    if known is None or known[1] < at.changed_at:
        found[_text(fact)] = fact, at.changed_at
