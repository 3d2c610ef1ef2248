"""tideline restore."""

from __future__ import annotations

from tideline_cli.cli import amending
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.memory import amend

HELP = """Bring archived or pruned facts back.

A restored fact has no end, whatever --valid-to it had. Refused when another fact stands in its
place: one that replaces or contradicts it, or one in the same slot. Several are restored together
or not at all."""
EXAMPLES = (("01J9ZK6Q", ""),)
ARGUMENTS = (Argument("words", "ID", "Which facts.", "id", True, 1),)
OPTIONS: tuple[Option, ...] = ()


def run(session: Session, *, words: list[str]) -> int:
    """Restore the facts."""
    references = amending.named(session, words)
    db = amending.existing(session, references)
    done = amend.restore(db, references, viewer=session.viewer, now=session.now)
    amending.report(session, done, "restored", "active")
    return 0
