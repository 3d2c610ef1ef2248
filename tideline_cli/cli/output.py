"""Printing results: JSON, plain lines in a pipe, a table on a terminal."""

from __future__ import annotations

import sys

from tideline_cli.model.codec import dumps
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.cli.session import Session


def emit_json(value: object) -> None:
    """Print one JSON value on one line."""
    sys.stdout.write(dumps(value) + "\n")


def emit_lines(lines: Sequence[str]) -> None:
    """Print lines; control characters in them are made visible, tabs between fields kept."""
    sys.stdout.write(
        "".join("\t".join(map(screen_text, line.split("\t"))) + "\n" for line in lines)
    )


def is_terminal(session: Session) -> bool:
    """Say whether results go to somebody's eyes, so that a table is in order."""
    return session.color == "always" or (sys.stdout.isatty() and session.color != "never")


def deliver() -> None:
    """Hand over what was printed before work that the reader need not wait for."""
    sys.stdout.flush()
