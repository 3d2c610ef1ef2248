"""Rows of tables as sentences: `--as "The capital of {State} is {Capital}"`."""

from __future__ import annotations

import re

from tideline_cli.errors import TidelineError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from typing import Any

_COLUMN = re.compile(r"\{([^{}]{1,200})\}")
_PART = re.compile(r"((?:\{[^{}]*\}|[^,;.]|[,;.](?!\s|$))+)([,;.]?)(\s*)")


def columns_in(sentence: str) -> tuple[str, ...]:
    """Return the columns that a sentence names; raise UsageError where it names none."""
    found = tuple(dict.fromkeys(one.strip() for one in _COLUMN.findall(sentence)))
    if not found:
        raise UsageError("--as names no column", hint='--as "The capital of {State} is {Capital}"')
    return found


def stated(
    rows: Iterable[tuple[int, dict[str, Any] | TidelineError]], sentence: str,
    tell: Callable[[str], object],
) -> Generator[tuple[int, dict[str, Any] | TidelineError], None, None]:
    """Yield rows whose text is a sentence with their cells in the places of {column}. A part of it
    up to a comma, semicolon or full stop whose cell is empty is left out; a row in which it is the
    first part says nothing, and is refused. Columns that no row has are told."""
    missing = dict.fromkeys(columns_in(sentence))
    first, *others = _PART.findall(sentence)
    for line, row in rows:
        if isinstance(row, TidelineError):
            yield line, row
            continue
        cells = {str(name).strip().lower(): value for name, value in row.items()}
        missing = {name: None for name in missing if name.lower() not in cells}
        empty = _empty(first[0], cells)
        if empty:
            yield line, UsageError(
                f"no {empty[0]!r:.60} for the sentence", hint=f"it has: {', '.join(cells):.200}"
            )
            continue
        rest = {name: value for name, value in row.items() if name != "content"}
        content = _filled("".join(first), cells)
        for part in others:
            if _empty(part[0], cells):
                content = content.rstrip(" ,;.") + part[1] + part[2]
            else:
                content += _filled("".join(part), cells)
        yield line, rest | {"content": content.strip()}
    for name in missing:
        tell(f"--as: no row has the column {name!r:.60}")


def _empty(part: str, cells: Mapping[str, Any]) -> list[str]:
    """Return the columns of a part of a sentence that a row has no cell of."""
    names = map(str.strip, _COLUMN.findall(part))
    return [name for name in names if cells.get(name.lower()) in (None, "", [])]


def _filled(sentence: str, cells: Mapping[str, Any]) -> str:
    return _COLUMN.sub(lambda found: _cell(cells[found[1].strip().lower()]), sentence)


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
