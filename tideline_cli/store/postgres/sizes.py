"""How much room a memory takes on a server."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def of_tables(db: Connection) -> int:
    """Return the bytes of its tables and indexes."""
    sql = """
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    """
    return int(db.execute(sql).get)
