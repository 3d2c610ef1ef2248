"""What an undo asks of a server, asked ahead: the rows that a batch touched, and their edges."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store import images, labels, undo_rows
from tideline_cli.store.postgres import derived
from tideline_cli.store.postgres.by_number import list_sql
from tideline_cli.store.postgres.known_answers import standing_for
from tideline_cli.store.undo_conflicts import EDGES, ENDING, ENDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.history import Batch
    from tideline_cli.store.postgres.foresight import Foreseeing

    Row = tuple[Any, ...]

_FACTS, _LINKS, _USES = range(len(images.KEYS))  # lists of the server's
_ROWS = """
SELECT array_agg(DISTINCT row) FROM change
WHERE number BETWEEN ? AND ? AND batch = ? AND entity = ?
"""


def of_rows(db: Connection, ahead: Foreseeing, batch: Batch) -> None:
    """Ask ahead for what `undo_rows.trails` asks, and for what a fact leaves behind that goes."""
    ahead.foresee(lambda: list(undo_rows.touched(db, batch)))
    for place, entity in enumerate(images.KEYS):
        ahead.find_list(place, _ROWS, (batch.first, batch.last, batch.number, entity))
    ahead.foresee(
        lambda: images.row_images(db, "fact", [standing_for(_FACTS)]),
        lambda: images.row_images(db, "link", [standing_for(_LINKS)]),
        lambda: images.row_images(db, "usage", [standing_for(_USES)]),
    )
    ahead.foresee(lambda: labels.take(db, [standing_for(_FACTS)]))
    derived.of_rows(ahead, _FACTS)


def of_edges(ahead: Foreseeing) -> None:
    """Ask ahead for the edges of the facts that a batch has touched, after `of_rows`."""

    def edges(rows: list[Row]) -> dict[str, Any]:
        def of_any(given: Row) -> list[Row]:
            wanted = set(codec.loads(given[0]))
            return [row[:3] for row in rows if not wanted.isdisjoint(row[1:3])]

        def ended(given: Row) -> list[Row]:
            wanted = set(codec.loads(given[0]))
            return [(seq,) for seq in sorted({row[2] for row in rows if row[3]} & wanted)]

        return {EDGES: of_any, ENDS: ended}

    touched = list_sql(_FACTS)
    sql = f"""
    SELECT number, from_fact, to_fact, kind IN ({ENDING}) FROM link
    WHERE from_fact = ANY {touched} OR to_fact = ANY {touched} ORDER BY number
    """
    ahead.fill(sql, (), edges, texts=frozenset((EDGES, ENDS)))
