"""Whether the journal is complete, and closing its gaps."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.finding import Finding, mendable, some
from tideline_cli.store import batch_counts, births
from tideline_cli.store.postgres import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection


LOST = "lost"
_GAP = "closes the gap, after a copy: what it held cannot be undone any more; the facts are whole"
_UNTOLD = f"""
SELECT seq FROM fact
WHERE seq NOT IN (SELECT row FROM change WHERE entity = 'fact' AND act = '+')
  AND NOT EXISTS (SELECT 1 FROM change WHERE {births.run_of("fact.seq")})
"""
_ORPHANS = "batch <> 0 AND batch NOT IN (SELECT number FROM batch)"
_MISSING = """
SELECT origin, max(ordinal) - count(*) FROM batch GROUP BY origin HAVING max(ordinal) <> count(*)
"""
# Facts that the journal saw arrive, did not see removed, and that are not there.
_VANISHED = """
SELECT count(*) FROM (SELECT max(iif(act = '+', number, 0)) AS came,
                             max(iif(act = '-', number, 0)) AS went
                      FROM change
                      WHERE entity = 'fact' AND act <> '~' AND row NOT IN (SELECT seq FROM fact)
                      GROUP BY row)
WHERE came > went
"""
# Those that came in a run, and that no change tells of since. What is gone is in `change`.
_VANISHED_OF_RUNS = f"""
SELECT ifnull(sum(change.row - {births.FIRST} + 1
  - (SELECT count(*) FROM fact WHERE seq BETWEEN {births.FIRST} AND change.row)
  - (SELECT count(DISTINCT gone.row) FROM change AS gone
     WHERE gone.row BETWEEN {births.FIRST} AND change.row AND gone.entity = 'fact'
       AND gone.act = '-' AND gone.row NOT IN (SELECT seq FROM fact))), 0)
FROM change WHERE entity = 'facts'
"""
# How many changes a row tells.
_TOLD = f"iif(entity = 'facts', max(1, change.row - {births.FIRST} + 1), 1)"
# Runs that have no facts, or begin before another one ends: `before` is the end of that.
_BAD_RUNS = f"""
SELECT number FROM (
  SELECT number, {births.FIRST} AS first, row, lag(row, 1, 0) OVER (ORDER BY row) AS before
  FROM change WHERE entity = 'facts')
WHERE first IS NULL OR first <= before OR first > row
"""


def batches(db: Connection) -> Iterator[Finding]:
    """No batch was left open."""
    count = db.execute("SELECT count(*) FROM batch WHERE open > 0").get
    if count:
        message = f"{some(count, 'batch', 'batches')} left open: later changes would count as its"
        yield mendable("batches", message, "closes them")


def close_batches(db: Connection) -> None:
    """Mark every batch as no longer being written."""
    db.execute("UPDATE batch SET open = 0 WHERE open > 0")


def journal(db: Connection) -> Iterator[Finding]:
    """Batches are numbered without a gap, changes belong to a batch, runs are apart, and the
    journal has the beginning of every fact."""
    missing: list[Any] = db.execute(_MISSING).fetchall()
    lost = sum(count for _, count in missing)
    if lost:
        message = f"the journal has a gap: {some(lost, 'batch', 'batches')} missing"
        yield mendable("journal", message, _GAP)
    orphans = db.execute(f"SELECT ifnull(sum({_TOLD}), 0) FROM change WHERE {_ORPHANS}").get
    if orphans:
        message = f"the journal has {some(orphans, 'change')} of batches that are missing"
        yield mendable("journal", message, _GAP)
    bad = db.execute(f"SELECT count(*) FROM ({_BAD_RUNS})").get
    if bad:
        message = f"the journal has {some(bad, 'run')} of facts that cannot be"
        yield mendable("journal", message, _GAP)
    untold = db.execute(f"SELECT count(*) FROM ({_UNTOLD})").get
    if untold:
        message = f"the journal does not tell how {some(untold, 'fact')} came"
        yield mendable("journal", message, _GAP)
    vanished = db.execute(_VANISHED).get + db.execute(_VANISHED_OF_RUNS).get
    if vanished:
        yield Finding(
            "journal", "error", f"{some(vanished, 'fact')} went without a trace in the journal",
            "put a backup back (`tideline restore --from FILE`) if you miss them",
        )  # fmt: skip


def images(db: Connection) -> Iterator[Finding]:
    """The images of rows in the journal can be read."""
    bad = db.execute(
        "SELECT count(*) FROM change WHERE (before IS NOT NULL AND NOT json_valid(before))"
        " OR (after IS NOT NULL AND NOT json_valid(after))"
        " OR (act <> '+' AND before IS NULL) OR (act = '+' AND before IS NOT NULL)"
    ).get
    if bad:
        yield Finding(
            "images", "error", f"the journal holds {some(bad, 'image')} that cannot be read",
            "the facts are whole, but what these changes did cannot be undone; put a backup back "
            "if you need that",
        )  # fmt: skip


def whole_images(db: Connection) -> Iterator[Finding]:
    """As `images`, and each image has the columns of its table; that of an updated fact may have
    some of them."""
    yield from images(db)
    keys = {
        "fact": {"seq", "id", "origin", "created_at", "lifecycle", "source", "content"},
        "link": {"number", "from_fact", "to_fact", "kind"},
        "usage": {"fact", "access_count", "last_accessed_at"},
    }
    bad = 0
    columns = set(tables.columns("fact"))
    for entity, act, before in db.execute(
        "SELECT entity, act, before FROM change WHERE before IS NOT NULL AND json_valid(before)"
    ):
        held = codec.loads(before)
        names = held.keys() if isinstance(held, dict) else {""}
        is_part = entity == "fact" and act == "~" and "seq" not in names
        bad += not (names <= columns if is_part else keys.get(entity, {""}) <= names)
    if bad:
        yield Finding(
            "images", "error", f"the journal holds {some(bad, 'image')} that lack columns",
            "the facts are whole, but what these changes did cannot be undone",
        )  # fmt: skip


def close_gaps(db: Connection) -> None:
    """Add an empty batch for each missing one, count each change without a batch as one from
    outside, and record for each fact without a beginning, or of a run that cannot be, that it came
    from outside."""
    db.execute(f"DELETE FROM change WHERE number IN ({_BAD_RUNS})")
    db.execute(f"UPDATE change SET batch = 0 WHERE {_ORPHANS}")
    sql = f"""
    WITH RECURSIVE wanted (origin, ordinal, last) AS (
      SELECT origin, 1, max(ordinal) FROM batch GROUP BY origin
      UNION ALL SELECT origin, ordinal + 1, last FROM wanted WHERE ordinal < last
    )
    INSERT INTO batch (origin, ordinal, at, verb, reason, first)
    SELECT origin, ordinal,
           ifnull((SELECT max(at) FROM batch AS b WHERE b.origin = wanted.origin
                   AND b.ordinal < wanted.ordinal),
                  (SELECT min(at) FROM batch AS b WHERE b.origin = wanted.origin)),
           '{LOST}', 'its record was missing', 1 + ifnull((SELECT max(number) FROM change), 0)
    FROM wanted
    WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.origin = wanted.origin
                      AND b.ordinal = wanted.ordinal)
    """
    db.execute(sql)
    db.execute(
        f"INSERT INTO change (batch, entity, row, act) SELECT 0, 'fact', seq, '+' FROM ({_UNTOLD})"
    )
    batch_counts.count_anew(db)
