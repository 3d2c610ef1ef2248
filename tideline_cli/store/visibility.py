"""Who may see which facts: the origin filter, in one place."""

from __future__ import annotations

from tideline_cli.errors import WriteBlockedError
from tideline_cli.model.origin import UNKNOWN, Everyone, Origin
from tideline_cli.store import ORIGIN_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

NOBODY = 0  # no origin has this number


def where(viewer: Origin | Everyone) -> tuple[str, tuple[str, ...]]:
    """Return the SQL condition on `fact` for what `viewer` may see, and its parameters."""
    if isinstance(viewer, Everyone):
        return "true", ()
    return "fact.origin = (SELECT number FROM origin WHERE key = ?)", (viewer.key,)


def number(db: Connection, viewer: Origin) -> int:
    """Return the number of an origin, or NOBODY when it has never written."""
    row = db.execute(ORIGIN_NUMBER, (viewer.key,)).fetchone()
    return int(row[0]) if row else NOBODY


def ensure_number(db: Connection, origin: Origin) -> int:
    """Return the number of an origin; register a new one.

    Raises WriteBlockedError for the unknown origin.
    """
    if origin == UNKNOWN:
        raise WriteBlockedError(
            "an unknown origin may not write", hint="name the origin with --origin"
        )
    known = number(db, origin)
    if known != NOBODY:
        return known
    made = db.execute("INSERT INTO origin (key) VALUES (?) RETURNING number", (origin.key,))
    return int(made.get)


def in_scopes(scopes: Sequence[str | None]) -> str:
    """Return the SQL condition for facts of these scopes, whose names are its parameters; None
    among them asks for facts without one. No border: whoever sees an origin may see all of it."""
    named = sum(scope is not None for scope in scopes)
    either = [f"scope IN ({', '.join('?' * named)})"] if named else []
    either += ["scope IS NULL"] if None in scopes else []
    return f"({' OR '.join(either)})"
