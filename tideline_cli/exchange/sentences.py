"""Rows of tables as sentences: `--as "The capital of {State} is {Capital}"`; and the rows of sheets
of a spreadsheet."""

from __future__ import annotations

import re
from datetime import date, datetime

from tideline_cli.errors import TidelineError, UnavailableError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Rows = Iterator[tuple[int, dict[str, Any] | TidelineError]]

_COLUMN = re.compile(r"\{([^{}]{1,200})\}")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 1000


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


def of_sheets(raw: bytes) -> Rows:
    """Yield (row number, row) of the sheets of a spreadsheet, whose first rows name their columns;
    read row by row, whatever size the file claims.

    Raises UnavailableError where what reads spreadsheets is missing, UsageError for what is none.
    """
    try:
        from openpyxl import load_workbook  # noqa: PLC0415  spreadsheets alone
    except ModuleNotFoundError:
        raise UnavailableError(
            "a spreadsheet needs openpyxl, which is not installed",
            hint="pip install '.[documents]' in the clone; or save it as CSV",
            code="no_openpyxl",
        ) from None
    from io import BytesIO  # noqa: PLC0415  with the one above

    try:
        book = load_workbook(BytesIO(raw), read_only=True, data_only=True)
        number = 0
        for sheet in book.worksheets:
            rows = sheet.iter_rows(values_only=True, max_row=_MOST_ROWS, max_col=_MOST_COLUMNS)
            header = _header(next(rows, ()))
            for cells in rows:
                row = {column: _value(cell) for column, cell in zip(header, cells, strict=False)
                       if column and cell is not None}  # fmt: skip
                if row:
                    number += 1
                    yield number, row if len(book.worksheets) == 1 else row | {"sheet": sheet.title}
    except TidelineError:
        raise
    except Exception as error:  # noqa: BLE001  the library raises kinds of its own
        raise UsageError(
            f"no spreadsheet that can be read: {error!s:.80}", hint="save it as CSV"
        ) from None


def _header(cells: Sequence[Any]) -> list[str]:
    """Return the names of columns; a column without one is called by its place, one that has the
    name of another by both."""
    found: list[str] = []
    for place, cell in enumerate(cells, 1):
        name = str(cell).strip() if cell is not None else f"column {place}"
        found.append(name if name not in found else f"{name} {place}")
    return found


def _value(cell: Any) -> Any:
    if isinstance(cell, datetime):
        return cell.isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell if isinstance(cell, str | int | float | bool) else str(cell)


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
