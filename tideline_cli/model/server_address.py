"""Addresses of databases on servers, `postgresql://user@host:5432/database?schema=NAME`: what of
one may be shown. Pure texts."""

from __future__ import annotations

from tideline_cli.errors import UsageError

_NAME = "postgresql"
SCHEMES = (_NAME, _NAME.removesuffix("ql"))  # the short form too
_SECRET = ("password", "sslpassword")
_KEYWORDS = ("host", "hostaddr", "port", "dbname", "user", "password", "service", "sslmode")
_HEX = "0123456789abcdefABCDEF"


def is_server(address: str) -> bool:
    """Say whether an address is that of a server, and no path of a file."""
    return address.partition("://")[0] in SCHEMES and "://" in address


def _other_server(address: str) -> str:
    """Return how an address of another kind of server begins, or one misspelt, or the keywords of
    libpq (`host=… dbname=…`); "" for what can be the path of a file."""
    word, equals, _ = address.partition("=")
    if equals and word.strip() in _KEYWORDS:
        return f"{word.strip()}="
    word, mark, rest = address.partition(":")
    is_word = word.replace("+", "").replace("-", "").isalnum() and len(word) > 1
    is_ours = word.lower() in SCHEMES
    if mark and is_word and (rest.startswith("//") or is_ours) and not is_server(address):
        return f"{word}:"
    return ""


def refuse_other(address: str) -> None:
    """Raise UsageError for what can be meant as the address of a server, and is none of ours."""
    if begin := _other_server(address):
        raise UsageError(
            f"not an address of a memory: it begins with {begin}",
            hint="postgresql://USER@HOST/DATABASE for a server; for a file of that name put ./ "
            "before it",
        )


def is_clear(address: str) -> bool:
    """Say whether each part of a server's address begins and ends where it seems to: a password
    with a character that has to be written as `%40` moves them, and is then in no safe place."""
    rest = address.partition("://")[2]
    user, behind = _parts(rest)
    base, _, query = behind.partition("?")
    hosts = base.partition("/")[0]
    return (
        "@" not in base
        and "?" not in user
        and all(map(_is_host, hosts.split(",")))
        and all("=" in pair for pair in query.split("&") if pair)
        and all(_is_byte(piece[:2]) for piece in rest.split("%")[1:])
    )


def without_password(address: str) -> str:
    """Return an address without the passwords in it; a path as it is. Of a server's that is not
    clear only the scheme is left."""
    if not is_server(address):
        return address
    scheme, mark, rest = address.partition("://")
    if not is_clear(address):
        return f"{scheme}{mark}…"
    user, behind = _parts(rest)
    base, question, query = behind.partition("?")
    pairs = query.split("&")
    shown = [pair for pair in pairs if not _is_secret(pair)]
    query = f"{question}{'&'.join(shown)}" if any(shown) or shown == pairs else ""
    at = "@" if behind is not rest else ""
    return f"{scheme}{mark}{user.partition(':')[0]}{at}{base}{query}"


def has_password(address: str) -> bool:
    """Say whether a password stands in an address of a server."""
    return without_password(address) != address


def _parts(rest: str) -> tuple[str, str]:
    """Return user and password, and what is behind their `@`, as the client library parts them:
    by the first `@` that no `/` comes before."""
    end = rest.find("@")
    if end < 0 or "/" in rest[:end]:
        return "", rest
    return rest[:end], rest[end + 1 :]


def _is_host(host: str) -> bool:
    """Say whether this can be a host with its port; one in brackets is an address of IPv6."""
    if host.startswith("["):
        name, _, port = host.partition("]")
        is_ended = len(name) > 1 and "]" in host and port[:1] in ("", ":")
        return is_ended and (port[1:] or "0").isdecimal()
    return ":" not in host or (host.partition(":")[2] or "0").isdecimal()


def _is_byte(digits: str) -> bool:
    return len(digits) == 2 and digits != "00" and all(one in _HEX for one in digits)


def _is_secret(pair: str) -> bool:
    """Say whether a pair of a query may be a password; the client library decodes names."""
    name = pair.partition("=")[0].lower()
    return name in _SECRET or "%" in name
