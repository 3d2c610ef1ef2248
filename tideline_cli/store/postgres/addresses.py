"""Addresses of memories on servers: `postgresql://user@host:5432/database?schema=NAME`.

A password in an address is kept in this process alone: what is shown, logged or put into a
schedule is the address without it.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError

_USUAL_SCHEMA = "tideline"
_LONGEST_NAME = 63  # bytes, of any name in PostgreSQL
_passwords: dict[str, str] = {}  # address without a password -> password, as it was written


def kept(address: str) -> str:
    """Return an address without its password, which `for_library` puts in again."""
    scheme, mark, rest = address.partition("://")
    end = min((place for place in map(rest.find, "/?") if place >= 0), default=len(rest))
    user, at, host = rest[:end].rpartition("@")
    name, colon, password = user.partition(":")
    plain = f"{scheme}{mark}{name}{at}{host}{rest[end:]}"
    if colon:
        _passwords[plain] = password
    return plain


def with_schema(address: str, schema: str) -> str:
    """Return the address of another schema of the same database."""
    plain = kept(address)
    base, _, query = plain.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("schema=")]
    found = f"{base}?{'&'.join((*others, f'schema={schema}'))}"
    if plain in _passwords:
        _passwords[found] = _passwords[plain]
    return found


def for_library(address: str) -> tuple[str, str]:
    """Return an address as libpq reads it, and the schema that `schema=` in it names.

    Raises UsageError for a name that is none.
    """
    plain = kept(address)
    base, mark, query = plain.partition("?")
    others, schema = [], _USUAL_SCHEMA
    for pair in query.split("&") if mark else ():
        name, _, value = pair.partition("=")
        if name == "schema":
            schema = value
        else:
            others.append(pair)
    if not schema.isidentifier() or not schema.isascii() or len(schema) > _LONGEST_NAME:
        raise UsageError(f"no name of a schema: {schema!r}", hint="letters, digits and _")
    password = _passwords.get(plain)
    if password is not None:
        scheme, _, rest = base.partition("://")
        base = f"{scheme}://{rest.replace('@', f':{password}@', 1)}"
    return base + ("?" + "&".join(others) if others else ""), schema
