"""What `doctor` asks of a memory that syncs: do the registers know what the store has?"""

from __future__ import annotations

from tideline_cli.model.edge import TWOFOLD
from tideline_cli.model.finding import Finding, some
from tideline_cli.store import sync_schema, sync_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

_UNTOLD = "SELECT count(*) FROM fact WHERE id NOT IN (SELECT id FROM sync_fact WHERE clock > 0)"
_BACK = "SELECT count(*) FROM fact WHERE id IN (SELECT id FROM sync_purge)"
_WORDS = " ".join(
    f"WHEN '{word}' THEN sync_edge.kind IN ({', '.join(repr(kind) for kind in kinds)})"
    for word, kinds in TWOFOLD.items()
)
_MISSING = f"""
SELECT count(*) FROM sync_edge
  JOIN fact AS a ON a.id = sync_edge.source JOIN fact AS b ON b.id = sync_edge.target
WHERE present = 1 AND NOT EXISTS (
  SELECT 1 FROM link WHERE from_fact = a.seq AND to_fact = b.seq
    AND (link.kind = sync_edge.kind OR CASE link.kind {_WORDS} ELSE false END))
"""
_ANEW = "`tideline sync` sends it, once the next words of it are said; a backup made before has all"


def registers(db: Connection) -> Iterator[Finding]:
    """Every fact that a sync has seen has its registers, none is back that was purged, and every
    edge that the registers have is there. What was said since the last sync is not asked about."""
    if not sync_schema.exists(db):
        return
    told = sync_state.SyncState(db).change
    newest = db.execute("SELECT ifnull(max(number), 0) FROM change").get
    back = int(db.execute(_BACK).get)
    if back:
        yield Finding(
            "sync", "error", f"{some(back, 'fact')} that were purged are there again",
            "`tideline purge ID` removes them; look who has put them there",
        )  # fmt: skip
    if newest != told:
        return
    untold = int(db.execute(_UNTOLD).get)
    if untold:
        yield Finding("sync", "warning", f"{some(untold, 'fact')} that no sync knows of", _ANEW)
    missing = int(db.execute(_MISSING).get)
    if missing:
        yield Finding(
            "sync", "warning", f"{some(missing, 'link')} that machines have stated are not there",
            "restore a backup, and sync again",
        )  # fmt: skip
