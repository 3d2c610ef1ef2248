"""How many messages of a conversation `extract` has done: the `cursor` table.

A conversation of which each message has a mark can go on in another branch. A pass keeps marks of
such a one: of the message where it stands, and of some before it. What it has done of the branch
that is there now ends at the last message whose mark it keeps.
"""

from __future__ import annotations

from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from apsw import Connection

    from tideline_cli.model.origin import Origin

    Pass = Literal["facts", "items", "lessons", "identifiers"]
    Marked = Pass | Literal["summary"]

PASSES: tuple[Pass, ...] = ("facts", "items", "lessons", "identifiers")
_BEFORE_MARK, _BEHIND_MARKS = "\x1f", "\x20"  # between the name of a session and a mark


def done(db: Connection, session: str, name: Pass, *, viewer: Origin) -> int:
    """Return how many messages of a session a pass has done."""
    return stored(db, session, name, viewer=viewer) or 0


def stored(db: Connection, session: str, name: Pass, *, viewer: Origin) -> int | None:
    """Return the cursor of a pass in a session, None where there is none."""
    row = db.execute(
        "SELECT done FROM cursor WHERE origin = (SELECT number FROM origin WHERE key = ?)"
        " AND session = ? AND pass = ?",
        (viewer.key, session, name),
    ).fetchone()
    return int(row[0]) if row else None


def put(db: Connection, session: str, name: Pass, count: int, *, viewer: Origin) -> None:
    """Set how many messages of a session a pass has done; needs an open transaction."""
    db.execute(
        "INSERT INTO cursor (origin, session, pass, done) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET done = excluded.done",
        (visibility.ensure_number(db, viewer), session, name, count),
    )


def marked(
    db: Connection, session: str, name: Marked, marks: Sequence[str], *, viewer: Origin
) -> int:
    """Return how many messages a pass has done of the branch whose messages have these marks."""
    rows = db.execute(
        "SELECT session, done FROM cursor WHERE origin = (SELECT number FROM origin WHERE key = ?)"
        " AND session > ? AND session < ? AND pass = ?",
        (viewer.key, session + _BEFORE_MARK, session + _BEHIND_MARKS, name),
    )
    return max(
        (done for key, done in rows
         if 0 < done <= len(marks) and key == session + _BEFORE_MARK + marks[done - 1]),
        default=0,
    )  # fmt: skip


def put_marked(
    db: Connection, session: str, name: Marked, count: int, marks: Sequence[str], *, viewer: Origin
) -> None:
    """Set how many messages of a branch a pass has done; needs an open transaction."""
    number = visibility.ensure_number(db, viewer)
    sql = "DELETE FROM cursor WHERE origin = ? AND session > ? AND session < ? AND pass = ?"
    db.execute(sql, (number, session + _BEFORE_MARK, session + _BEHIND_MARKS, name))
    db.executemany(
        "INSERT INTO cursor (origin, session, pass, done) VALUES (?, ?, ?, ?)",
        [(number, session + _BEFORE_MARK + marks[place - 1], name, place)
         for place in _places(count)],
    )  # fmt: skip


def _places(count: int) -> list[int]:
    """Return which messages keep their mark: the last one, and ever fewer of those before it."""
    back = [0, *(1 << power for power in range(count.bit_length()))]
    return [count - one for one in back if one < count]
