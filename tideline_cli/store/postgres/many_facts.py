"""Storing many new facts at once: a column of theirs is an array, so the server reads one short
statement, however many and however different they are."""

from __future__ import annotations

import re
from functools import cache

from tideline_cli.store import schema
from tideline_cli.store.writes import STORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

_TABLE = re.compile(r"^CREATE TABLE fact \((.*?)^\)", re.DOTALL | re.MULTILINE)
_COLUMN = re.compile(r"^  ([a-z_]+)\s+(INTEGER|TEXT|REAL)", re.MULTILINE)
_TYPES = {"INTEGER": "bigint", "TEXT": "text", "REAL": "double precision"}
_AT_ONCE = 512  # facts of a statement


@cache
def _insert() -> str:
    """Return the statement, which takes an array for each of STORED."""
    body = _TABLE.search(schema.script())
    types = dict(_COLUMN.findall(body[1] if body else ""))
    arrays = (f"?{place}::{_TYPES[types[name]]}[]" for place, name in enumerate(STORED, 1))
    return f"INSERT INTO fact ({', '.join(STORED)}) SELECT * FROM unnest({', '.join(arrays)})"


def insert(db: Connection, rows: Sequence[Sequence[Any]]) -> None:
    """Store facts in this order, each given by the values of STORED."""
    for start in range(0, len(rows), _AT_ONCE):
        columns = zip(*rows[start : start + _AT_ONCE], strict=True)
        db.execute(_insert(), [list(column) for column in columns])
