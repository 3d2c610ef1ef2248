"""What batches did to the facts of one origin: counts, and the text of the first of those facts."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import batch_counts, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin


@record
class BatchDeeds:
    """What one batch did: in counts, and the first fact of them: its id, and what it says or said.
    """

    counts: batch_counts.Deeds
    fact: str | None
    text: str | None


# The first change of a batch that is of some kind. A fact is known by its own number, an edge by
# the fact where it starts, also one that is gone.
_FIRST = """
SELECT place FROM (
SELECT change.number, CASE change.entity WHEN 'link' THEN coalesce(before ->> 'from_fact',
         (SELECT from_fact FROM link WHERE link.number = change.row),
         (SELECT gone.before ->> 'from_fact' FROM change AS gone WHERE gone.row = change.row
          AND gone.entity = 'link' AND gone.act = '-' ORDER BY gone.number DESC LIMIT 1))
       WHEN 'facts' THEN change.after + 0 ELSE change.row END AS place
FROM batch JOIN change ON change.number BETWEEN batch.first AND batch.last
  AND change.batch = batch.number
WHERE batch.number = ?1 AND entity IN (?2, iif(?2 = 'fact', 'facts', ?2)) AND (act = '+') = (?3 = 1)
) AS done
WHERE ifnull((SELECT origin FROM fact WHERE fact.seq = place), ?4) = ?4
ORDER BY number LIMIT 1
"""
_KINDS = (
    (("added",), "fact", 1), (("changed", "removed"), "fact", 0),
    (("used",), "usage", 1), (("used",), "usage", 0),
    (("linked",), "link", 1), (("relinked", "unlinked"), "link", 0),
)  # fmt: skip
"""Which counts tell of a kind of change: of what, and whether it was added."""
_GONE = """
SELECT row, before ->> 'id', before ->> 'content' FROM change
WHERE entity = 'fact' AND act = '-' AND before ->> 'origin' = ?2
  AND row IN (SELECT value FROM json_each(?1)) ORDER BY number
"""
_HERE = """
SELECT seq, id, content FROM fact
WHERE origin = ?2 AND seq IN (SELECT value FROM json_each(?1))
"""


def of(db: Connection, ordinals: Collection[int], *, viewer: Origin) -> dict[int, BatchDeeds]:
    """Return what batches of an origin did, by the numbers that users know."""
    owner = visibility.number(db, viewer)
    numbers = _numbers(db, ordinals, owner)
    counts = {
        ordinal: batch_counts.of(db, number, origin_number=owner)
        for ordinal, number in numbers.items()
    }
    first = {
        ordinal: _first(db, number, counts[ordinal], owner) for ordinal, number in numbers.items()
    }
    known = _texts(db, [seq for seq in first.values() if seq is not None], owner)
    none = (None, None)
    return {
        ordinal: BatchDeeds(counts[ordinal], *known.get(first[ordinal] or 0, none))
        for ordinal in numbers
    }


def _numbers(db: Connection, ordinals: Collection[int], owner: int) -> Mapping[int, int]:
    """Return the numbers of batches by those that users know."""
    sql = (
        "SELECT ordinal, number FROM batch"
        " WHERE origin = ? AND ordinal IN (SELECT value FROM json_each(?))"
    )
    return dict(db.execute(sql, (owner, codec.dumps(list(ordinals)))))


def _first(db: Connection, number: int, counts: batch_counts.Deeds, owner: int) -> int | None:
    """Return the first fact of those that a batch added, else of those that it changed or removed,
    and so on: only what its counts tell of is looked for."""
    for names, entity, is_added in _KINDS:
        if any(getattr(counts, name) for name in names):
            row: Any = db.execute(_FIRST, (number, entity, is_added, owner)).fetchone()
            if row is not None:
                return int(row[0])
    return None


def _texts(db: Connection, facts: Collection[int], owner: int) -> dict[int, tuple[str, str]]:
    """Return id and text of facts by number, also of those that are gone."""
    wanted = codec.dumps(list(facts))
    found: dict[int, tuple[str, str]] = {}
    for query in (_GONE, _HERE):
        rows: list[Any] = db.execute(query, (wanted, owner)).fetchall()
        found |= {seq: (fact_id, text) for seq, fact_id, text in rows}
    return found
