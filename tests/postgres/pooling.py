"""A pool of connections before a server of tests: pgbouncer, in its mode `transaction`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from urllib.parse import parse_qs, urlsplit

from tests.postgres import cluster

_PROGRAM = "pgbouncer"
_PATIENCE = 20  # seconds
_SETTINGS = """
[databases]
* = host={server} port={port}

[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
pool_mode = transaction
auth_type = trust
auth_user = {user}
default_pool_size = {size}
query_wait_timeout = {patience}
logfile = {folder}/log
"""


def program():
    """Return the path of the program, None where it is not installed."""
    return shutil.which(_PROGRAM, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


class Pool:
    """A pool of `size` connections for each role, as long as the block; `address` is that of the
    server's first database by way of it."""

    def __init__(self, server, size=2):
        self._server = urlsplit(server)
        self._size = size

    def __enter__(self):
        who = cluster.user()
        self.folder = tempfile.mkdtemp(prefix="tl-pool-", dir="/tmp")
        asked = parse_qs(self._server.query)
        settings = _SETTINGS.format(
            server=asked["host"][0] if "host" in asked else self._server.hostname,
            port=self._server.port or 5432,
            user=self._server.username,
            folder=self.folder,
            size=self._size,
            patience=_PATIENCE,
        )
        path = os.path.join(self.folder, "settings.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(settings)
        given = {"user": who.pw_uid, "group": who.pw_gid} if who else {}
        if who:
            os.chown(self.folder, who.pw_uid, who.pw_gid)
        self._process = subprocess.Popen(
            [program(), "-q", path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **given,
        )
        self._wait()
        user, database = self._server.username, self._server.path.strip("/")
        self.address = f"postgresql://{user}@/{database}?host={self.folder}&port=6432"
        return self

    def _wait(self):
        end = time.monotonic() + _PATIENCE
        while not os.path.exists(os.path.join(self.folder, ".s.PGSQL.6432")):
            assert self._process.poll() is None and time.monotonic() < end, self._said()
            time.sleep(0.02)

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=_PATIENCE)
        shutil.rmtree(self.folder)

    def _said(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
            return log.read()

    def made(self):
        """How many connections to the server it has made."""
        return self._said().count("new connection to server")

    def thrown_away(self):
        """Why it has ended connections to the server, a line for each."""
        lines = self._said().splitlines()
        return [line for line in lines if " S-" in line and "closing because" in line]
