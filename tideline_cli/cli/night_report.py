"""What passes archived while nobody looked, told once in the next command on a terminal."""

from __future__ import annotations

import time

from tideline_cli.store import notices
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session
    from tideline_cli.store.notices import Notice

_MOST = 5  # passes that are told one by one
_HOUR = 3_600_000
_NIGHT = (20, 9)  # from this hour to that one


def tell_once(session: Session) -> None:
    """Say what was archived since somebody was told last, and what brings it back."""
    db = session.opened
    if db is None:
        return
    try:
        found = notices.take(db, viewer=session.viewer)
    except DatabaseError:
        return
    for one in found[:_MOST]:
        session.note(_line(session, one))
    if len(found) > _MOST:
        count = sum(one.facts for one in found[_MOST:])
        session.note(f"before that: {count:,} archived · {session.call('history')} names them")


def _line(session: Session, one: Notice) -> str:
    facts, them = ("1 fact", "it") if one.facts == 1 else (f"{one.facts:,} facts", "them")
    undo = session.call("undo", str(one.batch))
    return f"{when(one.at, session.now)}: {facts} archived · {undo} brings {them} back"


def when(at: int, now: int) -> str:
    """Return in words when a pass was, in local time."""
    hour = time.localtime(at / 1000).tm_hour
    age = now - at
    if (hour >= _NIGHT[0] or hour < _NIGHT[1]) and age < 36 * _HOUR:
        return "last night"
    days = round(age / (24 * _HOUR))
    if days < 1:
        return "today"
    return "yesterday" if days == 1 else f"{days:,} days ago"
