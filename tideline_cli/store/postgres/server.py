"""A connection to a memory on a server, with what the store uses of a connection to a file.

Nothing lasts longer than a transaction (search path, time limits, locks), so a pool between us and
the server may give each transaction to another of its connections.
"""

from __future__ import annotations

import apsw

from tideline_cli.errors import Interrupted
from tideline_cli.model import codec
from tideline_cli.store.postgres import dialect, driver
from tideline_cli.store.postgres.driver import ServerError, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.ranking.heat import HeatRule
    from tideline_cli.store.postgres.driver import Parameter, ServerAnswer
    from tideline_cli.store.reads import Rows

    Statement = tuple[bytes, list[int], list[Parameter]]

_AT_ONCE = 4096  # statements of one round trip: what waits is held in memory on both sides
_ANSWERED = ("SELECT", "WITH", "VALUES", "SHOW")
_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Writers come one after another, so each sees what those before it have committed.
_WRITE = b"BEGIN ISOLATION LEVEL READ COMMITTED"
_LASTING = b"BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
_COMMIT = b"COMMIT"
_ROLLBACK = b"ROLLBACK"
_SETTINGS = "SELECT name, value FROM setting"
_OF_GENERATION = "SELECT 1 / count(*) FROM setting WHERE name = 'generation' AND value = ?"
_IN_DOUBT = "stopped while the server was storing it: it may be stored"
LOOK = "look before you repeat it: `tideline history`, of settings `tideline config`"
# Who waits for a standby goes on without it where it is away; nothing is made safer than it was.
_NO_STANDBY = b"""
SELECT set_config('synchronous_commit', 'local', true)
WHERE current_setting('synchronous_commit') NOT IN ('off', 'local')
"""
# What decides how a server reads statements, works, and writes values; a role may have values of
# its own.
_MEANING = ", ".join(
    f"set_config('{name}', '{value}', true)"
    for name, value in (
        ("standard_conforming_strings", "on"), ("array_nulls", "on"), ("row_security", "on"),
        ("transform_null_equals", "off"), ("extra_float_digits", "1"), ("bytea_output", "hex"),
        ("jit", "off"),  # to compile takes longer than what it makes faster
    )
)  # fmt: skip
_ERRORS: dict[str, type[apsw.Error]] = {
    "55P03": apsw.BusyError, "57014": apsw.InterruptError, "53100": apsw.FullError,
    "40001": apsw.BusyError, "40P01": apsw.BusyError, "42501": apsw.AuthError,
    "25006": apsw.ReadOnlyError,
}  # fmt: skip


class Cursor:
    """What a statement gave: its rows, read when they are asked for."""

    def __init__(self, db: ServerConnection) -> None:
        self._db = db
        self._rows: list[tuple[Any, ...]] = []
        self._at = 0

    def take(self, answer: ServerAnswer) -> None:
        """Take the answer of the server."""
        self._rows += answer.rows

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


