"""The ids of facts as people type them: `@1`, or a part of an id."""

from __future__ import annotations

from tideline_cli.cli import last_hits
from tideline_cli.store import references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.model.origin import Origin


def id_of(
    text: str, reading: Callable[[], Connection | None], *, viewer: Origin, on_terminal: bool
) -> str:
    """Return the id that `@1`, `@2` … stands for, or the id that a text ends; any other text as it
    is. `reading` opens the store. Raises NotFoundError for a `@1` that stands for nothing."""
    if text.startswith("@"):
        return last_hits.id_of(text, on_terminal=on_terminal)
    db = reading() if references.is_part(text.removeprefix("…")) else None
    return text if db is None else references.whole(db, text, viewer=viewer)
