"""psycopg as the store needs it: statements in pipelines, waited for with a deadline, and values in
binary form.

Each statement goes with its parameters apart from its text, and none is prepared for later ones: a
pool between us and the server may give the next transaction to another of its connections.
"""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from struct import Struct
from threading import Event, Thread
from time import monotonic

from tideline_cli.errors import StoreError
from tideline_cli.store import remote

try:
    import psycopg
    from psycopg import pq, waiting
    from psycopg.adapt import AdaptersMap, Loader, Transformer
    from psycopg.types.numeric import (
        Float4BinaryLoader,
        Float8BinaryLoader,
        Int2BinaryLoader,
        Int4BinaryLoader,
        Int8BinaryLoader,
        NumericBinaryLoader,
    )
    from psycopg.types.string import ByteaBinaryLoader, TextBinaryLoader
except ImportError as error:
    # What the system says where a process gets too little memory, or too few open files.
    if any(words in str(error) for words in (
        "failed to map segment", "annot allocate memory", "oo many open files",
    )):  # fmt: skip
        raise OSError(str(error)) from error
    if re.search("implementation: *$", str(error), re.MULTILINE):  # an error of no words
        raise MemoryError from error
    raise StoreError(
        "psycopg, the driver for PostgreSQL, is not there",
        hint="pip install '.[postgres]' in the clone", code="driver_missing",
    ) from error  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from psycopg.pq.abc import PGresult

    Value = int | float | str | bytes | None

_SLICE = 0.1  # seconds: so often is looked whether a wait is over
_SETTLED = 0.5  # seconds, for which a connection that ends waits at most
_CANCELLED = 1.0  # seconds, within which a server that is there takes a request to cancel
_ABORTED = "25P02"
# What psycopg puts before the words of the client library.
_BEFORE = re.compile(r"^.*?connection (?:failed|is bad): ")
_DONE = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)

Parameter = bytes | None
"""A value in its binary or text form; None is NULL."""


class ServerError(Exception):
    """What a server or the library says: a message in one line, and the code of the SQL standard
    (empty where the connection itself failed)."""

    def __init__(self, message: str, state: str = "") -> None:
        super().__init__(message)
        self.state = state


class ServerAnswer:
    """The rows of one statement; it touched `count` of them."""

    __slots__ = ("count", "rows")

    def __init__(self, rows: list[tuple[Value, ...]], count: int) -> None:
        self.rows, self.count = rows, count


