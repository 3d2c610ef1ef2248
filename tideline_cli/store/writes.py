"""Storing a fact, and changing one that is there."""

from __future__ import annotations

from tideline_cli.model.fields import CHANGEABLE, SEARCHED
from tideline_cli.store import SERVERS, digest
from tideline_cli.store.connection import setting
from tideline_cli.store.fact_rows import COLUMNS, column_of, columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import IndexTerms

STORED = (*COLUMNS, "length", "terms", "digest")
"""The columns of a new fact, in the order in which they are stored."""
_ORIGIN = COLUMNS.index("origin")
_INSERT = (
    f"INSERT INTO fact ({', '.join(STORED)}) VALUES ({', '.join('?' * len(STORED))}) "
    "ON CONFLICT (id) DO NOTHING RETURNING seq"
)


def insert(
    db: Connection, fact: Fact, *, origin_number: int, terms: IndexTerms, is_synced: bool = False
) -> bool:
    """Store a fact under its origin's number; return False when its id is taken.

    Raises UsageError where a memory on a server cannot index it, and so does `change`. Of what
    another machine has taken (`is_synced`) the server itself decides.
    """
    if db.filename.startswith(SERVERS) and not is_synced:
        _refuse_long(db, fact)
    values = columns_of(fact)
    sealed = digest.of(values)
    values[_ORIGIN] = origin_number
    seq = db.execute(_INSERT, (*values, len(terms), terms.joined(), sealed)).get
    if seq is None:
        return False
    if fact.tags or fact.slot or fact.title or fact.kind:
        from tideline_cli.store import labels  # noqa: PLC0415  most facts have none

        labels.add(db, seq, fact, origin_number=origin_number, held=terms)
    return True


def change(db: Connection, before: Fact, after: Fact, *, is_synced: bool = False) -> None:
    """Store what differs between two states of a fact, its use excepted."""
    changed = [name for name in CHANGEABLE if getattr(before, name) != getattr(after, name)]
    is_labelled = any(name in SEARCHED or name == "document" for name in changed)
    if db.filename.startswith(SERVERS) and changed and not is_synced:
        _refuse_long(db, after, changed)
    if is_labelled:
        from tideline_cli.store import labels  # noqa: PLC0415  as above

        labels.take(db, _numbers(db, before.id))
    if changed:
        sql = f"UPDATE fact SET {', '.join(f'{name} = ?' for name in changed)} WHERE id = ?"
        db.execute(sql, (*(column_of(after, name) for name in changed), before.id))
    _bound_anew(db, before.id, changed)
    if is_labelled or not digest.COVERED.isdisjoint(changed):
        seqs = _numbers(db, before.id)
        digest.put(db, seqs)
        if is_labelled:
            labels.put(db, seqs)


def _refuse_long(db: Connection, fact: Fact, fields: Collection[str] | None = None) -> None:
    from tideline_cli.store import remote  # noqa: PLC0415  no file

    remote.refuse_long_keys(fact, lambda: setting(db, "analyzer", "standard"), fields)


def _bound_anew(db: Connection, fact_id: str, changed: list[str]) -> None:
    from tideline_cli.store import score_bounds  # noqa: PLC0415  few writes change a fact

    if not score_bounds.MADE_FROM.isdisjoint(changed):
        score_bounds.put_of(db, _numbers(db, fact_id))


def _numbers(db: Connection, fact_id: str) -> list[int]:
    return [int(seq) for (seq,) in db.execute("SELECT seq FROM fact WHERE id = ?", (fact_id,))]


def archive(db: Connection, fact_id: str, *, now: int) -> None:
    """Close a fact: it stays in the file, out of recall, valid until now or until it ended."""
    db.execute(
        "UPDATE fact SET lifecycle = 'archived', valid_to = min(ifnull(valid_to, ?1), ?1)"
        " WHERE id = ?2",
        (now, fact_id),
    )


def put_terms(db: Connection, seq: int, terms: IndexTerms) -> None:
    """Store the index terms of a fact."""
    sql = "UPDATE fact SET terms = ?, length = ? WHERE seq = ?"
    db.execute(sql, (terms.joined(), len(terms), seq))
