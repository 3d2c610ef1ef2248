"""Whether what is derived fits the facts: the full-text index, counts, vectors, bounds, pairs that
are alike, slots, and the registers of a sync; and making it again."""

from __future__ import annotations

from array import array
from sys import byteorder

import apsw

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.model.codec import dumps
from tideline_cli.model.edge import TWOFOLD
from tideline_cli.model.finding import Finding, mendable, some
from tideline_cli.model.instant import LATEST_MS
from tideline_cli.model.source import UNTRUSTED
from tideline_cli.store import (
    connection,
    facts,
    journal,
    passes,
    reads,
    schema,
    score_bounds,
    sync_state,
    vector_counts,
)
from tideline_cli.store.connection import has_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection


_EMBEDDED = """
SELECT embedder, origin FROM vector_progress UNION SELECT embedder, origin FROM vector_chunk
"""

_CODE_TAIL = 2  # bytes of a learned embedder's code beside its values


def sets(db: Connection) -> list[tuple[str, int]]:
    """Return (embedder, origin's number) of every set of vectors."""
    return list(db.execute(_EMBEDDED))


def vector_sets(db: Connection) -> Iterator[Finding]:
    """Each fact up to the progress of its origin has one vector, and no other number has one."""
    missing = extra = 0
    is_torn = False
    for embedder, origin in sets(db):
        reached = vector_counts.embedded_up_to(db, origin_number=origin, embedder=embedder)
        sql = "SELECT seq FROM fact WHERE origin = ? AND seq <= ? ORDER BY seq"
        rows: Any = db.execute(sql, (origin, reached)).fetchall()
        wanted = [seq for (seq,) in rows]
        held, is_whole = _held(db, origin, embedder)
        is_torn |= not is_whole
        if held != wanted:
            missing += len(set(wanted) - set(held))
            extra += len(set(held) - set(wanted)) + len(held) - len(set(held))
            is_torn |= set(held) == set(wanted) and len(held) == len(wanted)
    what = "makes the vectors of that origin anew"
    if missing:
        message = f"{some(missing, 'fact')} without a vector, which likeness cannot find"
        yield mendable("vectors", message, what)
    if extra:
        yield mendable("vectors", f"{some(extra, 'vector')} of no fact", what)
    if is_torn:
        yield mendable("vectors", "vectors and the facts they are of are out of step", what)


