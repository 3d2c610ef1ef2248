"""What the values of a foreign row are called: by its user, and by other programs."""

from __future__ import annotations

from math import isfinite

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.importer.rows import KEYS, STATED
from tideline_cli.model.fields import TIMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Generator, Mapping, Sequence
    from typing import Any

    Rows = Generator[tuple[int, "dict[str, Any] | TidelineError"], None, None]

_DATE = 8  # digits of 20260131
_TIMES = (*TIMES, *STATED)
TEXT_KEYS = ("content", "text", "memory", "body", "note", "fact", "statement", "observation")
"""What programs call the text of a fact; the first that a row has counts."""


def mapping_of(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the fields that columns are by `--map COLUMN=FIELD`; raise UsageError for a field that
    there is not, and for two columns of one field."""
    mapping = dict(pairs)
    for field in mapping.values():
        if field not in KEYS:
            raise UsageError(
                f"--map: no field is {field!r}", hint="use one of " + ", ".join(sorted(KEYS))
            )
    if len(set(mapping.values())) < len(mapping) or len(mapping) < len(pairs):
        raise UsageError("--map: two columns for one field", hint="name each once")
    return mapping


def renamed(
    rows: Rows, mapping: Mapping[str, str], *, missed: set[str], displaced: set[str]
) -> Rows:
    """Yield rows with their values under the names of fields. Columns of the mapping that a row has
    are taken out of `missed`; those with a value whose name another column takes go into
    `displaced`."""
    for line, row in rows:
        if isinstance(row, TidelineError):
            yield line, row
            continue
        if not mapping and row.get("content") is not None:
            yield line, row  # nearly every row
            continue
        columns = _columns_of(row, mapping) if mapping else {}
        missed.difference_update(columns.values())
        fields = {name: mapping[stated] for name, stated in columns.items()}
        displaced.update(
            name for name in fields.values() if name not in fields and row.get(name) is not None
        )
        yield line, _renamed(row, fields)


def in_milliseconds(rows: Rows) -> Rows:
    """Yield rows whose times that are numbers count seconds with those in milliseconds."""
    for line, row in rows:
        if isinstance(row, dict):
            row = row | {name: _milliseconds(row[name]) for name in _TIMES if name in row}
        yield line, row


def _milliseconds(value: Any) -> Any:
    """Return a number of seconds, also one that stands as text, as milliseconds; any other value,
    such as ISO 8601, as it is; eight digits are a date."""
    if len(str(value)) == _DATE:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str) or "_" in str(value):
        return value
    try:
        milliseconds = float(value) * 1000
    except (ValueError, OverflowError):
        return value
    return round(milliseconds) if isfinite(milliseconds) else value


def _columns_of(row: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a row that the mapping names, each with the name that stands there:
    written so, or else in other case, as headers of tables are read."""
    plain = {name.strip().lower(): name for name in row}
    columns: dict[str, str] = {}
    for stated in mapping:
        name = stated if stated in row else plain.get(stated.strip().lower())
        if name is not None:
            columns.setdefault(name, stated)
    return columns


def _renamed(row: dict[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    taken = set(mapping.values())
    if mapping:
        row = {
            mapping.get(name, name): value
            for name, value in row.items()
            if name in mapping or name not in taken
        }
    return with_content(row, kept=mapping.keys())


def with_content(row: dict[str, Any], *, kept: Container[str] = ()) -> dict[str, Any]:
    """Return a row whose text stands under `content`, where it is under another of TEXT_KEYS; those
    that are `kept` are no text."""
    if row.get("content") is not None:
        return row
    for name in TEXT_KEYS[1:]:
        if isinstance(row.get(name), str) and name not in kept:
            return {"content" if key == name else key: value for key, value in row.items()
                    if key != "content"}  # fmt: skip
    return row
