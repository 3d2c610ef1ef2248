"""Opening a memory on a server: `postgresql://…`, made at the first write."""

from __future__ import annotations

import os

from tideline_cli.errors import StoreError
from tideline_cli.store import FROM_DRAFT, SCHEMA_VERSION
from tideline_cli.store.postgres import addresses
from tideline_cli.store.postgres.driver import ServerError, Wire
from tideline_cli.store.postgres.first_look import look
from tideline_cli.store.postgres.promising import Promising

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

_OLDEST = 15_00_00
SCHEMA_NAME = "schema_name"  # the setting: functions run with a search path that names it


def open_or_make(address: str) -> Promising:
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


def open_if_there(
    address: str, *, comes: Callable[[Connection, Promising], object] | None = None
) -> Promising | None:
    """Return a connection to the memory at an address, None where there is none. What `comes`
    foresees is asked for with the first round trip."""
    db = connected(address)
    try:
        if look(db, comes):
            _check(db, address)
            return db
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def connected(address: str) -> Promising:
    """Return a connection to a server, whatever is there."""
    plain, schema = addresses.for_library(address)
    try:
        wire = Wire(plain, {**_patience(plain), "client_encoding": "UTF8",
                            "application_name": "tideline"})  # fmt: skip
    except ServerError as error:
        from tideline_cli.store.postgres import no_connection  # noqa: PLC0415  an error

        said = addresses.without_whole(str(error), address)
        raise no_connection.what_failed(said, address) from None
    if wire.version < _OLDEST:
        wire.close()
        raise StoreError(
            f"PostgreSQL {wire.version // 10000} is too old; 15 or newer is needed",
            hint="upgrade the server", code="server_too_old",
        )  # fmt: skip
    return Promising(wire, addresses.kept(address), schema)


def _patience(address: str) -> dict[str, str]:
    """Return how long a host is waited for, in seconds, where neither the environment nor the
    address says so."""
    is_said = "connect_timeout=" in address or os.environ.get("PGCONNECT_TIMEOUT")
    return {} if is_said else {"connect_timeout": "10"}


def _check(db: Promising, address: str) -> None:
    found = db.guess
    version = int(found.get("schema_version", 0))
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{addresses.kept(address)} has schema version {version}, "
            f"this program knows {SCHEMA_VERSION}",
            hint="upgrade tideline-cli", code="store_newer",
        )  # fmt: skip
    if version < SCHEMA_VERSION:
        raise StoreError(
            f"{addresses.kept(address)} has schema version {version}, older than this program's",
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


def _make(db: Promising) -> None:
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
