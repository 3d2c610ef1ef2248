"""Whether a memory file is whole: its pages, its tables, its references and values. What points to
nothing is removed here too.

Each check takes a connection that `connection.open_for_inspection` made, and changes nothing.
"""

from __future__ import annotations

import apsw

from tideline_cli.model import codec
from tideline_cli.model.edge import TWOFOLD, sql_list
from tideline_cli.model.fact import HEATS, LIFECYCLES, SEGMENTS, TIERS
from tideline_cli.model.fields import JSON
from tideline_cli.model.finding import Finding, mendable, some
from tideline_cli.model.origin import is_in_form, spelled_out
from tideline_cli.model.source import SOURCES
from tideline_cli.store import DRAFT_ID, FROM_DRAFT, connection, schema, sync_state, writes
from tideline_cli.store.connection import has_synced
from tideline_cli.store.images import FIRST, run_of
from tideline_cli.store.journal import count_batches_anew
from tideline_cli.store.postgres.tables import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from apsw import Connection


_SHOWN = 5
FROM_COPY = (
    "copy the file, then put a backup back (`tideline restore --from FILE`), or save what can be "
    "read (`tideline export --all-origins`)"
)
"""What to do about facts that are damaged."""
DERIVED = frozenset(
    ("link", "usage", "near", "unpaired", "near_progress", "vector_chunk", "vector_progress",
     "given", "fade", "notice")
)
"""Tables whose rows go where they point to nothing: `drop_orphans` removes them."""
_NO_FACT = "NOT IN (SELECT seq FROM fact)"
_NO_ORIGIN = "NOT IN (SELECT number FROM origin)"
_TOLD_TWICE = " UNION ".join(
    f"""
SELECT one.number FROM link AS one JOIN link AS wide USING (from_fact, to_fact)
WHERE wide.kind = '{word}' AND one.kind IN ({sql_list(kinds)})
"""
    for word, kinds in TWOFOLD.items()
)
_ALLOWED = {
    "lifecycle": LIFECYCLES, "segment": tuple(SEGMENTS), "tier": TIERS, "heat": HEATS,
    "source": SOURCES,
}  # fmt: skip


def identity(db: Connection) -> Iterator[Finding]:
    """The file is a tideline database of a version that this program knows."""
    number = db.pragma("application_id")
    if number == DRAFT_ID:
        yield Finding(
            "identity", "error", "the file was written before the first release", FROM_DRAFT
        )
        return
    if number != schema.APPLICATION_ID:
        yield Finding(
            "identity", "error", f"this is not a tideline database (application id {number})",
            "name your memory file with --db or TIDELINE_DB, or put a backup back; this one is "
            "left as it is",
        )  # fmt: skip
        return
    version = db.pragma("user_version")
    if version > schema.VERSION:
        yield Finding(
            "identity", "error",
            f"the file has schema version {version}, this program knows {schema.VERSION}",
            "upgrade tideline-cli",
        )  # fmt: skip
    elif version < schema.VERSION:
        yield Finding(
            "identity", "error",
            f"the file has schema version {version}, older than {schema.VERSION}",
            "run `tideline status`: opening the file upgrades it, and keeps a copy",
        )  # fmt: skip


def structure(db: Connection) -> Iterator[Finding]:
    """Every page can be read and is well formed."""
    yield from _pages(db, "quick_check")


def structure_and_indexes(db: Connection) -> Iterator[Finding]:
    """As `structure`, and every index has the entries of its table."""
    yield from _pages(db, "integrity_check")


def _pages(db: Connection, pragma: str) -> Iterator[Finding]:
    found = [str(row[0]) for row in db.execute(f"PRAGMA {pragma}(10)").fetchall()]
    if found != ["ok"]:
        yield Finding(
            "structure", "error", f"the file is damaged: {'; '.join(found[:_SHOWN])}", FROM_COPY
        )


def tables(db: Connection) -> Iterator[Finding]:
    """The tables, indexes and triggers are those of this version."""
    fresh = apsw.Connection(":memory:")
    fresh.execute(schema.stored_script()).fetchall()
    if has_synced(db):
        sync_state.make_tables(fresh)
    wanted, held = schema_objects(fresh), schema_objects(db)
    fresh.close()
    differing = sorted(name for name, sql in wanted.items() if held.get(name) != sql)
    # A table beside ours does nothing. A trigger, view or index acts on what is written.
    acting: Any = db.execute(
        "SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view', 'index')"
    ).fetchall()
    foreign = sorted(name[:40] for (name,) in acting if name in held and name not in wanted)
    for found, what in ((differing, ""), (foreign, " (not made by tideline)")):
        if found:
            yield Finding(
                "tables", "error", f"the schema was changed: {_list(found)}{what}",
                "put a backup back (`tideline restore --from FILE`), or export and import the "
                "facts",
            )  # fmt: skip


