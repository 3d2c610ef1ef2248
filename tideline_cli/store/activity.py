"""How many facts of an origin arrived and were archived, day by day, from the counts of batches."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.instant import DAY_MS
from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_COUNTED = """
SELECT batch.number, (at - ?1) / ?2, added, archived, removed, first, last
FROM batch CROSS JOIN batch_count ON batch_count.batch = batch.number
WHERE batch.number >= (SELECT min(number) FROM batch WHERE at >= ?1)
  AND (at >= ?1 OR removed > 0) AND batch_count.origin = (SELECT number FROM origin WHERE key = ?3)
"""
_GONE = """
SELECT DISTINCT row FROM change WHERE number BETWEEN ? AND ? AND batch = ?
  AND entity = 'fact' AND act = '-' AND row NOT IN (SELECT seq FROM fact)
"""
_OF_GONE = """
SELECT number FROM change WHERE row IN (SELECT value FROM json_each(?))
  AND entity = 'fact' AND act <> '-'
"""
_OF_RUNS = """
SELECT change.batch, count(*) FROM json_each(?) AS born CROSS JOIN change ON {run}
WHERE {origin} = ? GROUP BY change.batch
"""


def by_day(db: Connection, *, viewer: Origin, since: int, days: int) -> list[tuple[int, int]]:
    """Return how many of an origin's facts arrived and were archived on each day from `since`; of
    the facts that are there.

    The origin of a fact counts, not that of the batch: an import by the owner may add facts of
    others. The cost depends on how many batches these days have, and on how many facts they
    removed.
    """
    found = [[0, 0] for _ in range(days)]
    day_of: dict[int, int] = {}
    gone: list[int] = []
    rows: list[Any] = db.execute(_COUNTED, (since, DAY_MS, viewer.key)).fetchall()
    for batch, day, added, archived, removed, first, last in rows:
        day_of[batch] = day
        if 0 <= day < days:
            found[day][0] += added
            found[day][1] += archived
        if removed:
            gone += [row for (row,) in db.execute(_GONE, (first, last, batch))]
    if gone:
        _take_off(db, gone, day_of, found, visibility.number(db, viewer))
    return [(added, archived) for added, archived in found]


def _take_off(
    db: Connection, gone: list[int], day_of: dict[int, int], found: list[list[int]], origin: int
) -> None:
    """Take off what was counted of facts that are gone."""
    from tideline_cli.store import batch_counts, births  # noqa: PLC0415  as above

    listed = codec.dumps(sorted(set(gone)))
    of_runs = _OF_RUNS.format(
        run=births.run_of("born.value"), origin=batch_counts.origin_of("born.value")
    )
    for batch, count in db.execute(of_runs, (listed, origin)):
        day = day_of.get(batch, -1)
        if 0 <= day < len(found):
            found[day][0] -= count
    numbers = [number for (number,) in db.execute(_OF_GONE, (listed,))]
    for batch, owner, counts in batch_counts.counted(db, numbers):
        day = day_of.get(batch, -1)
        if owner == origin and 0 <= day < len(found):
            found[day][0] -= counts.added
            found[day][1] -= counts.archived
