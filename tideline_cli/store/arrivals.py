"""Facts of an origin by the hour in which they were made: when and how many, without reading
them."""

from __future__ import annotations

import time

from tideline_cli.model.source import is_trusted
from tideline_cli.store import SERVERS, visibility
from tideline_cli.store.reads import alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.window import Window
    from tideline_cli.store.reads import Read

_HOUR = 3_600_000  # of `arrival` in the schema
_SINCE = """
SELECT (SELECT ifnull(sum(facts), 0) FROM arrival WHERE origin = ?1 AND hour > ?3) + (
  SELECT count(*) FROM fact INDEXED BY fact_active
  WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at >= ?2
    AND created_at < (?3 + 1) * 3600000 AND created_at / 3600000 = ?3)
"""
_SINCE_THEN = """
SELECT count(*) FROM fact INDEXED BY fact_active
WHERE origin + 0 = ? AND lifecycle = 'active' AND created_at >= ?
"""
# Of the hour that an instant cuts, the part that is read is the one after it.
_LATER = """
SELECT count(*), ifnull(sum(length), 0) FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at > ?2
  AND created_at < (?3 + 1) * 3600000 AND created_at / 3600000 = ?3
"""
_UNTIL = "SELECT ifnull(sum(facts), 0), ifnull(sum(tokens), 0) FROM arrival WHERE origin = ?"
# What facts that begin or end change in the count by the time at which they were made.
_MOVED = """
SELECT ifnull(sum(held - made), 0), ifnull(sum((held - made) * length), 0) FROM (
  SELECT length, created_at <= ?2 AS made,
         valid_from <= ?2 AND (valid_to IS NULL OR valid_to > ?2) AS held
  FROM fact INDEXED BY fact_begins
  WHERE origin = ?1 AND lifecycle = 'active' AND valid_from IS NOT NULL
  UNION ALL
  SELECT length, created_at <= ?2, created_at <= ?2 AND valid_to > ?2
  FROM fact INDEXED BY fact_ends
  WHERE origin = ?1 AND lifecycle = 'active' AND valid_to IS NOT NULL AND valid_from IS NULL)
"""
_ARCHIVED = """
SELECT count(*), ifnull(sum(length), 0) FROM fact INDEXED BY fact_inactive
WHERE origin + 0 = ?1 AND lifecycle <> 'active' AND lifecycle <> 'pruned'
  AND ifnull(valid_from, created_at) <= ?2 AND (valid_to IS NULL OR valid_to > ?2)
"""
LAST = "SELECT max(hour) FROM arrival WHERE origin = ? AND hour <= ?"
NEXT = "SELECT min(hour) FROM arrival WHERE origin = ? AND hour > ?"
_BY_DAY = """
SELECT strftime('%Y', at), strftime('%m', at), strftime('%d', at), facts FROM (
  SELECT date(hour * 3600, 'unixepoch', 'localtime') AS at, sum(facts) AS facts
  FROM arrival WHERE origin = ? GROUP BY 1)
"""


def by_day(db: Connection, *, origin_number: int) -> list[tuple[int, int, int, int]]:
    """Return for each day, in the zone of this machine, its year, month and day and how many active
    facts of an origin were made on it."""
    if db.filename.startswith(SERVERS):
        return _by_day_here(db, origin_number)
    rows = db.execute(_BY_DAY, (origin_number,))
    return [(int(year), int(month), int(day), int(facts)) for year, month, day, facts in rows]


def _by_day_here(db: Connection, origin_number: int) -> list[tuple[int, int, int, int]]:
    """Return the same of a memory on a server, which may have another zone."""
    counts: dict[tuple[int, int, int], int] = {}
    rows = db.execute("SELECT hour, facts FROM arrival WHERE origin = ?", (origin_number,))
    for hour, facts in rows:
        day = time.localtime(hour * 3600)[:3]
        counts[day] = counts.get(day, 0) + facts
    return [(*day, facts) for day, facts in sorted(counts.items())]


def nearest(db: Connection, windows: Iterable[Window], *, origin_number: int) -> Iterator[int]:
    """Yield for each window of time the instants nearest to it at which active facts of an origin
    can have been made, by their hours: in it, or the last before it and the first after it."""
    for window in windows:
        for sql in (LAST, NEXT):
            hour = hour_by(db, sql, window, origin_number=origin_number)
            if hour is not None:
                # Hour 0 is two hours long, and those before it end where their numbers begin.
                first, after = (hour - (hour <= 0)) * _HOUR, (hour + 1) * _HOUR
                yield min(max(first, window.start), after)


def hour_by(db: Connection, sql: str, window: Window, *, origin_number: int) -> int | None:
    """Return the hour of the LAST or the NEXT arrival at a window of time."""
    hour: int | None = db.execute(sql, (origin_number, _hour(window.end))).get
    return hour


def evenly_trusted(db: Connection, *, origin_number: int) -> bool:
    """Say whether the active facts of an origin are all of trusted sources, or none of them."""
    rows: Iterable[Any] = db.execute(
        "SELECT source FROM tally WHERE origin = ? AND facts > 0", (origin_number,)
    )
    return len({is_trusted(source) for (source,) in rows}) < 2


def active_since(
    db: Connection, instant: int, *, origin_number: int,
    scopes: tuple[str | None, ...] | None = None,
) -> int:  # fmt: skip
    """Return how many active facts, of all or of some scopes, were made at an instant or later."""
    return alone(db, made_since(instant, origin_number=origin_number, scopes=scopes))


def made_since(
    instant: int, *, origin_number: int, scopes: tuple[str | None, ...] | None = None
) -> Read[int]:
    """Read what `active_since` returns."""
    if scopes is None:
        rows = yield _SINCE, (origin_number, instant, _hour(instant))
    else:
        narrowed = f"{_SINCE_THEN} AND {visibility.in_scopes(scopes)}"
        rows = yield narrowed, (origin_number, instant, *filter(None, scopes))
    return int(rows[0][0])


def held_at(db: Connection, instant: int, *, origin_number: int) -> tuple[int, int]:
    """Return the number of facts that were valid at an instant, archived ones included, and the
    number of their terms."""
    hour = _hour(instant)
    until = _pair(db, f"{_UNTIL} AND hour <= ?", (origin_number, hour))
    later = _pair(db, _LATER, (origin_number, instant, hour))
    moved = _pair(db, _MOVED, (origin_number, instant))
    archived = _pair(db, _ARCHIVED, (origin_number, instant))
    return (
        until[0] - later[0] + moved[0] + archived[0],
        until[1] - later[1] + moved[1] + archived[1],
    )


def _hour(instant: int) -> int:
    """Return the hour of an instant as SQL divides: towards zero."""
    return instant // _HOUR if instant >= 0 else -(-instant // _HOUR)


def _pair(db: Connection, sql: str, values: tuple[int, ...]) -> tuple[int, int]:
    row: Any = db.execute(sql, values).fetchone()
    return int(row[0]), int(row[1])
