"""Something on the way to a server of tests that loses a connection at the end of a transaction."""

from __future__ import annotations

import os
import select
import shutil
import socket
import tempfile
import threading
from urllib.parse import parse_qs, urlsplit

_NAME = ".s.PGSQL.5432"
_ENDS = b"COMMIT\0"  # as the client library sends the statement
_DONE = b"Z\0\0\0\5I"  # the server is ready, and in no transaction
_AT_ONCE = 65_536


class Cut:
    """A way to a server, as long as the block; `address` is that of its first database by way of
    it. Connections are lost while `when` says so: at `before` no COMMIT reaches the server, at
    `after` each does and no answer comes back. The first `spared` of them pass. `lost` counts."""

    def __init__(self, server):
        self._server = urlsplit(server)
        self.when = ""
        self.spared = 0
        self.lost = 0

    def __enter__(self):
        self._folder = tempfile.mkdtemp(prefix="tl-cut-", dir="/tmp")
        self._ear = socket.socket(socket.AF_UNIX)
        self._ear.bind(os.path.join(self._folder, _NAME))
        self._ear.listen(64)
        threading.Thread(target=self._listen, daemon=True).start()
        user, base = self._server.username, self._server.path.strip("/")
        self.address = f"postgresql://{user}@/{base}?host={self._folder}"
        return self

    def __exit__(self, *_):
        self._ear.close()
        shutil.rmtree(self._folder)

    def _listen(self):
        while True:
            try:
                client, _ = self._ear.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client):
        folder = parse_qs(self._server.query)["host"][0]
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(os.path.join(folder, _NAME))
            try:
                self._pass(client, server)
            except OSError:
                return

    def _pass(self, client, server):
        """Give each side what the other one says, until one ends or the connection is lost."""
        end, swallows = b"", False
        while True:
            for side in select.select([client, server], [], [])[0]:
                some = side.recv(_AT_ONCE)
                if not some or (side is server and swallows and some.endswith(_DONE)):
                    return
                if side is server:
                    if not swallows:
                        client.sendall(some)
                    continue
                if _ENDS in end + some and self._loses():
                    if self.when == "before":
                        return
                    swallows = True
                server.sendall(some)
                end = some[-len(_ENDS) :]

    def _loses(self):
        """Say whether a COMMIT that comes now is lost."""
        if not self.when:
            return False
        if self.spared:
            self.spared -= 1
            return False
        self.lost += 1
        return True
