"""Whether what a connection answers from what it has asked ahead is what the server says.

While `compared` is on, each answer that a connection gives without asking is compared at once with
what the same statement gives on the server, in the same transaction.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager

from tideline_cli.store import SETTING
from tideline_cli.store.postgres import by_number
from tideline_cli.store.postgres.known_answers import Read
from tideline_cli.store.postgres.promising import Promising
from tideline_cli.store.postgres.server import ServerConnection

WAYS = ("setting", "list", "lighter", "number", "statement", "batch")
"""How an answer comes about: from the settings, from a list of another statement, from a lighter
statement, by the numbers of facts, from the same statement asked ahead, or for a promised row."""


class Compared:
    """What was compared: `counts` of answers by way, and the `differences`: statement, values, what
    was answered, what the server says."""

    def __init__(self):
        self.counts = Counter()
        self.differences = []

    def take(self, way, sql, bindings, given, real):
        """Count an answer, and keep it where it differs."""
        self.counts[way] += 1
        if _in_order(sql, given) != _in_order(sql, real):
            self.differences.append((" ".join(sql.split()), tuple(bindings), given, real))


def _in_order(sql, rows):
    """Return rows with the types of their values: 1 is not 1.0; where a statement leaves the order
    open, in one order."""
    told = [repr(tuple(row)) for row in rows]
    return told if "ORDER BY" in sql else sorted(told)


def _way(db, sql, bindings):
    """Return how a statement was answered."""
    known, given = db._known, tuple(bindings)
    filler = known._fillers.get(sql)
    if sql == SETTING or "FROM setting WHERE name" in sql:
        return "setting"
    if (sql, given) in known.answers:
        return "statement"
    if filler is not None and filler(given) is not None:
        return "list"
    if by_number.parsed(sql, bindings) is not None:
        return "number"
    return "lighter" if sql in db.lighter else "batch"


def _said(db, sql, bindings):
    """Return what the server says. What waits goes first; nothing else that comes is asked."""
    chains, db._chains = db._chains, []
    db.flush()
    changes = db._changes
    rows = list(ServerConnection.execute(db, sql, bindings))
    db._chains, db._changes = chains, changes
    return rows


@contextmanager
def compared():
    """Yield what is compared in the block, in all connections of this process."""
    seen = Compared()
    execute, settings = Promising.execute, Promising.settings

    def executed(db, sql, bindings=()):
        is_asked = db._is_open and not (db._is_noting or db._has_failed)
        if not is_asked or sql.lstrip()[:6].upper() != "SELECT":
            return execute(db, sql, bindings)
        cursor = execute(db, sql, bindings)
        if isinstance(cursor, Read):
            seen.take(_way(db, sql, bindings), sql, bindings, [*cursor._rows], _said(db, sql, bindings))
        return cursor

    def told(db):
        held = settings(db)
        if not db._is_noting:
            sql = "SELECT name, value FROM setting"
            seen.take("setting", sql, (), [*held.items()], _said(db, sql, ()))
        return held

    Promising.execute, Promising.settings = executed, told
    try:
        yield seen
    finally:
        Promising.execute, Promising.settings = execute, settings
