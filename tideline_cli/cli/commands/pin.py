"""tideline pin."""

from __future__ import annotations

from tideline_cli.cli import by_id
from tideline_cli.cli.options import OptionSet
from tideline_cli.cli.session import Session
from tideline_cli.memory import amend

HELP = """Let facts never fade.

A pinned fact keeps its full strength, is core, and no pass archives it; an archived fact is
restored before it can be pinned."""
EXAMPLES = (("@1", ""),)
ARGUMENTS = by_id.FACTS


class Options(OptionSet):
    """The options of a call: none but the global ones."""


def run(session: Session, words: list[str], _: Options) -> int:
    """Pin the facts."""
    by_id.change(session, words, amend.pin, "pinned", "pinned")
    return 0
