"""A scripted OpenAI-compatible server on loopback: it answers step by step and remembers.

    with serving(reply('{"archive": []}'), Step(status=500)) as server:
        ... base_url=server.base_url ...
        assert server.prompts == ["…"]

Each request takes the next step; the last one is repeated.
"""

from __future__ import annotations

import json
import socket
import struct
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator


@dataclass
class Step:
    """One answer.

    body: bytes, text, or a value that becomes JSON. delay: seconds before anything is sent.
    drip: seconds before each byte, the head's too. keep: bytes of the body that are sent before
    the connection is cut; Content-Length names the whole. reset: cut with RST, nothing sent.
    meanwhile: called before the answer, with the request; what happens while a model thinks.
    """

    status: int = 200
    body: Any = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    keep: int | None = None
    reset: bool = False
    meanwhile: Callable[[Request], None] | None = None

    @property
    def raw(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass
class Request:
    """What was asked; `form` is the JSON of the body, or None."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> Any:
        return json.loads(self.body) if self.body else None

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return self.form["messages"][-1]["content"]


def reply(content: Any, **given: Any) -> Step:
    """Return a good answer: `content`, a text or a value that becomes JSON, by the assistant."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    message = {"role": "assistant", "content": text}
    return Step(body={"choices": [{"index": 0, "message": message}]}, **given)


def half(content: Any) -> Step:
    """Return an answer whose connection is cut in the middle of the body."""
    whole = reply(content)
    return reply(content, keep=len(whole.raw) // 2)


class Scripted:
    """The running server."""

    def __init__(self, steps: tuple[Step, ...], context: ssl.SSLContext | None) -> None:
        self.requests: list[Request] = []
        self.ended = Event()
        self._steps = steps
        self._lock = Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.script = self
        if context is not None:
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self._scheme = "http" if context is None else "https"
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    @property
    def base_url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.requests]

    def next_step(self, request: Request) -> Step:
        """Remember a request and return what it gets."""
        with self._lock:
            step = self._steps[min(len(self.requests), len(self._steps) - 1)]
            self.requests.append(request)
            return step

    def stop(self) -> None:
        """End the server; who waits in a step is woken."""
        self.ended.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@contextmanager
def serving(*steps: Step, context: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    """Serve these steps on loopback for the length of a `with`."""
    server = Scripted(steps, context)
    try:
        yield server
    finally:
        server.stop()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True
    script: Scripted

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def do_POST(self) -> None:
        """Answer by the script."""
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        asked = Request(self.command, self.path, dict(self.headers), body)
        step = self.server.script.next_step(asked)
        if step.meanwhile is not None:
            step.meanwhile(asked)
        if step.delay and self.server.script.ended.wait(step.delay):
            return
        if step.reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            return
        self._send(self._head(step) + step.raw[: step.keep], step.drip)

    do_GET = do_CONNECT = do_POST

    def _head(self, step: Step) -> bytes:
        headers = {"Content-Type": "application/json", "Content-Length": str(len(step.raw))}
        lines = [f"HTTP/1.1 {step.status} Scripted"]
        lines += [f"{name}: {value}" for name, value in (headers | step.headers).items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _send(self, raw: bytes, drip: float) -> None:
        if not drip:
            self.wfile.write(raw)
            return
        for byte in raw:
            if self.server.script.ended.wait(drip):
                return
            self.wfile.write(bytes([byte]))

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
