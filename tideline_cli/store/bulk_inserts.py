"""Storing many new facts at once, a group of rows by one statement, and counting them."""

from __future__ import annotations

import re
from _operator import itemgetter
from functools import cache
from itertools import chain

from tideline_cli.model.fields import SEARCHED
from tideline_cli.model.text import IndexTerms
from tideline_cli.ranking.score_bounds import bound_of_fact
from tideline_cli.store import SERVERS, images, schema, score_bounds, writes
from tideline_cli.store.fact_rows import COLUMNS, columns_of, fact_of_columns
from tideline_cli.store.writes import STORED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer
    Columns = list[Any]

ID, ORIGIN, CONTENT = map(COLUMNS.index, ("id", "origin", "content"))
"""Places in what `sealed` returns."""
BOUND = len(STORED)
"""The place of the byte that bounds the score of the fact, which is stored apart."""
_LENGTH, _TERMS = map(STORED.index, ("length", "terms"))
_weights = itemgetter(*map(STORED.index, ("source", "role", "importance", "tier", "pinned")))
_labels = itemgetter(*map(COLUMNS.index, SEARCHED))
_GROUP = 32  # facts of a statement: what it costs beside its rows is shared
_ROW = f"({', '.join('?' * len(STORED))})"
_INTO = f"INSERT INTO fact ({', '.join(STORED)}) VALUES "
_INSERT_GROUP = _INTO + ", ".join([_ROW] * _GROUP)
_INSERT_ONE = _INTO + _ROW
_TABLE = re.compile(r"^CREATE TABLE fact \((.*?)^\)", re.DOTALL | re.MULTILINE)
_COLUMN = re.compile(r"^  ([a-z_]+)\s+(INTEGER|TEXT|REAL)", re.MULTILINE)
_TYPES = {"INTEGER": "bigint", "TEXT": "text", "REAL": "double precision"}
_AT_ONCE = 512  # facts of a statement


def sealed(fact: Fact, terms: IndexTerms, analyzer: Analyzer) -> Columns:
    """Return what the file keeps of a new fact that was never used, its terms, digest and bound
    included; its origin by its key, in the place of which `insert` wants a number."""
    return _with_seal(columns_of(fact), terms, analyzer)


def sealed_like(
    columns: Columns, fact_id: str, content: str, terms: IndexTerms, analyzer: Analyzer
) -> Columns:
    """Return the same of a fact that differs from that of `columns` by its id and its text alone.
    """
    values = columns[:_LENGTH]
    values[ID], values[CONTENT] = fact_id, content
    return _with_seal(values, terms, analyzer)


def _with_seal(values: Columns, terms: IndexTerms, analyzer: Analyzer) -> Columns:
    seal = writes.digest_of(values)
    joined = terms.joined()
    values += (len(terms), joined, seal)
    source, role, importance, tier, pinned = _weights(values)
    role = None if analyzer == "reference" else role
    values.append(bound_of_fact(joined, source, role, importance, tier, pinned, 0))
    return values


def are_labelled(columns: Columns) -> bool:
    """Say whether a fact has labels that `store.labels` indexes."""
    return any(label is not None for label in _labels(columns))


def numbered(columns: Columns, origin_number: int) -> Columns:
    """Return columns as `insert` takes them."""
    return [*columns[:ORIGIN], origin_number, *columns[ORIGIN + 1 : BOUND]]


def unsealed(columns: Columns) -> tuple[Fact, IndexTerms]:
    """Return the fact and the terms that `sealed` was given, of a fact that was never used."""
    return fact_of_columns(columns), IndexTerms.parted(columns[_TERMS])


def taken(db: Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these ULIDs that facts have, of whatever origin."""
    of_all = "fact WHERE id IN (SELECT value FROM json_each(?))"
    if db.filename.startswith(SERVERS):  # where a role does not see them
        of_all = "taken_ids(ARRAY(SELECT value FROM json_each(?))) AS id"
    rows: Iterable[Any] = db.execute(
        f"SELECT id FROM {of_all}",
        ('["' + '","'.join(ids) + '"]',),  # ULIDs: nothing in them is escaped
    )
    return {fact_id for (fact_id,) in rows}


def insert(db: Connection, rows: Sequence[Columns]) -> None:
    """Store new facts, whose ids nobody has, in this order; each is what `numbered` returns."""
    origins = [columns[ORIGIN] for columns in rows]
    is_quiet = images.keep_quiet(db, len(origins))
    if db.filename.startswith(SERVERS):
        _insert_arrays(db, rows)
    else:
        whole = len(rows) - len(rows) % _GROUP
        for start in range(0, whole, _GROUP):
            db.execute(_INSERT_GROUP, tuple(chain.from_iterable(rows[start : start + _GROUP])))
        db.executemany(_INSERT_ONE, rows[whole:])
    if is_quiet:
        images.tell_runs(db, origins)


def count_after(db: Connection, seq: int) -> None:
    """Count all facts after number `seq`, in a load, before any of them is changed."""
    for statement in schema.COUNT_LATER:
        db.execute(statement, (seq,))


class NewBounds:
    """The bytes of facts that a load stores, kept back until they fill a row: a row that grows
    leaves room unused. They are dropped when anybody else has written since, who may have changed
    such a fact; `score_bounds.extend` and the next row make those that are missing."""

    def __init__(self) -> None:
        self._first = 0
        self._codes = bytearray()
        self._version = 0

    def add(self, db: Connection, fresh: bytes) -> None:
        """Add the bytes of the newest facts, in the open transaction that stores them."""
        if db.filename.startswith(SERVERS):  # where a row may grow
            score_bounds.append(db, 0, fresh)
            return
        first: int = db.execute("SELECT max(seq) FROM fact").get + 1 - len(fresh)
        version: int = db.pragma("data_version")
        if version != self._version or first != self._first + len(self._codes):
            self._first, self._version = first, version
            self._codes.clear()
        self._codes += fresh
        if len(self._codes) >= score_bounds.CHUNK:
            score_bounds.append(db, self._first, bytes(self._codes))
            self.drop()

    def drop(self) -> None:
        """Drop what is kept back."""
        self._first = 0
        self._codes.clear()


@cache
def _insert_of_arrays() -> str:
    """Return the statement, which takes an array for each of STORED."""
    body = _TABLE.search(schema.script())
    types = dict(_COLUMN.findall(body[1] if body else ""))
    arrays = (f"?{place}::{_TYPES[types[name]]}[]" for place, name in enumerate(STORED, 1))
    return f"INSERT INTO fact ({', '.join(STORED)}) SELECT * FROM unnest({', '.join(arrays)})"


def _insert_arrays(db: Connection, rows: Sequence[Sequence[Any]]) -> None:
    """Store facts in this order, each given by the values of STORED. A column of theirs is an
    array, so a server reads one short statement, however many and however different they are."""
    for start in range(0, len(rows), _AT_ONCE):
        columns = zip(*rows[start : start + _AT_ONCE], strict=True)
        db.execute(_insert_of_arrays(), [list(column) for column in columns])
