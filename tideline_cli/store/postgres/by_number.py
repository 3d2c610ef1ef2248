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

_HEADS = ("SELECT fact.seq", "SELECT seq", "SELECT own.seq", "SELECT number", "SELECT fact,", "\n")
_FIRST = re.compile(r"\s*SELECT (?:fact\.|own\.)?(seq|number|fact)\b(?!\.)")
_MANY = re.compile(r"\b(?:LIMIT|GROUP|DISTINCT|UNION)\b|\bORDER BY (?!(?:fact\.)?seq\b)")
# What a JSON text does not have as it is.
_OTHER = re.compile(r"\b(?:json_object|BLOB|codes|facts|holders)\b")
_LISTED = r"\b{} IN \((-?\d+(?:, -?\d+)*|\?(?:, \?)*)\)"
_JSON = re.compile(r"json_each\(\?\d*\)")
_WHOLE = r"\b{} IN \(SELECT value FROM json_each\(\?\d*\)\)|\bown\.seq = value\b"
FOUND = -(1 << 62)
"""The number that stands for a list of the server's; the next ones stand for further lists."""
_LISTS = 8


class ByNumber:
    """A statement: `key` is what it is without its numbers. Whether its rows can be one text says
    `is_plain`."""

    __slots__ = ("is_plain", "key", "numbers")

    def __init__(self, bare: str, bindings: tuple[object, ...], numbers: Sequence[int]) -> None:
        self.key: Key = (bare, bindings)
        self.numbers = numbers
        self.is_plain = _OTHER.search(bare) is None

    @property
    def list_number(self) -> int | None:
        """Which list of the server's it asks for, None for numbers that are known."""
        first = self.numbers[0] if len(self.numbers) == 1 else 0
        return first - FOUND if FOUND <= first < FOUND + _LISTS else None

    def of_list(self, number: int) -> tuple[str, tuple[object, ...]]:
        """Return the statement and its bindings for a list of the server's."""
        bare, bindings = self.key
        return bare.replace("{list}", list_sql(number)), bindings


def list_sql(number: int) -> str:
    """Return the SQL for a list of the server's in this transaction."""
    return f"(current_setting('tideline.list_{number}')::bigint[])"


def parsed(sql: str, bindings: Sequence[object]) -> ByNumber | None:
    """Return a statement as one that asks by number, None for any other."""
    first = _FIRST.match(sql) if sql.startswith(_HEADS) else None
    if first is None or _MANY.search(sql):
        return None
    found = re.search(_LISTED.format(first[1]), sql)
    if found:
        return _of_marks(sql, bindings, found, first[1])
    if not re.search(_WHOLE.format(first[1]), sql):
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
    sql: str, bindings: Sequence[object], found: re.Match[str], name: str
) -> ByNumber:
    marks = found[1]
    bare = f"{sql[: found.start()]}{name} = ANY {{list}}{sql[found.end() :]}"
    if not marks.startswith("?"):
        return ByNumber(bare, tuple(bindings), [int(one) for one in marks.split(", ")])
    first, count = sql.count("?", 0, found.start()), marks.count("?")
    numbers: Any = bindings[first : first + count]
    return ByNumber(bare, _without(tuple(bindings), first, count), numbers)


def _without(values: tuple[object, ...], first: int, count: int) -> tuple[object, ...]:
    return values[:first] + values[first + count :]
