"""What the columns of a row of a file are called, and what their cells hold: the type and range of
each value checked, or a UsageError that names it."""

from __future__ import annotations

from math import isfinite

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model import instant
from tideline_cli.model.fact import PROGRESSES
from tideline_cli.model.fields import NAMES, TIMES
from tideline_cli.model.short_text import one_of, parted, storable
from tideline_cli.model.utterance import turn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Mapping, Sequence
    from typing import Any

    from tideline_cli.model.short_text import Word

    Rows = Generator[tuple[int, "dict[str, Any] | TidelineError"], None, None]

_LARGEST_COUNT = 2**31
_DATE = 8  # digits of 20260131
STATED = ("changed_at", "said_at")
"""When the state of a fact was stated, and when it was last said: keys of an export beside the
fields of the fact."""
REASON = "archived_reason"
"""Why a fact is archived: a key of an export beside the fields of the fact."""
KEYS = frozenset((*NAMES, "links", "supersedes", *STATED, REASON))
"""The keys of a row that say something of its fact; all others are metadata."""
_TIMES = (*TIMES, *STATED)
TEXT_KEYS = ("content", "text", "memory", "body", "note", "fact", "statement", "observation")
"""What programs call the text of a fact; the first that a row has counts."""


def cell_text(row: Mapping[str, Any], name: str) -> str | None:
    """Return a short text; a whole number counts as one."""
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise UsageError(f"{name} is not a text")
    return storable(value, name)


def strings(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts, each once."""
    values = row.get(name)
    if values is None:
        return ()
    if isinstance(values, str):
        values = parted(values)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UsageError(f"{name} is not a list of texts")
    return tuple(dict.fromkeys(storable(value, name) for value in values))


def unit(row: Mapping[str, Any], name: str, *, clamp: bool, default: float | None) -> float | None:
    """Return a number within 0..1; outside it is clamped or refused."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{name} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not clamp and not 0.0 <= number <= 1.0:
        raise UsageError(f"{name} is not a number from 0 to 1")
    if not isfinite(number):
        return default
    return min(1.0, max(0.0, number))


def instants(row: Mapping[str, Any], name: str, default: int | None = None) -> int | None:
    """Return a time in milliseconds, from ISO 8601 or epoch milliseconds."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise UsageError(f"{name} is not a time")
    return instant.parse(str(value))


def past(row: Mapping[str, Any], name: str, now: int) -> int | None:
    """Return a time of the past; one to come is now."""
    stated = instants(row, name)
    return None if stated is None else min(stated, now)


def flag(row: Mapping[str, Any], name: str) -> bool:
    """Return a truth value, false when there is none."""
    value = row.get(name)
    if value in (None, 0, 1):
        return bool(value)
    raise UsageError(f"{name} is not true or false")


def count(row: Mapping[str, Any], name: str) -> int:
    """Return a number of uses."""
    value = row.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST_COUNT:
        raise UsageError(f"{name} is not a whole number")
    return value


def rate(row: Mapping[str, Any], default: float) -> float:
    """Return the decay rate that a row states."""
    value = row.get("decay_rate")
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
        raise UsageError("decay_rate is not a number from 0 to 100")
    return float(value)


def place(row: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number that puts facts in order, None when there is none."""
    value = row.get(name)
    if value is None:
        return None
    found = turn_of(value)
    if found is None:
        raise UsageError(f"{name} is not a whole number from 0")
    return found


def word(row: Mapping[str, Any], name: str, allowed: Sequence[Word]) -> Word | None:
    """Return one of the words that are allowed."""
    value = row.get(name)
    return None if value is None else one_of(str(value), allowed, name)


def with_progress(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row that says under `status` how far its work is, as lists of tasks and the option
    call it, with that under the name of the field. Any other status stays. Raises UsageError for a
    row that says two things."""
    status, stated = row.get("status"), row.get("progress")
    if status not in PROGRESSES:
        return row
    if stated not in (None, "", status):
        raise UsageError(
            f"two words for how far the work is: status {status!r}, progress {stated!r}",
            hint="leave one of them out",
        )
    return {name: value for name, value in row.items() if name != "status"} | {"progress": status}


BY_FORM: Mapping[str, Callable[[Mapping[str, Any], str], Any]] = {
    "text": cell_text,
    "texts": strings,
    "time": instants,
    "place": place,
    "flag": flag,
}
"""How a value is read by the form of its field, where nothing else decides what it may be."""


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
