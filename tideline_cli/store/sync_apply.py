"""Facts and edges put into the store, and taken out, as a sync shows them."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import kinds_under, words_for
from tideline_cli.store import (
    common_upkeep,
    links,
    score_bounds,
    sync_registers,
    sync_state,
    undo_rows,
    vector_upkeep,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from apsw import Connection

_OF = """
SELECT number FROM link WHERE from_fact IN (SELECT value FROM json_each(?1))
  OR to_fact IN (SELECT value FROM json_each(?1))
"""
_BETWEEN = """
SELECT number, link.kind, reason, strength, link.created_at FROM link
  JOIN fact AS a ON a.seq = from_fact JOIN fact AS b ON b.seq = to_fact
WHERE a.id = ? AND b.id = ? AND link.kind IN (SELECT value FROM json_each(?))
"""


def take_out(db: Connection, seqs: Collection[int]) -> None:
    """Delete facts by number, with their edges and all that is derived of them, in a batch of the
    caller; the journal keeps them."""
    if not seqs:
        return
    numbers: list[Any] = db.execute(_OF, (codec.dumps(list(seqs)),)).fetchall()
    undo_rows.delete(db, "link", [number for (number,) in numbers])
    undo_rows.delete(db, "fact", seqs)
    vector_upkeep.remove(db, seqs)
    score_bounds.forget(db, seqs)
    common_upkeep.correct(db, set(seqs))


def put_edge(db: Connection, edge: links.Link) -> None:
    """Let an edge be there, with this reason, strength and time."""
    for number, word, *values in _rows(db, edge.source, edge.kind, edge.target):
        if values == [edge.reason, edge.strength, edge.created_at]:
            return
        _take_edge(db, number, word, edge.kind, edge)
    links.add(db, edge)


def drop_edge(db: Connection, source: str, kind: str, target: str) -> None:
    """Let an edge be gone; another one that is stored in one row with it stays."""
    for number, word, *_ in _rows(db, source, kind, target):
        _take_edge(db, number, word, kind, links.Link(source, kind, target))


def _rows(db: Connection, source: str, kind: str, target: str) -> list[Any]:
    words = codec.dumps(words_for(kind))
    rows: list[Any] = db.execute(_BETWEEN, (source, target, words)).fetchall()
    return rows


def _take_edge(db: Connection, number: int, word: str, kind: str, edge: links.Link) -> None:
    row: Any = db.execute(
        "SELECT reason, strength, created_at FROM link WHERE number = ?", (number,)
    ).fetchone()
    undo_rows.delete(db, "link", [number])
    for other in kinds_under(word):
        if other != kind:
            links.add(db, links.Link(edge.source, other, edge.target, *row))


def note_purged(db: Connection, ids: list[str]) -> None:
    """Note facts that were purged here, so that the other replicas purge them too, and forget what
    was known of them."""
    state = sync_state.SyncState(db)
    sync_registers.purge(db, ids, place=0, state=state)
    state.save()
