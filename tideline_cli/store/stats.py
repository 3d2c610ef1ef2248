"""Counts for status, of one origin at a time: its facts now, and day by day."""

from __future__ import annotations

import os

from tideline_cli.model import codec
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import Record
from tideline_cli.store import SERVERS, arrivals, reads, vector_counts, visibility
from tideline_cli.store.connection import purge_pending, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_GROUPS = ("lifecycle", "segment", "tier", "heat", "source")
MOST_PASSES = 10  # that archived anything
_CENSUS = f"""
SELECT facts, octets, pinned, scope, {", ".join(_GROUPS)} FROM census WHERE origin = ?
ORDER BY scope, {", ".join(_GROUPS)}, pinned
"""
_ENDED = f"""
SELECT count(*), pinned, ifnull(scope, ''), {", ".join(_GROUPS)} FROM fact
WHERE origin = ? AND lifecycle = 'active' AND valid_to IS NOT NULL AND valid_to <= ?
GROUP BY 2, 3, 4, 5, 6, 7, 8
"""
_PASSES = """
SELECT verb, at, reason FROM (
  SELECT verb, at, reason, row_number() OVER
    (PARTITION BY verb ORDER BY at DESC, number DESC) AS place FROM batch
  WHERE origin = ? AND outcome = 'done' AND verb IN ('dream', 'consolidate') AND whole = 1
) AS passes WHERE place = 1
"""
_ARCHIVING = f"""
SELECT ordinal, verb, at, archived FROM batch JOIN batch_count
  ON batch_count.batch = batch.number AND batch_count.origin = batch.origin
WHERE batch.origin = ? AND verb IN ('dream', 'gc', 'consolidate') AND archived > 0
  AND NOT EXISTS (SELECT 1 FROM batch AS later WHERE later.undoes = batch.number)
ORDER BY ordinal DESC LIMIT {MOST_PASSES}
"""
_VECTOR_BYTES = 132
_ROW_BYTES = 160  # what a fact takes beside its texts: columns, index entries, journal


class Counts(Record):
    """What an origin holds. `groups` maps a column to counts of active facts by value; only
    lifecycle counts all facts, those that have ended apart from the active ones. `scopes` counts
    the active facts of every scope; an empty name is none. `waiting` is how many active facts have
    no vector yet. `size` is what its facts take in the file, in bytes. `last` maps dream and
    consolidate to when the last one ran and what it did. `archiving` are the last passes that
    archived anything and were not undone, newest first: (number that users see, verb, when, how
    many facts)."""

    groups: dict[str, dict[str, int]]
    scopes: dict[str, int]
    waiting: int
    pinned: int
    added: int
    size: int
    embedder: str
    embedded: int
    last: dict[str, tuple[int, str | None]]
    pending_purge: bool
    archiving: list[tuple[int, str, int, int]]


def counts(
    db: Connection, *, viewer: Origin, since: int, now: int, default_embedder: str,
    scopes: tuple[str | None, ...] | None = None,
) -> Counts:  # fmt: skip
    """Count an origin's facts, or those of some of its scopes; `added` are those made since that
    instant. Vectors are those of the whole origin."""
    origin_number = visibility.number(db, viewer)
    embedder = setting(db, "embedder", default_embedder)
    census, over, added, made, passes, archiving = reads.together(
        db, reads.asked(_CENSUS, (origin_number,)), reads.asked(_ENDED, (origin_number, now)),
        arrivals.made_since(since, origin_number=origin_number, scopes=scopes),
        vector_counts.made(origin_number=origin_number, embedder=embedder),
        reads.asked(_PASSES, (origin_number,)), reads.asked(_ARCHIVING, (origin_number,)),
    )  # fmt: skip
    groups: dict[str, dict[str, int]] = {name: {} for name in _GROUPS}
    by_scope: dict[str, int] = {}
    pinned = size = held = 0
    for n, octets, is_pinned, scope, *values in census:
        active = values[0] == "active"
        held += n
        if active:
            by_scope[scope] = by_scope.get(scope, 0) + n
        if scopes is not None and (scope or None) not in scopes:
            continue
        size += octets + n * _ROW_BYTES
        for name, value in zip(_GROUPS, values, strict=True):
            if active or name == "lifecycle":
                groups[name][value] = groups[name].get(value, 0) + n
        pinned += n if active and is_pinned else 0
    embedded = sum(by_scope.values())
    for n, is_pinned, scope, *values in over:
        by_scope[scope] = by_scope.get(scope, 0) - n
        if scopes is not None and (scope or None) not in scopes:
            continue
        for name, value in zip(_GROUPS, values, strict=True):
            groups[name][value] = groups[name].get(value, 0) - n
        groups["lifecycle"]["ended"] = groups["lifecycle"].get("ended", 0) + n
        pinned -= n if is_pinned else 0
    by_scope = {scope: n for scope, n in by_scope.items() if n}
    waiting = vector_counts.waiting_count(
        db, origin_number=origin_number, embedder=embedder, held=held, made=made
    )
    embedded -= waiting
    last = {verb: (at, reason) for verb, at, reason in passes}
    return Counts(
        groups, by_scope, waiting, pinned, added,
        size + embedded * _VECTOR_BYTES, embedder, embedded, last, bool(purge_pending(db)),
        archiving,
    )  # fmt: skip


