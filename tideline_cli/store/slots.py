"""The active facts that are in a slot, of one origin."""

from __future__ import annotations

from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin


def held(db: Connection, *, viewer: Origin) -> list[tuple[int, str, str]]:
    """Return (number, terms, text) of every active fact in any slot, in order of arrival."""
    condition, values = visibility.where(viewer)
    rows: list[Any] = db.execute(
        f"SELECT seq, terms, content FROM fact WHERE {condition}"
        " AND slot IS NOT NULL AND lifecycle = 'active' ORDER BY seq",
        values,
    ).fetchall()
    return rows
