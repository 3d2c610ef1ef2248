"""What passes archived while nobody looked, told once in the next command on a terminal."""

from __future__ import annotations

import time

from tideline_cli.store import notices
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.store.notices import Notice

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
    if found:
        session.note(_line(session, found))


def _line(session: Session, found: Sequence[Notice]) -> str:
    newest = found[0]
    count = sum(one.facts for one in found)
    facts = "1 fact" if count == 1 else f"{count:,} facts"
    undo = session.call("undo", str(newest.batch))
    if len(found) == 1:
        them = "it" if count == 1 else "them"
        return f"{when(newest.at, session.now)}: {facts} archived · {undo} brings {them} back"
    last = f"the last {newest.facts:,}" if newest.facts > 1 else "the last one"
    return (
        f"in {len(found)} dreams: {facts} archived · {undo} brings {last} back · "
        f"{session.call('history')} names the others"
    )


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
