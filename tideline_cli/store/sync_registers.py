"""The registers of a memory that syncs: of facts, edges and purges, as the file keeps them, and
the batches that stamps belong to."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, REWORDS, kinds_under, sql_list, words_for
from tideline_cli.model.record import record, replace
from tideline_cli.store import common_postings, links, score_bounds, sync_state, undo_rows, vectors
from tideline_cli.store.fact_rows import SELECT, fact_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.store.sync_state import SyncState


@record
class FactRow:
    """A row of `sync_fact`; marks, uses and held are parsed. `alike` is a hash."""

    id: str
    origin: int
    clock: int
    replica: int
    version: int
    place: int
    alike: int
    marks: dict[str, list[int]]
    uses: dict[str, list[int]]
    held: dict[str, Any]
    ruled: str | None
    by: str | None


@record
class Ruled:
    """A fact that is shown otherwise than its registers say: why, and because of which other."""

    id: str
    why: str
    by: str


_FACT = """
SELECT id, origin, clock, replica, version, place, alike, marks, uses, held, ruled, by
FROM sync_fact
"""
_RULED = """
SELECT id, by FROM sync_fact WHERE by IS NOT NULL AND ruled = ?1 AND origin = ifnull(?2, origin)
  AND EXISTS (SELECT 1 FROM link JOIN fact AS a ON a.seq = from_fact JOIN fact AS b
    ON b.seq = to_fact WHERE a.id = by AND b.id = sync_fact.id AND a.lifecycle = 'active')
ORDER BY id
"""
_REWORDED = f"""
WITH RECURSIVE wording (start, id) AS (
  SELECT sync_fact.id, a.id FROM sync_fact JOIN fact AS b ON b.id = sync_fact.id
    JOIN link ON to_fact = b.seq AND link.kind IN ({sql_list(words_for(REWORDS))})
    JOIN fact AS a ON a.seq = from_fact
  WHERE by IS NOT NULL AND ruled = 'forgotten' AND b.lifecycle = 'archived'
    AND sync_fact.origin = ifnull(?1, sync_fact.origin)
  UNION SELECT start, a.id FROM wording JOIN fact AS b ON b.id = wording.id
    JOIN link ON to_fact = b.seq AND link.kind IN ({sql_list(words_for(REWORDS))})
    JOIN fact AS a ON a.seq = from_fact
  WHERE b.lifecycle <> 'active')
SELECT start, fact.id FROM wording JOIN fact ON fact.id = wording.id WHERE lifecycle = 'active'
UNION ALL SELECT NULL, fact.id FROM sync_fact JOIN fact ON fact.id = sync_fact.id
WHERE by IS NOT NULL AND ruled = 'purged' AND lifecycle = 'archived'
  AND sync_fact.origin = ifnull(?1, sync_fact.origin)
