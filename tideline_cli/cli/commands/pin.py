"""tideline pin and tideline unpin."""

from __future__ import annotations

from tideline_cli.cli import by_id
from tideline_cli.cli.options import OptionSet
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.memory import amend

HELP = """Let facts never fade.

A pinned fact keeps its full strength, is core, and no pass archives it; an archived fact is
restored before it can be pinned."""
EXAMPLES = (("@1", ""),)
ARGUMENTS = by_id.FACTS
Options = OptionSet


def run(session: Session, words: list[str], _: OptionSet) -> int:
    """Pin the facts."""
    by_id.change(session, words, amend.pin, "pinned", "pinned")
    return 0


def _unpin(session: Session, words: list[str], _: OptionSet) -> int:
    """Unpin the facts."""
    by_id.change(session, words, amend.unpin, "unpinned", "unpinned")
    return 0


UNPIN = Verb(
    """Let pinned facts fade again.

They are as warm as they would be if they were new.""",
    (("@1", ""),), by_id.FACTS,
    OptionSet, _unpin,
)  # fmt: skip
