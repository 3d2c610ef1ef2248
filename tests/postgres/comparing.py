"""Whether what a connection answers from what it has asked ahead is what the server says.

While `compared` is on, each answer that a connection gives without asking is compared at once with
what the same statement gives on the server, in the same transaction. After each write, so is all
that is still known, whether somebody asks for it or not.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from functools import partialmethod
from unittest import mock

from tideline_cli.store import SETTING
from tideline_cli.store.postgres import by_number
from tideline_cli.store.postgres.known_answers import GENERATION, SETTINGS, Read
from tideline_cli.store.postgres.promising import Promising
from tideline_cli.store.postgres.server import ServerConnection

WAYS = ("setting", "list", "lighter", "number", "statement", "batch", "kept")
"""How an answer comes about: from the settings, from a list of another statement, from a lighter
statement, by the numbers of facts, from the same statement asked ahead, or for a promised row; and
what a write has left known."""
_CONTROL = ("BEGIN", "COMMIT", "END", "ROLLBACK", "PRAGMA", "SAVEPOINT", "RELEASE")


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
    if sql in (SETTING, GENERATION) or "FROM setting WHERE name" in sql:
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


def _compare_kept(seen, db):
    """Compare what is known after a write."""
    known = db._known
    for (sql, bindings), answer in [*known.answers.items()]:
        if answer.rows is not None:
            seen.take("kept", sql, bindings, answer.rows, _said(db, sql, bindings))
    for (bare, bindings), held in [*known._rows.items()]:
        sql = bare.replace("{list}", "('{" + ",".join(map(str, held)) + "}'::bigint[])")
        rows = [row for row in held.values() if row is not None]
        real = sorted(_said(db, sql, bindings))
        seen.take("kept", sql, bindings, sorted(rows), real)


@contextmanager
def compared():
    """Yield what is compared in the block, in all connections of this process."""
    seen = Compared()

    def executed(first, db, sql, bindings=()):
        words = sql.split(None, 1)
        is_asked = db._is_open and not (db._is_noting or db._has_failed)
        if not is_asked or not words or words[0].upper().rstrip(";") in _CONTROL:
            return first(db, sql, bindings)
        cursor = first(db, sql, bindings)
        if words[0].upper() != "SELECT":
            _compare_kept(seen, db)
        elif isinstance(cursor, Read):
            way, given = _way(db, sql, bindings), [*cursor._rows]
            seen.take(way, sql, bindings, given, _said(db, sql, bindings))
        return cursor

    def told(first, db):
        held = first(db)
        if not db._is_noting:
            sql = SETTINGS
            seen.take("setting", sql, (), [*held.items()], _said(db, sql, ()))
        return held

    with ExitStack() as stack:
        for name, instead in (("execute", executed), ("executemany", executed), ("settings", told)):
            watched = partialmethod(_through, instead, getattr(Promising, name))
            stack.enter_context(mock.patch.object(Promising, name, watched))
        yield seen


def _through(db, instead, first, *given):
    return instead(first, db, *given)