ORDER BY 2, 1
"""


def _of(row: Sequence[Any]) -> FactRow:
    fixed, (marks, uses, held), ruling = row[:7], row[7:10], row[10:]
    parsed = ({} if text is None else codec.loads(text) for text in (marks, uses, held))
    return FactRow(*fixed, *parsed, *ruling)


def facts(db: Connection, ids: Iterable[str]) -> dict[str, FactRow]:
    """Return what is known of those of the facts that anything is known of, by id."""
    sql = f"{_FACT} WHERE id IN (SELECT value FROM json_each(?))"
    return {row[0]: _of(row) for row in db.execute(sql, (_listed(ids),))}


def facts_since(db: Connection, version: int) -> list[str]:
    """Return the ids of the facts of which anything is known since a version, oldest first."""
    sql = "SELECT id FROM sync_fact WHERE version > ? ORDER BY version"
    return [fact_id for (fact_id,) in db.execute(sql, (version,))]


def put_facts(db: Connection, rows: Iterable[FactRow]) -> None:
    """Store what is known of facts."""
    db.executemany(
        f"INSERT OR REPLACE INTO sync_fact VALUES ({', '.join('?' * 12)})",
        [
            (
                row.id, row.origin, row.clock, row.replica, row.version, row.place, row.alike,
                *(codec.dumps(held) if held else None for held in (row.marks, row.uses, row.held)),
                row.ruled, row.by,
            )
            for row in rows
        ],
    )  # fmt: skip


def in_table(db: Connection, ids: Iterable[str]) -> dict[str, tuple[int, Fact]]:
    """Return the number and the fact of each of these ids that the store has."""
    sql = f"{SELECT} WHERE fact.id IN (SELECT value FROM json_each(?))"
    return {row[1]: (row[0], fact_of(row)) for row in db.execute(sql, (_listed(ids),))}


def like(db: Connection, hashes: Iterable[int]) -> set[str]:
    """Return the ids of the facts with these hashes of place and text."""
    return _ids(db, "alike IN (SELECT value FROM json_each(?))", hashes)


def ruled_by(db: Connection, ids: Iterable[str]) -> set[str]:
    """Return the ids of the facts that are shown otherwise because of these."""
    return _ids(db, "by IS NOT NULL AND by IN (SELECT value FROM json_each(?))", ids)


def ruled_because(db: Connection, ids: Iterable[str]) -> list[Ruled]:
    """Return the facts that are archived because of one of these others."""
    sql = (
        "SELECT id, ruled, by FROM sync_fact WHERE by IS NOT NULL AND ruled IN ('slot', 'same')"
        " AND by IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    return [Ruled(*row) for row in db.execute(sql, (_listed(ids),))]


def all_ruled(db: Connection) -> set[str]:
    """Return the ids of all facts that are shown otherwise than their registers say."""
    return {fact_id for (fact_id,) in db.execute("SELECT id FROM sync_fact WHERE by IS NOT NULL")}


def ruled(db: Connection, why: str, *, origin_number: int | None) -> list[tuple[str, str]]:
    """Return the ids of the facts that are shown otherwise for this reason, each with that of the
    fact because of which; of one origin, None: of all. Where somebody has settled it since the last
    sync, the edge between the two is gone."""
    return [(fact_id, by) for fact_id, by in db.execute(_RULED, (why, origin_number))]


def reworded(db: Connection, *, origin_number: int | None) -> list[tuple[str | None, str]]:
    """Return the facts that reword, each with the one that another machine has forgotten without
    knowing of it, None where that was purged; in one origin, None: in all. Those that somebody has
    answered since the last sync are none."""
    return [(gone, fact_id) for gone, fact_id in db.execute(_REWORDED, (origin_number,))]


def slot_mates(db: Connection, places: Iterable[tuple[int, str | None, str]]) -> set[str]:
    """Return the ids of the facts that the time lines of these slots are painted of, each of an
    origin by number and a scope, by what is shown."""
    found: set[str] = set()
    for origin, scope, slot in places:
        rows: Iterable[Any] = db.execute(
            "SELECT id FROM fact WHERE origin = ? AND slot = ? AND scope IS ?"
            " AND (lifecycle = 'active' OR statement IS NOT NULL)",
            (origin, slot, scope),
        )
        found |= {fact_id for (fact_id,) in rows}
    return found


def _ids(db: Connection, condition: str, values: Iterable[Any]) -> set[str]:
    sql = f"SELECT id FROM sync_fact WHERE {condition}"
    return {fact_id for (fact_id,) in db.execute(sql, (_listed(values),))}


def _listed(values: Iterable[Any]) -> str:
    return codec.dumps(list(values))


def note_batch(
    db: Connection, clock: int, replica: int, number: int, origin: str, verb: str, at: int, *,
    version: int, place: int,
) -> None:  # fmt: skip
    """Note which batch of a replica the changes with a time belong to."""
    sql = "INSERT INTO sync_batch VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    db.execute(sql, (clock, replica, number, origin, verb, at, version, place))


def batches_since(db: Connection, version: int) -> list[tuple[Any, ...]]:
    """Return clock, replica, number, origin, verb, time, version and place of the batches that
    became known after this version, oldest first."""
    sql = (
        "SELECT clock, replica, number, origin, verb, at, version, place FROM sync_batch"
        " WHERE version > ? ORDER BY version"
    )
    return list(db.execute(sql, (version,)))


def restamp_batches(db: Connection, before: int, after: int, *, version: int) -> None:
    """Let the batches of a time have another one."""
    sql = "UPDATE sync_batch SET clock = ?, version = ?, place = 0 WHERE clock = ?"
    db.execute(sql, (after, version, before))


def newest_batches(db: Connection, limit: int) -> list[tuple[Any, ...]]:
    """Return replica, number, origin, verb and time of the newest batches, the last one first."""
    sql = (
        "SELECT replica, number, origin, verb, at FROM sync_batch"
        " ORDER BY clock DESC, replica LIMIT ?"
    )
    return list(db.execute(sql, (limit,)))


@record
class EdgeRow:
    """A row of `sync_edge`: whether the edge is there, by the word with this stamp."""

    source: str
    kind: str
    target: str
    clock: int
    replica: int
    version: int
    place: int
    present: bool
    reason: str | None
    strength: int | None
    created_at: int


_EDGE = """
SELECT source, kind, target, clock, replica, version, place, present, reason, strength, created_at
FROM sync_edge
"""


def edges_of(db: Connection, ids: Iterable[str]) -> list[EdgeRow]:
    """Return the edges that start or end at one of these facts."""
    found: dict[tuple[str, str, str], EdgeRow] = {}
    wanted = _listed(ids)
    for column in ("source", "target"):
        sql = f"{_EDGE} WHERE {column} IN (SELECT value FROM json_each(?))"
        found |= {row[:3]: _edge(row) for row in db.execute(sql, (wanted,))}
    return list(found.values())


def edges_to(db: Connection, ids: Iterable[str], kinds: Sequence[str]) -> list[EdgeRow]:
    """Return the edges of some kinds that are there and end at one of these facts."""
    return _at_end(db, "target", ids, kinds)


def edges_from(db: Connection, ids: Iterable[str], kinds: Sequence[str]) -> list[EdgeRow]:
    """Return the edges of some kinds that are there and start at one of these facts."""
    return _at_end(db, "source", ids, kinds)


def _at_end(db: Connection, column: str, ids: Iterable[str], kinds: Sequence[str]) -> list[EdgeRow]:
    sql = (
        f"{_EDGE} WHERE {column} IN (SELECT value FROM json_each(?1)) AND present = 1"
        " AND kind IN (SELECT value FROM json_each(?2)) ORDER BY source, kind, target"
    )
    return [_edge(row) for row in db.execute(sql, (_listed(ids), _listed(kinds)))]


def edge(db: Connection, source: str, kind: str, target: str) -> EdgeRow | None:
    """Return what is known of one edge."""
    sql = f"{_EDGE} WHERE (source, kind, target) = (?, ?, ?)"
    row: Any = db.execute(sql, (source, kind, target)).fetchone()
    return None if row is None else _edge(row)


def edges_since(db: Connection, version: int) -> list[EdgeRow]:
    """Return the edges of which anything became known after this version, oldest first."""
    sql = f"{_EDGE} WHERE version > ? ORDER BY version"
    return [_edge(row) for row in db.execute(sql, (version,))]


def put_edges(db: Connection, rows: Iterable[EdgeRow]) -> None:
    """Store what is known of edges."""
    db.executemany(
        f"INSERT OR REPLACE INTO sync_edge VALUES ({', '.join('?' * 11)})",
        [
            (
                row.source, row.kind, row.target, row.clock, row.replica, row.version, row.place,
                int(row.present), row.reason, row.strength, row.created_at,
            )
            for row in rows
        ],
    )  # fmt: skip


def _edge(row: Sequence[Any]) -> EdgeRow:
    source, kind, target, clock, replica, version, place, present, reason, strength, made = row
    return EdgeRow(
        source, kind, target, clock, replica, version, place, bool(present), reason, strength, made
    )


BORN, PURGED = "born", "purged"  # names of marks, as the registers have them


def purge(
    db: Connection, ids: Iterable[str], *, place: int, state: SyncState, is_heard: bool = False
) -> list[str]:
    """Forget all that is known of facts but their ids, and note which others they had replaced, and
    which reword them; return those that were not purged before. Whoever purges here knows of these;
    who was only heard to purge did not."""
    fresh: list[str] = []
    gone = list(ids)
    _note_rewordings(db, gone, state, is_heard=is_heard)
    state.freed |= {edge.target for edge in edges_from(db, gone, REPLACING)}
    state.freed.difference_update(gone)
    for fact_id in gone:
        sql = "INSERT INTO sync_purge VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        db.execute(sql, (fact_id, state.version + 1, place))
        if db.changes():
            state.next_version()
            fresh.append(fact_id)
        # An import may have brought it back since it was purged, and edges of it.
        db.execute("DELETE FROM sync_fact WHERE id = ?", (fact_id,))
        db.execute("DELETE FROM sync_edge WHERE source = ?1 OR target = ?1", (fact_id,))
    return fresh


def _note_rewordings(db: Connection, gone: list[str], state: SyncState, *, is_heard: bool) -> None:
    edges = [one for one in edges_to(db, gone, (REWORDS,)) if one.source not in gone]
    rows = facts(db, {one.source for one in edges})
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
    put_facts(db, rows.values())


def purged(db: Connection, ids: Iterable[str]) -> set[str]:
    """Return those of the ids that were purged."""
    sql = "SELECT id FROM sync_purge WHERE id IN (SELECT value FROM json_each(?))"
    return {fact_id for (fact_id,) in db.execute(sql, (_listed(ids),))}


def purged_and_here(db: Connection) -> list[str]:
    """Return the ids of the facts that are here although purged: an old file brought them back."""
    rows: Any = db.execute("SELECT id FROM sync_purge JOIN fact USING (id) ORDER BY id").fetchall()
    return [fact_id for (fact_id,) in rows]


def purges_since(db: Connection, version: int) -> list[tuple[str, int]]:
    """Return the ids that were purged after this version, each with the place that told it."""
    sql = "SELECT id, place FROM sync_purge WHERE version > ? ORDER BY version"
    return [(fact_id, place) for fact_id, place in db.execute(sql, (version,))]


def last_purge(db: Connection) -> int:
    """Return the version of the newest purge."""
    return int(db.execute("SELECT ifnull(max(version), 0) FROM sync_purge").get)


_OF = """
SELECT number FROM link WHERE from_fact IN (SELECT value FROM json_each(?1))
  OR to_fact IN (SELECT value FROM json_each(?1))
