"""The HTTP server: on the loopback address alone, for reads alone, one answer a connection; who may
ask, how much of it one client may take, and the private file in which programs find it."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from hmac import compare_digest
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock, Timer
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from tideline_cli.serve.http import api
from tideline_cli.serve.http.answers import HTML, HttpReply, failed_reply
from tideline_cli.store.private_files import hand_over, make_folder
from tideline_cli.system import NOFOLLOW, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from email.message import Message
    from typing import Any, BinaryIO

    from tideline_cli.serve.http.answers import Ask

    Tell = Callable[[BaseException], None]
    Site = Callable[[str, Mapping[str, list[str]]], HttpReply]
    """Answers a path that is no part of the API with a page."""

_DEADLINE = 20  # seconds in which a client asks, and in which it takes its answer
_MOST_TARGET = 16_384  # characters of a path with its parameters
_MOST_PARAMETERS = 64
_REFUSALS = {
    405: "only GET and HEAD are answered", 414: "the path is too long",
    431: "the headers are too long", 505: "ask by HTTP/1.1",
}  # fmt: skip
_ALWAYS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; "
     "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Connection", "close"),
)  # fmt: skip


class HttpServer(ThreadingHTTPServer):
    """The server. `ask` runs a command, `site` makes the pages; `token` and `session` are what
    programs and browsers show; `tell` hears of errors that nobody foresaw. Programs are given
    `[secret]` in the place of secrets, but for `show_secrets`."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(
        self, port: int, ask: Ask, site: Site, *, token: str, session: str, tell: Tell,
        show_secrets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__((ADDRESS, port), _Handler)
        self.ask, self.site, self.tell, self._token = ask, site, tell, token
        self.show_secrets = show_secrets
        self.guard = Guard(self.server_port, token, session)
        self.places = Places()

    @property
    def url(self) -> str:
        """Return the address without the token."""
        return f"http://{ADDRESS}:{self.server_port}/"

    @property
    def door(self) -> str:
        """Return the address that lets a browser in."""
        return f"{self.url}?token={self._token}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, or refuse it where too many are open."""
        if not self.places.take(request):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread to be had
            self.places.leave(request)
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, and give its place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.places.leave(request)

    def handle_error(self, *_: Any) -> None:
        """Leave a connection that has broken; tell what else went wrong with an answer."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self.tell(error)


class _Handler(BaseHTTPRequestHandler):
    server: HttpServer
    server_version = "tideline"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _DEADLINE

    def setup(self) -> None:
        """Bound what is read of a request, and how long its client may take."""
        super().setup()
        self.rfile: Any = HeadReader(self.rfile)
        self._watch = self._watched()

    def finish(self) -> None:
        """End the watch over the connection."""
        self._watch.cancel()
        super().finish()

    def _watched(self) -> Timer:
        """Cut the connection if its client takes too long: to ask, or to take the answer."""
        watch = Timer(_DEADLINE, disconnect, (self.request,))
        watch.daemon = True
        watch.start()
        return watch

    def do_GET(self) -> None:
        """Answer a read. How long that takes is no fault of the client's."""
        self._watch.cancel()
        try:
            reply = self._reply()
        except Exception as error:  # noqa: BLE001  it is told; the browser does not wait in vain
            self.server.tell(error)
            reply = failed_reply(500, "internal", "this could not be answered",
                                 "the window of `tideline serve` says where it failed")
        self._watch = self._watched()
        self._send(reply)

    do_HEAD = do_GET  # noqa: N815  a name of http.server

    def _reply(self) -> HttpReply:
        if self.request_version == "HTTP/0.9":  # a request without a version, or a torn line
            return failed_reply(400, "http", "ask by HTTP/1.1")
        guard = self.server.guard
        refused = guard.refusal(self.headers)
        if refused is not None:
            return refused
        if len(self.path) > _MOST_TARGET:
            return failed_reply(414, "too_long", "the path is too long")
        if not self.path.startswith("/"):
            return failed_reply(400, "usage", "the path begins with /")
        parts = urlsplit("http://host" + self.path)
        if parts.path == "/health":
            return HttpReply(200, b'{"health": "ok"}\n')
        try:
            given = parse_qs(parts.query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
        except ValueError:
            return failed_reply(400, "usage", f"more than {_MOST_PARAMETERS} parameters")
        shown = given.pop("token", None)
        if shown is not None:
            return self._let_in(shown[-1], parts.path, given)
        if not guard.knows(self.headers):
            return self._stranger(parts.path)
        self.server.places.know(self.request)
        if parts.path.startswith(api.PREFIX):
            return api.answer(
                self.server.ask, parts.path.removeprefix(api.PREFIX), given,
                show_secrets=self.server.show_secrets,
            )  # fmt: skip
        return self.server.site(parts.path, given)

    def _let_in(self, shown: str, path: str, given: dict[str, list[str]]) -> HttpReply:
        """Give a browser that shows the token a cookie, and the same address without it."""
        if not self.server.guard.is_token(shown):
            return self._stranger(path)
        cookie = self.server.guard.welcome()
        more = f"?{urlencode(given, doseq=True)}" if given else ""
        here = quote("/" + path.lstrip("/"), safe="/%") + more
        return HttpReply(303, type=HTML, headers=(("Location", here), ("Set-Cookie", cookie)))

    def _stranger(self, path: str) -> HttpReply:
        if path.startswith(api.PREFIX):
            found = failed_reply(401, "unauthorized", "no token, or not this server's",
                            "send `Authorization: Bearer TOKEN`; docs/http.md")  # fmt: skip
            return HttpReply(found.status, found.body, headers=(("WWW-Authenticate", "Bearer"),))
        text = ("<!doctype html><meta charset=utf-8><title>tideline</title><p>Open the address "
                "that <code>tideline serve</code> has printed: it holds the token.\n")  # fmt: skip
        return HttpReply(401, text.encode(), HTML, (("WWW-Authenticate", "Bearer"),))

    def _send(self, reply: HttpReply) -> None:
        self.close_connection = True
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in (*_ALWAYS, *reply.headers):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def send_error(self, code: int, *_: object) -> None:
        """Answer what is no request, and what is no read; what the library would say quotes it."""
        code = 405 if code == 501 else code
        told = _REFUSALS.get(code, "this is no request that can be answered")
        self._send(failed_reply(code, "http", told))

    def log_message(self, format: str, *args: object) -> None:
        """Keep no log: requests hold questions, which are nobody else's."""


class KeyFile:
    """A file of the state folder, there while its server runs."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.path: str | None = None

    def put(self, port: int, text: str) -> None:
        """Write the file of a port."""
        make_folder(self._folder)
        path = os.path.join(self._folder, f"serve-{port}.json")
        with suppress(FileNotFoundError):
            os.unlink(path)  # of a server that was killed
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
        handle = os.open(path, flags, 0o600)
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            set_mode(handle, 0o600)  # whatever the umask
            hand_over(handle, path, like=self._folder)
            file.write(text + "\n")
        self.path = path

    def remove(self) -> None:
        """Remove what was written."""
        if self.path is not None:
            with suppress(OSError):
                os.unlink(self.path)


ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
_OWN_SITES = ("same-origin", "none")
_BEARER = "bearer "


class Guard:
    """The checks of one server. `token` is what a program shows, `session` what a browser does
    after it has shown the token once."""

    def __init__(self, port: int, token: str, session: str) -> None:
        self._hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
        self._sites = {f"http://{host}" for host in self._hosts}
        self._token = token
        self._session = session
        # Cookies know no ports: another server on this machine keeps its own name.
        self.cookie = f"tideline_{port}"

    def refusal(self, headers: Message) -> HttpReply | None:
        """Return why a request is not ours to answer, whoever asks; None where it is. A page of
        another site can make a browser ask, also by a name that it lets point here."""
        hosts = headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].strip().lower() not in self._hosts:
            return failed_reply(421, "misdirected", "no such host here", "ask 127.0.0.1")
        origins = headers.get_all("Origin") or []
        if any(origin.lower() not in self._sites for origin in origins):
            return failed_reply(403, "foreign_origin", "another site asks")
        sites = headers.get_all("Sec-Fetch-Site") or []
        if any(site.strip().lower() not in _OWN_SITES for site in sites):
            return failed_reply(403, "foreign_site", "another site asks")
        return None

    def is_token(self, text: str) -> bool:
        """Say whether a text is the token."""
        return compare_digest(text.encode("utf-8", "replace"), self._token.encode())

    def knows(self, headers: Message) -> bool:
        """Say whether a request shows the token, or the cookie that stands for it."""
        shown = headers.get("Authorization") or ""
        kind, text = shown[: len(_BEARER)], shown[len(_BEARER) :]
        if kind.lower() == _BEARER and self.is_token(text.strip()):
            return True
        return any(
            compare_digest(value.encode("utf-8", "replace"), self._session.encode())
            for name, value in _cookies(headers)
            if name == self.cookie
        )

    def welcome(self) -> str:
        """Return the header that gives a browser its cookie."""
        return f"{self.cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"


def _cookies(headers: Message) -> list[tuple[str, str]]:
    """Return the names and values of the cookies of a request."""
    parts = [part for line in headers.get_all("Cookie") or [] for part in line.split(";")]
    pairs = (part.strip().partition("=") for part in parts)
    return [(name, value) for name, _, value in pairs]


MOST_CONNECTIONS = 32
MOST_HEAD = 128 * 1024  # bytes of a request with all its headers
_PATIENCE = 1.0  # seconds until a connection that was cut has given its place back


class Places:
    """The connections that are open, so many at most. Where there is no room, the one that has been
    a stranger for the longest time gives way: who holds connections open without a token keeps
    nobody out."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._free = BoundedSemaphore(most)
        self._strangers: dict[socket.socket, None] = {}
        self._lock = Lock()

    def take(self, request: socket.socket) -> bool:
        """Take a place for a connection; say whether there is one."""
        if not self._free.acquire(blocking=False) and not self._made_room():
            return False
        with self._lock:
            self._strangers[request] = None
        return True

    def know(self, request: socket.socket) -> None:
        """Let a connection stay that has shown the token."""
        with self._lock:
            self._strangers.pop(request, None)

    def leave(self, request: socket.socket) -> None:
        """Give the place of a connection back."""
        self.know(request)
        self._free.release()

    def _made_room(self) -> bool:
        with self._lock:
            oldest = next(iter(self._strangers), None)
            if oldest is None:
                return False
            del self._strangers[oldest]
        disconnect(oldest)
        return self._free.acquire(timeout=_PATIENCE)


class HeadReader:
    """Reads the lines of a request's head, and no more than `MOST_HEAD` bytes of them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = MOST_HEAD

    def readline(self, size: int) -> bytes:
        """Return a line of at most `size` bytes; raise LineTooLong where all are too much."""
        line = self._file.readline(size)
        self._left -= len(line)
        if self._left < 0:
            raise LineTooLong("head")
        return line

    def close(self) -> None:
        """Close what is read."""
        self._file.close()


def disconnect(request: socket.socket) -> None:
    """End a connection, whatever it waits for."""
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)
