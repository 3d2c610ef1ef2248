"""The ids of facts that were purged on any machine, as the file keeps them."""

from __future__ import annotations

from tideline_cli.model.edge import REPLACING, REWORDS
from tideline_cli.model.record import replace
from tideline_cli.store import sync_edges, sync_rows, sync_state
from tideline_cli.store.sync_rows import in_parts

BORN, PURGED = "born", "purged"  # names of marks, as the registers have them

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_state import SyncState


def purge(
    db: Connection, ids: Iterable[str], *, place: int, state: SyncState, is_heard: bool = False
) -> list[str]:
    """Forget all that is known of facts but their ids, and note which others they had replaced, and
    which reword them; return those that were not purged before. Whoever purges here knows of these;
    who was only heard to purge did not."""
    fresh: list[str] = []
    gone = list(ids)
    _note_rewordings(db, gone, state, is_heard=is_heard)
    state.freed |= {edge.target for edge in sync_edges.edges_from(db, gone, REPLACING)}
    state.freed.difference_update(gone)
    for fact_id in gone:
        db.execute(
            "INSERT INTO sync_purge VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (fact_id, state.version + 1, place),
        )
        if db.changes():
            state.next_version()
            fresh.append(fact_id)
        # An import may have brought it back since it was purged, and edges of it.
        db.execute("DELETE FROM sync_fact WHERE id = ?", (fact_id,))
        db.execute("DELETE FROM sync_edge WHERE source = ?1 OR target = ?1", (fact_id,))
    return fresh


def _note_rewordings(
    db: Connection, gone: list[str], state: SyncState, *, is_heard: bool
) -> None:
    edges = [one for one in sync_edges.edges_to(db, gone, (REWORDS,)) if one.source not in gone]
    rows = sync_rows.facts(db, {one.source for one in edges})
    names = {number: replica for number, (replica, _) in sync_state.replicas(db).items()}
    for edge in edges:
        row = rows.get(edge.source)
        if row is None:
            continue
        stamp = [edge.clock, edge.replica] if is_heard else [state.clock + 1, state.own]
        held = row.marks.get(PURGED)
        if held and (stamp[0], names[stamp[1]]) <= (held[0], names[held[1]]):
            continue
        state.clock = max(state.clock, stamp[0])
        version = state.next_version()
        marks: dict[str, Any] = {BORN: row.version} | row.marks | {PURGED: [*stamp, version, 0]}
        held_values = {**row.held.get("values", {}), PURGED: is_heard}
        rows[edge.source] = replace(
            row, version=version, marks=marks, held={**row.held, "values": held_values}
        )
        state.freed.add(edge.source)
    sync_rows.put_facts(db, rows.values())


def purged(db: Connection, ids: Iterable[str]) -> set[str]:
    """Return those of the ids that were purged."""
    found: set[str] = set()
    for some in in_parts(ids):
        sql = "SELECT id FROM sync_purge WHERE id IN (SELECT value FROM json_each(?))"
        found |= {fact_id for (fact_id,) in db.execute(sql, (some,))}
    return found


def purged_and_here(db: Connection) -> list[str]:
    """Return the ids of the facts that are here although they were purged: an old file has brought
    them back."""
    rows: Any = db.execute("SELECT id FROM sync_purge JOIN fact USING (id) ORDER BY id").fetchall()
    return [fact_id for (fact_id,) in rows]


def purges_since(db: Connection, version: int) -> list[tuple[str, int]]:
    """Return the ids that were purged after this version, each with the place that told it."""
    sql = "SELECT id, place FROM sync_purge WHERE version > ? ORDER BY version"
    rows: Any = db.execute(sql, (version,)).fetchall()
    return [(fact_id, place) for fact_id, place in rows]


def last_purge(db: Connection) -> int:
    """Return the version of the newest purge."""
    return int(db.execute("SELECT ifnull(max(version), 0) FROM sync_purge").get)
