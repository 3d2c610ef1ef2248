"""The counts of facts by what status and the ranking ask for, made without looking at each fact."""

from __future__ import annotations

from tideline_cli.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def count_after(db: Connection, seq: int) -> None:
    """Count all facts after number `seq`, in a load, before any of them is changed."""
    for statement in schema.COUNT_LATER:
        db.execute(statement, (seq,))