def active(db: Connection, *, viewer: Origin) -> int:
    """Return how many active facts an origin has, without reading them."""
    sql = """
    SELECT ifnull(sum(facts), 0) FROM tally WHERE origin = (SELECT number FROM origin WHERE key = ?)
    """
    ((count,),) = _rows(db, sql, (viewer.key,))
    return int(count)


COUNTED_LABELS = ("kind", "agent")
"""The labels of a fact that are counted when somebody asks."""


def by_label(
    db: Connection, label: str, *, viewer: Origin, now: int,
    scopes: tuple[str | None, ...] | None = None,
) -> dict[str, int]:  # fmt: skip
    """Return how many active facts of an origin that have not ended have each value of a label,
    most first; '' are those without one. It reads a column of every fact."""
    if label not in COUNTED_LABELS:
        raise ValueError(label)
    condition, values = visibility.where(viewer)
    seen = () if scopes is None else tuple(filter(None, scopes))
    narrowed = "" if scopes is None else f" AND {visibility.in_scopes(scopes)}"
    rows = _rows(
        db,
        f"SELECT ifnull({label}, ''), count(*) AS n FROM fact WHERE {condition}"
        f" AND lifecycle = 'active' AND (valid_to IS NULL OR valid_to > ?){narrowed}"
        " GROUP BY 1 ORDER BY n DESC, 1",
        (*values, now, *seen),
    )
    return dict(rows)


def origins(db: Connection) -> list[tuple[str, int]]:
    """Return (key, number of active facts, ended ones too) of every origin, the owner first."""
    return _rows(
        db,
        """
        SELECT key, ifnull((SELECT sum(facts) FROM tally WHERE tally.origin = origin.number), 0)
        FROM origin ORDER BY number = 1 DESC, key
        """,
        (),
    )


def ended_by_origin(db: Connection, *, now: int) -> dict[str, int]:
    """Return how many of the active facts of every origin have ended, where there are any."""
    sql = """
    SELECT key, (SELECT count(*) FROM fact WHERE fact.origin = origin.number
                 AND lifecycle = 'active' AND valid_to IS NOT NULL AND valid_to <= ?) FROM origin
    """
    return {key: count for key, count in _rows(db, sql, (now,)) if count}


def _rows(db: Connection, sql: str, values: tuple[Any, ...]) -> list[Any]:
    return db.execute(sql, values).fetchall()


def room_of(db: Connection) -> int:
    """Return the bytes that a memory takes: its file, or its tables and indexes on a server."""
    if not db.filename.startswith(SERVERS):
        return os.path.getsize(db.filename)
    sql = """
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    """
    return int(db.execute(sql).get)


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
    from tideline_cli.store import images, journal  # noqa: PLC0415  as above

    listed = codec.dumps(sorted(set(gone)))
    of_runs = _OF_RUNS.format(
        run=images.run_of("born.value"), origin=journal.origin_of("born.value")
    )
    for batch, count in db.execute(of_runs, (listed, origin)):
        day = day_of.get(batch, -1)
        if 0 <= day < len(found):
            found[day][0] -= count
    numbers = [number for (number,) in db.execute(_OF_GONE, (listed,))]
    for batch, owner, counts in journal.counted(db, numbers):
        day = day_of.get(batch, -1)
        if owner == origin and 0 <= day < len(found):
            found[day][0] -= counts.added
            found[day][1] -= counts.archived


def kept_turns(db: Connection, *, viewer: Origin) -> tuple[int, int]:
    """Return how many turns of sessions an origin has, and how many bytes they take."""
    sql = (
        "SELECT turns, octets FROM turn_tally"
        " WHERE origin = (SELECT number FROM origin WHERE key = ?)"
    )
    row: Any = db.execute(sql, (viewer.key,)).fetchone()
    return row or (0, 0)
