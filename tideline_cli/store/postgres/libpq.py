"""PostgreSQL's own client library, by ctypes: a driver of Python takes three times as long to load.

Only what the store needs: connections, statements with parameters apart from their text, several
statements in one round trip (pipeline mode, libpq 14 or newer), and the errors of the server.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_uint, c_void_p

from tideline_cli.errors import StoreError
from tideline_cli.store.postgres import waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

CONNECTION_OK = 0
COMMAND_OK, TUPLES_OK = 1, 2
PIPELINE_SYNC, PIPELINE_ABORTED = 10, 11
SQLSTATE = ord("C")
_OLDEST = 14_00_00
_SETTLED = 0.5  # seconds, for which a connection that ends waits at most

Parameter = bytes | None
"""A value in its binary or text form; None is NULL."""


_NOTICE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
_SILENT = _NOTICE(lambda *_: None)  # what the server remarks is nothing that a user has to know


# What the system says where a process gets too little memory, or too few open files.
_SHORT = ("failed to map segment", "annot allocate memory", "oo many open files")


def _found() -> ctypes.CDLL:
    """Return the library: that of the system, or the one that psycopg's wheel carries.

    Raises OSError where the process is short of memory or of open files.
    """
    for name in ("libpq.so.5", "libpq.5.dylib", "libpq.dll"):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            if any(words in str(error) for words in _SHORT):
                raise  # the library may well be there
    from tideline_cli.store.postgres import psycopg_library  # noqa: PLC0415  where the system has none

    path = psycopg_library.path()
    if path is None:
        raise StoreError(
            "PostgreSQL's client library (libpq) is not there",
            hint="apt install libpq5, or pip install 'tideline-cli[postgres]'",
            code="libpq_missing",
        )
    return ctypes.CDLL(path)


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    table: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "PQlibVersion": (c_int, ()),
        "PQstatus": (c_int, (c_void_p,)),
        "PQerrorMessage": (c_char_p, (c_void_p,)),
        "PQserverVersion": (c_int, (c_void_p,)),
        "PQparameterStatus": (c_char_p, (c_void_p, c_char_p)),
        "PQhostaddr": (c_char_p, (c_void_p,)),
        "PQsslInUse": (c_int, (c_void_p,)),
        "PQgssEncInUse": (c_int, (c_void_p,)),
        "PQfinish": (None, (c_void_p,)),
        "PQsetNoticeProcessor": (c_void_p, (c_void_p, _NOTICE, c_void_p)),
        "PQenterPipelineMode": (c_int, (c_void_p,)),
        "PQpipelineSync": (c_int, (c_void_p,)),
        "PQsendQueryParams": (c_int, (
            c_void_p, c_char_p, c_int, POINTER(c_uint), POINTER(c_char_p), POINTER(c_int),
            POINTER(c_int), c_int)),
        "PQgetResult": (c_void_p, (c_void_p,)),
        "PQsocket": (c_int, (c_void_p,)),
        "PQflush": (c_int, (c_void_p,)),
        "PQisBusy": (c_int, (c_void_p,)),
        "PQconsumeInput": (c_int, (c_void_p,)),
        "PQsetnonblocking": (c_int, (c_void_p, c_int)),
        "PQconnectdbParams": (c_void_p, (POINTER(c_char_p), POINTER(c_char_p), c_int)),
        "PQgetCancel": (c_void_p, (c_void_p,)),
        "PQcancel": (c_int, (c_void_p, c_char_p, c_int)),
        "PQfreeCancel": (None, (c_void_p,)),
        "PQresultStatus": (c_int, (c_void_p,)),
        "PQresultErrorMessage": (c_char_p, (c_void_p,)),
        "PQresultErrorField": (c_char_p, (c_void_p, c_int)),
        "PQntuples": (c_int, (c_void_p,)),
        "PQnfields": (c_int, (c_void_p,)),
        "PQftype": (c_uint, (c_void_p, c_int)),
        "PQgetvalue": (c_void_p, (c_void_p, c_int, c_int)),
        "PQgetlength": (c_int, (c_void_p, c_int, c_int)),
        "PQgetisnull": (c_int, (c_void_p, c_int, c_int)),
        "PQcmdTuples": (c_char_p, (c_void_p,)),
        "PQclear": (None, (c_void_p,)),
    }  # fmt: skip
    for name, (result, arguments) in table.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class ServerError(Exception):
    """What a server or the library says: a message in one line, and the code of the SQL standard
    (empty where the connection itself failed)."""

    def __init__(self, message: str, state: str = "") -> None:
        super().__init__(message)
        self.state = state


class ServerAnswer:
    """The rows of one statement, as the server sent them; `count` rows were touched."""

    __slots__ = ("count", "rows", "types")

    def __init__(self, rows: list[tuple[Parameter, ...]], types: list[int], count: int) -> None:
        self.rows, self.types, self.count = rows, types, count


class Wire:
    """One connection, always in pipeline mode: statements are sent, and answered in order."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._lib = _declared(_found())
        if self._lib.PQlibVersion() < _OLDEST:
            raise StoreError(
                f"libpq {self._lib.PQlibVersion() // 10000} is too old; 14 or newer is needed",
                hint="upgrade PostgreSQL's client library", code="libpq_too_old",
            )  # fmt: skip
        self._unread = 0
        count = len(options) + 1
        names, values = (c_char_p * count)(), (c_char_p * count)()
        for place, (name, value) in enumerate(options.items()):
            names[place], values[place] = name.encode(), value.encode()
        try:
            self._at: int | None = waiting.connected(self._lib, names, values)
        except TimeoutError as error:
            raise ServerError(str(error)) from None
        if self._lib.PQstatus(self._at) != CONNECTION_OK:
            message = self._message()
            self.close()
            raise ServerError(message)
        self._lib.PQsetNoticeProcessor(self._at, _SILENT, None)
        self.version: int = self._lib.PQserverVersion(self._at)
        said = self._lib.PQparameterStatus(self._at, b"server_encoding") or b"UTF8"
        self.encoding: str = said.decode()
        self._lib.PQsetnonblocking(self._at, 1)
        self._ready = waiting.Readiness(self._lib.PQsocket(self._at))
        if not self._lib.PQenterPipelineMode(self._at):
            raise ServerError(self._message())

    def _message(self) -> str:
        said = self._lib.PQerrorMessage(self._at) or b""
        return _line(said)

    def send(self, sql: bytes, types: Sequence[int], values: Sequence[Parameter]) -> None:
        """Send a statement; whole numbers, bytes and floats are in binary form by their type, the
        rest is text."""
        count = len(values)
        oids = (c_uint * count)(*types)
        texts = (c_char_p * count)(*values)
        sizes = (c_int * count)(*(len(value) if value is not None else 0 for value in values))
        forms = (c_int * count)(*(1 if kind else 0 for kind in types))
        done = self._lib.PQsendQueryParams(
            self._at, sql, count, oids, texts, sizes, forms, 1
        )
        if not done:
            raise ServerError(self._message())

    def answers(self, count: int) -> Iterator[ServerAnswer | ServerError]:
        """End the round trip; yield what each of the statements sent since the last one gave. After
        an error the rest is not run."""
        self._end_trip()
        unread, self._unread = self._unread, 0
        if unread:
            for _ in self._taken(unread):
                pass
        yield from self._taken(count)

    def leave_unread(self, count: int) -> None:
        """Send off what was sent since the last round trip, and wait for nothing: the answers are
        passed over when the next are taken."""
        self._end_trip()
        self._unread = count

    def wait_no_longer(self) -> None:
        """Let all that is waited for from now on take a moment at most: the connection ends."""
        self._ready.no_longer_than(_SETTLED)

    def settle(self) -> None:
        """Take the answers that were left. A pool of connections throws one away whose client goes
        before them."""
        unread, self._unread = self._unread, 0
        if unread and self._at is not None:
            for _ in self._taken(unread):
                pass

    def _end_trip(self) -> None:
        if not self._lib.PQpipelineSync(self._at):
            raise ServerError(self._message())

    def _taken(self, count: int) -> Iterator[ServerAnswer | ServerError]:
        for _ in range(count):
            given, last = self._next(), None
            while given is not None:
                last, given = given, self._next()
            if last is None:
                raise ServerError(self._message() or "the server closed the connection")
            yield last
        self._wait()
        self._lib.PQclear(self._lib.PQgetResult(self._at))  # the end of the round trip

    def _wait(self) -> None:
        """Send what waits and take what comes, until there is an answer. Python waits, and not the
        library, so that Ctrl-C is seen."""
        lib, at = self._lib, self._at
        while True:
            unsent = lib.PQflush(at)
            if unsent < 0:
                raise ServerError(self._message())
            if not lib.PQisBusy(at):
                return
            try:
                self._ready.wait(writes=unsent > 0)
            except TimeoutError as error:
                raise ServerError(str(error)) from None
            if not lib.PQconsumeInput(at):
                raise ServerError(self._message())

    def way(self) -> tuple[str, bool]:
        """Return the address of the server, empty for a socket of this machine, and whether what
        goes there is encrypted."""
        lib, at = self._lib, self._at
        is_encrypted = bool(lib.PQsslInUse(at) or lib.PQgssEncInUse(at))
        return (lib.PQhostaddr(at) or b"").decode(), is_encrypted

    def cancel(self) -> None:
        """Have the server end the statement that it works at. It may have ended by itself, and one
        that is out of reach is not waited for."""
        if self._at is None:
            return
        lib, handle = self._lib, self._lib.PQgetCancel(self._at)

        def ask() -> None:
            lib.PQcancel(handle, ctypes.create_string_buffer(256), 256)
            lib.PQfreeCancel(handle)

        waiting.for_a_moment(ask)

    def _next(self) -> ServerAnswer | ServerError | None:
        self._wait()
        result = self._lib.PQgetResult(self._at)
        if not result:
            return None
        try:
            status = self._lib.PQresultStatus(result)
            if status == TUPLES_OK:
                return self._rows(result)
            if status == COMMAND_OK:
                return ServerAnswer([], [], int(self._lib.PQcmdTuples(result) or 0))
            if status == PIPELINE_ABORTED:
                return ServerError("not run, since an earlier statement failed", "25P02")
            state = self._lib.PQresultErrorField(result, SQLSTATE) or b""
            return ServerError(_line(self._lib.PQresultErrorMessage(result)), state.decode())
        finally:
            self._lib.PQclear(result)

    def _rows(self, result: int) -> ServerAnswer:
        lib = self._lib
        width = lib.PQnfields(result)
        types = [lib.PQftype(result, column) for column in range(width)]
        value, length, is_null = lib.PQgetvalue, lib.PQgetlength, lib.PQgetisnull
        read = ctypes.string_at
        rows = []
        for row in range(lib.PQntuples(result)):
            cells: list[Parameter] = []
            for column in range(width):
                size = length(result, row, column)
                if size:
                    cells.append(read(value(result, row, column), size))
                else:
                    cells.append(None if is_null(result, row, column) else b"")
            rows.append(tuple(cells))
        return ServerAnswer(rows, types, int(lib.PQcmdTuples(result) or 0))

    def close(self) -> None:
        """End the connection; nothing happens when it has ended."""
        if self._at is not None:
            self._lib.PQfinish(self._at)
            self._at = None


def _line(said: bytes) -> str:
    """Return the first line of what is said, and those of the other hosts of an address, each once:
    the library tries a host with encryption and without."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    hosts = [line for line in lines[1:] if line.startswith("connection to server ")]
    return "; ".join(dict.fromkeys((*lines[:1], *hosts))).removeprefix("ERROR:").strip()