def references(db: Connection) -> Iterator[Finding]:
    """No row points to one that is not there."""
    orphans: dict[str, int] = {}
    for table, *_ in db.execute("PRAGMA foreign_key_check").fetchall():
        orphans[str(table)] = orphans.get(str(table), 0) + 1
    for table, count in sorted(orphans.items()):
        message = f"{some(count, 'row')} of {table} point to what is not there"
        if table == "link":
            message = f"{some(count, 'link')} lead to or from a fact that is not there"
        if table in DERIVED:
            yield mendable("references", message, "removes them, after a copy")
        else:
            yield Finding("references", "error", message, FROM_COPY)


def links(db: Connection) -> Iterator[Finding]:
    """Links stay inside an origin, and each is stored once: by itself or with another."""
    sql = """
    SELECT count(*) FROM link JOIN fact AS a ON a.seq = from_fact
      JOIN fact AS b ON b.seq = to_fact WHERE a.origin <> b.origin
    """
    count = db.execute(sql).get
    if count:
        message = f"{some(count, 'link')} lead from one origin to another"
        yield mendable("links", message, "removes them, after a copy")
    twice = db.execute(f"SELECT count(*) FROM ({_TOLD_TWICE})").get
    if twice:
        message = f"{some(twice, 'link')} stored twice"
        yield mendable("links", message, "removes the second ones, after a copy")


def drop_orphans(db: Connection) -> None:
    """Remove links, uses and derived rows of facts or origins that are not there."""
    db.execute(f"DELETE FROM link WHERE from_fact {_NO_FACT} OR to_fact {_NO_FACT}")
    db.execute(f"DELETE FROM near WHERE fact {_NO_FACT} OR other {_NO_FACT}")
    db.execute("DELETE FROM notice WHERE batch NOT IN (SELECT number FROM batch)")
    for table in ("usage", "unpaired", "given", "fade"):
        db.execute(f"DELETE FROM {table} WHERE fact {_NO_FACT}")
    for table in ("near_progress", "vector_chunk", "vector_progress", "fade", "notice"):
        db.execute(f"DELETE FROM {table} WHERE origin {_NO_ORIGIN}")


def drop_wrong_links(db: Connection) -> None:
    """Remove links from one origin to another, and links that are stored with another one too."""
    db.execute(f"DELETE FROM link WHERE number IN ({_TOLD_TWICE})")
    sql = """
    DELETE FROM link WHERE (SELECT origin FROM fact WHERE seq = from_fact)
                        <> (SELECT origin FROM fact WHERE seq = to_fact)
    """
    db.execute(sql)


def origin_names(db: Connection) -> Iterator[Finding]:
    """The names of origins are names that new origins may have. Another name is no damage, but it
    may look like that of another origin."""
    for (held,) in db.execute("SELECT key FROM origin ORDER BY key").fetchall():
        key = str(held)
        if not is_in_form(key):
            name = spelled_out(key)
            yield Finding(
                "origins", "warning",
                f"an origin has a name that no new one may have, and that may look like another's: "
                f"{name}",
                f"it is whole: `--origin '{name}'` reaches it, and `tideline export --all-origins` "
                "has it",
            )  # fmt: skip


def values(db: Connection) -> Iterator[Finding]:
    """Columns of facts hold what they may hold."""
    wrong = [
        f"{column} {_quoted(value)} ({count:,})"
        for column, allowed in _ALLOWED.items()
        for value, count in db.execute(
            f"SELECT {column}, count(*) FROM fact WHERE {column} NOT IN "
            f"({', '.join('?' * len(allowed))}) GROUP BY 1",
            tuple(allowed),
        ).fetchall()
    ]
    for column in JSON:
        sql = f"SELECT count(*) FROM fact WHERE {column} IS NOT NULL AND NOT json_valid({column})"
        count = db.execute(sql).get
        wrong += [f"{column} that is not JSON ({count:,})"] if count else []
    if wrong:
        yield Finding(
            "values", "error",
            f"facts with values that mean nothing: {'; '.join(wrong[:_SHOWN])}",
            "damaged, or written by a newer version: " + FROM_COPY,
        )  # fmt: skip