"""
_BETWEEN = """
SELECT number, link.kind, reason, strength, link.created_at FROM link
  JOIN fact AS a ON a.seq = from_fact JOIN fact AS b ON b.seq = to_fact
WHERE a.id = ? AND b.id = ? AND link.kind IN (SELECT value FROM json_each(?))
"""


def take_out(db: Connection, seqs: Collection[int]) -> None:
    """Delete facts by number, with their edges and all that is derived of them, in a batch of the
    caller; the journal keeps them."""
    if not seqs:
        return
    numbers: list[Any] = db.execute(_OF, (codec.dumps(list(seqs)),)).fetchall()
    undo_rows.delete(db, "link", [number for (number,) in numbers])
    undo_rows.delete(db, "fact", seqs)
    vectors.remove(db, seqs)
    score_bounds.forget(db, seqs)
    common_postings.correct(db, set(seqs))


def put_edge(db: Connection, edge: links.Link) -> None:
    """Let an edge be there, with this reason, strength and time."""
    for number, word, *values in _rows(db, edge.source, edge.kind, edge.target):
        if values == [edge.reason, edge.strength, edge.created_at]:
            return
        _take_edge(db, number, word, edge.kind, edge)
    links.add(db, edge)


def drop_edge(db: Connection, source: str, kind: str, target: str) -> None:
    """Let an edge be gone; another one that is stored in one row with it stays."""
    for number, word, *_ in _rows(db, source, kind, target):
        _take_edge(db, number, word, kind, links.Link(source, kind, target))


def _rows(db: Connection, source: str, kind: str, target: str) -> list[Any]:
    words = codec.dumps(words_for(kind))
    return list(db.execute(_BETWEEN, (source, target, words)))


def _take_edge(db: Connection, number: int, word: str, kind: str, edge: links.Link) -> None:
    sql = "SELECT reason, strength, created_at FROM link WHERE number = ?"
    row: Any = db.execute(sql, (number,)).fetchone()
    undo_rows.delete(db, "link", [number])
    for other in kinds_under(word):
        if other != kind:
            links.add(db, links.Link(edge.source, other, edge.target, *row))


def note_purged(db: Connection, ids: list[str]) -> None:
    """Note facts as purged here, so that other replicas purge them, and forget what was known."""
    state = sync_state.SyncState(db)
    purge(db, ids, place=0, state=state)
    state.save()
