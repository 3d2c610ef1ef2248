"""Addresses of memories on servers: `postgresql://user@host:5432/database?schema=NAME`.

A password in an address is kept in this process alone: what is shown, logged or put into a
schedule is the address without it.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.server_address import without_password

_USUAL_SCHEMA = "tideline"
_LONGEST_NAME = 63  # bytes, of any name in PostgreSQL
_whole: dict[str, str] = {}  # address without a password -> as it was written


def kept(address: str) -> str:
    """Return an address without its password, which `for_library` puts in again."""
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
    if not schema.isidentifier() or not schema.isascii() or len(schema) > _LONGEST_NAME:
        raise UsageError(f"no name of a schema: {schema!r}", hint="letters, digits and _")
    return base + ("?" + "&".join(others) if others else ""), schema
