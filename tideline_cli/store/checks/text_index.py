"""Whether the full-text index and the counts of facts fit the facts, and counting again."""

from __future__ import annotations

import apsw

from tideline_cli.model.finding import Finding, mendable
from tideline_cli.store import batch_counts, schema, transactions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

_TALLY = f"""
SELECT count(*) FROM (
  SELECT origin, source, facts, tokens FROM tally WHERE facts <> 0 OR tokens <> 0
  EXCEPT {schema.TALLY}
)
"""
_UNTALLIED = f"""
SELECT count(*) FROM (
  {schema.TALLY}
  EXCEPT SELECT origin, source, facts, tokens FROM tally
)
"""
_COUNTED_TERMS = f"""
SELECT origin, value, count(*) FROM (
  SELECT DISTINCT seq, fact.origin, value FROM fact, {schema.each_term("fact")}
  WHERE lifecycle <> 'active' AND value <> ''
) GROUP BY 1, 2
"""
_ARCHIVED = f"""
SELECT (SELECT count(*) FROM (SELECT origin, term, facts FROM archived_term WHERE facts <> 0
                              EXCEPT {_COUNTED_TERMS}))
     + (SELECT count(*) FROM ({_COUNTED_TERMS} EXCEPT
                              SELECT origin, term, facts FROM archived_term))
"""
_LAPSED_TERMS = f"""
SELECT origin, value, count(*) FROM (
  SELECT DISTINCT seq, fact.origin, value FROM fact, lapsed, {schema.each_term("fact")}
  WHERE {schema.is_lapsed("fact")} AND value <> ''
) GROUP BY 1, 2
"""
_LAPSED = f"""
SELECT (SELECT count(*) FROM (SELECT origin, term, facts FROM lapsed_term WHERE facts <> 0
                              EXCEPT {_LAPSED_TERMS}))
     + (SELECT count(*) FROM ({_LAPSED_TERMS} EXCEPT
                              SELECT origin, term, facts FROM lapsed_term))
     + (SELECT count(*) FROM lapsed WHERE (facts, tokens) <> (
          SELECT count(*), ifnull(sum(length), 0) FROM fact WHERE {schema.is_lapsed("fact")}))
     + (SELECT count(*) FROM fact WHERE lifecycle = 'active'
          AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)
          AND origin NOT IN (SELECT origin FROM lapsed))
"""


def index(db: Connection) -> Iterator[Finding]:
    """The full-text index holds the terms of the facts, no more and no less."""
    if db.readonly("main"):
        yield Finding(
            "index", "warning", "the full-text index was not checked: the file is read-only",
            "copy the file, and check the copy with --db",
        )  # fmt: skip
        return
    transactions.begin(db)  # the SQL of the check is an insert, but it writes nothing
    try:
        db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        message = "the full-text index is stale: it does not hold the terms of the facts"
        yield mendable("index", message, "makes it anew")
    finally:
        transactions.rollback(db)


def ranking_counts(db: Connection) -> Iterator[Finding]:
    """The statistics of the ranking are those of the facts."""
    if db.execute(_TALLY).get or db.execute(_UNTALLIED).get:
        message = "the counts of active facts and their terms are not those of the facts"
        yield mendable("counts", message, "counts anew")
    if db.execute(_ARCHIVED).get:
        message = "the counts of terms of archived facts are not those of the facts"
        yield mendable("counts", message, "counts anew")
    if db.execute(_LAPSED).get:
        message = "the counts of facts that do not hold now are not those of the facts"
        yield mendable("counts", message, "counts anew")


def status_counts(db: Connection) -> Iterator[Finding]:
    """The counts that status shows are those of the facts."""
    held = ("SELECT * FROM census", "SELECT * FROM arrival")
    for one, other in zip(held, (schema.CENSUS, schema.ARRIVAL), strict=True):
        if db.execute(f"SELECT EXISTS ({one} EXCEPT {other}) OR EXISTS ({other} EXCEPT {one})").get:
            yield mendable(
                "census", "the counts for status are not those of the facts", "counts anew"
            )
            return


def batch_counts_fit(db: Connection) -> Iterator[Finding]:
    """The counts of what each batch did are what the journal says."""
    if batch_counts.are_wrong(db):
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
    _count_lapsed(db)


def _count_lapsed(db: Connection) -> None:
    """Count the facts that do not hold again, each origin for the instant that it has; one without,
    for that of its newest fact."""
    db.execute(
        """
        INSERT INTO lapsed SELECT origin, max(created_at), 0, 0 FROM fact
        WHERE lifecycle = 'active' AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)
        GROUP BY origin ON CONFLICT DO NOTHING
        """
    )
    db.execute("DELETE FROM lapsed_term")
    db.execute(f"INSERT INTO lapsed_term (origin, term, facts) {_LAPSED_TERMS}")
    db.execute(
        "UPDATE lapsed SET (facts, tokens) = (SELECT count(*), ifnull(sum(length), 0) FROM fact"
        f" WHERE {schema.is_lapsed('fact')})"
    )
