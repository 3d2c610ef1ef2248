"""A fact as a row of the file, and back: every column by the table of fields."""

from __future__ import annotations

from _operator import attrgetter

from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS, Fact
from tideline_cli.model.fields import FIELDS, NAMES
from tideline_cli.model.origin import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

COLUMNS = tuple(field.name for field in FIELDS if not field.is_use)
"""The fields that stand in the table `fact`."""
_values = attrgetter(*COLUMNS)
ORIGIN_KEY = "(SELECT key FROM origin WHERE number = fact.origin)"

_EXPRESSIONS = {
    "id": "fact.id",
    "access_count": "ifnull(usage.access_count, 0)",
    "last_accessed_at": "ifnull(usage.last_accessed_at, fact.created_at)",
    "created_at": "fact.created_at",
    "origin": ORIGIN_KEY,
}
"""How a field is read where its name alone does not say it."""

_LIST = ", ".join(_EXPRESSIONS.get(name, name) for name in NAMES)
_FROM = "FROM fact LEFT JOIN usage ON usage.fact = fact.seq"
SELECT = f"SELECT fact.seq, {_LIST} {_FROM}"
"""The number of a fact, then its fields: what `fact_of` reads."""
SELECT_WITH_TERMS = f"SELECT fact.seq, {_LIST}, terms {_FROM}"


def fact_of(row: Sequence[Any]) -> Fact:
    """Return the fact of a row of SELECT."""
    values = list(row[1:_END])
    if values[_RATE] is None:
        values[_RATE] = SEGMENTS[values[_SEGMENT]].decay_rate
    for index, read in _READERS:
        values[index] = read(values[index])
    return Fact(*values)


def fact_of_columns(columns: Sequence[Any]) -> Fact:
    """Return the fact of which `columns_of` made this; it was never used."""
    held = dict(zip(COLUMNS, columns, strict=False))
    held |= {"access_count": 0, "last_accessed_at": held["created_at"]}
    return fact_of((None, *(held[name] for name in NAMES)))


def columns_of(fact: Fact) -> list[Any]:
    """Return what the file keeps of a fact, as COLUMNS has it; its origin by its key, in the place
    of which the file has a number."""
    values = list(_values(fact))
    values[_OWN_RATE] = _own_rate(fact)
    for index, write in _WRITERS:
        values[index] = write(values[index])
    return values


def column_of(fact: Fact, name: str) -> Any:
    """Return what the file keeps of one field that changes in place."""
    value = _own_rate(fact) if name == "decay_rate" else getattr(fact, name)
    return _WRITER_OF[name](value) if name in _WRITER_OF else value


def _key(origin: Origin) -> str:
    return origin.key


def _own_rate(fact: Fact) -> float | None:
    """Return the decay rate where it is not that of the segment."""
    return None if fact.decay_rate == SEGMENTS[fact.segment].decay_rate else fact.decay_rate


def _texts(column: str | None) -> tuple[str, ...]:
    return () if column is None else tuple(codec.loads(column))


def _texts_column(values: tuple[str, ...]) -> str | None:
    return codec.dumps(list(values)) if values else None


def _object(column: str | None) -> Mapping[str, Any] | None:
    return None if column is None else codec.loads(column)


def _object_column(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else codec.dumps(value)


# By the form of a field; a form that is not here is stored as it is.
_READ: dict[str, Callable[[Any], Any]] = {
    "texts": _texts, "object": _object, "flag": bool, "origin": Origin,
}  # fmt: skip
_WRITE: dict[str, Callable[[Any], Any]] = {
    "texts": _texts_column, "object": _object_column, "flag": int, "origin": _key,
}  # fmt: skip
_READERS = tuple(
    (index, _READ[field.form]) for index, field in enumerate(FIELDS) if field.form in _READ
)
_WRITER_OF = {field.name: _WRITE[field.form] for field in FIELDS if field.form in _WRITE}
_WRITERS = tuple((COLUMNS.index(name), write) for name, write in _WRITER_OF.items())
_OWN_RATE = COLUMNS.index("decay_rate")
_END = 1 + len(FIELDS)
_SEGMENT = NAMES.index("segment")
_RATE = NAMES.index("decay_rate")
