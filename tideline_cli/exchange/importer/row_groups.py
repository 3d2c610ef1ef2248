"""Storing the rows of a chunk in their order: plain ones in groups, others one by one."""

from __future__ import annotations

from tideline_cli.exchange.importer.plain_rows import PlainRow
from tideline_cli.model.origin import Origin
from tideline_cli.store import bulk_inserts, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.importer.destination import Destination
    from tideline_cli.exchange.importer.prepare_rows import Ready
    from tideline_cli.model.fact import Fact
    from tideline_cli.store.bulk_inserts import Run


class RowGroups:
    """What becomes of the rows of one chunk. `added` are the facts that are new, in the order in
    which they are stored: the number of the origin, and the place of the row in the chunk. `apart`
    are those of them that were stored one by one."""

    def __init__(
        self, db: Connection, destination: Destination, chunk: Sequence[Ready]
    ) -> None:
        self._db = db
        self._destination = destination
        ids = [ready.id for ready in chunk if isinstance(ready, PlainRow)]
        self._taken = bulk_inserts.taken(db, ids) if ids else set()
        self._numbers: dict[str, int] = {}
        self._waiting: list[Run] = []
        self._last: list[Any] | None = None  # the model of the last of them
        self._bounds = bytearray()
        self._counts = bulk_inserts.NewCounts()
        self.added: list[tuple[int, int]] = []
        self.apart: list[Fact] = []

    def put(self, place: int, ready: Ready) -> None:
        """Store a row, or let it wait for others."""
        if isinstance(ready, PlainRow):
            if ready.id not in self._taken:
                self._wait(place, ready)
                return
            ready = ready.prepared()
        self.flush()
        fact = self._destination.put(ready)
        if fact is not None:
            self._taken.add(fact.id)
            self.added.append((self._number(fact.origin.key), place))
            self.apart.append(fact)

    def _wait(self, place: int, ready: PlainRow) -> None:
        """Let a plain row wait for others."""
        model, own = ready.model, ready.own
        self._taken.add(own[bulk_inserts.OWN_ID])
        number = self._number(model[bulk_inserts.ORIGIN])
        if model is not self._last:
            self._waiting.append((bulk_inserts.numbered(model, number), []))
            self._last = model
        self._waiting[-1][1].append(own[: bulk_inserts.STORED_OWN])
        self._bounds.append(own[bulk_inserts.STORED_OWN])
        self.added.append((number, place))

    def flush(self) -> None:
        """Store the rows that wait."""
        if self._waiting:
            bulk_inserts.insert(self._db, self._waiting)
            self._counts.add(self._waiting)
            self._destination.added_plain(sum([len(own) for _, own in self._waiting]))
            self._waiting.clear()
            self._last = None

    def count(self, last: int, bounds: score_bounds.NewBounds) -> None:
        """Count the facts that were stored, which have the numbers after `last`, and bound their
        scores, as far as that can be done without reading them again."""
        if self.apart:
            bounds.drop()
            bulk_inserts.count_after(self._db, last)
        elif self._bounds:
            self._counts.store(self._db)
            bounds.add(self._db, bytes(self._bounds))

    def _number(self, key: str) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._destination.number(Origin(key))
        return number
