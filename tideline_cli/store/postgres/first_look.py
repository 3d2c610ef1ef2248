"""What a memory on a server says of itself when it is opened, in one round trip."""

from __future__ import annotations

import apsw

from tideline_cli.store import ORIGIN_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.postgres.promising import Promising

_NOT_THERE = ("42P01", "3F000")  # no such table, no such schema
MOST_ORIGINS = 100
"""So many of the origins that a role sees are known at once."""
_ORIGINS = f"SELECT key, number FROM origin ORDER BY number LIMIT {MOST_ORIGINS}"


def look(db: Promising, comes: Callable[[Connection, Promising], object] | None = None) -> bool:
    """Say whether the tables are there, and note in the connection what they say: its guesses. What
    `comes` foresees goes with that, for the transaction of the reader that comes next."""
    db.is_there = True
    db.execute("BEGIN")
    try:
        if comes is not None:
            comes(db, db)  # type: ignore[arg-type]
        db.foresee(lambda: db.execute(_ORIGINS).get)
        db.guess = db.settings()
        rows: list[Any] = db.execute(_ORIGINS).fetchall()
    except apsw.SQLError as error:
        db.execute("ROLLBACK")
        if getattr(error, "state", "") not in _NOT_THERE:
            raise
        db.is_there = False
        # Where they are and this role may not use them, the server says so here. They may also
        # have been made meanwhile; who writes looks again under the lock.
        db.execute("SELECT to_regclass(?) IS NULL", (f'"{db.schema}".setting',)).fetchall()
        return False
    db.origins = dict(rows)
    db.guessed |= {(ORIGIN_NUMBER, (key,)): [(number,)] for key, number in rows}
    if comes is None:
        db.execute("ROLLBACK")
    else:
        db.stand()
    return "schema_version" in db.guess or "schema" in db.guess  # the latter in drafts
