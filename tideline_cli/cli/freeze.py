"""The switch that freezes every pass over the memory: extract, dream, gc, consolidate."""

from __future__ import annotations

import os

from tideline_cli.cli import output
from tideline_cli.config import switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

FREEZE = "TIDELINE_DISABLE_EXTRACT"


def holds() -> bool:
    """Say whether passes are switched off."""
    return switch(os.environ, FREEZE)


def is_frozen(session: Session) -> bool:
    """Say whether passes are switched off, and tell the user so; the command then ends with 0."""
    if not holds():
        return False
    if session.json:
        output.emit_json({"frozen": True})
    session.note(f"frozen by {FREEZE}")
    return True
