"""tideline pin."""

from __future__ import annotations

from tideline_cli.cli import amending
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.memory import amend

HELP = """Let facts never fade.

A pinned fact keeps its full strength, is core, and no pass archives it; an archived fact is
restored before it can be pinned."""
EXAMPLES = (("@1", ""),)
ARGUMENTS = (Argument("words", "ID", "Which facts.", "id", True, 1),)
OPTIONS: tuple[Option, ...] = ()


def run(session: Session, *, words: list[str]) -> int:
    """Pin the facts."""
    references = amending.named(session, words)
    db = amending.existing(session, references)
    done = amend.pin(db, references, viewer=session.viewer, now=session.now)
    amending.report(session, done, "pinned", "pinned")
    return 0
