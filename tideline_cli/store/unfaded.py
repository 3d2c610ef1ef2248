"""Which of many facts may be stronger at an instant than a long time without use leaves them."""

from __future__ import annotations

from tideline_cli.model.instant import DAY_MS
from tideline_cli.store import arrivals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

DAYS = 120
"""Whoever was not used for so many days, and by then no more often than this, has faded."""
MOST_USES = 1000
_AT_ONCE = 500
_CHEAPER = 8  # to read a number from an index, against a row of a fact
_USED = "ifnull(last_accessed_at, created_at) > ? OR ifnull(access_count, 0) > ?"
# A number that is in no index is told by the table of uses, which is small.
_RECENT = """
SELECT seq FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at > ?2
UNION ALL SELECT seq FROM fact INDEXED BY fact_inactive
WHERE origin + 0 = ?1 AND lifecycle <> 'active' AND created_at > ?2
UNION ALL SELECT fact FROM usage WHERE last_accessed_at > ?2 OR access_count > ?3
"""


def are_rare(db: Connection, *, origin_number: int, now: int) -> bool:
    """Say whether most facts of an origin were made long before an instant, as counts tell."""
    made = arrivals.active_since(db, now - DAYS * DAY_MS, origin_number=origin_number)
    return 2 * made <= _count(db, "lifecycle = 'active'", origin_number)


def among(db: Connection, seqs: Sequence[int], *, origin_number: int, now: int) -> frozenset[int]:
    """Return of the facts of an origin those that may not have faded at an instant; others may be
    among the numbers. Where an origin has no fact that lasts, no fact is read."""
    since = now - DAYS * DAY_MS
    made = arrivals.active_since(db, since, origin_number=origin_number)
    lasting = _count(db, "(pinned = 1 OR tier = 'permanent')", origin_number)
    if lasting or made > _CHEAPER * len(seqs):
        return frozenset(_asked(db, seqs, origin_number, since))
    rows: Iterable[Any] = db.execute(_RECENT, (origin_number, since, MOST_USES))
    return frozenset(seq for (seq,) in rows)


def _asked(db: Connection, seqs: Sequence[int], origin_number: int, since: int) -> Iterable[int]:
    for start in range(0, len(seqs), _AT_ONCE):
        marks = ", ".join(map(str, seqs[start : start + _AT_ONCE]))
        rows: Iterable[Any] = db.execute(
            "SELECT seq FROM fact LEFT JOIN usage ON usage.fact = fact.seq"
            f" WHERE seq IN ({marks}) AND origin = ?"
            f" AND (pinned = 1 OR tier = 'permanent' OR {_USED})",
            (origin_number, since, MOST_USES),
        )
        yield from (seq for (seq,) in rows)


def _count(db: Connection, condition: str, origin_number: int) -> int:
    return int(
        db.execute(
            f"SELECT ifnull(sum(facts), 0) FROM census WHERE origin = ? AND {condition}",
            (origin_number,),
        ).get
    )
