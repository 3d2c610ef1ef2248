"""Storing many new facts at once: a group of rows by one statement."""

from __future__ import annotations

from _operator import itemgetter
from itertools import chain

from tideline_cli.model.text import IndexTerms
from tideline_cli.ranking.score_bounds import bound_code_like
from tideline_cli.store import births, digest, score_bounds
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

ID, CONTENT, ORIGIN = (COLUMNS.index(name) for name in ("id", "content", "origin"))
"""Places in what `sealed` returns."""
_TERMS = STORED.index("terms")
BOUND = len(STORED)
"""The place of the byte that bounds the score of the fact, which is stored apart."""
_weights = itemgetter(*map(STORED.index, ("source", "role", "importance", "tier", "pinned")))
_GROUP = 32  # facts of a statement: what it costs beside its rows is shared
_ROW = f"({', '.join('?' * len(STORED))})"
_INTO = f"INSERT INTO fact ({', '.join(STORED)}) VALUES "
_INSERT_GROUP = _INTO + ", ".join([_ROW] * _GROUP)
_INSERT_ONE = _INTO + _ROW


def sealed(fact: Fact, terms: IndexTerms, analyzer: Analyzer) -> Columns:
    """Return what the file keeps of a new fact that was never used, its terms, digest and bound
    included; its origin by its key, in the place of which `insert` wants a number."""
    values = columns_of(fact)
    seal = digest.of(values)
    joined = terms.joined()
    values += (len(terms), joined, seal)
    source, role, importance, tier, pinned = _weights(values)
    role = None if analyzer == "reference" else role
    values.append(score_bounds.code_of(joined, source, role, importance, tier, pinned, 0))
    return values


def sealed_like(columns: Columns, fact_id: str, content: str, terms: list[str]) -> Columns:
    """Return what the file keeps of a new fact that is as the one of `columns` but for its id, its
    text and its terms, which have no further forms."""
    values = columns[: len(COLUMNS)]
    values[ID], values[CONTENT] = fact_id, content
    seal = digest.of(values)
    values += (len(terms), " ".join(terms), seal, bound_code_like(columns[BOUND], terms))
    return values


def numbered(columns: Columns, origin_number: int) -> Columns:
    """Return columns as `insert` takes them."""
    return [*columns[:ORIGIN], origin_number, *columns[ORIGIN + 1 : BOUND]]


def unsealed(columns: Columns) -> tuple[Fact, IndexTerms]:
    """Return the fact and the terms that `sealed` was given, of a fact that was never used."""
    return fact_of_columns(columns), IndexTerms.parted(columns[_TERMS])


def taken(db: Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these ULIDs that facts have, of whatever origin."""
    rows: Iterable[Any] = db.execute(
        "SELECT id FROM fact WHERE id IN (SELECT value FROM json_each(?))",
        ('["' + '","'.join(ids) + '"]',),  # ULIDs: nothing in them is escaped
    )
    return {fact_id for (fact_id,) in rows}


def insert(db: Connection, rows: Sequence[Columns]) -> None:
    """Store new facts, whose ids nobody has, in this order."""
    whole = len(rows) - len(rows) % _GROUP
    is_quiet = births.keep_quiet(db, len(rows))
    for start in range(0, whole, _GROUP):
        db.execute(_INSERT_GROUP, tuple(chain.from_iterable(rows[start : start + _GROUP])))
    db.executemany(_INSERT_ONE, rows[whole:])
    if is_quiet:
        births.tell_runs(db, [row[ORIGIN] for row in rows])
