"""What few calls need beside their result: what --verbose tells, what a night has archived, the
wall of a server, whether a file is damaged; and a verb run again, where a server has ended its
transaction for the sake of another."""

from __future__ import annotations

import os
import sys
import time
from time import sleep

from tideline_cli.cli import output
from tideline_cli.config import settings
from tideline_cli.memory.doctor import examine
from tideline_cli.model import instant
from tideline_cli.store import notices, opening
from tideline_cli.store.connection import DatabaseError, is_collision
from tideline_cli.store.remote import within
from tideline_cli.store.visibility import NOBODY, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.store.notices import Notice


def explain(session: Session, seconds: float) -> None:
    """Tell it as notes."""
    for line in (_memory(session), _origin(session), *_settings(session)):
        session.note(line)
    session.note(f"took {seconds * 1000:.0f} ms")


def _memory(session: Session) -> str:
    where = session.named_by
    on_server, path = session.is_on_server, session.database
    is_there = session.has_memory if on_server else os.path.lexists(path)
    there = "" if is_there else ", not there"
    return f"memory {path} ({where}{there}): {session.access}"


def _origin(session: Session) -> str:
    where = "--origin" if session.options.origin else session.config.values["origin"].came_from
    return f"origin {output.shown_origin(session.viewer.key)} ({where})"


def _settings(session: Session) -> list[str]:
    lines = []
    if session.names_time or os.environ.get("TIDELINE_NOW"):
        where = "--now" if session.names_time else "TIDELINE_NOW"
        lines.append(f"time {instant.iso(session.now)} ({where})")
    for name, value in session.config.values.items():
        if name not in ("database", settings.TABLE, "origin") and value.came_from != "default":
            shown = settings.shown(name, value.value)
            text = ",".join(shown) if isinstance(shown, tuple) else shown
            lines.append(f"setting {name} = {text} ({value.came_from})")
    return lines


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
        session.note(_notice_line(session, one))
    if len(found) > _MOST:
        count = sum(one.facts for one in found[_MOST:])
        session.note(f"before that: {count:,} archived · {session.call('history')} names them")


def _notice_line(session: Session, one: Notice) -> str:
    facts, them = ("1 fact", "it") if one.facts == 1 else (f"{one.facts:,} facts", "them")
    undo = session.call("undo", str(one.batch))
    return f"{night_of(one.at, session.now)}: {facts} archived · {undo} brings {them} back"


def night_of(at: int, now: int) -> str:
    """Return in words when a pass was, in local time."""
    hour = time.localtime(at / 1000).tm_hour
    age = now - at
    if (hour >= _NIGHT[0] or hour < _NIGHT[1]) and age < 36 * _HOUR:
        return "last night"
    days = round(age / (24 * _HOUR))
    if days < 1:
        return "today"
    return "yesterday" if days == 1 else f"{days:,} days ago"


ASKS = frozenset({
    "context", "contradictions", "edit", "export", "fading", "feedback", "forget", "graph",
    "history", "library", "link", "list", "pin", "purge", "recall", "redo", "relink", "restore",
    "retention", "show", "slots", "status", "tags", "timeline", "undo", "unpin",
})  # fmt: skip
"""Commands that find nothing in an origin of others, and no error says why."""


def explain_wall(session: Session) -> None:
    """Say that what was asked for is not the member's, where that is known without asking again and
    was not said."""
    db: Any = session.opened
    if not (db is None or db.is_lost or not db.is_there or session.is_wall_told):
        note_wall(session, db, asks=False)


def note_wall(session: Session, db: Any, *, asks: bool = True) -> bool:
    """Say so where a role is held back; return whether it is. Unless it `asks`, the server is not
    asked for what this process does not know."""
    from tideline_cli.store import members  # noqa: PLC0415  psycopg, which few have

    if not (asks or members.is_known_as_none(db, viewer=session.viewer)):
        return False
    if number(db, session.viewer) != NOBODY or members.sees_all(db):
        return False
    session.is_wall_told = True
    session.note(
        f"your role is no member of {session.viewer.key}: `tideline member list` shows what it "
        "sees, and --origin names it"
    )
    return True


def is_damaged(database: str, error: Exception) -> bool:
    """Ask the quick checks of doctor whether a file is at fault for an error. No connection to it
    may be open."""
    try:
        if not os.path.isfile(database):
            return False
        report = examine(database, deep=False, network_allowed=True, progress=lambda _: None)
    except Exception:  # noqa: BLE001  the first error is the one to report
        return False
    found = any(finding.severity == "error" for finding in report.findings)
    return found or isinstance(error, UnicodeDecodeError)


_PROMPT_WAITS = 5.0  # seconds
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds before each try


class _Watched:
    """A stream of text that knows whether it was used."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.is_used = False

    def write(self, text: str) -> int:
        self.is_used = True
        return int(self.stream.write(text))

    def __getattr__(self, name: str) -> Any:
        self.is_used |= name in ("buffer", "read", "readline", "writelines")
        return getattr(self.stream, name)


class Watch:
    """The streams of this process while a verb on a server runs. `close` gives them back."""

    def __init__(self) -> None:
        self._kept = sys.stdin, sys.stdout
        self._stored = opening.commit_count()
        self._input, self._output = _Watched(sys.stdin), _Watched(sys.stdout)
        sys.stdin, sys.stdout = self._input, self._output

    def close(self) -> None:
        """Give the streams back, where nobody has put others in their place."""
        if sys.stdin is self._input:
            sys.stdin = self._kept[0]
        if sys.stdout is self._output:
            sys.stdout = self._kept[1]

    @property
    def is_untouched(self) -> bool:
        """Say whether the verb has stored nothing, and read and written nothing."""
        is_quiet = not (self._input.is_used or self._output.is_used)
        return is_quiet and opening.commit_count() == self._stored


def run_in_time(verb: Callable[[], int], session: Session) -> int:
    """Return what a verb returns; its server is waited for no longer than a prompt may wait."""
    with within(_PROMPT_WAITS):
        return run_until_done(verb, session)


def run_until_done(verb: Callable[[], int], session: Session) -> int:
    """Return what a verb returns, run again after collisions, with a growing pause. Raises the last
    collision where it is not to be run again, or has been often enough."""
    watch = Watch()
    try:
        for pause in _PAUSES:
            try:
                return verb()
            except DatabaseError as error:
                if not is_collision(error) or not watch.is_untouched:
                    raise
            session.close()
            if session.verbose:
                session.note("the server has ended the transaction for another's; run again")
            sleep(pause)
        return verb()
    finally:
        watch.close()
