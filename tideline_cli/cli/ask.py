"""Asking before something is done that cannot be taken back."""

from __future__ import annotations

import sys

from tideline_cli.errors import UsageError
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session


_HINT = "repeat it with --yes; --dry-run shows what it would do"


def confirmed(session: Session, question: str, *, yes: bool, hint: str = _HINT) -> bool:
    """Return whether the user says yes to `question`, which may have several lines, or said so
    before by --yes; raise UsageError when there is nobody to ask."""
    if yes:
        return True
    if session.no_input or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "this needs a yes, and there is nobody to ask",
            hint=hint,
        )
    shown = "\n".join(map(screen_text, question.split("\n")))
    sys.stderr.write(f"{shown} [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    return answer.strip().lower() in ("y", "yes")
