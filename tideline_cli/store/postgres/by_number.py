"""Statements that ask for rows by the numbers of facts: a row that is known answers any of them.

Such a statement differs from another one by its list of numbers alone. A list may stand for one
that the server has found (`Found`): then it is asked for before this side knows the numbers.
"""

from __future__ import annotations

import re

from tideline_cli.model import codec
from tideline_cli.store.postgres import dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Key = tuple[str, tuple[object, ...]]

_FIRST = re.compile(r"\s*SELECT (?:fact\.|own\.)?seq\b")
# What is no row a number, or holds what a JSON text does not have as it is.
_OTHER = re.compile(
    r"\b(?:LIMIT|GROUP|DISTINCT|UNION|json_object|BLOB)\b|\bORDER BY (?!(?:fact\.)?seq\b)"
)
_LISTED = re.compile(r"\bseq IN \((-?\d+(?:, -?\d+)*|\?(?:, \?)*)\)")
_JSON = re.compile(r"json_each\(\?\d*\)")
_WHOLE = re.compile(r"\bseq IN \(SELECT value FROM json_each\(\?\d*\)\)|\bown\.seq = value\b")
_HEADS = ("SELECT fact.seq", "SELECT seq", "SELECT own.seq", "\n")
FOUND = -(1 << 62)
"""The number that stands for a list of the server's; the next ones stand for further lists."""
_LISTS = 8


class ByNumber:
    """A statement: `key` is what it is without its numbers."""

    __slots__ = ("_bare", "_bindings", "key", "numbers")

    def __init__(self, bare: str, bindings: tuple[object, ...], numbers: Sequence[int]) -> None:
        self.key: Key = (bare, bindings)
        self.numbers = numbers

    @property
    def list_number(self) -> int | None:
        """Which list of the server's it asks for, None for numbers that are known."""
        first = self.numbers[0] if len(self.numbers) == 1 else 0
        return first - FOUND if FOUND <= first < FOUND + _LISTS else None

    def of_list(self, number: int) -> tuple[str, tuple[object, ...]]:
        """Return the statement and its bindings for a list of the server's."""
        bare, bindings = self.key
        return bare.replace("{list}", named(number)), bindings


def named(number: int) -> str:
    """Return the SQL for a list of the server's in this transaction."""
    return f"(current_setting('tideline.list_{number}')::bigint[])"


def parsed(sql: str, bindings: Sequence[object]) -> ByNumber | None:
    """Return a statement as one that asks by number, None for any other."""
    if not sql.startswith(_HEADS) or not _FIRST.match(sql) or _OTHER.search(sql):
        return None
    found = _LISTED.search(sql)
    if found:
        return _of_marks(sql, bindings, found)
    if not _WHOLE.search(sql):
        return None
    places = dialect.list_places(sql)
    if len(places) != 1:
        return None
    (place,) = places
    listed: Any = codec.loads(str(bindings[place]))
    if not all(type(one) is int for one in listed):
        return None
    is_numbered = "json_each(?)" not in sql
    bare = _JSON.sub("unnest({list}) AS each (value)", sql, count=1)
    bare = bare.replace("IN (SELECT value FROM unnest({list}) AS each (value))", "= ANY {list}")
    kept = tuple([None if at == place else value for at, value in enumerate(bindings)])
    return ByNumber(bare, kept if is_numbered else _without(kept, place, 1), listed)


def _of_marks(
    sql: str, bindings: Sequence[object], found: re.Match[str]
) -> ByNumber:
    marks = found[1]
    bare = f"{sql[: found.start()]}seq = ANY {{list}}{sql[found.end() :]}"
    if not marks.startswith("?"):
        return ByNumber(bare, tuple(bindings), [int(one) for one in marks.split(", ")])
    first, count = sql.count("?", 0, found.start()), marks.count("?")
    numbers: Any = bindings[first : first + count]
    return ByNumber(bare, _without(tuple(bindings), first, count), numbers)


def _without(values: tuple[object, ...], first: int, count: int) -> tuple[object, ...]:
    return values[:first] + values[first + count :]
