"""Storing a fact, and changing one that is there."""

from __future__ import annotations

from tideline_cli.model.fields import CHANGEABLE
from tideline_cli.store import digest
from tideline_cli.store.fact_rows import COLUMNS, column_of, columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact

_STORED = (*COLUMNS, "length", "terms", "digest")
_ORIGIN = COLUMNS.index("origin")
_INSERT = (
    f"INSERT INTO fact ({', '.join(_STORED)}) VALUES ({', '.join('?' * len(_STORED))}) "
    "ON CONFLICT (id) DO NOTHING"
)


def insert(db: Connection, fact: Fact, *, origin_number: int, terms: Sequence[str]) -> bool:
    """Store a fact under its origin's number; return False when its id is taken."""
    values = columns_of(fact)
    sealed = digest.of(values)
    values[_ORIGIN] = origin_number
    db.execute(_INSERT, (*values, len(terms), " ".join(terms), sealed))
    return db.changes() > 0


def change(db: Connection, before: Fact, after: Fact) -> None:
    """Store what differs between two states of a fact, its use excepted."""
    changed = [name for name in CHANGEABLE if getattr(before, name) != getattr(after, name)]
    if changed:
        db.execute(
            f"UPDATE fact SET {', '.join(f'{name} = ?' for name in changed)} WHERE id = ?",
            (*(column_of(after, name) for name in changed), before.id),
        )
    if not digest.COVERED.isdisjoint(changed):
        rows: list[Any] = db.execute("SELECT seq FROM fact WHERE id = ?", (before.id,)).fetchall()
        digest.put(db, [int(seq) for (seq,) in rows])


def archive(db: Connection, fact_id: str, *, now: int) -> None:
    """Close a fact: it stays in the file, out of recall, valid until now or until it ended."""
    db.execute(
        "UPDATE fact SET lifecycle = 'archived', valid_to = min(ifnull(valid_to, ?1), ?1)"
        " WHERE id = ?2",
        (now, fact_id),
    )


def put_terms(db: Connection, seq: int, terms: Sequence[str]) -> None:
    """Store the index terms of a fact."""
    db.execute(
        "UPDATE fact SET terms = ?, length = ? WHERE seq = ?",
        (" ".join(terms), len(terms), seq),
    )
