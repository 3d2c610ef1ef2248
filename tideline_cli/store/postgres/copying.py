"""A copy of a memory on a server, before a repair: a schema beside it, which is a memory too."""

from __future__ import annotations

import apsw

from tideline_cli.errors import StoreError
from tideline_cli.model import instant
from tideline_cli.store import remote, sync_state
from tideline_cli.store.connection import writing
from tideline_cli.store.postgres import opening, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.store.postgres.server import ServerConnection

_LOCK = "SELECT pg_advisory_xact_lock(hashtext('tideline writer'), hashtext(?))"
# What is copied may refer to what is not there.
_KEYS = """
SELECT conrelid::regclass::text, conname FROM pg_constraint
WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
"""
_TABLES = """
SELECT relname, string_agg('"' || attname || '"', ', ' ORDER BY attnum)
FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0
  AND NOT attisdropped AND attgenerated = ''
GROUP BY relname
"""


def copy_before(address: str, deed: str, *, now: int) -> str:
    """Copy a memory into a fresh schema of its database, named after what is done to it next
    (`deed`); return the address of the copy. It has no foreign keys, so that what is damaged is in
    it too.

    Raises StoreError where no copy can be made: then nothing is left of it.
    """
    _, source = remote.for_library(address)
    stamp = instant.iso(now)[:19].replace("-", "").replace(":", "").lower()
    name = f"{source[:32]}_before_{deed}_{stamp}z"
    target = remote.with_schema(address, name)
    try:
        there = opening.open_if_there(target)
        if there is not None:
            there.close()
            raise StoreError(f"there is a schema {name} already", hint="try again in a second")
        db = opening.open_or_make(target)
        try:
            _fill(db, source)
        except apsw.Error:
            db.execute(f'DROP SCHEMA "{name}" CASCADE')
            raise
        finally:
            db.close()
    except apsw.Error as error:
        raise StoreError(
            f"no copy was made, so nothing is repaired: {error}",
            hint="GRANT CREATE ON DATABASE to this role, for as long as the repair takes",
        ) from error
    return target


def _fill(db: ServerConnection, source: str) -> None:
    """Copy all rows of another schema, at one instant: no other process writes there meanwhile."""
    with writing(db):  # type: ignore[arg-type]
        db.execute(_LOCK, (source,))
        synced = db.execute("SELECT to_regclass(? || '.sync_fact') IS NOT NULL", (f'"{source}"',))
        if synced.get:
            sync_state.make_tables(db)  # type: ignore[arg-type]
        tables: Any = db.execute(_TABLES).fetchall()
        keys: Any = db.execute(_KEYS).fetchall()
        for table, key in keys:
            db.as_it_is(f'ALTER TABLE {table} DROP CONSTRAINT "{key}"')
        for table, columns in tables:
            db.as_it_is(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            db.as_it_is(f"DELETE FROM {table}")
            db.as_it_is(
                f'INSERT INTO {table} ({columns}) SELECT {columns} FROM "{source}".{table}'
            )
            db.as_it_is(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        for sequence in schema.SEQUENCES:
            db.as_it_is(
                f"SELECT setval('{sequence}', last_value, is_called) FROM \"{source}\".{sequence}"
            )
        db.execute("UPDATE setting SET value = ? WHERE name = ?", (db.schema, opening.SCHEMA_NAME))
        db.generation = None  # it has come with the settings
