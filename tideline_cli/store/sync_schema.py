"""Whether a memory has the tables of a sync, and making them: one that never syncs has none."""

from __future__ import annotations

from tideline_cli.errors import CannotWriteError
from tideline_cli.store import SERVERS
from tideline_cli.store.sync_tables import SYNC_SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def exists(db: Connection) -> bool:
    """Say whether this memory has ever synced."""
    return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sync_fact'").fetchone())


# A server that was restored to an instant of before, or took over from another one, counts its
# timeline on; a dump that was read in has schemas with other numbers, or lies on another server.
_MARK = """
SELECT (SELECT system_identifier FROM pg_control_system()) || ':'
  || (SELECT timeline_id FROM pg_control_checkpoint()) || ':'
  || (SELECT oid FROM pg_database WHERE datname = current_database()) || ':'
  || current_schema()::regnamespace::oid
"""


def server_mark(db: Connection) -> str:
    """Return the server of a memory, its timeline, and the numbers of database and schema; empty
    for one in a file."""
    return str(db.execute(_MARK).get) if db.filename.startswith(SERVERS) else ""


def make(db: Connection) -> None:
    """Make the tables, in a transaction of the caller.

    Raises CannotWriteError for a memory on a server that has members: a sync tells all origins.
    """
    if not db.filename.startswith(SERVERS):
        db.execute(SYNC_SCHEMA).fetchall()
        return
    from tideline_cli.store.postgres import schema  # noqa: PLC0415  no file

    if db.execute("SELECT EXISTS (SELECT 1 FROM member)").get:
        raise CannotWriteError(
            "a memory with members does not sync", code="has_members",
            hint="`tideline export --origin NAME` takes an origin to another machine",
        )
    for statement in schema.of_sync():
        db.as_it_is(statement)  # type: ignore[attr-defined]
