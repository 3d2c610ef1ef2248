"""Rows of tables as sentences: `--as "The capital of {State} is {Capital}"`."""

from __future__ import annotations

import re

from tideline_cli.errors import TidelineError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping
    from typing import Any

_COLUMN = re.compile(r"\{([^{}]{1,200})\}")


def columns_in(sentence: str) -> tuple[str, ...]:
    """Return the columns that a sentence names; raise UsageError where it names none."""
    found = tuple(dict.fromkeys(one.strip() for one in _COLUMN.findall(sentence)))
    if not found:
        raise UsageError("--as names no column", hint='--as "The capital of {State} is {Capital}"')
    return found


def stated(
    rows: Iterable[tuple[int, dict[str, Any] | TidelineError]], sentence: str
) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
    """Yield rows whose text is a sentence with their cells in the places of {column}; a row in
    which such a cell is empty says nothing, and is refused."""
    wanted = columns_in(sentence)
    for line, row in rows:
        if isinstance(row, TidelineError):
            yield line, row
            continue
        cells = {str(name).strip().lower(): value for name, value in row.items()}
        empty = [name for name in wanted if cells.get(name.lower()) in (None, "", [])]
        if empty:
            yield line, UsageError(
                f"no {empty[0]!r:.60} for the sentence", hint=f"it has: {', '.join(cells):.200}"
            )
            continue
        rest = {name: value for name, value in row.items() if name != "content"}
        yield line, rest | {"content": _filled(sentence, cells)}


def _filled(sentence: str, cells: Mapping[str, Any]) -> str:
    return _COLUMN.sub(lambda found: _cell(cells[found[1].strip().lower()]), sentence)


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