class Wire:
    """One connection, always in pipeline mode: statements are sent, and answered in order."""

    def __init__(self, address: str, options: dict[str, str]) -> None:
        self._connection = _connected(address, options)
        self._pg = self._connection.pgconn
        self._pg.notice_handler = None  # what the server remarks is nothing that a user has to know
        self.version: int = self._pg.server_version
        self.encoding: str = (self._pg.parameter_status(b"server_encoding") or b"UTF8").decode()
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()
        self._transformer = Transformer(_ADAPTERS)
        self._trips = 0  # of which the answers were not taken
        self._ends: tuple[float, ...] = ()

    def send(self, sql: bytes, types: Sequence[int], values: Sequence[Parameter]) -> None:
        """Send a statement; whole numbers, bytes and floats are in binary form by their type, the
        rest is text."""
        forms = [1 if kind else 0 for kind in types]
        try:
            self._pg.send_query_params(sql, values, types, forms, 1)
        except psycopg.Error as error:
            raise ServerError(_line(str(error))) from None

    def answers(self) -> list[ServerAnswer | ServerError]:
        """End the round trip; return what each of the statements sent since the last one gave.
        After an error the rest is not run."""
        self._end_trip()
        return [self._answer(result) for result in self._taken()]

    def leave_unread(self) -> None:
        """Send off what was sent since the last round trip, and wait for nothing: the answers are
        passed over when the next are taken."""
        self._end_trip()

    def wait_no_longer(self) -> None:
        """Let all that is waited for from now on take a moment at most: the connection ends."""
        self._ends = (monotonic() + _SETTLED,)

    def settle(self) -> None:
        """Take the answers that were left. A pool of connections throws one away whose client goes
        before them."""
        if self._trips and not self._connection.closed:
            self._taken()

    def _end_trip(self) -> None:
        try:
            self._pg.pipeline_sync()
            self._pg.flush()
        except psycopg.Error as error:
            raise ServerError(_line(str(error))) from None
        self._trips += 1

    def _taken(self) -> list[PGresult]:
        """Return the results of the last round trip, the last of each statement."""
        try:
            return waiting.wait(self._take(), self._pg.socket, interval=_SLICE)
        except (psycopg.Error, TimeoutError) as error:
            raise ServerError(_line(str(error))) from None

    def _take(self) -> Generator[Any, Any, list[PGresult]]:
        """Take what comes until all round trips have ended; the generator yields what it waits
        for."""
        pg = self._pg
        found: list[PGresult] = []
        last: PGresult | None = None
        while True:
            unsent = pg.flush()
            if pg.is_busy():
                remote.seconds_left(*self._ends)  # raises where it is over
                yield waiting.Wait.RW if unsent else waiting.Wait.R
                pg.consume_input()
                continue
            result = pg.get_result()
            if result is None:
                if last is None:
                    raise ServerError(_line(pg.get_error_message())
                                      or "the server closed the connection")  # fmt: skip
                found.append(last)
                last = None
            elif result.status == pq.ExecStatus.PIPELINE_SYNC:
                self._trips -= 1
                if not self._trips:
                    return found
                found.clear()
            else:
                last = result

    def _answer(self, result: PGresult) -> ServerAnswer | ServerError:
        if result.status == pq.ExecStatus.PIPELINE_ABORTED:
            return ServerError("not run, since an earlier statement failed", _ABORTED)
        if result.status not in _DONE:
            state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
            return ServerError(_line(result.get_error_message()), state.decode())
        rows: list[tuple[Any, ...]] = []
        if result.status == pq.ExecStatus.TUPLES_OK:
            self._transformer.set_pgresult(result, format=pq.Format.BINARY)
            rows = self._transformer.load_rows(0, result.ntuples, tuple)
        return ServerAnswer(rows, result.command_tuples or 0)

    def way(self) -> tuple[str, bool]:
        """Return the address of the server, empty for a socket of this machine, and whether what
        goes there is encrypted."""
        return self._pg.hostaddr.decode(), bool(self._pg.ssl_in_use or self._pg.used_gssapi)

    def cancel(self) -> None:
        """Have the server end the statement that it works at. It may have ended by itself, and one
        that is out of reach is not waited for."""
        with suppress(psycopg.Error):
            self._connection.cancel_safe(timeout=_CANCELLED)

    def close(self) -> None:
        """End the connection; nothing happens when it has ended."""
        self._connection.close()


class _Connection(psycopg.Connection):
    """A connection that ends without a word where nobody has closed it, as a file does."""

    def __del__(self, *_: object) -> None:
        if hasattr(self, "pgconn"):
            self.pgconn.finish()


def _connected(address: str, options: dict[str, str]) -> psycopg.Connection[Any]:
    """Return a connection made by a thread, since the names of hosts are looked up without end.
    One that nobody waits for any more is closed.

    Raises ServerError where none is made, or where `within` says that it takes too long.
    """
    made: list[psycopg.Connection[Any] | Exception] = []
    is_done, is_wanted = Event(), [True]

    def connect() -> None:
        try:
            one = _Connection.connect(address, autocommit=True, **options)  # type: ignore[arg-type]
            if is_wanted[0]:
                made.append(one)
            else:
                one.close()
        except (psycopg.Error, OSError, ValueError) as error:
            made.append(error)
        finally:
            is_done.set()

    Thread(target=connect, daemon=True).start()
    try:
        while not is_done.wait(min(remote.seconds_left() or _SLICE, _SLICE)):
            pass
    except TimeoutError as error:
        raise ServerError(str(error)) from None
    finally:
        is_wanted[0] = is_done.is_set()
    (one,) = made
    if isinstance(one, psycopg.Error):
        raise ServerError(_line(str(one)))
    if isinstance(one, Exception):
        raise one
    return one


def _line(said: str) -> str:
    """Return the first line of what is said, and those of the other hosts of an address, each once:
    a host is tried with encryption and without."""
    first, _, rest = said.strip().partition("\nMultiple connection attempts failed")
    lines = [_BEFORE.sub("", line) for line in (rest or first).splitlines()]
    hosts = [line for line in lines if line.startswith("connection to server ")]
    return "; ".join(dict.fromkeys(hosts or lines[:1])).removeprefix("ERROR:").strip()


# Values to and from the server.

