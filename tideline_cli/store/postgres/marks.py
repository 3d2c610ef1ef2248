"""What tells a memory on a server from a copy of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

# A server that was restored to an instant of before, or took over from another one, counts its
# timeline on; a dump that was read in has schemas with other numbers, or lies on another server.
_MARK = """
SELECT (SELECT system_identifier FROM pg_control_system()) || ':'
  || (SELECT timeline_id FROM pg_control_checkpoint()) || ':'
  || (SELECT oid FROM pg_database WHERE datname = current_database()) || ':'
  || current_schema()::regnamespace::oid
"""


def of(db: Connection) -> str:
    """Return the server, its timeline, and the numbers of database and schema."""
    return str(db.execute(_MARK).get)
