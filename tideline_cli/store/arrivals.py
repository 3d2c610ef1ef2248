"""Facts of an origin by the hour in which they were made: when and how many, without reading them;
and which of many may be stronger at an instant than a long time without use leaves them."""

from __future__ import annotations

import time

from tideline_cli.model import codec
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.source import is_trusted
from tideline_cli.store import SERVERS, facts, visibility
from tideline_cli.store.reads import alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.window import Window
    from tideline_cli.store.facts import Filter
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
    if db.filename.startswith(SERVERS):  # which may have another zone
        counts: dict[tuple[int, int, int], int] = {}
        hours = db.execute("SELECT hour, facts FROM arrival WHERE origin = ?", (origin_number,))
        for hour, facts in hours:
            when = time.localtime(hour * 3600)[:3]
            counts[when] = counts.get(when, 0) + facts
        return [(*when, facts) for when, facts in sorted(counts.items())]
    rows = db.execute(_BY_DAY, (origin_number,))
    return [(int(year), int(month), int(day), int(facts)) for year, month, day, facts in rows]


def nearest(db: Connection, windows: Iterable[Window], *, origin_number: int) -> Iterator[int]:
    """Yield for each window of time the instants nearest to it at which active facts of an origin
    can have been made, by their hours: in it, or the last before it and the first after it."""
    for window in windows:
        for sql in (LAST, NEXT):
            hour: int | None = db.execute(sql, (origin_number, hour_of(window.end))).get
            if hour is not None:
                # Hour 0 is two hours long, and those before it end where their numbers begin.
                first, after = (hour - (hour <= 0)) * _HOUR, (hour + 1) * _HOUR
                yield min(max(first, window.start), after)


_MADE = """
SELECT seq, created_at FROM fact INDEXED BY fact_active WHERE origin + 0 = ?
AND lifecycle = 'active' AND created_at >= ? AND created_at < ?{}
ORDER BY created_at DESC, seq DESC LIMIT ?
"""
_SPOKEN_OF = """
SELECT seq, metadata ->> 'day' FROM fact WHERE origin = ? AND metadata ->> 'day' IS NOT NULL
AND lifecycle = 'active' AND metadata ->> 'day' >= ? AND metadata ->> 'day' <= ?{}
ORDER BY metadata ->> 'day', seq LIMIT ?
"""
_ENDING = """
SELECT seq, valid_to FROM fact WHERE origin = ? AND valid_to IS NOT NULL AND lifecycle = 'active'
AND valid_to > ? AND valid_to <= ?{} ORDER BY valid_to, seq LIMIT ?
"""
_DAYS = """
SELECT seq, metadata ->> 'day' FROM fact WHERE seq IN (SELECT value FROM json_each(?))
AND metadata ->> 'day' IS NOT NULL AND origin = ?
"""


def made_between(
    db: Connection, start: int, end: int, *, origin_number: int, limit: int,
    wanted: Filter | None = None,
) -> dict[int, int]:  # fmt: skip
    """Return when active facts that are wanted were made from an instant to before another, by
    number, the newest ones first."""
    return _found(db, _MADE, (origin_number, start, end), wanted, limit)


def spoken_of(
    db: Connection, first: str, last: str, *, origin_number: int, limit: int,
    wanted: Filter | None = None,
) -> dict[int, str]:  # fmt: skip
    """Return the day that active facts speak of that are wanted, of some days in ISO 8601, by
    number."""
    return _found(db, _SPOKEN_OF, (origin_number, first, last), wanted, limit)


def _found(
    db: Connection, sql: str, values: tuple[Any, ...], wanted: Filter | None, limit: int
) -> dict[int, Any]:
    narrowed, more = facts.narrowing(wanted) if wanted is not None else ("", ())
    rows: Iterable[Any] = db.execute(sql.format(narrowed), (*values, *more, limit))
    return dict(rows)


def are_there(
    db: Connection, start: int, end: int, first: str, last: str, *, origin_number: int
) -> bool:
    """Say whether there is a fact that was made between two instants, or speaks of these days."""
    return bool(
        made_between(db, start, end, origin_number=origin_number, limit=1)
        or spoken_of(db, first, last, origin_number=origin_number, limit=1)
    )


def ending_between(
    db: Connection, start: int, end: int, *, origin_number: int, limit: int, wanted: Filter
) -> dict[int, int]:
    """Return when active facts that are wanted end, after an instant and up to another, by
    number."""
    return _found(db, _ENDING, (origin_number, start, end), wanted, limit)


