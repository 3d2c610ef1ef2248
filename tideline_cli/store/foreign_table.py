"""One table of a SQLite file that somebody else made: read, never run, and never changed."""

from __future__ import annotations

import os
from time import thread_time

import apsw

from tideline_cli.errors import BusyError, TidelineError, UsageError
from tideline_cli.store.foreign_file import LONGEST_ROW, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from apsw import Connection

PATIENCE = 10.0  # seconds of the processor without a row
_MOST_COLUMNS_AT_FULL = 32  # more columns have shorter cells, so that no row fills the memory
_NAMED = 10
_COMPUTED = 2  # as `PRAGMA table_xinfo` says it of a generated column that is not stored


def rows(
    path: str, table: str, *, patience: float = PATIENCE, tell: Callable[[str], object] = str
) -> Iterator[dict[str, Any] | TidelineError]:
    """Yield each row of a table by column name, or what is wrong with it.

    Views and virtual tables are programs, and are switched off. Computed columns are left out, and
    `tell` gets a message about it. Raises UsageError where there is no such table, where the file
    is damaged or is no database, and where no row comes for some seconds of processor time.
    """
    try:
        watch = _Watch(patience)
        with opened(path, watch) as db:
            _check(db, path, table)
            yield from _rows(db, table, _columns(db, table, tell), watch)
    except apsw.InterruptError as error:
        raise UsageError(
            f"{path}: no row has come for {patience:g} s of processor time",
            hint="export the table with the program that wrote it",
            code="no_progress",
        ) from error
    except apsw.BusyError as error:
        raise BusyError(f"{path} is being written", hint="try again") from error
    except apsw.Error as error:
        raise UsageError(
            f"{path} is not a readable SQLite database: {error}", hint="name another file"
        ) from error


class _Watch:
    """Says stop when too much time has gone by since the last row."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self.began = thread_time()

    def __call__(self) -> bool:
        return thread_time() - self.began > self._patience


def _check(db: Connection, path: str, table: str) -> None:
    """Raise UsageError unless `table` is a table that holds its rows itself."""
    kind, root = db.execute(
        "SELECT type, rootpage FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')",
        (table,),
    ).fetchone() or ("", 0)
    if kind == "table" and root:
        return
    what = {"view": "is a view", "table": "is a virtual table"}.get(kind, "")
    names = [
        str(name)
        for (name,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT ?",
            (_NAMED + 1,),
        )
    ]
    more = ["…"] if len(names) > _NAMED else []
    listed = ", ".join([f"{name:.40}" for name in names[:_NAMED]] + more)
    hint = f"it has {listed}" if names else "it has no tables"
    if what:
        message = f"{table!r:.60} in {path} {what}, which would run what its author wrote"
        raise UsageError(message, hint=hint, code="no_table")
    raise UsageError(f"no table {table!r:.60} in {path}", hint=hint, code="no_table")


def _columns(db: Connection, table: str, tell: Callable[[str], object]) -> list[str]:
    """Return the columns whose values are stored."""
    every = db.execute(f"PRAGMA table_xinfo({_quoted(table)})").fetchall()
    computed = [str(name) for _, name, *_, hidden in every if hidden == _COMPUTED]
    if computed:
        tell(f"not read, for they are computed: {', '.join(f'{n:.40}' for n in computed[:_NAMED])}")
    return [str(name) for _, name, *_, hidden in every if hidden != _COMPUTED]


def _rows(
    db: Connection, table: str, columns: list[str], watch: _Watch
) -> Iterator[dict[str, Any] | TidelineError]:
    longest = LONGEST_ROW * _MOST_COLUMNS_AT_FULL // max(len(columns), _MOST_COLUMNS_AT_FULL)
    cells = ", ".join(
        f"CASE WHEN octet_length({name}) > ?1 THEN ?2 ELSE {name} END"
        for name in map(_quoted, columns)
    )
    too_long = os.urandom(16)
    found = db.execute(f"SELECT {cells} FROM {_quoted(table)}", (longest, too_long))
    while True:
        watch.began = thread_time()
        try:
            values = next(found, None)
        except UnicodeDecodeError:
            yield UsageError("not UTF-8")
            continue
        if values is None:
            return
        if too_long in values:
            name = columns[values.index(too_long)]
            yield UsageError(f"{name:.40} is longer than {longest:,} bytes")
        elif sum(len(v) for v in values if isinstance(v, (str, bytes))) > LONGEST_ROW:
            yield UsageError(f"the row is longer than {LONGEST_ROW >> 20} MiB")
        else:
            yield dict(zip(columns, values, strict=True))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
