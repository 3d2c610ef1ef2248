"""A connection to a memory on a server, with what the store uses of a connection to a file.

Nothing lasts longer than a transaction (search path, time limits, locks), so a pool between us and
the server may give each transaction to another of its connections.
"""

from __future__ import annotations

import apsw

from tideline_cli.store.postgres import dialect, values
from tideline_cli.store.postgres.libpq import ServerError, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from tideline_cli.ranking.heat import HeatRule
    from tideline_cli.store.postgres.libpq import Parameter, ServerAnswer

    Statement = tuple[bytes, list[int], list[Parameter]]

_ANSWERED = ("SELECT", "WITH", "VALUES", "SHOW")
_ERRORS: dict[str, type[apsw.Error]] = {
    "55P03": apsw.BusyError, "57014": apsw.InterruptError, "53100": apsw.FullError,
    "40001": apsw.BusyError, "40P01": apsw.BusyError, "42501": apsw.AuthError,
    "25006": apsw.ReadOnlyError,
}  # fmt: skip


class ServerConnection:
    """A connection. `trips` counts how often it has waited for the server."""

    generation: str | None = None
    asked_settings: Callable[[str], object] | None = None
    heat_rule: Callable[[], HeatRule | None] | None = None

    def __init__(self, wire: Wire, address: str, schema: str) -> None:
        self._wire = wire
        self.filename = address
        self.schema = schema
        self.trips = 0
        self._is_open = False  # in a transaction
        self._waiting: list[tuple[Statement, Cursor | None]] = []
        self._changes = 0
        self._patience_ms = 10_000
        self._depth = 0  # of savepoints

    # what reads and writes

    def execute(self, sql: str, bindings: Sequence[object] = ()) -> Cursor:
        """Run a statement. One that asks for nothing waits until something is asked, or until the
        end of the transaction, and then goes with it in one round trip."""
        word = sql.lstrip().split(None, 1)[0].upper().rstrip(";") if sql.strip(" ;\n") else ""
        if word == "PRAGMA" or not word:
            return Cursor(self)
        if word == "BEGIN":
            return self._begin(is_writer="IMMEDIATE" in sql)
        if word in ("COMMIT", "END"):
            return self._end(b"COMMIT")
        if word == "ROLLBACK" and " TO " not in sql.upper():
            self._waiting.clear()
            return self._end(b"ROLLBACK") if self._is_open else Cursor(self)
        cursor = Cursor(self)
        self._waiting.append((self._statement(sql, bindings), cursor))
        if not self._is_open:
            self._alone()
        elif word in _ANSWERED or "RETURNING" in sql:
            self.flush()
        return cursor

    def as_it_is(self, sql: str) -> None:
        """Run a statement that is PostgreSQL's own, in the transaction that is open."""
        self._put(sql.encode())

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Cursor:
        """Run a statement for each of the rows, all in one round trip."""
        cursor = Cursor(self)
        for row in rows:
            self._waiting.append((self._statement(sql, row), cursor))
        if not self._is_open and self._waiting:
            self._alone()
        return cursor

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        self.flush()
        return self._changes

    def _statement(self, sql: str, bindings: Sequence[object]) -> Statement:
        lists = dialect.list_places(sql)
        bare = tuple((place, "NULL" if value is None else "'{}'")
                     for place, value in enumerate(bindings)
                     if value is None or (value == "[]" and place in lists))  # fmt: skip
        text, places = dialect.in_postgres(sql, bare)
        types: list[int] = []
        cells: list[Parameter] = []
        for place in places:
            value = bindings[place]
            if place in lists:
                value = _listed(value)
            kind, cell = values.sent_form(value)
            types.append(kind)
            cells.append(cell)
        return text, types, cells

    # transactions

    def _begin(self, *, is_writer: bool) -> Cursor:
        if self._is_open:
            raise apsw.SQLError("cannot start a transaction within a transaction")
        self._is_open = True
        begin = b"BEGIN" if is_writer else b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        self._put(begin)
        self._put(self._path())
        if is_writer:
            self._put(f"SET LOCAL lock_timeout = {max(1, self._patience_ms)}".encode())
            # By its name: the schema may not be there yet.
            self._put(b"SELECT pg_advisory_xact_lock(hashtext('tideline writer'), hashtext($1))",
                      [self.schema])  # fmt: skip
        return Cursor(self)

    def _path(self) -> bytes:
        return f'SET LOCAL search_path = "{self.schema}"'.encode()

    def _alone(self) -> None:
        """Run what waits as a transaction of its own."""
        waiting, self._waiting = self._waiting, []
        self._put(b"BEGIN")
        self._put(self._path())
        self._waiting += waiting
        self._put(b"COMMIT")
        self._is_open = True
        try:
            self.flush()
        finally:
            self._is_open = False

    def _end(self, how: bytes) -> Cursor:
        self._put(how)
        try:
            self.flush()
        finally:
            self._is_open = False
        return Cursor(self)

    def _put(self, sql: bytes, given: Sequence[object] = ()) -> None:
        pairs = [values.sent_form(value) for value in given]
        kinds = [23 if kind == values.INT8 else kind for kind, _ in pairs]
        cells = [cell[4:] if kind == 23 and cell else cell
                 for kind, (_, cell) in zip(kinds, pairs, strict=True)]  # fmt: skip
        self._waiting.append(((sql, kinds, cells), None))

    def flush(self) -> None:
        """Send what waits, and take the answers: one round trip, or none where nothing waits."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        self.trips += 1
        try:
            for (text, types, cells), _ in waiting:
                self._wire.send(text, types, cells)
            answers = list(self._wire.answers(len(waiting)))
        except ServerError as error:
            raise _error(error) from None
        for ((text, _, _), _), answer in zip(waiting, answers, strict=True):
            if isinstance(answer, ServerError):
                self._roll_back()
                failure = _error(answer)
                failure.add_note(text.decode())
                raise failure
        for (_, cursor), given in zip(waiting, answers, strict=True):
            if cursor is not None and not isinstance(given, ServerError):
                cursor.take(given)
                self._changes = given.count

    def _roll_back(self) -> None:
        """Leave a transaction that has failed, so that the connection can go on."""
        self._is_open = False
        self._waiting.clear()
        if self._wire.is_broken:
            return
        self._wire.send(b"ROLLBACK", [], [])
        list(self._wire.answers(1))

    def get_autocommit(self) -> bool:
        """Say whether no transaction is open."""
        return not self._is_open

    # what is about the connection

    def set_busy_timeout(self, ms: int) -> None:
        """Wait so long for other writers."""
        self._patience_ms = ms

    def pragma(self, name: str, value: object = None) -> Any:
        """ServerAnswer what the store asks a connection by name: how long it waits."""
        return self._patience_ms if name == "busy_timeout" else value

    def config(self, *_: object) -> int:
        """Take what concerns files alone, and do nothing."""
        return 0

    def readonly(self, _: str) -> bool:
        """Say whether nothing can be written: the server says so at the first write."""
        return False

    def __enter__(self) -> ServerConnection:
        self._depth += 1
        self._put(f"SAVEPOINT level_{self._depth}".encode())
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        how = "RELEASE" if kind is None else "ROLLBACK TO"
        self._put(f"{how} level_{self._depth}".encode())
        self._depth -= 1

    def close(self) -> None:
        """End the connection; what was not committed is rolled back."""
        self._wire.close()


class Cursor:
    """What a statement gave: its rows, read when they are asked for."""

    def __init__(self, db: ServerConnection) -> None:
        self._db = db
        self._rows: list[tuple[Any, ...]] = []
        self._at = 0

    def take(self, answer: ServerAnswer) -> None:
        """Take the answer of the server."""
        self._rows += values.read_rows(answer.rows, answer.types)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        self._db.flush()
        while self._at < len(self._rows):
            self._at += 1
            yield self._rows[self._at - 1]

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, None behind the last."""
        return next(iter(self), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that were not read."""
        return list(self)

    @property
    def get(self) -> Any:
        """All rows, with as little around them as there can be."""
        rows = [row[0] if len(row) == 1 else row for row in self]
        return None if not rows else rows[0] if len(rows) == 1 else rows


def _listed(value: object) -> object:
    """Return a list that a statement takes as JSON as a list."""
    if not isinstance(value, str):
        return value
    from tideline_cli.model import codec  # noqa: PLC0415  lists alone

    return codec.loads(value)


def _error(error: ServerError) -> apsw.Error:
    kind = _ERRORS.get(error.state)
    if kind is None:
        kind = apsw.ConstraintError if error.state.startswith("23") else apsw.SQLError
    if not error.state or error.state.startswith(("08", "57P")):
        kind = apsw.IOError
    said = kind(str(error))
    said.state = error.state  # type: ignore[attr-defined]
    return said