def speak_of_days(db: Connection, *, origin_number: int) -> bool:
    """Say whether an active fact of an origin speaks of a day."""
    sql = (
        "SELECT 1 FROM fact WHERE origin = ? AND metadata ->> 'day' IS NOT NULL"
        " AND lifecycle = 'active' ORDER BY metadata ->> 'day' LIMIT 1"  # so by the index
    )
    return bool(db.execute(sql, (origin_number,)).fetchone())


def days_of(db: Connection, seqs: Iterable[int], *, origin_number: int) -> dict[int, str]:
    """Return the days that some facts speak of, by number; those that speak of none are left
    out."""
    rows: Iterable[Any] = db.execute(_DAYS, (codec.dumps([*seqs]), origin_number))
    return {seq: str(day) for seq, day in rows}


def evenly_trusted(db: Connection, *, origin_number: int) -> bool:
    """Say whether the active facts of an origin are all of trusted sources, or none of them."""
    sql = "SELECT source FROM tally WHERE origin = ? AND facts > 0"
    rows: Iterable[Any] = db.execute(sql, (origin_number,))
    return len({is_trusted(source) for (source,) in rows}) < 2


def made_since(
    instant: int, *, origin_number: int, scopes: tuple[str | None, ...] | None = None
) -> Read[int]:
    """Read how many active facts, of all or of some scopes, were made at an instant or later."""
    if scopes is None:
        rows = yield _SINCE, (origin_number, instant, hour_of(instant))
    else:
        narrowed = f"{_SINCE_THEN} AND {visibility.in_scopes(scopes)}"
        rows = yield narrowed, (origin_number, instant, *filter(None, scopes))
    return int(rows[0][0])


def hour_of(instant: int) -> int:
    """Return the hour of an instant as SQL divides: towards zero."""
    return instant // _HOUR if instant >= 0 else -(-instant // _HOUR)


FADED_DAYS = 120
"""Whoever was not used for so many days, and by then no more often than this, has faded."""
FADED_USES = 1000
_CHEAPER = 8  # to read a number from an index, against a row of a fact
_LASTING = """
SELECT seq FROM fact LEFT JOIN usage ON usage.fact = fact.seq
WHERE seq IN (SELECT value FROM json_each(?)) AND origin = ? AND (pinned = 1
  OR tier = 'permanent' OR ifnull(last_accessed_at, created_at) > ? OR ifnull(access_count, 0) > ?)
"""
# A number that is in no index is told by the table of uses, which is small.
_RECENT = """
SELECT seq FROM fact INDEXED BY fact_active
WHERE origin + 0 = ?1 AND lifecycle = 'active' AND created_at > ?2
UNION ALL SELECT seq FROM fact INDEXED BY fact_inactive
WHERE origin + 0 = ?1 AND lifecycle <> 'active' AND created_at > ?2
UNION ALL SELECT fact FROM usage WHERE last_accessed_at > ?2 OR access_count > ?3
"""


def fresh_are_rare(db: Connection, *, origin_number: int, now: int) -> bool:
    """Say whether most facts of an origin were made long before an instant, as counts tell."""
    made = alone(db, made_since(now - FADED_DAYS * DAY_MS, origin_number=origin_number))
    return 2 * made <= _count(db, "lifecycle = 'active'", origin_number)


def fresh_among(
    db: Connection, seqs: Sequence[int], *, origin_number: int, now: int
) -> frozenset[int]:
    """Return of the facts of an origin those that may not have faded at an instant; others may be
    among the numbers. Where an origin has no fact that lasts, no fact is read."""
    since = now - FADED_DAYS * DAY_MS
    made = alone(db, made_since(since, origin_number=origin_number))
    lasting = _count(db, "(pinned = 1 OR tier = 'permanent')", origin_number)
    if lasting or made > _CHEAPER * len(seqs):
        asked = db.execute(_LASTING, (codec.dumps([*seqs]), origin_number, since, FADED_USES))
    else:
        asked = db.execute(_RECENT, (origin_number, since, FADED_USES))
    return frozenset(seq for (seq,) in asked)


def _count(db: Connection, condition: str, origin_number: int) -> int:
    sql = f"SELECT ifnull(sum(facts), 0) FROM census WHERE origin = ? AND {condition}"
    return int(db.execute(sql, (origin_number,)).get)