class ServerConnection:
    """A connection. `trips` counts how often it has waited for the server; one that `is_lost` is of
    no more use. `is_there` says whether the tables were there at the first look, `origins` are the
    numbers of the first origins that the role saw then, and `first_settings` the settings."""

    generation: str | None = None
    asked_settings: Callable[[str], object] | None = None
    heat_rule: Callable[[], HeatRule | None] | None = None
    is_promised = True  # what is stored is kept whatever ends; False: see `in_passing`
    is_there = False
    origins: Mapping[str, int] = {}
    first_settings: Mapping[str, str] = {}
    commits = 0  # of all connections of this process: transactions that may have stored something

    def __init__(self, wire: Wire, address: str, schema: str) -> None:
        self._wire = wire
        self.encoding = wire.encoding  # of the database
        self.filename = address
        self.schema = schema
        self.trips = 0
        self.is_lost = False
        self._is_open = self._is_writer = False  # in a transaction
        self._has_failed = False  # a statement of it did: the server takes nothing but its end
        self._waiting: list[tuple[Statement, Cursor | None]] = []
        self._changes = 0
        self._patience_ms = 10_000
        self._depth = 0  # of savepoints
        self._settings: Cursor | dict[str, str] | None = None  # of the transaction
        self._is_told = False  # the server knows of the transaction

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
            return self._end(_COMMIT)
        if word == "ROLLBACK" and " TO " not in sql.upper():
            self._waiting.clear()
            return self._end(_ROLLBACK) if self._is_open else Cursor(self)
        self._refuse_failed()
        if word not in ("SELECT", "WITH") and "setting" in sql:
            self._settings = None
        cursor = Cursor(self)
        self._waiting.append((self._statement(sql, bindings), cursor))
        if not self._is_open:
            self._alone()
        elif word in _ANSWERED or "RETURNING" in sql:
            self.flush()
        return cursor

    def rows_of_each(self, asked: Sequence[tuple[str, Sequence[object]]]) -> list[Rows]:
        """Return the rows of each of some statements that ask, in one round trip."""
        self._refuse_failed()
        cursors = []
        for sql, bindings in asked:
            cursors.append(Cursor(self))
            self._waiting.append((self._statement(sql, bindings), cursors[-1]))
        if not self._is_open and cursors:
            self._alone()
        return [cursor.fetchall() for cursor in cursors]

    def rows_at_once(
        self, asked: Sequence[tuple[str, Sequence[object]]], *, generation: str | None
    ) -> list[Rows]:
        """Return the rows of each of some statements, which are one transaction of a writer, in one
        round trip. Where the memory has another generation, it divides by zero."""
        self._begin(is_writer=True)
        if generation:
            self._waiting.append((self._statement(_OF_GENERATION, (generation,)), None))
        cursors = []
        for sql, bindings in asked:
            cursors.append(Cursor(self))
            self._waiting.append((self._statement(sql, bindings), cursors[-1]))
        try:
            self._end(_COMMIT)
        except apsw.Error:
            self._end(_ROLLBACK)
            raise
        return [cursor.fetchall() for cursor in cursors]

    @property
    def settings(self) -> Mapping[str, str] | None:
        """The settings of the memory, which come with the first round trip of a transaction; None
        outside of one, and once it has changed any."""
        if isinstance(self._settings, Cursor):
            self._settings = dict(self._settings.fetchall())
        return self._settings

    def as_it_is(self, sql: str) -> None:
        """Run a statement that is PostgreSQL's own, in the transaction that is open."""
        self._put(sql.encode())

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Cursor:
        """Run a statement for each of the rows, many in one round trip."""
        self._refuse_failed()
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
                value = codec.loads(value) if isinstance(value, str) else value
            kind, cell = driver.sent_form(value)
            types.append(kind)
            cells.append(cell)
        return text, types, cells

    # transactions

    def _refuse_failed(self) -> None:
        """Raise where a statement of the transaction has failed: what follows must not be stored
        without it."""
        if self._has_failed:
            raise apsw.SQLError("a statement of the transaction has failed: it stores nothing")

    def begin_lasting(self) -> None:
        """Begin a transaction that may last for hours and holds a lock. It keeps no snapshot after
        its statements: one would hold back the vacuum of all databases of the server."""
        self._open(_LASTING, is_writer=False)

    def _open(self, how: bytes, *, is_writer: bool) -> None:
        if self._is_open:
            raise apsw.SQLError("cannot start a transaction within a transaction")
        self._is_open, self._is_writer, self._is_told = True, is_writer, False
        self._put(how)
        self._put(self._path())

    def _begin(self, *, is_writer: bool) -> Cursor:
        self._open(_WRITE if is_writer else _READ, is_writer=is_writer)
        if is_writer:
            self._put(f"SET LOCAL lock_timeout = {max(1, self._patience_ms)}".encode())
            # By its name: the schema may not be there yet.
            self._put(b"SELECT pg_advisory_xact_lock(hashtext('tideline writer'), hashtext($1))",
                      [self.schema])  # fmt: skip
            if not self.is_promised:
                self._put(_NO_STANDBY)
        if self.is_there:
            self.ask_settings()
        return Cursor(self)

    def ask_settings(self) -> None:
        """Ask for all settings, with what waits."""
        self._settings = Cursor(self)
        self._waiting.append((self._statement(_SETTINGS, ()), self._settings))

    def _path(self) -> bytes:
        return f"""SELECT set_config('search_path', '"{self.schema}"', true), {_MEANING}""".encode()

    def _alone(self) -> None:
        """Run what waits as a transaction of its own."""
        waiting, self._waiting = self._waiting, []
        self._put(_WRITE)
        self._put(self._path())
        self._is_writer = any(not text.lstrip().startswith((b"SELECT", b"WITH"))
                              for (text, _, _), _ in waiting)  # fmt: skip
        self._waiting += waiting
        self._is_open = True
        try:
            self._end(_COMMIT)
        except apsw.Error:
            self._end(_ROLLBACK)
            raise

    def _end(self, how: bytes) -> Cursor:
        self._settings = None
        if how == _ROLLBACK and not self._has_failed:
            return self._drop()
        if how != _ROLLBACK:
            self._refuse_failed()
        self._put(how)
        self.flush()
        ServerConnection.commits += self._is_writer and how != _ROLLBACK
        self._is_open = self._has_failed = False
        return Cursor(self)

    def _drop(self) -> Cursor:
        """End a transaction that stores nothing: nobody waits for that."""
        self._waiting.clear()
        self._is_open = False
        if self._is_told:
            try:
                self._wire.send(_ROLLBACK, (), ())
                self._wire.leave_unread()
            except ServerError:  # a connection that is lost has rolled back
                self._leave()
        return Cursor(self)

    def _put(self, sql: bytes, given: Sequence[object] = ()) -> None:
        pairs = [driver.sent_form(value) for value in given]
        kinds, cells = [kind for kind, _ in pairs], [cell for _, cell in pairs]
        self._waiting.append(((sql, kinds, cells), None))

    def flush(self) -> None:
        """Send what waits, and take the answers: one round trip for each _AT_ONCE statements."""
        waiting, self._waiting = self._waiting, []
        for start in range(0, len(waiting), _AT_ONCE):
            self._send(waiting[start : start + _AT_ONCE])

    def _send(self, some: Sequence[tuple[Statement, Cursor | None]]) -> None:
        """Send statements and take their answers; raise for the first that failed. Those behind it
        were not run."""
        self.trips += 1
        self._is_told = True
        try:
            for (text, types, cells), _ in some:
                self._wire.send(text, types, cells)
            answers = self._wire.answers()
        except ServerError as error:
            self._leave()
            raise _error(error) from None
        except BaseException as stop:  # nobody knows which answers are still to come
            is_in_doubt = self._is_writer and self.is_promised and some[-1][0][0] == _COMMIT
            self._wire.cancel()
            self._leave()
            if is_in_doubt and isinstance(stop, KeyboardInterrupt):
                raise Interrupted(_IN_DOUBT, hint=LOOK, is_in_doubt=True) from None
            raise
        for ((text, _, _), cursor), answer in zip(some, answers, strict=True):
            if isinstance(answer, ServerError):
                self._has_failed = True
                failure = _error(answer)
                failure.add_note(text.decode())
                raise failure
            if cursor is not None:
                cursor.take(answer)
                self._changes = answer.count

    def _leave(self) -> None:
        """Give up a connection that is lost or out of step; the server rolls back."""
        self._is_open = self._has_failed = False
        self._settings = None
        self.is_lost = True
        self._wire.close()

    def get_autocommit(self) -> bool:
        """Say whether no transaction is open."""
        return not self._is_open

    # what is about the connection

    def set_busy_timeout(self, ms: int) -> None:
        """Wait so long for other writers."""
        self._patience_ms = ms

    def pragma(self, name: str, value: object = None) -> Any:
        """Answer what the store asks a connection by name: how long it waits."""
        return self._patience_ms if name == "busy_timeout" else value

    def config(self, *_: object) -> int:
        """Take what concerns files alone, and do nothing."""
        return 0

    def way(self) -> tuple[str, bool]:
        """Return where it goes, and whether encrypted (`Wire.way`)."""
        return self._wire.way()

    def readonly(self, _: str) -> bool:
        """Say whether nothing can be written: the server says so at the first write."""
        return False

    def __enter__(self) -> ServerConnection:
        self._refuse_failed()
        self.flush()  # what waits is of before
        self._depth += 1
        self._put(f"SAVEPOINT level_{self._depth}".encode())
        self.flush()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        level, self._depth = f"level_{self._depth}".encode(), self._depth - 1
        if kind is None:
            self._put(b"RELEASE " + level)
        elif self._is_open:  # the server takes it after a failure too
            self._settings = None
            self._waiting.clear()
            self._put(b"ROLLBACK TO " + level)
            self.flush()
            self._has_failed = False

    def close(self) -> None:
        """End the connection; what was not committed is rolled back, and its locks are free, when
        this returns. A server that does not answer is waited for half a second, and does that when
        it can."""
        try:
            self._wire.wait_no_longer()
            if self._is_open:
                self._waiting.clear()
                self._end(_ROLLBACK)
            self._wire.settle()
        except (apsw.Error, ServerError):
            pass  # it is lost
        finally:
            self._wire.close()


def _error(error: ServerError) -> apsw.Error:
    kind = _ERRORS.get(error.state)
    if kind is None:
        kind = apsw.ConstraintError if error.state.startswith("23") else apsw.SQLError
    if not error.state or error.state.startswith(("08", "57P")):
        kind = apsw.IOError
    said = kind(str(error))
    said.state = error.state  # type: ignore[attr-defined]
    return said
