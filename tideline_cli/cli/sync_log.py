"""tideline sync log: the newest batches of all machines."""

from __future__ import annotations

from tideline_cli.cli import ages, output
from tideline_cli.model import instant
from tideline_cli.store import sync_registers, sync_schema, sync_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session

_BEGINS = (
    "no machine has changed anything since its first sync: the log begins there, and lists nothing "
    "of what was before"
)


def show(session: Session, *, limit: int) -> None:
    """Print the newest batches, the last one first: machine and number, when, what, whose."""
    db = session.reading()
    found = [] if db is None or not sync_schema.exists(db) else _rows(db, limit)
    if session.json:
        output.emit_json({"batches": found})
        return
    if not found:
        has_synced = db is not None and sync_schema.exists(db)
        session.note(_BEGINS if has_synced else "nothing was synced yet")
    output.emit_lines([
        f"{row['name']}:{row['batch']}\t{ages.local(instant.parse(row['at']))}\t{row['verb']}"
        + ("" if row["origin"] == "owner" else f"\t{row['origin']}")
        for row in found
    ])  # fmt: skip


def _rows(db: Connection, limit: int) -> list[dict[str, Any]]:
    names = sync_state.replicas(db)
    return [
        {
            "replica": names[replica][0],
            "name": names[replica][1] or names[replica][0][:8],
            "batch": number,
            "at": instant.iso(at),
            "verb": verb,
            "origin": origin,
        }
        for replica, number, origin, verb, at in sync_registers.newest_batches(db, limit)
    ]
