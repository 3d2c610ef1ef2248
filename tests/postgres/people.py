"""Roles of people on a test server, each a member of an origin of its own."""

from __future__ import annotations

import os
import subprocess
from itertools import count

from tests.postgres import cluster
from tideline_cli.store.postgres import opening

_numbers = count()


def as_role(address, role):
    """Return the address of a memory for another role."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{role}@{rest.partition('@')[2]}"


def new_role(server, role=None):
    """Make a role on a server, and return its name."""
    role = role or f"person_{os.getpid()}_{next(_numbers)}"
    psql(server, f"CREATE ROLE {role} LOGIN")
    return role


def own(role):
    """Return the origin of a role, as an option."""
    return f"--origin=channel:team/{role}/notes"


def psql(address, *statements, fails=False):
    """Run statements as psql does, each for itself, and return what it prints; with `fails`, all
    that it says where it must fail."""
    base, _, schema = address.partition("&schema=")
    argv = [cluster.program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", base]
    if schema:
        argv += ["-c", f"SET search_path = {schema}"]
    for one in statements:
        argv += ["-c", one]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert bool(done.returncode) is fails, (statements, done.stdout, done.stderr)
    return done.stdout + done.stderr * fails


def rows_of(address, table):
    """Return all rows of a table, as texts, in the order of the texts."""
    db = opening.connected(address)
    try:
        found = db.execute(f"SELECT one::text FROM {table} AS one ORDER BY 1").fetchall()
        return [text for (text,) in found]
    finally:
        db.close()
