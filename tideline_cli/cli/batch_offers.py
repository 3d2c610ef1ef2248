"""The batches that `undo` can take back, for completion: their numbers, and what they did."""

from __future__ import annotations

from tideline_cli.cli.commands.undo import deed_text
from tideline_cli.memory.undo import undoable
from tideline_cli.store import deeds, suggestions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.origin import Origin

_LOOKED_AT = 500  # batches


def of(db: Connection, start: str, *, viewer: Origin) -> list[tuple[str, str]]:
    """Return the numbers that begin so, newest first, each with the verb and what it did."""
    most = _LOOKED_AT if start else suggestions.MOST
    steps = undoable(db, viewer=viewer, limit=most)
    chosen = [step for step in steps if str(step.ordinal).startswith(start)][: suggestions.MOST]
    did = deeds.of(db, [step.ordinal for step in chosen], viewer=viewer)
    return [(str(step.ordinal), f"{step.verb}: {deed_text(did[step.ordinal])}") for step in chosen]
