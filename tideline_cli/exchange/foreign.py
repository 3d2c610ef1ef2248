"""Foreign files: CSV, TSV, spreadsheets and SQLite in, fresh CSV and SQLite out, by sqlite_utils.

The memory file itself is never opened here: two SQLite libraries on one file in one process lose
each other's locks. So `store.foreign_table` reads a SQLite file, by the library of the store.
"""

from __future__ import annotations

import csv
import io
import os
import re
from datetime import date
from itertools import chain, islice
from sqlite3 import Error

from tideline_cli.errors import (
    CannotWriteError,
    TidelineError,
    UnavailableError,
    UsageError,
)
from tideline_cli.exchange.importer.cells import TEXT_KEYS
from tideline_cli.model import codec
from tideline_cli.model.fields import FIELDS, NAMES, TEXTS
from tideline_cli.model.short_text import parted
from tideline_cli.model.utterance import TELLING, turn_of
from tideline_cli.store import foreign_table
from tideline_cli.system import NOFOLLOW, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO, TextIO

    Rows = Iterator[tuple[int, dict[str, Any] | TidelineError]]

_FORMS = {field.name: field.form for field in FIELDS} | {"links": "texts"}
_LONGEST_LINE = 1 << 20
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 1000  # of a sheet
_FIRST_ROWS = 20  # among which the one is that names the columns, in a table too
_DELIMITERS = (",", ";", "\t", "|")  # the first one of equals
_STATED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_EMPTY_IS_A_TEXT = frozenset(TEXTS) - {"slot", "scope", "session", "speaker", "document", "agent"}
COLUMNS = (*NAMES, "changed_at", "said_at", "archived_reason", "links")
_COLUMN_SET = frozenset(COLUMNS)
_KNOWN = _COLUMN_SET | {*TEXT_KEYS, "supersedes"} | TELLING
_LONGEST_NUMBER = 17
FIRST_COLUMNS = (
    "id", "content", "segment", "tier", "heat", "kind", "title", "tags", "importance",
    "decay_rate", "access_count", "last_accessed_at", "created_at", "source", "origin",
    "lifecycle", "status", "confidence", "slot", "valid_from", "valid_to", "pinned",
    "source_turn", "derived_from", "metadata", "links",
)  # fmt: skip
"""The columns of the first release, whatever came later."""
QUOTED = "quoted_cells"  # the column that names those of a row that an export has quoted


def delimited(
    file: BinaryIO, *, tabs: bool, tell: Callable[[str], object] = str
) -> Rows:  # fmt: skip
    """Yield (line number, row or what is wrong with it) of a CSV or TSV file with a header. The
    cells of a CSV file are parted by what a first line `sep=;` says, else by what parts most of its
    header: comma, semicolon, tab or bar. `tell` is told of lines above the header.

    Raises UsageError where the file cannot be read on.
    """
    number = 1
    csv.field_size_limit(_LONGEST_LINE)
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as lines:
        try:
            numbered = _bounded(lines)
            first = [*islice(numbered, _FIRST_ROWS)]
            stated = _STATED.fullmatch(first[0].strip()) if first and not tabs else None
            first = first[1:] if stated else first
            header = next((line for line in first if any(map(line.count, _DELIMITERS))), "")
            delimiter = "\t" if tabs else max(_DELIMITERS, key=header.count)
            delimiter = stated[1] if stated else delimiter
            read = csv.reader(chain(first, numbered), delimiter=delimiter)
            above, names, records = _headed(read, tell)
            # The first release quoted every such cell, and had these columns alone.
            is_first = tuple(names) == FIRST_COLUMNS
            names = _header([_column(name) for name in names])
            for number, row in enumerate(filter(None, records), above + bool(stated) + 2):
                names += [f"column {place}" for place in range(len(names) + 1, len(row) + 1)]
                cells = dict(zip(names, row, strict=False))
                yield number, _typed(_of_first(cells) if is_first else _unquoted(cells), guess=True)
        except UnicodeDecodeError as error:
            raise UsageError(
                f"line {number + 1}: not UTF-8", hint="convert it: `iconv -f LATIN1 -t UTF-8`"
            ) from error
        except csv.Error as error:
            raise UsageError(f"line {number + 1} cannot be read: {error}") from error


