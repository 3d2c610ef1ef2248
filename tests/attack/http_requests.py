"""Hostile requests over HTTP: each with what may be answered to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from tideline_cli.serve.http.api import ROUTES

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.attack.target import Served

NOTHING = 0
"""No answer at all: the connection ends."""
REFUSED = frozenset((NOTHING, 400, 401, 403, 404, 405, 414, 421, 431, 505))
ANSWERED = frozenset((200, 303, 400, 403, 404, 414, 431))


@dataclass
class Attack:
    """Bytes to send. `may_read` says whether the sender has shown who it is, and may be told what
    is remembered; `statuses` are the answers that are right; `ends` how the connection ends."""

    kind: str
    sent: bytes
    statuses: frozenset[int] = REFUSED
    may_read: bool = False
    ends: str = "half"


def drawn(rng: random.Random, served: Served) -> Attack:
    """Return a random attack."""
    kind = rng.choice(tuple(_KINDS))
    return _KINDS[kind](rng, served)


def head(served: Served, target: str, *more: str, method: str = "GET", host: str = "") -> bytes:
    """Return a request with its headers."""
    lines = (f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{served.port}'}", *more)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def bearer(served: Served) -> str:
    """Return the header of who may read."""
    return f"Authorization: Bearer {served.token}"


_TARGETS = ("/", "/facts", "/?q=kestrel", "/changes", "/api/v1/facts", "/api/v1/recall?q=kestrel",
            "/api/v1/status", "/fading", "/api/v1/memory/docs")  # fmt: skip
_NAMES = ("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}",
          "127.0.0.1.evil.example:{port}", "localhost.evil.example", "[::1]:{port}",
          "127.0.0.1:{port}@evil.example", "evil.example#127.0.0.1:{port}", "127.1:{port}",
          "2130706433:{port}", "localhost.:{port}", "127.0.0.1:{port}.evil.example", "",
          "127.0.0.1:{port}, evil.example", "127.0.0.1%00:{port}", "127.0.0.1:0{port}")  # fmt: skip
_SITES = ("http://evil.example", "https://evil.example:{port}", "null", "file://", "http://127.0.0.1",
          "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.evil.example", "http://[::1]:{port}",
          "http://127.0.0.1:{port}/", "http://127.0.0.1:{port}@evil.example", "*",
          "chrome-extension://abc", "")  # fmt: skip
_ODD = ("..%2f..%2fetc%2fpasswd", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%5c..%5c",
        "%00", "%0d%0aSet-Cookie:%20a=b", "%c0%ae%c0%ae/", "%ff%fe", "\\..\\..", ";a=b", "//evil",
        "%252e%252e%252f", "style.css/../style.css", "@2", "*", "--help", "-", "%F0%9F%8C%8A",
        "style.css%00.html", "A" * 300, "\u202e", "01ARZ3NDEKTSV4RRFFQ69G5FAV")  # fmt: skip
_VALUES = ("", "0", "1", "-1", "9" * 30, "1e999", "NaN", "true", "x", "'; DROP TABLE fact; --",
           "kestrel", "\"kestrel", "kestrel*", "NEAR(a b)", "(" * 200, "%00", "\u202e", "owner",
           "channel:wa/nest/1", "2026-11-22", "7d", "9" * 12 + "d", "a" * 3000, "📎", "*", "@1",
           "--db", "/etc/passwd", "user_instruction")  # fmt: skip
_HOSTILE = ("db", "origin", "now", "batch", "all_origins", "no_touch", "touch", "list", "write",
            "config", "debug", "verbose", "color", "json", "undo", "llm", "_method")  # fmt: skip


def _torn(rng: random.Random, served: Served) -> Attack:
    whole = bytearray(head(served, rng.choice(_TARGETS), f"X-A: {'b' * rng.randrange(99)}"))
    for _ in range(rng.randrange(4)):
        whole[rng.randrange(len(whole))] = rng.randrange(256)
    return Attack("torn", bytes(whole[: rng.randrange(len(whole) + 1)]), ends=_end(rng))


def _noise(rng: random.Random, served: Served) -> Attack:
    pieces = [b"GET", b"POST", b"/", b"/facts", b" HTTP/1.1", b"HTTP/9.9", b"\r\n", b"\n", b" ",
              b"\0", b"Host: 127.0.0.1:%d" % served.port, b":", b"\xff\xfe", b"A" * 999,
              b"Transfer-Encoding: chunked", b"Content-Length: -1", b"Expect: 100-continue",
              b"\x16\x03\x01\x02\x00\x01", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]  # fmt: skip
    sent = b"".join(rng.choices(pieces, k=rng.randint(1, 40))) + rng.randbytes(rng.randrange(60))
    return Attack("noise", sent, REFUSED | {100}, ends=_end(rng))


def _foreign_host(rng: random.Random, served: Served) -> Attack:
    name = rng.choice(_NAMES).replace("{port}", str(served.port))
    more = [bearer(served)] * rng.randrange(2)
    if rng.random() < 0.3:
        more.append(f"X-Forwarded-Host: 127.0.0.1:{served.port}")
    if rng.random() < 0.2:
        target = f"http://127.0.0.1:{served.port}/facts"
        return Attack("foreign host", head(served, target, *more, host=name or " "))
    return Attack("foreign host", head(served, rng.choice(_TARGETS), *more, host=name or " "))


def _foreign_site(rng: random.Random, served: Served) -> Attack:
    site = rng.choice(_SITES).replace("{port}", str(served.port))
    said = rng.choice((f"Origin: {site}", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
                       "Sec-Fetch-Site: none, cross-site", "Sec-Fetch-Site: x"))  # fmt: skip
    return Attack("foreign site", head(served, rng.choice(_TARGETS), said, bearer(served)))


def _guess(rng: random.Random, served: Served) -> Attack:
    token = served.token
    at = rng.randrange(len(token))
    wrong = rng.choice((
        token[:at], token + "0", token[:at] + "g" + token[at + 1 :], token[::-1], "",
        token.upper() if token.upper() != token else "A", " ".join(token), "é" * 64,
        "%" + token, "0" * 64, "null", "undefined", "A" * 9000, token + "," + token,
    ))  # fmt: skip
    way = rng.randrange(6)
    target = rng.choice(_TARGETS)
    sign = "&" if "?" in target else "?"
    if way == 0:
        return Attack("guess", head(served, f"{target}{sign}token={quote(wrong)}"))
    if way == 1:  # the token is no cookie, and no cookie of another server is ours
        name = rng.choice((f"tideline_{served.port}", "tideline_1", "token", "session"))
        return Attack("guess", head(served, target, f"Cookie: a=b; {name}={token}; c"))
    if way == 2:
        kind = rng.choice(("Basic", "Digest", "Token", "Bearer:", "BearerX", ""))
        return Attack("guess", head(served, target, f"Authorization: {kind} {token}"))
    if way == 3:
        names = ("X-Token", "Proxy-Authorization", "X-Authorization", "X-MB-TOKEN")
        return Attack("guess", head(served, target, f"{rng.choice(names)}: Bearer {token}"))
    if way == 4:
        return Attack("guess", head(served, f"{target}{sign}Token={token}&access_token={token}"))
    return Attack("guess", head(served, target, f"Authorization: Bearer {wrong}"))


def _body(rng: random.Random, served: Served) -> Attack:
    method = rng.choice(("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get",
                         "PROPFIND", "__class__", "G\u00cbT"))  # fmt: skip
    length = rng.choice(("5", "-1", "99999999999", "0x10", "5, 6", "\u0665"))
    lies = rng.choice((
        (f"Content-Length: {length}",), ("Transfer-Encoding: chunked",),
        ("Transfer-Encoding: chunked", "Content-Length: 4"), ("Transfer-Encoding: gzip, chunked",),
        ("Expect: 100-continue", "Content-Length: 9"), ("Content-Encoding: gzip",),
        ("X-HTTP-Method-Override: GET",), ("Upgrade: websocket", "Connection: Upgrade"),
    ))  # fmt: skip
    body = rng.choice((b"hello", b"FFFFFFFFFFFF\r\nx", b"0\r\n\r\n", b"zz\r\n", b"",
                       rng.randbytes(5000)))  # fmt: skip
    sent = head(served, rng.choice(_TARGETS), *lies, bearer(served), method=method) + body
    return Attack("body", sent, REFUSED | {100}, ends=_end(rng))


def _smuggled(rng: random.Random, served: Served) -> Attack:
    """One request that is refused, and one behind it that is not to be looked at."""
    second = head(served, rng.choice(_TARGETS), bearer(served))
    lies = rng.choice((f"Content-Length: {len(second)}", "Content-Length: 0", "Connection: close",
                       "Transfer-Encoding: chunked", "Connection: keep-alive"))  # fmt: skip
    first = head(served, rng.choice(_TARGETS), lies)
    return Attack("smuggled", first + second)


def _flood(rng: random.Random, served: Served) -> Attack:
    count = rng.choice((90, 150, 5_000))
    lines = [f"X-{n}: {'y' * rng.choice((1, 900))}" for n in range(count)]
    if rng.random() < 0.2:
        lines = [f"X: {'z' * rng.choice((60_000, 200_000))}"]
    return Attack("flood", head(served, "/facts", *lines))


def _long(rng: random.Random, served: Served) -> Attack:
    target = "/" + rng.choice(("a", "%61", "a/", "?")) * rng.choice((3_000, 20_000, 90_000))
    return Attack("long", head(served, target))


def _odd_path(rng: random.Random, served: Served) -> Attack:
    start = rng.choice(("/", "/facts/", "/api/v1/", "/api/v1/facts/", "//", "/style.css/", "",
                        f"http://127.0.0.1:{served.port}/", "file:///etc/passwd"))  # fmt: skip
    target = start + rng.choice(_ODD) + rng.choice(("", "/history", "?a=b", "#"))
    return Attack("odd path", head(served, target, bearer(served)), ANSWERED, may_read=True)


def _odd_parameter(rng: random.Random, served: Served) -> Attack:
    name = rng.choice(tuple(ROUTES))
    path = "/api/v1/" + name.replace("ID", rng.choice(_ODD))
    if rng.random() < 0.3:
        path = rng.choice(("/", "/facts", "/changes", "/fading", "/slots", "/status"))
    known = (*ROUTES[name].options, "q", "offset", "limit", *_HOSTILE)
    pairs = [(rng.choice(known), rng.choice(_VALUES)) for _ in range(rng.randint(1, 6))]
    pairs *= rng.choice((1, 1, 1, 1, 30))
    query = "&".join(f"{key}={quote(value, safe='%')}" for key, value in pairs)
    return Attack("odd parameter", head(served, f"{path}?{query}".replace(" ", "%20"),
                                        bearer(served)), ANSWERED, may_read=True)  # fmt: skip


def _end(rng: random.Random) -> str:
    return rng.choice(("half", "half", "reset", "gone"))


_KINDS: dict[str, Callable[[random.Random, Served], Attack]] = {
    "torn": _torn, "noise": _noise, "foreign host": _foreign_host, "foreign site": _foreign_site,
    "guess": _guess, "body": _body, "smuggled": _smuggled, "flood": _flood, "long": _long,
    "odd path": _odd_path, "odd parameter": _odd_parameter,
}  # fmt: skip
KINDS = tuple(_KINDS)
