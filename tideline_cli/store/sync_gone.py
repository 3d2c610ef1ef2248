"""The machines that this memory has forgotten: up to which segment of a place each was read, of
which a user was told since, and in which places the key was changed because of it."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store.connection import put_setting, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

_NAME = "sync_gone"  # JSON: by replica, `seen` and `told` by place, the places `parted`


def each(db: Connection) -> dict[str, dict[str, Any]]:
    """Return what is kept of the machines that were forgotten, by the id of the replica."""
    return dict(codec.loads(setting(db, _NAME, "{}")))


def forget(db: Connection, replica: str) -> None:
    """Forget a machine, in a transaction of the caller: its place in the streams goes."""
    rows: Any = db.execute(
        "SELECT sync_place.place, segment_of.segment FROM sync_stream AS segment_of"
        " JOIN sync_place ON sync_place.number = segment_of.place"
        " JOIN sync_replica ON sync_replica.number = replica WHERE sync_replica.id = ?",
        (replica,),
    ).fetchall()
    put(db, replica, {"seen": dict(rows), "told": {}, "parted": []})
    db.execute(
        "DELETE FROM sync_stream WHERE replica IN (SELECT number FROM sync_replica WHERE id = ?)",
        (replica,),
    )


def put(db: Connection, replica: str, row: dict[str, Any] | None) -> None:
    """Keep this of a forgotten machine; None: it is there again."""
    held = each(db)
    held.pop(replica, None)
    if row is not None:
        held[replica] = row
    put_setting(db, _NAME, codec.dumps(held))
