"""tideline unpin."""

from __future__ import annotations

from tideline_cli.cli import by_id
from tideline_cli.cli.options import OptionSet
from tideline_cli.cli.session import Session
from tideline_cli.memory import amend

HELP = """Let pinned facts fade again.

They are as warm as they would be if they were new."""
EXAMPLES = (("@1", ""),)
ARGUMENTS = by_id.FACTS


class Options(OptionSet):
    """The options of a call: none but the global ones."""


def run(session: Session, words: list[str], _: Options) -> int:
    """Unpin the facts."""
    by_id.change(session, words, amend.unpin, "unpinned", "unpinned")
    return 0
