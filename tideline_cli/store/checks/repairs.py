"""Removing what points to nothing, and counting anew."""

from __future__ import annotations

from tideline_cli.store.checks.structure import COUNTED_TERMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

_NO_FACT = "NOT IN (SELECT seq FROM fact)"
_NO_ORIGIN = "NOT IN (SELECT number FROM origin)"


def drop_orphans(db: Connection) -> None:
    """Remove links, uses and derived rows of facts or origins that are not there."""
    db.execute(f"DELETE FROM link WHERE from_fact {_NO_FACT} OR to_fact {_NO_FACT}")
    db.execute(f"DELETE FROM near WHERE fact {_NO_FACT} OR other {_NO_FACT}")
    for table in ("usage", "unpaired"):
        db.execute(f"DELETE FROM {table} WHERE fact {_NO_FACT}")
    for table in ("near_progress", "vector_chunk", "vector_progress"):
        db.execute(f"DELETE FROM {table} WHERE origin {_NO_ORIGIN}")


def drop_crossing_links(db: Connection) -> None:
    """Remove links from one origin to another."""
    db.execute(
        """
        DELETE FROM link WHERE (SELECT origin FROM fact WHERE seq = from_fact)
                            <> (SELECT origin FROM fact WHERE seq = to_fact)
        """
    )


def count_anew(db: Connection) -> None:
    """Make the statistics of the ranking anew."""
    db.execute("DELETE FROM tally")
    db.execute(
        "INSERT INTO tally (origin, source, facts, tokens) SELECT origin, source, count(*),"
        " sum(length) FROM fact WHERE lifecycle = 'active' GROUP BY 1, 2"
    )
    db.execute("DELETE FROM archived_term")
    db.execute(f"INSERT INTO archived_term (origin, term, facts) {COUNTED_TERMS}")
