"""Something on the way to a server of tests that takes its time, as a network does."""

from __future__ import annotations

import os
import select
import socket
import threading
from collections import deque
from time import monotonic
from urllib.parse import parse_qs, urlsplit

_AT_ONCE = 65_536


class Delayed:
    """A way to a server by TCP on this machine, as long as the block; `address` is that of its
    first database by way of it. What the client sends arrives `seconds` later, so each round trip
    takes so long at least."""

    def __init__(self, server, seconds):
        self._server = urlsplit(server)
        self._seconds = seconds

    def __enter__(self):
        self._ear = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._listen, daemon=True).start()
        user, base = self._server.username, self._server.path.strip("/")
        port = self._ear.getsockname()[1]
        self.address = f"postgresql://{user}@127.0.0.1:{port}/{base}?sslmode=disable"
        return self

    def __exit__(self, *_):
        self._ear.close()

    def _listen(self):
        while True:
            try:
                client, _ = self._ear.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client):
        folder = parse_qs(self._server.query)["host"][0]
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(os.path.join(folder, ".s.PGSQL.5432"))
            try:
                self._pass(client, server)
            except OSError:
                return

    def _pass(self, client, server):
        """Give each side what the other one says, until one ends."""
        waiting = deque()  # what the client has said, and when it arrives
        while True:
            left = max(0.0, waiting[0][0] - monotonic()) if waiting else None
            for side in select.select([client, server], [], [], left)[0]:
                some = side.recv(_AT_ONCE)
                if not some:
                    return
                if side is server:
                    client.sendall(some)
                else:
                    waiting.append((monotonic() + self._seconds, some))
            while waiting and waiting[0][0] <= monotonic():
                server.sendall(waiting.popleft()[1])
