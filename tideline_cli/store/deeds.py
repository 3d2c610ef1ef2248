"""What batches did to the facts of one origin: counts, and the text of the first of those facts."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin


@record
class Deeds:
    """What one batch did. `counts` has how often it did each act (+, ~, -) to each entity (fact,
    link, usage); `fact` is the id of the first fact of them, `text` what that says or said."""

    counts: dict[tuple[str, str], int]
    fact: str | None
    text: str | None


# A fact that is gone is known by the image that its removal left; an edge belongs to the fact where
# it starts.
_CHANGES = """
FROM batch JOIN origin AS own ON own.number = batch.origin
  JOIN change ON change.batch = batch.number AND change.number >= batch.first
  LEFT JOIN link ON change.entity = 'link' AND link.number = change.row
  LEFT JOIN fact ON fact.seq = CASE change.entity
    WHEN 'link' THEN ifnull(change.before ->> 'from_fact', link.from_fact) ELSE change.row END
WHERE own.key = ?1 AND batch.ordinal IN (SELECT value FROM json_each(?2))
  AND coalesce(fact.origin, iif(change.entity = 'fact', change.before ->> 'origin', NULL),
               batch.origin) = batch.origin
"""
_COUNTS = f"SELECT batch.ordinal, change.entity, change.act, count(*) {_CHANGES} GROUP BY 1, 2, 3"
_FIRST = f"""
SELECT batch.ordinal, (change.entity <> 'fact') * 2 + (change.act <> '+') AS kind,
       min(change.number), iif(change.entity = 'link', fact.seq, change.row)
{_CHANGES} GROUP BY 1, 2 ORDER BY 1, 2 DESC
"""
_GONE = """
SELECT row, before ->> 'id', before ->> 'content' FROM change
WHERE entity = 'fact' AND act = '-' AND row IN (SELECT value FROM json_each(?)) ORDER BY number
"""


def of(db: Connection, ordinals: Collection[int], *, viewer: Origin) -> dict[int, Deeds]:
    """Return what batches of an origin did, by the numbers that users know."""
    asked = viewer.key, codec.dumps(list(ordinals))
    counts: dict[int, dict[tuple[str, str], int]] = {ordinal: {} for ordinal in ordinals}
    for ordinal, entity, act, count in db.execute(_COUNTS, asked):
        counts[ordinal][entity, act] = count
    # Of several rows of a batch the last one stays: that of the facts which it added.
    first: dict[int, int] = {row[0]: row[3] for row in db.execute(_FIRST, asked)}
    known = _texts(db, set(first.values()) - {None})
    return {
        ordinal: Deeds(made, *known.get(first.get(ordinal, 0), (None, None)))
        for ordinal, made in counts.items()
    }


def _texts(db: Connection, facts: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return id and text of facts by number, also of those that are gone."""
    wanted = codec.dumps(list(facts))
    sql = "SELECT seq, id, content FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
    found: dict[int, tuple[str, str]] = {}
    for query in (_GONE, sql):
        rows: list[Any] = db.execute(query, (wanted,)).fetchall()
        found |= {seq: (fact_id, text) for seq, fact_id, text in rows}
    return found
