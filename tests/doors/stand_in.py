"""A stand-in for the models of the clients: a loopback server that answers with what a function
makes of the request, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAYS = "Understood."


class StandIn(ThreadingHTTPServer):
    """The server; `asked` are the bodies of the requests, as text, `says` what is answered,
    `models` the names of those that it has."""

    daemon_threads = True

    def __init__(self, says: Callable[[str], str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.says = says
        self.asked: list[str] = []
        self.models: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        listed = [{"id": name} for name in self.server.models]
        self._send("application/json", json.dumps({"data": listed, "models": []}))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = self.path.partition("?")[0]
        form = json.loads(body or "{}")
        if path.endswith("/messages"):
            self.server.asked.append(body)
            self._claude(self.server.says(body), streams=bool(form.get("stream")))
        elif path.endswith("/responses"):
            self.server.asked.append(body)
            self._events(_codex_events(self.server.says(body)))
        elif ":generateContent" in path or ":streamGenerateContent" in path:
            self.server.asked.append(body)
            self._gemini(self.server.says(body), streams="stream" in path)
        elif path.endswith("count_tokens") or ":countTokens" in path:
            self._send("application/json", '{"input_tokens": 9, "totalTokens": 9}')
        else:
            self._send("application/json", "{}")

    def _claude(self, says: str, *, streams: bool) -> None:
        message = {"id": "m1", "type": "message", "role": "assistant", "model": "m",
                   "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        text = {"type": "text", "text": says}
        if not streams:
            whole = {**message, "content": [text], "stop_reason": "end_turn"}
            self._send("application/json", json.dumps(whole))
            return
        self._events([
            {"type": "message_start",
             "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0,
             "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": says}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
             "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ])  # fmt: skip

    def _gemini(self, says: str, *, streams: bool) -> None:
        reply = {
            "candidates": [{"content": {"role": "model", "parts": [{"text": says}]},
                            "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1,
                              "totalTokenCount": 2},
        }  # fmt: skip
        if streams:
            self._send("text/event-stream", f"data: {json.dumps(reply)}\r\n\r\n")
        else:
            self._send("application/json", json.dumps(reply))

    def _events(self, events: list[dict[str, Any]]) -> None:
        text = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
        self._send("text/event-stream", text)

    def _send(self, kind: str, text: str) -> None:
        raw = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _codex_events(says: str) -> list[dict[str, Any]]:
    item = {"id": "i1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": says, "annotations": []}]}  # fmt: skip
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1,
             "output_tokens_details": None, "total_tokens": 2}  # fmt: skip
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": usage}},
    ]


@contextmanager
def standing_in(says: Callable[[str], str] = lambda _: SAYS) -> Iterator[StandIn]:
    """Run the server beside a test."""
    server = StandIn(says)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
