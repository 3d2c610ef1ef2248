"""The places that a memory syncs with, as `status` tells them."""

from __future__ import annotations

from tideline_cli.cli import ages
from tideline_cli.model.instant import iso
from tideline_cli.store import sync_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection


def of_places(db: Connection, *, now: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return each place with the time of the last sync that came to its end, as objects of JSON
    and as lines."""
    forms: list[dict[str, Any]] = []
    lines: list[str] = []
    for place in sync_places.each(db):
        at = place.synced_at
        forms.append({"address": place.address, "synced_at": iso(at) if at else None})
        when = f"synced {ages.ago(at, now)}" if at else "never synced"
        lines.append(f"place      {place.address}: {when}")
    return forms, lines
