"""What is said where upkeep finds no memory at the path that somebody has named: it was moved or
lost, and a nightly pass that says nothing would hide it."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import which_database
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session


def check_is_there(session: Session) -> None:
    """Raise UsageError where a memory file is named that was there, or should be; called where
    there is none. A file that is there and empty is one that is being made.

    At the usual path nobody may have remembered anything yet, also where a schedule names that
    path; where one was, the files that it leaves behind have said so.
    """
    if not session.viewer.is_owner:  # others learn of no file
        return
    path = session.database
    by = which_database.named_by(session)
    usual = os.path.join(config.data_folder(os.environ), "tideline.db")
    is_usual = by == "default" or path == os.path.abspath(usual)
    if os.path.exists(path) or is_usual:
        return
    named = "" if by == "default" else f", which {by} names"
    back = "name the path where it lies now, or `tideline restore --from BACKUP`"
    if session.is_on_server:
        back = "name the database and the schema where it lies now, or restore a dump (pg_restore)"
    raise UsageError(
        f"there is no memory at {path}{named}",
        hint=f"{back}; `tideline remember` makes a new one",
        code="no_memory",
    )
