"""Facts that a sync has archived, and of which a person has said since that they are wrong: the
edges of the rulings on them go, as a part of the journal, so that an undo brings them back."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, sql_list, words_for
from tideline_cli.store import sync_changes, undo_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from apsw import Connection

_OPEN = f"""
SELECT sync_fact.id, link.number FROM sync_fact
  JOIN fact ON fact.id = sync_fact.id JOIN link ON to_fact = fact.seq
  JOIN fact AS other ON other.seq = from_fact
WHERE sync_fact.id IN (SELECT value FROM json_each(?)) AND fact.lifecycle = 'archived'
  AND (ruled IN ('slot', 'same') AND other.id = by OR ruled = 'forgotten')
  AND link.kind IN ({sql_list(words_for(*REPLACING))})
"""
_MADE = f"""
SELECT EXISTS (SELECT 1 FROM change JOIN batch ON batch.number = change.batch
  WHERE entity = 'link' AND row = ? AND act = '+' AND verb = '{sync_changes.VERB}')
"""


def settle(db: Connection, ids: Collection[str]) -> set[str]:
    """Take the edges of rulings off those of these facts that a sync has archived, in a batch of
    the caller: the next sync tells that somebody has archived them. Return their ids."""
    rows: Iterable[Any] = db.execute(_OPEN, (codec.dumps(list(ids)),)).fetchall()
    found: dict[int, str] = {number: fact_id for fact_id, number in rows}
    undo_rows.delete(db, "link", found)
    return set(found.values())


def is_of_a_sync(db: Connection, edge: int) -> bool:
    """Say whether a sync has made the edge with this number: it shows a ruling."""
    return bool(db.execute(_MADE, (edge,)).get)
