"""Addresses of memories on servers: `postgresql://user@host:5432/database?schema=NAME`.

A password in an address is kept in this process alone: what is shown, logged or put into a
schedule is the address without it.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.server_address import is_clear, is_server, without_password

_USUAL_SCHEMA = "tideline"
_LONGEST_NAME = 63  # bytes, of any name in PostgreSQL
_whole: dict[str, str] = {}  # address without a password -> as it was written


def kept(address: str) -> str:
    """Return an address without its password, which `for_library` puts in again.

    Raises UsageError for an address whose parts cannot be told apart.
    """
    if is_server(address) and not is_clear(address):
        raise UsageError(
            "the address of the server cannot be read: a character that ends a part of it stands "
            "within one",
            hint="in user and password write @ as %40, : as %3A, / as %2F, ? as %3F, % as %25",
        )
    plain = without_password(address)
    if plain != address:
        _whole[plain] = address
    return plain


def with_schema(address: str, schema: str) -> str:
    """Return the address of another schema of the same database."""
    plain = kept(address)
    found = _in_schema(plain, schema)
    if plain in _whole:
        _whole[found] = _in_schema(_whole[plain], schema)
    return found


def _in_schema(address: str, schema: str) -> str:
    base, _, query = address.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("schema=")]
    return f"{base}?{'&'.join((*others, f'schema={schema}'))}"


def for_library(address: str) -> tuple[str, str]:
    """Return an address as libpq reads it, and the schema that `schema=` in it names.

    Raises UsageError for a name that is none.
    """
    plain = kept(address)
    base, mark, query = _whole.get(plain, plain).partition("?")
    others, schema = [], _USUAL_SCHEMA
    for pair in query.split("&") if mark else ():
        name, _, value = pair.partition("=")
        if name == "schema":
            schema = value
        else:
            others.append(pair)
    if not _is_name(schema):
        raise UsageError(
            f"no name of a schema: {schema!r}",
            hint="small letters, digits and _; not pg_… or information_schema, the server's own",
        )
    return base + ("?" + "&".join(others) if others else ""), schema


def _is_name(schema: str) -> bool:
    """Say whether a schema of ours can have this name; PostgreSQL itself makes letters small."""
    is_plain = schema.isidentifier() and schema.isascii() and schema == schema.lower()
    is_servers = schema.startswith("pg_") or schema == "information_schema"
    return is_plain and not is_servers and len(schema) <= _LONGEST_NAME


def whole(address: str) -> str:
    """Return an address with the password that was in it."""
    plain = kept(address)
    return _whole.get(plain, plain)


def without_whole(message: str, address: str) -> str:
    """Return what the library said of an address, without the password where it repeats all."""
    plain = kept(address)
    return message.replace(for_library(address)[0], plain) if plain in _whole else message