BOOL, BYTEA, INT8, INT2, INT4, TEXT = 16, 17, 20, 21, 23, 25
FLOAT4, FLOAT8, NUMERIC, JSONB = 700, 701, 1700, 3802
INT8_LIST, TEXT_LIST, FLOAT8_LIST = 1016, 1009, 1022
# "char", name, json, unknown, bpchar, varchar, void
_LIKE_TEXT = (18, 19, 114, 705, 1042, 1043, 2278)
_LONG, _INT, _DOUBLE = map(Struct, ("!q", "!i", "!d"))
_NO_TEXT = "\uffff"  # stands for no character
_HEAD, _BOUNDS = Struct("!iiI"), Struct("!ii")


def sent_form(value: object) -> tuple[int, Parameter]:
    """Return the type of a value and its binary form; NULL has no type of its own.

    A server resolves functions and arithmetic by the types of parameters, so each kind of value has
    one: psycopg would send the smallest kind of whole number.
    """
    if value is None:
        return 0, None
    if isinstance(value, str):
        return TEXT, _sent_text(value)
    if isinstance(value, bool | int):
        return INT8, _LONG.pack(value)
    if isinstance(value, float):
        return FLOAT8, _DOUBLE.pack(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return BYTEA, bytes(value)
    if isinstance(value, list):
        return _sent_list(value)
    raise TypeError(f"no form in the database for a {type(value).__name__}")


def _sent_text(value: str) -> bytes:
    """Return a text as a server takes it. None that is stored has a lone surrogate or NUL, so what
    is looked for with one becomes a character that no text has, and is found nowhere."""
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        raw = "".join([_NO_TEXT if "\ud800" <= one < "\ue000" else one for one in value]).encode()
    return raw.replace(b"\x00", _NO_TEXT.encode()) if b"\x00" in raw else raw


def _sent_list(values: Sequence[object]) -> tuple[int, Parameter]:
    """Return a list of whole numbers, of numbers, or of texts as an array; NULL may stand between.
    A list of nothing else has no type of its own."""
    kinds = {type(value) for value in values}
    has_null = type(None) in kinds
    if len(kinds) == has_null:
        return 0, f"{{{','.join(['NULL'] * len(values))}}}".encode()
    item, whole, sent = _ITEMS[str if str in kinds else float if float in kinds else int]
    parts = [_HEAD.pack(1, has_null, item) + _BOUNDS.pack(len(values), 1)]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            cell = sent(value)
            parts += (_INT.pack(len(cell)), cell)
    return whole, b"".join(parts)


_NULL = _INT.pack(-1)
_ITEMS: dict[type, tuple[int, int, Callable[[Any], bytes]]] = {
    str: (TEXT, TEXT_LIST, _sent_text), float: (FLOAT8, FLOAT8_LIST, _DOUBLE.pack),
    int: (INT8, INT8_LIST, _LONG.pack),
}  # fmt: skip
"""By the type of the items: their type, that of the array, and their form."""


class _TruthLoader(Loader):
    """A truth is 0 or 1, as in a file."""

    format = pq.Format.BINARY

    def load(self, data: Any) -> int:
        return int(bytes(data) != b"\x00")


class _NumberLoader(NumericBinaryLoader):
    """Sums of whole numbers are whole numbers."""

    def load(self, data: Any) -> Any:
        value: Decimal = super().load(data)
        whole = int(value)
        return whole if value == whole else float(value)


class _JsonLoader(Loader):
    """JSON is read as its text, behind one byte for its version."""

    format = pq.Format.BINARY

    def load(self, data: Any) -> str:
        return bytes(data)[1:].decode()


class _NoLoader(Loader):
    """A type that no statement of the store asks for: its bytes may look like a text."""

    format = pq.Format.BINARY

    def load(self, data: Any) -> Any:  # noqa: ARG002  as all loaders
        raise TypeError(f"no reader for the server's type {self.oid}")


_ADAPTERS = AdaptersMap()
_LOADERS: tuple[tuple[int, Any], ...] = (
    (0, _NoLoader), (BOOL, _TruthLoader), (BYTEA, ByteaBinaryLoader), (INT8, Int8BinaryLoader),
    (INT2, Int2BinaryLoader), (INT4, Int4BinaryLoader), (FLOAT8, Float8BinaryLoader),
    (FLOAT4, Float4BinaryLoader), (NUMERIC, _NumberLoader), (JSONB, _JsonLoader),
    *((kind, TextBinaryLoader) for kind in (TEXT, *_LIKE_TEXT)),
)  # fmt: skip
for _kind, _loader in _LOADERS:
    _ADAPTERS.register_loader(_kind, _loader)
