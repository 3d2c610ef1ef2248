"""Reads that go together: several questions to the memory, in one round trip a step where it lies
on a server.

A read is a generator: it yields statements, is sent the rows of each, and returns what they say.

    def totals(origin: int) -> Read[int]:
        rows = yield "SELECT count(*) FROM fact WHERE origin = ?", (origin,)
        return int(rows[0][0])

`alone(db, totals(1))` runs one; `together(db, totals(1), other(2))` runs several side by side: the
first statements of all go at once, then the second ones, and so on.
"""

from __future__ import annotations

from itertools import islice

from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import Any, TypeAlias, TypeVar

    from apsw import Connection

    T = TypeVar("T")
    Rows: TypeAlias = list[tuple[Any, ...]]
    Statement: TypeAlias = tuple[str, Sequence[object]]
    Read: TypeAlias = Generator[Statement, Rows, T]


def asked(sql: str, bindings: Sequence[object] = ()) -> Read[Rows]:
    """Ask one statement; say its rows."""
    rows = yield sql, bindings
    return rows


def in_parts(sql: str, numbers: Iterable[int], *, size: int) -> list[Read[Rows]]:
    """Return the reads that ask a statement of so many of the numbers each, as a JSON list."""
    rest = iter(numbers)
    return [asked(sql, (codec.dumps(some),)) for some in iter(lambda: list(islice(rest, size)), [])]


def alone(db: Connection, read: Read[T]) -> T:
    """Return what one read says."""
    try:
        statement, bindings = next(read)
        while True:
            statement, bindings = read.send(db.execute(statement, bindings).fetchall())
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def differ(db: Connection, one: str, other: str) -> bool:
    """Say whether two statements give other rows, in whatever order."""
    sql = f"SELECT EXISTS ({one} EXCEPT {other}) OR EXISTS ({other} EXCEPT {one})"
    return bool(db.execute(sql).get)


def together(db: Connection, *reads: Read[Any]) -> list[Any]:
    """Return what each of the reads says, in order; a server is asked for a step of all at once."""
    ask = getattr(db, "rows_of_each", None)
    return [alone(db, one) for one in reads] if ask is None else through(ask, *reads)


def through(ask: Callable[[list[Statement]], list[Rows]], *reads: Read[Any]) -> list[Any]:
    """Return what each of the reads says, in their order; `ask` returns the rows of each of the
    statements that go together."""
    said: list[Any] = [None] * len(reads)
    answers: list[Rows | None] = [None] * len(reads)
    going = list(range(len(reads)))
    while going:
        asked: list[Statement] = []
        still = []
        for place in going:
            try:
                asked.append(reads[place].send(answers[place]))  # type: ignore[arg-type]
                still.append(place)
            except StopIteration as end:
                said[place] = end.value
        going = still
        for place, rows in zip(going, ask(asked) if asked else (), strict=True):
            answers[place] = rows
    return said


def one_by_one(db: Connection, *reads: Read[Any]) -> Iterator[Any]:
    """Yield what each of the reads says, in their order: a server is asked for all with the first,
    a file for each when it is wanted."""
    if has_trips(db):
        yield from together(db, *reads)
    else:
        yield from (alone(db, read) for read in reads)


def has_trips(db: Connection) -> bool:
    """Say whether each step of a read takes a round trip: asking for more at once pays then."""
    return hasattr(db, "rows_of_each")
