"""Counting the facts that do not hold anew: for an upgrade, a check, and its repair."""

from __future__ import annotations

from tideline_cli.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

COUNTED_TERMS = f"""
SELECT origin, value, count(*) FROM (
  SELECT DISTINCT seq, fact.origin, value FROM fact, lapsed, {schema.each_term("fact")}
  WHERE {schema.is_lapsed("fact")} AND value <> ''
) GROUP BY 1, 2
"""
"""The terms of lapsed facts, as `lapsed_term` has them."""


def count_anew(db: Connection) -> None:
    """Count again, each origin for the instant that it has; one without, for that of its newest
    fact."""
    db.execute(
        """
        INSERT INTO lapsed SELECT origin, max(created_at), 0, 0 FROM fact
        WHERE lifecycle = 'active' AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)
        GROUP BY origin ON CONFLICT DO NOTHING
        """
    )
    db.execute("DELETE FROM lapsed_term")
    db.execute(f"INSERT INTO lapsed_term (origin, term, facts) {COUNTED_TERMS}")
    db.execute(
        "UPDATE lapsed SET (facts, tokens) = (SELECT count(*), ifnull(sum(length), 0) FROM fact"
        f" WHERE {schema.is_lapsed('fact')})"
    )