def _headed(
    records: Iterator[Sequence[Any]], tell: Callable[[str], object]
) -> tuple[int, Sequence[Any], Iterator[Sequence[Any]]]:
    """Return how many records stand above the header of a table, the header, and the records below
    it. What stands above has one cell at most, and an empty line or empty cells beside it; what it
    says is told."""
    first: list[Sequence[Any]] = []
    may_be_above = False
    for record in islice(records, _FIRST_ROWS):
        first.append(record)
        full = [cell for cell in record if cell not in (None, "")]
        is_column = bool(full) and str(full[0]).strip().lower() in _KNOWN
        if is_column or len(full) > 1:
            break
        may_be_above = may_be_above or len(record) != 1
    above = len(first) - 1 if may_be_above and len(full) > 1 else 0
    while above == 0 and first and not any(first[0]):
        del first[0]
    said = [str(cell) for record in first[:above] for cell in record if cell not in (None, "")]
    if said:
        tell(f"left out above the header: {'; '.join(said):.200}")
    return above, first[above] if first else (), chain(first[above + 1 :], records)


def _column(name: str) -> str:
    """Return the name of a column: that of a field in any case, any other as it is."""
    plain = name.strip().lower()
    return plain if plain in _COLUMN_SET or plain in TEXT_KEYS else name


def _bounded(lines: TextIO) -> Iterator[str]:
    while line := lines.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE and line[-1] not in "\r\n":
            raise UsageError(f"a line is longer than {_LONGEST_LINE >> 20} MiB")
        yield line


def of_sheets(raw: bytes, tell: Callable[[str], object] = str) -> Rows:
    """Yield (row number, row) of the sheets of a spreadsheet, read row by row, whatever size the
    file claims. The first row that fills half as many cells as the widest of the first ones names
    the columns; `tell` is told of rows above it.

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
    try:
        book = load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        number = 0
        for sheet in book.worksheets:
            rows = sheet.iter_rows(values_only=True, max_row=_MOST_ROWS, max_col=_MOST_COLUMNS)
            first = list(islice(rows, _FIRST_ROWS))
            filled = [sum(cell is not None for cell in cells) for cells in first]
            wanted = max(filled, default=0) / 2
            head = next((place for place, count in enumerate(filled) if count >= wanted), 0)
            if any(filled[:head]):
                tell(f"{sheet.title}: what stands above the names of the columns is left out")
            names = first[head] if first else ()
            header = _header([one.strip() if isinstance(one, str) else one for one in names])
            for cells in chain(first[head + 1 :], rows):
                header += [f"column {place}" for place in range(len(header) + 1, len(cells) + 1)]
                row = {column: _of_cell(cell) for column, cell in zip(header, cells, strict=False)
                       if cell is not None}  # fmt: skip
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
    found: dict[str, None] = {}
    for place, cell in enumerate(cells, 1):
        name = str(cell) if cell is not None and str(cell).strip() else f"column {place}"
        found[name if name not in found else f"{name} {place}"] = None
    return list(found)


def _of_cell(cell: Any) -> Any:
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell if isinstance(cell, str | int | float | bool) else str(cell)


def database(path: str, table: str, *, tell: Callable[[str], object] = str) -> Rows:
    """Yield (row number, row or what is wrong with it) of a table in another SQLite file, which is
    left as it is."""
    if path == "-":
        raise UsageError("a SQLite file cannot be piped", hint="name the file")
    for number, row in enumerate(foreign_table.rows(path, table, tell=tell), 1):
        yield number, row if isinstance(row, TidelineError) else _typed(row)


def write_database(path: str, forms: Iterable[Mapping[str, Any]]) -> int:
    """Write facts into the table `fact` of a fresh SQLite file, and return their number."""
    if os.path.lexists(path):
        raise UsageError(f"{path} exists", hint="name a fresh file")
    from sqlite_utils import Database  # noqa: PLC0415  179 ms, for SQLite exports alone

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NOFOLLOW, 0o600)
    set_mode(handle, 0o600)  # whatever the umask
    os.close(handle)
    db = Database(path)
    try:
        table: Any = db["fact"]
        table.insert_all((dict(form) for form in forms), pk="id", batch_size=500)
        return int(table.count) if table.exists() else 0
    except Error as error:
        raise CannotWriteError(
            f"cannot write {path} to its end: {error}", hint="is the disk full? remove the file"
        ) from error
    finally:
        db.conn.close()


def csv_lines(rows: Iterable[Sequence[str]], *, tabs: bool) -> Iterator[str]:
    """Yield rows as lines of CSV or TSV."""
    line = io.StringIO()
    delimiter = "\t" if tabs else ","
    writer = csv.writer(line, delimiter=delimiter, lineterminator="\n")
    guarded = csv.writer(
        line, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL
    )
    for row in rows:
        line.seek(0)
        line.truncate()
        # A lone carriage return ends a line for readers, and Python 3.11 does not quote it.
        (guarded if any("\r" in value for value in row) else writer).writerow(row)
        yield line.getvalue()


def cells(form: Mapping[str, Any]) -> list[str]:
    """Return a fact as the cells of `COLUMNS` and `QUOTED`, as a spreadsheet shows them; a text
    that would run as a formula, or be taken for no text, is quoted, and its column named."""
    whole = {name: form[name] for name in COLUMNS}
    shown = [cell(value) for value in whole.values()]
    return [*shown, " ".join(quoted(whole, shown))]


def quoted(form: Mapping[str, Any], shown: Iterable[str]) -> list[str]:
    """Return the columns whose texts have been quoted: `shown` are the cells of a form."""
    return [
        name
        for (name, value), cell_shown in zip(form.items(), shown, strict=True)
        if isinstance(value, str) and cell_shown != value
    ]


def cell(value: Any) -> str:
    """Return a value as a spreadsheet shows it; text that would run as a formula is quoted."""
    if value is None:
        return ""
    if isinstance(value, list):
        return codec.dumps(value) if value else ""
    if isinstance(value, str):
        return "'" + value if not value or value.startswith(_FORMULA) else value
    return codec.dumps(value)


def _of_first(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the first release's CSV as it was before the export quoted it."""
    return {
        key: value[1:] if value[:1] == "'" and value[1:].startswith(_FORMULA) else value
        for key, value in row.items()
        if value
    }


