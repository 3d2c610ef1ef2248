"""What --verbose says of every command: which memory, whose, by which settings, and what it took.

Only what was chosen is told: a setting that has its default changes nothing.
"""

from __future__ import annotations

import os

from tideline_cli.cli import output, which_database
from tideline_cli.config import settings
from tideline_cli.model import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session


def explain(session: Session, seconds: float) -> None:
    """Tell it as notes."""
    for line in (_memory(session), _origin(session), *_settings(session)):
        session.note(line)
    session.note(f"took {seconds * 1000:.0f} ms")


def _memory(session: Session) -> str:
    where = which_database.named_by(session)
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
