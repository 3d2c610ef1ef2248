"""Whether a memory lies where the system throws files away: what is set up for it will lose it."""

from __future__ import annotations

import os
import tempfile

from tideline_cli.cli import which_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  names to compare with


def folders() -> tuple[str, ...]:
    """Return the folders whose files are thrown away."""
    return (*_FOLDERS, tempfile.gettempdir())


def caution(session: Session, doing: str) -> None:
    """Warn that the memory of this call is one that goes away; `doing` says what leads to it."""
    path = session.real_database
    if not any(path.startswith(os.path.join(os.path.realpath(one), "")) for one in folders()):
        return
    by = which_database.named_by(session)
    if by == "default":
        by = "TIDELINE_HOME" if os.environ.get("TIDELINE_HOME") else "your home folder"
    remedy = "unset it" if by.startswith("TIDELINE_") else "name another one"
    session.caution(
        "throw_away",
        f"{doing} {path}, a memory in a folder for temporary files, which does not stay",
        hint=f"{by} leads there; {remedy}, and do this again",
    )