def _unquoted(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without empty cells, and without the quotes of those that it names; a row that
    names others has a column of its own by that name."""
    full = {key: value for key, value in row.items() if value}
    named = full.get(QUOTED, "").split()
    stand = [name for name in named if name in row]  # somebody may have left columns out
    if not _COLUMN_SET.issuperset(named) or any(full.get(name, "")[:1] != "'" for name in stand):
        return full
    return {
        key: value[1:] if key in named else value for key, value in full.items() if key != QUOTED
    }


def _typed(row: Mapping[str, Any], *, guess: bool = False) -> dict[str, Any] | TidelineError:
    """Return the row with texts of a table turned into the numbers and lists that they are, or
    what is wrong with it. With `guess`, numbers in other columns are numbers too."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if value is None or (value == "" and key not in _EMPTY_IS_A_TEXT):
            continue
        try:
            out[key] = _value(key, value) if isinstance(value, str) else value
        except UsageError as error:
            return error
        if isinstance(value, bytes):
            out[key] = value.decode(errors="replace")
        if guess and isinstance(value, str) and key not in _KNOWN:
            out[key] = _guessed(value)
    return out


def _guessed(text: str) -> Any:
    """Return the number that a text writes in the one way that comes back as it was."""
    if len(text) > _LONGEST_NUMBER or text.strip("-.0123456789"):
        return text
    for read in (int, float):
        try:
            if str(read(text)) == text:
                return read(text)
        except ValueError:
            continue
    return text


def _value(key: str, value: str) -> Any:
    form = _FORMS.get(key)
    try:
        if form == "number":
            return float(value)
        if form == "count":
            return int(value)
        if form in ("texts", "object"):
            return codec.loads(value) if value[:1] in "[{" else parted(value)
        if form == "place":
            return value if turn_of(value) is None else turn_of(value)
    except ValueError as error:
        raise UsageError(f"{key} cannot be {value!r:.40}") from error
    if form == "flag":
        return value.lower() in ("1", "true", "yes")
    return value
