"""A PostgreSQL server for tests: made in a folder of its own, reached by a socket there.

`python -m tests.postgres.cluster` prints where its programs are, and fails where there are none.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager

from tests.postgres import wheel

_PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
)
_SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "max_connections=200",
    "max_locks_per_transaction=512",
    "client_min_messages=warning",
)


def programs():
    """Return the folder of a server's programs: the one that POSTGRES names, else of the newest
    that is installed, else the wheel's; None where there is none."""
    if named := os.environ.get("POSTGRES"):
        return named
    found = shutil.which("initdb")
    folders = [os.path.dirname(os.path.realpath(found))] if found else []
    folders += sorted((path for place in _PLACES for path in glob.glob(place)), key=_version)
    usable = [one for one in folders if os.path.exists(os.path.join(one, "initdb"))]
    return usable[-1] if usable else wheel.programs()


def program(name):
    """Return the path of a program that fits the server; a client may lie elsewhere."""
    beside = os.path.join(programs() or "", name)
    return beside if os.path.exists(beside) else shutil.which(name)


def _version(folder):
    digits = "".join(one if one.isdigit() else " " for one in folder).split()
    return int(digits[-1]) if digits else 0


def user():
    """Return the user that a server may run as: it refuses to run as root."""
    if os.geteuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


class Cluster:
    """A server that runs as long as the block; `address` is that of its first database. `settings`
    come after those that make a server fast and forgetful."""

    def __init__(self, bin_folder, settings=()):
        self._bin = bin_folder
        self._settings = (*_SETTINGS, *settings)
        self._user = user()

    def __enter__(self):
        # A path of a socket is short.
        self.folder = tempfile.mkdtemp(prefix="tl-pg-", dir="/tmp")
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
            self._bin = wheel.within_reach(self._bin, self.folder)
        self._data = os.path.join(self.folder, "data")
        self._run(
            "initdb",
            "--no-sync",
            "-A",
            "trust",
            "-U",
            "tideline",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-D",
            self._data,
        )
        self.start()
        self.address = f"postgresql://tideline@/postgres?host={self.folder}"
        return self

    def __exit__(self, *_):
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def start(self):
        """Start the server, and wait until it answers."""
        settings = (*self._settings, f"unix_socket_directories={self.folder}")
        options = " ".join(f"-c {one}" for one in settings)
        log = os.path.join(self.folder, "log")
        self._run("pg_ctl", "-D", self._data, "-o", options, "-w", "start", "-l", log)

    def stop(self, how):
        """Stop it: `fast`, or `immediate`, as a crash does."""
        self._run("pg_ctl", "-D", self._data, "-m", how, "stop")

    @contextmanager
    def standby(self):
        """Yield a second server, which follows this one; from now on this one acknowledges what the
        other has written too."""
        other = Cluster(self._bin, self._settings[len(_SETTINGS) :])
        other.folder = tempfile.mkdtemp(prefix="tl-pg-", dir="/tmp")
        if self._user:
            os.chown(other.folder, self._user.pw_uid, self._user.pw_gid)
        other._data = os.path.join(other.folder, "data")
        self._run("pg_basebackup", "-h", self.folder, "-U", "tideline", "-D", other._data, "-R",
                  "-X", "stream", "-c", "fast")  # fmt: skip
        other.start()
        self._settings += ("synchronous_standby_names=*",)
        self.stop("fast")
        self.start()
        try:
            yield other
        finally:
            other.stop("immediate")
            shutil.rmtree(other.folder)
            self._settings = self._settings[:-1]

    def promote(self):
        """Let a server that follows another take over."""
        self._run("pg_ctl", "-D", self._data, "-w", "promote")

    def _run(self, program, *argv):
        given = {"user": self._user.pw_uid, "group": self._user.pw_gid} if self._user else {}
        subprocess.run(
            [os.path.join(self._bin, program), *argv],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            **given,
        )


if __name__ == "__main__":
    sys.exit(print(programs()) if programs() else 1)
