"""Opening a memory on a server: `postgresql://…`, made at the first write."""

from __future__ import annotations

import os

import apsw

from tideline_cli.errors import StoreError
from tideline_cli.store import FROM_DRAFT, SCHEMA_VERSION, remote
from tideline_cli.store.postgres import refusals
from tideline_cli.store.postgres.driver import ServerError, Wire
from tideline_cli.store.postgres.server import ServerConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OLDEST = 15_00_00
MOST_ORIGINS = 100
"""So many of the origins that a role sees are known from the first look."""
_NOT_THERE = ("42P01", "3F000")  # no such table, no such schema
_ORIGINS = f"SELECT key, number FROM origin ORDER BY number LIMIT {MOST_ORIGINS}"
SCHEMA_NAME = "schema_name"  # the setting: functions run with a search path that names it


def open_or_make(address: str) -> ServerConnection:
    """Return a connection to the memory at an address; it is made where it is not there."""
    db = connected(address)
    try:
        if not look(db):
            _make(db)
            look(db)
        _check(db, address)
    except BaseException:  # a process that stays would gather connections
        db.close()
        raise
    return db


def open_if_there(address: str) -> ServerConnection | None:
    """Return a connection to the memory at an address, None where there is none."""
    db = connected(address)
    try:
        if look(db):
            _check(db, address)
            return db
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def connected(address: str) -> ServerConnection:
    """Return a connection to a server, whatever is there."""
    plain, schema = remote.for_library(address)
    try:
        wire = Wire(plain, {**_patience(plain), "client_encoding": "UTF8",
                            "application_name": "tideline"})  # fmt: skip
    except ServerError as error:
        said = remote.without_whole(str(error), address)
        raise refusals.what_failed(said, address) from None
    if wire.version < _OLDEST:
        wire.close()
        raise StoreError(
            f"PostgreSQL {wire.version // 10000} is too old; 15 or newer is needed",
            hint="upgrade the server", code="server_too_old",
        )  # fmt: skip
    return ServerConnection(wire, remote.kept(address), schema)


def _patience(address: str) -> dict[str, str]:
    """Return how long a host is waited for, in seconds, where neither the environment nor the
    address says so."""
    is_said = "connect_timeout=" in address or os.environ.get("PGCONNECT_TIMEOUT")
    return {} if is_said else {"connect_timeout": "10"}


def look(db: ServerConnection) -> bool:
    """Say whether the tables are there, and note in the connection what they say of themselves, in
    one round trip."""
    db.is_there = False
    db.execute("BEGIN")
    try:
        db.ask_settings()
        rows: list[Any] = db.execute(_ORIGINS).fetchall()
        db.first_settings = db.settings or {}
    except apsw.SQLError as error:
        db.execute("ROLLBACK")
        if getattr(error, "state", "") not in _NOT_THERE:
            raise
        # Where they are and this role may not use them, the server says so here. They may also
        # have been made meanwhile; who writes looks again under the lock.
        db.execute("SELECT to_regclass(?) IS NULL", (f'"{db.schema}".setting',)).fetchall()
        return False
    db.execute("ROLLBACK")
    db.is_there, db.origins = True, dict(rows)
    found = db.first_settings
    return "schema_version" in found or "schema" in found  # the latter in drafts


def _check(db: ServerConnection, address: str) -> None:
    found = db.first_settings
    version = int(found.get("schema_version", 0))
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{remote.kept(address)} has schema version {version}, "
            f"this program knows {SCHEMA_VERSION}",
            hint="upgrade tideline-cli", code="store_newer",
        )  # fmt: skip
    if version < SCHEMA_VERSION:
        raise StoreError(
            f"{remote.kept(address)} has schema version {version}, older than this program's",
            hint=f"{FROM_DRAFT} (?schema=NAME)",
            code="store_older",
        )  # fmt: skip
    named = found.get(SCHEMA_NAME, db.schema)
    if named != db.schema:
        raise StoreError(
            f"the schema {db.schema} was {named} when it was made, and its functions write there",
            hint=f"ALTER SCHEMA {db.schema} RENAME TO {named}, where that name is free",
            code="schema_renamed",
        )  # fmt: skip
    db.generation = found.get("generation", "")


def _make(db: ServerConnection) -> None:
    """Make the tables, all or none. Who comes second finds them made."""
    from tideline_cli.store.postgres import schema  # noqa: PLC0415  once in the life of a memory

    if db.encoding != "UTF8":
        raise StoreError(
            f"the database has the encoding {db.encoding}, which cannot hold every text",
            hint="make one that can: createdb --encoding UTF8 --template template0 NAME",
            code="not_utf8",
        )
    db.execute("BEGIN IMMEDIATE")
    db.execute(f'CREATE SCHEMA IF NOT EXISTS "{db.schema}"')
    # What runs as the owner finds no table that a session has made for itself.
    db.as_it_is(f'SET LOCAL search_path = "{db.schema}", pg_temp')
    if not db.execute("SELECT to_regclass('setting') IS NOT NULL").get:
        for statement in schema.statements():
            db.as_it_is(statement)
        for name, value in (("generation", os.urandom(8).hex()), (SCHEMA_NAME, db.schema)):
            db.execute("INSERT INTO setting (name, value) VALUES (?, ?)", (name, value))
    db.execute("COMMIT")


# Locks that last longer than a transaction of the memory: one dream, one sync at a time.

# The transaction that holds the lock does nothing for as long as a pass takes. A server that ends
# idle ones would let a second pass in.
_LASTING = """
SELECT set_config(name, '0', true) FROM pg_settings
WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')
"""
# A query keeps its snapshot until the next statement comes.
_NEXT = "SAVEPOINT held"


class ServerLock:
    """A lock of the server, held by a transaction of a connection of its own. The server frees it
    when the process dies."""

    def __init__(self, db: ServerConnection) -> None:
        self._db = db

    def release(self) -> None:
        """Give the lock back. It is free when this returns, or as soon as the server answers."""
        self._db.close()


def attempt_lock(address: str, name: str) -> ServerLock | None:
    """Return a lock of a memory, None when another process holds it."""
    db = connected(address)
    taken = None
    try:
        db.begin_lasting()
        db.as_it_is(_LASTING)
        taken = db.execute(
            "SELECT pg_try_advisory_xact_lock(hashtext(?), hashtext(?))",
            (f"tideline {name}", db.schema),
        ).get
        db.as_it_is(_NEXT)
        db.flush()
    finally:
        if not taken:
            db.close()
    return ServerLock(db) if taken else None
