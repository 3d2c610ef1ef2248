"""tideline unpin."""

from __future__ import annotations

from tideline_cli.cli import by_id
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.memory import amend

HELP = """Let pinned facts fade again.

They are as warm as they would be if they were new."""
EXAMPLES = (("@1", ""),)
ARGUMENTS = (Argument("words", "ID", "Which facts.", "id", True, 1),)
OPTIONS: tuple[Option, ...] = ()


def run(session: Session, *, words: list[str]) -> int:
    """Unpin the facts."""
    references = by_id.named(session, words)
    db = by_id.existing(session, references)
    done = amend.unpin(db, references, viewer=session.viewer, now=session.now)
    by_id.report(session, done, "unpinned", "unpinned")
    return 0
