"""A connection that stores rows without waiting for their numbers, which it has asked for."""

from __future__ import annotations

import apsw

from tideline_cli.store.postgres import driver, known_answers, next_numbers
from tideline_cli.store.postgres.foresight import Foreseeing
from tideline_cli.store.postgres.known_answers import Read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.store.postgres.cursor import Cursor
    from tideline_cli.store.postgres.driver import Wire
    from tideline_cli.store.postgres.known_answers import Ahead
    from tideline_cli.store.postgres.next_numbers import NextNumbers
    from tideline_cli.store.postgres.server import Statement

_OTHER_NUMBER = "22012"  # by a division: see `next_numbers.checked`


class Promising(Foreseeing):
    """A connection to a memory on a server, for readers and writers."""

    def __init__(self, wire: Wire, address: str, schema: str) -> None:
        super().__init__(wire, address, schema)
        self._next: Ahead | None = None
        self._numbers: NextNumbers | None = None
        self._has_promised = False
        self._new = "", ""

    def foresee_numbers(self, key: str, *, add: str, opened: str) -> None:
        """Ask, with the next transaction, for the numbers of new rows of an origin: of the batch
        that the statement `add` stores, of which `opened` asks again."""

        def ask() -> None:
            if key in self.origins:
                self._next = self._send_ahead(next_numbers.NEXT, (key,))
                self._numbers = next_numbers.NextNumbers(self.origins[key], add, opened)

        self.foresee(ask)

    def foresee_fact(self, insert: str, fact_id: str) -> None:
        """Have the next transaction store a fact of this id by a statement, where it is free."""
        self.foresee(lambda: self.execute(next_numbers.TAKEN, (fact_id,)).get)
        self._new = insert, fact_id

    def execute(self, sql: str, bindings: Sequence[object] = ()) -> Cursor:
        """Run a statement, or answer it by what is known."""
        if self._numbers is not None and self._is_open and not self._is_noting:
            opened = self._numbers.opened(sql, bindings)
            if opened is not None:
                return Read(self, [opened])
            if "RETURNING" in sql and (promised := self._promised(sql, bindings)) is not None:
                return promised
        return super().execute(sql, bindings)

    def _promised(self, sql: str, bindings: Sequence[Any]) -> Cursor | None:
        """Return the number of a row that is stored later on, where it is known; the server
        compares it."""
        numbers, answer = self._numbers, self._next
        if numbers is None or answer is None or self._has_failed:
            return None
        if answer.rows is None:
            self.flush()
        row = (answer.rows or [()])[0]
        insert, fact_id = self._new
        taken = self._known.answers.get((next_numbers.TAKEN, (fact_id,)))
        if taken is not None and taken.rows == []:
            numbers.insert, numbers.fact_id = insert, fact_id
        found = numbers.batch(sql, bindings, row) or numbers.fact(sql, bindings, row)
        if found is None:
            return None
        names, wanted = found
        self._forget(sql)
        text, types, cells = self._statement(sql, bindings)
        sent = [driver.sent_form(value) for value in wanted]
        statement = (
            next_numbers.comparing(text, names, len(cells) + 1),
            [*types, *(kind for kind, _ in sent)], [*cells, *(cell for _, cell in sent)],
        )  # fmt: skip
        self._waiting.append((statement, None))
        self._has_promised = True
        return Read(self, [wanted[:1]])

    def _send(self, some: Sequence[tuple[Statement, Cursor | None]]) -> None:
        try:
            super()._send(some)
        except apsw.SQLError as error:
            if getattr(error, "state", "") != _OTHER_NUMBER or not self._has_promised:
                raise
            raise apsw.BusyError("another writer came between; nothing was stored") from None

    def _begin(self, *, is_writer: bool) -> Cursor:
        self._has_promised = False
        return super()._begin(is_writer=is_writer)

    def _forget(self, sql: str) -> None:
        if self._numbers is not None and known_answers.written(sql) == "fact":
            self._numbers.insert = ""
        super()._forget(sql)

    def _forget_all(self) -> None:
        self._next = self._numbers = None
        super()._forget_all()
