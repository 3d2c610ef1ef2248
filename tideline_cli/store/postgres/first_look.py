"""What a memory on a server says of itself when it is opened, in one round trip."""

from __future__ import annotations

import apsw

from tideline_cli.store import lapsed, visibility
from tideline_cli.store.score_bounds import CHUNK
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.store.postgres.foresight import Foreseeing

_NOT_THERE = ("42P01", "3F000")  # no such table, no such schema
_FEW = 100  # origins of which something is guessed
_ORIGINS = f"""
SELECT origin.key, origin.number, lapsed.at, lapsed.facts, lapsed.tokens
FROM origin LEFT JOIN lapsed ON lapsed.origin = origin.number ORDER BY origin.number LIMIT {_FEW}
"""
_BOUNDED = f"""
SELECT ifnull((SELECT number * {CHUNK} + length(codes) FROM ceiling
               ORDER BY number DESC LIMIT 1), 0)
"""


def look(db: Foreseeing) -> bool:
    """Say whether the tables are there, and note in the connection what they say: its guesses."""
    settings: list[Any] = []
    try:
        with snapshot(db):  # type: ignore[arg-type]
            db.foresee(lambda: db.execute(_ORIGINS).get, lambda: db.execute(_BOUNDED).get)
            settings = db.execute("SELECT name, value FROM setting").fetchall()
            origins: list[Any] = db.execute(_ORIGINS).fetchall()
            db.bounded = int(db.execute(_BOUNDED).get)
    except apsw.SQLError as error:
        if getattr(error, "state", "") not in _NOT_THERE:
            raise
        return False
    db.guess = dict(settings)
    db.origins = {key: number for key, number, *_ in origins}
    for key, number, *lapsed_then in origins:
        db.guessed[visibility.NUMBER, (key,)] = [(number,)]
        db.guessed[lapsed.AT, (number,)] = [] if lapsed_then[0] is None else [tuple(lapsed_then)]
    return "schema" in db.guess