def purge_finished(db: Connection) -> Iterator[Finding]:
    """No trace of purged facts waits to be removed."""
    where = connection.purge_pending(db)
    if where:
        yield Finding(
            "purge", "warning",
            f"a purge is pending: traces of purged facts may be left in the {where}",
            "any command finishes it, once no other process reads and there is room",
        )  # fmt: skip


def digests(db: Connection) -> Iterator[Finding]:
    """The parts of a fact that never change are as they were when it was stored."""
    changed: list[str] = []
    strange: list[str] = []
    for _, fact_id, has_one in writes.wrong_digests(db):
        (changed if has_one else strange).append(fact_id)
    if changed:
        yield Finding(
            "digests", "error",
            f"{some(len(changed), 'fact')} changed outside of tideline or damaged: "
            f"{_list(changed)}",
            "look at them with `tideline show ID`: put a backup back if they are damaged; "
            "`tideline doctor --deep --repair` takes them as they are, after a copy",
            "digests",
        )  # fmt: skip
    if strange:
        yield Finding(
            "digests", "error",
            f"{some(len(strange), 'fact')} written by another program: {_list(strange)}",
            "look at them with `tideline show ID`; `tideline doctor --deep --repair` takes them "
            "as they are, after a copy",
            "digests",
        )  # fmt: skip


def schema_objects(db: Connection) -> dict[str, str]:
    """Return the SQL of tables, views, indexes and triggers by name, without comments and spaces:
    files that were upgraded may differ in these from files that were made new."""
    rows: Any = db.execute(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return {
        name: "".join("".join(line.partition("--")[0] for line in sql.split("\n")).split())
        for name, sql in rows
    }


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _quoted(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 20 else text[:19] + "…")


LOST = "lost"
_GAP = "closes the gap, after a copy: what it held cannot be undone any more; the facts are whole"
_UNTOLD_IMAGES = f"""
SELECT seq FROM fact
WHERE seq NOT IN (SELECT row FROM change WHERE entity = 'fact' AND act = '+')
  AND NOT EXISTS (SELECT 1 FROM change WHERE {run_of("fact.seq")})
"""
_ORPHANS = "batch <> 0 AND batch NOT IN (SELECT number FROM batch)"
_MISSING_IMAGES = """
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
SELECT ifnull(sum(change.row - {FIRST} + 1
  - (SELECT count(*) FROM fact WHERE seq BETWEEN {FIRST} AND change.row)
  - (SELECT count(DISTINCT gone.row) FROM change AS gone
     WHERE gone.row BETWEEN {FIRST} AND change.row AND gone.entity = 'fact'
       AND gone.act = '-' AND gone.row NOT IN (SELECT seq FROM fact))), 0)
FROM change WHERE entity = 'facts'
"""
# How many changes a row tells.
_TOLD = f"iif(entity = 'facts', max(1, change.row - {FIRST} + 1), 1)"
# Runs that have no facts, or begin before another one ends: `before` is the end of that.
_BAD_RUNS = f"""
SELECT number FROM (
  SELECT number, {FIRST} AS first, row, lag(row, 1, 0) OVER (ORDER BY row) AS before
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
    missing: list[Any] = db.execute(_MISSING_IMAGES).fetchall()
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
    untold = db.execute(f"SELECT count(*) FROM ({_UNTOLD_IMAGES})").get
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
    """As `images`, each with the columns of its table; that of an updated fact may have some."""
    yield from images(db)
    keys = {
        "fact": {"seq", "id", "origin", "created_at", "lifecycle", "source", "content"},
        "link": {"number", "from_fact", "to_fact", "kind"},
        "usage": {"fact", "access_count", "last_accessed_at"},
    }
    bad = 0
    known = set(columns("fact"))
    for entity, act, before in db.execute(
        "SELECT entity, act, before FROM change WHERE before IS NOT NULL AND json_valid(before)"
    ):
        held = codec.loads(before)
        names = held.keys() if isinstance(held, dict) else {""}
        is_part = entity == "fact" and act == "~" and "seq" not in names
        bad += not (names <= known if is_part else keys.get(entity, {""}) <= names)
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
        "INSERT INTO change (batch, entity, row, act)"
        f" SELECT 0, 'fact', seq, '+' FROM ({_UNTOLD_IMAGES})"
    )
    count_batches_anew(db)
