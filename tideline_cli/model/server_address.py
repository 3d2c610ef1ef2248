"""Addresses of databases on servers, `postgresql://user@host:5432/database?schema=NAME`: what of
one may be shown. Pure texts."""

from __future__ import annotations

SCHEMES = ("postgresql", "postgres")
_SECRET = ("password", "sslpassword")


def is_server(address: str) -> bool:
    """Say whether an address is that of a server, and no path of a file."""
    return address.partition("://")[0] in SCHEMES and "://" in address


def without_password(address: str) -> str:
    """Return an address without the passwords in it; a path as it is."""
    if not is_server(address):
        return address
    scheme, mark, rest = address.partition("://")
    end = min((place for place in map(rest.find, "/?") if place >= 0), default=len(rest))
    user, at, host = rest[:end].rpartition("@")
    base, question, query = rest[end:].partition("?")
    pairs = query.split("&")
    shown = [pair for pair in pairs if not _is_secret(pair)]
    query = f"{question}{'&'.join(shown)}" if any(shown) or shown == pairs else ""
    return f"{scheme}{mark}{user.partition(':')[0]}{at}{host}{base}{query}"


def _is_secret(pair: str) -> bool:
    """Say whether a pair of a query may be a password; the client library decodes names."""
    name = pair.partition("=")[0]
    return name in _SECRET or "%" in name