def _held(db: Connection, origin_number: int, embedder: str) -> tuple[list[int], bool]:
    """Return the numbers that have vectors, in order, and whether each has one of the same size."""
    numbers = array("I")
    sizes: set[float] = set()
    sql = (
        "SELECT facts, length(codes), length(lows) FROM vector_chunk"
        " WHERE origin = ? AND embedder = ? ORDER BY number"
    )
    for packed, codes, lows in db.execute(sql, (origin_number, embedder)):
        numbers.frombytes(packed[: len(packed) // 4 * 4])
        is_kept = lows == (codes if embedder == DEFAULT_EMBEDDER else 0)
        sizes.add((codes + lows) / (len(packed) / 4) if packed and is_kept else -1.0)
    if byteorder == "big":
        numbers.byteswap()
    held = numbers.tolist()
    return held, len(sizes) < 2 and all(size >= 1 and size == int(size) for size in sizes)


def outlooks(db: Connection) -> Iterator[Finding]:
    """What was foreseen to fade is listed under the origin of the fact."""
    wrong = db.execute(
        "SELECT count(*) FROM fade JOIN fact ON fact.seq = fade.fact"
        " WHERE fade.origin <> fact.origin"
    ).get
    if wrong:
        message = f"{some(wrong, 'fact')} listed as fading under another origin"
        yield mendable("outlooks", message, "forgets the lists until the next dream")


def questions(db: Connection) -> Iterator[Finding]:
    """Every question that is kept has a code of the size of its embedder, and an origin."""
    sql = "SELECT embedder, length(code), origin IN (SELECT number FROM origin) FROM query_vector"
    rows: Any = db.execute(sql)
    wrong = 0
    for embedder, size, has_origin in rows:
        dims = embedder.rpartition(" ")[2]
        wrong += not (has_origin and dims.isdigit() and size == int(dims) + _CODE_TAIL)
    if wrong:
        message = f"{some(wrong, 'question')} kept with a code that cannot be"
        yield mendable("questions", message, "forgets the questions; they are embedded again")


def forget_questions(db: Connection) -> None:
    """Forget all questions."""
    db.execute("DELETE FROM query_vector")


def forget_vectors(db: Connection, origin_number: int, embedder: str) -> None:
    """Remove a set of vectors, so that it is made again."""
    for table in ("vector_chunk", "vector_progress"):
        sql = f"DELETE FROM {table} WHERE origin = ? AND embedder = ?"
        db.execute(sql, (origin_number, embedder))


def bounds(db: Connection) -> Iterator[Finding]:
    """There is one byte that bounds the score for each number, without a hole. Bytes that were made
    with other tables are not used, and the next writer makes them anew."""
    if score_bounds.are_ours(db) and not score_bounds.are_whole(db, facts.last_given(db)):
        yield mendable("bounds", "the bounds of scores do not fit the facts", "makes them anew")


def pair_rows(db: Connection) -> Iterator[Finding]:
    """The facts of a similar pair have one origin, and the later one stands first."""
    sql = """
    SELECT count(*) FROM near JOIN fact AS a ON a.seq = fact JOIN fact AS b ON b.seq = other
    WHERE a.origin <> b.origin OR fact <= other OR NOT cosine BETWEEN -1.001 AND 1.001
    """
    bad = db.execute(sql).get
    last = facts.last_given(db)
    late = db.execute("SELECT count(*) FROM near_progress WHERE seq > ?", (last,)).get
    if bad or late:
        message = f"{some(bad + late, 'pair')} of facts that are alike cannot be"
        yield mendable("pairs", message, "forgets them; the next dream compares anew")


def forget_pairs(db: Connection) -> None:
    """Forget all pairs, so that every origin is compared again."""
    origins: list[Any] = db.execute("SELECT number FROM origin").fetchall()
    for (origin,) in origins:
        passes.forget_pairs(db, origin_number=origin)
    for table in ("near", "unpaired", "near_progress"):
        db.execute(f"DELETE FROM {table}")


_NAMED = 5
_CROWDED = """
SELECT id FROM fact AS one WHERE slot IS NOT NULL AND lifecycle = 'active' AND EXISTS (
  SELECT 1 FROM fact AS other
  WHERE other.origin = one.origin AND other.slot = one.slot
    AND other.scope IS one.scope AND other.lifecycle = 'active'
    AND other.seq < one.seq
    AND (one.source IN (SELECT value FROM json_each(?1)))
      = (other.source IN (SELECT value FROM json_each(?1)))
    AND max(ifnull(one.valid_from, one.created_at), ifnull(other.valid_from, other.created_at))
      < min(ifnull(one.valid_to, ?2), ifnull(other.valid_to, ?2))
    AND NOT (ifnull(one.valid_from, one.created_at) > ifnull(other.valid_from, other.created_at)
      AND ifnull(one.valid_to, ?2) <= ifnull(other.valid_to, ?2))
    AND NOT (ifnull(one.valid_from, one.created_at) < ifnull(other.valid_from, other.created_at)
      AND ifnull(one.valid_to, ?2) >= ifnull(other.valid_to, ?2))
) ORDER BY seq
"""


def slot_values(db: Connection) -> Iterator[Finding]:
    """A slot has one value at any instant: two meet where one is a stay within the other. An
    untrusted one may stand beside a trusted one."""
    rows: list[Any] = db.execute(_CROWDED, (dumps(UNTRUSTED), LATEST_MS)).fetchall()
    if rows:
        named = ", ".join(fact_id for (fact_id,) in rows[:_NAMED])
        yield Finding(
            "slots", "warning",
            f"{some(len(rows), 'fact')} in a slot while another value holds it: "
            f"{named}{', …' if len(rows) > _NAMED else ''}",
            "`tideline show ID` shows one; `tideline remember` the value that is right with its "
            "--slot, and it replaces the others",
        )  # fmt: skip


_UNTOLD = "SELECT count(*) FROM fact WHERE id NOT IN (SELECT id FROM sync_fact WHERE clock > 0)"
_BACK = "SELECT count(*) FROM fact WHERE id IN (SELECT id FROM sync_purge)"
_WORDS = " ".join(
    f"WHEN '{word}' THEN sync_edge.kind IN ({', '.join(repr(kind) for kind in kinds)})"
    for word, kinds in TWOFOLD.items()
)
_MISSING = f"""
SELECT count(*) FROM sync_edge
  JOIN fact AS a ON a.id = sync_edge.source JOIN fact AS b ON b.id = sync_edge.target
WHERE present = 1 AND NOT EXISTS (
  SELECT 1 FROM link WHERE from_fact = a.seq AND to_fact = b.seq
    AND (link.kind = sync_edge.kind OR CASE link.kind {_WORDS} ELSE false END))
"""
_ANEW = "`tideline sync` sends it, once the next words of it are said; a backup made before has all"


def registers(db: Connection) -> Iterator[Finding]:
    """Every fact that a sync has seen has its registers, none is back that was purged, and every
    edge that the registers have is there. What was said since the last sync is not asked about."""
    if not has_synced(db):
        return
    told = sync_state.SyncState(db).change
    newest = db.execute("SELECT ifnull(max(number), 0) FROM change").get
    back = int(db.execute(_BACK).get)
    if back:
        yield Finding(
            "sync", "error", f"{some(back, 'fact')} that were purged are there again",
            "`tideline purge ID` removes them; look who has put them there",
        )  # fmt: skip
    if newest != told:
        return
    untold = int(db.execute(_UNTOLD).get)
    if untold:
        yield Finding("sync", "warning", f"{some(untold, 'fact')} that no sync knows of", _ANEW)
    missing = int(db.execute(_MISSING).get)
    if missing:
        yield Finding(
            "sync", "warning", f"{some(missing, 'link')} that machines have stated are not there",
            "restore a backup, and sync again",
        )  # fmt: skip


_TALLIED = "SELECT origin, source, facts, tokens FROM tally WHERE facts <> 0 OR tokens <> 0"
_COUNTED_TERMS = f"""
SELECT origin, value, count(*) FROM (
  SELECT DISTINCT seq, fact.origin, value FROM fact, {schema.each_term("fact")}
  WHERE lifecycle <> 'active' AND value <> ''
) GROUP BY 1, 2
"""
_ARCHIVED = "SELECT origin, term, facts FROM archived_term WHERE facts <> 0"
_LAPSED_TERMS = f"""
SELECT origin, value, count(*) FROM (
  SELECT DISTINCT seq, fact.origin, value FROM fact, lapsed, {schema.each_term("fact")}
  WHERE {schema.is_lapsed("fact")} AND value <> ''
) GROUP BY 1, 2
"""
_LAPSED = "SELECT origin, term, facts FROM lapsed_term WHERE facts <> 0"
_LAPSED_FACTS = f"""
SELECT (SELECT count(*) FROM lapsed WHERE (facts, tokens) <> (
          SELECT count(*), ifnull(sum(length), 0) FROM fact WHERE {schema.is_lapsed("fact")}))
     + (SELECT count(*) FROM fact WHERE lifecycle = 'active'
          AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)
          AND origin NOT IN (SELECT origin FROM lapsed))
"""
_TURNS = """
SELECT origin, count(*), sum(length), sum(octet_length(content) + octet_length(terms))
FROM turn WHERE hidden = 0 GROUP BY origin
"""


def index(db: Connection) -> Iterator[Finding]:
    """The full-text indexes hold the terms of the facts and of the turns, no more and no less."""
    if db.readonly("main"):
        yield Finding(
            "index", "warning", "the full-text index was not checked: the file is read-only",
            "copy the file, and check the copy with --db",
        )  # fmt: skip
        return
    connection.begin(db)  # the SQL of the check is an insert, but it writes nothing
    try:
        for held, table in (("facts", "fact_fts"), ("turns of sessions", "turn_fts")):
            try:
                db.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
            except apsw.CorruptError:
                message = f"the full-text index is stale: it does not hold the terms of the {held}"
                yield mendable("index", message, "makes it anew")
    finally:
        connection.rollback(db)


def ranking_counts(db: Connection) -> Iterator[Finding]:
    """The statistics of the ranking are those of the facts."""
    for counted, is_wrong in (
        ("active facts and their terms", reads.differ(db, _TALLIED, schema.TALLY)),
        ("terms of archived facts", reads.differ(db, _ARCHIVED, _COUNTED_TERMS)),
        ("facts that do not hold now",
         reads.differ(db, _LAPSED, _LAPSED_TERMS) or db.execute(_LAPSED_FACTS).get),
        ("turns of sessions", reads.differ(db, "SELECT * FROM turn_tally", _TURNS)),
    ):  # fmt: skip
        if is_wrong:
            message = f"the counts of {counted} are not right"
            yield mendable("counts", message, "counts anew")


def status_counts(db: Connection) -> Iterator[Finding]:
    """The counts that status shows are those of the facts."""
    held = ("SELECT * FROM census", "SELECT * FROM arrival")
    for one, other in zip(held, (schema.CENSUS, schema.ARRIVAL), strict=True):
        if reads.differ(db, one, other):
            yield mendable(
                "census", "the counts for status are not those of the facts", "counts anew"
            )
            return


def batch_counts_fit(db: Connection) -> Iterator[Finding]:
    """The counts of what each batch did are what the journal says."""
    if journal.counts_are_wrong(db):
        yield mendable(
            "batch_counts", "the counts of what batches did are not those of the journal",
            "counts anew",
        )  # fmt: skip


def enrol_anew(db: Connection) -> None:
    """Make the counts for status again."""
    for table, counted in (("census", schema.CENSUS), ("arrival", schema.ARRIVAL)):
        db.execute(f"DELETE FROM {table}")
        db.execute(f"INSERT INTO {table} {counted}")


def count_anew(db: Connection) -> None:
    """Make the statistics of the ranking again."""
    db.execute("DELETE FROM tally")
    db.execute(f"INSERT INTO tally (origin, source, facts, tokens) {schema.TALLY}")
    db.execute("DELETE FROM archived_term")
    db.execute(f"INSERT INTO archived_term (origin, term, facts) {_COUNTED_TERMS}")
    db.execute("DELETE FROM turn_tally")
    db.execute(f"INSERT INTO turn_tally (origin, turns, tokens, octets) {_TURNS}")
    _count_lapsed(db)


def _count_lapsed(db: Connection) -> None:
    """Count the facts that do not hold again, each origin for the instant that it has; one without,
    for that of its newest fact."""
    sql = """
    INSERT INTO lapsed SELECT origin, max(created_at), 0, 0 FROM fact
    WHERE lifecycle = 'active' AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)
    GROUP BY origin ON CONFLICT DO NOTHING
    """
    db.execute(sql)
    db.execute("DELETE FROM lapsed_term")
    db.execute(f"INSERT INTO lapsed_term (origin, term, facts) {_LAPSED_TERMS}")
    db.execute(
        "UPDATE lapsed SET (facts, tokens) = (SELECT count(*), ifnull(sum(length), 0) FROM fact"
        f" WHERE {schema.is_lapsed('fact')})"
    )
