"""What the journal says has changed since a number, apart from what a sync has done itself: its
rulings, and what it shows because words of several machines cannot all stand."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, kinds_under, sql_list, words_for
from tideline_cli.store import images, sync_state, undo_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

    from apsw import Connection

VERB = "sync"
"""The verb of the batches in which a sync changes the store."""
_CHANGES = f"""
SELECT change.number, ifnull(batch.number, 0), ifnull(batch.ordinal, 0), ifnull(verb, 'outside'),
       at, ifnull(origin.key, 'owner'), undoes, entity, row, act, change.before, change.after
FROM change LEFT JOIN batch ON batch.number = change.batch
  LEFT JOIN origin ON origin.number = batch.origin
WHERE change.number > ? AND ifnull(verb, '') <> '{VERB}' ORDER BY change.number
"""
_IDS = "SELECT seq, id FROM fact WHERE seq IN (SELECT value FROM json_each(?))"
_USED = "SELECT fact.id FROM usage JOIN fact ON fact.seq = usage.fact WHERE last_accessed_at >= ?"
_NOTED = """
SELECT id, why FROM (
  SELECT fact.id, iif(lifecycle = 'archived' AND gone <> 'unknown', gone, NULL) AS why,
    created_at, changed_at, said_at, ruled, (held ->> 'values') ->> 'gone' AS held_why,
    ifnull(CAST((marks ->> 'stated') ->> 0 AS INTEGER), 0) AS told_change,
    ifnull(CAST((marks ->> 'stated') ->> 1 AS INTEGER), 0) AS told_word
  FROM stated JOIN fact ON fact.seq = stated.fact JOIN sync_fact ON sync_fact.id = fact.id
  WHERE stated.change >= ?)
WHERE changed_at > max(created_at, told_change) OR said_at > max(created_at, told_word)
  OR ruled IS NULL AND why <> ifnull(held_why, '')
"""
_LINKS = """
SELECT a.id, link.kind, b.id, reason, strength, link.created_at FROM link
  JOIN fact AS a ON a.seq = from_fact JOIN fact AS b ON b.seq = to_fact
WHERE a.id = ? AND b.id = ? AND link.kind IN (SELECT value FROM json_each(?))
"""


class ToldChange:
    """One change of the journal: `batch` (number, ordinal, verb, time, origin), which takes back
    the batch `undoes`, has done `act` to `row` of `entity`; `names` are the columns of a fact that
    it changed."""

    __slots__ = ("act", "after", "batch", "before", "entity", "names", "number", "row", "undoes")

    def __init__(self, columns: tuple[Any, ...]) -> None:
        self.number: int = columns[0]
        self.batch: tuple[int, int, str, int | None, str] = columns[1:6]
        self.undoes: int | None = columns[6]
        self.entity: str
        self.row: int
        self.act: str
        self.before: str | None
        self.after: str | None
        self.entity, self.row, self.act, self.before, self.after = columns[7:]
        self.names: tuple[str, ...] | None = None
        if self.entity == "fact" and self.act == "~" and images.is_part(self.before):
            self.names = tuple(codec.loads(self.before or "{}"))


def since(db: Connection, number: int) -> Iterator[ToldChange]:
    """Yield the changes after this number, in order; `names` is None where all may have changed."""
    for columns in db.execute(_CHANGES, (number,)):
        yield ToldChange(columns)


def moved_by(db: Connection, batch: int) -> list[int]:
    """Return the numbers of the facts whose lifecycle a batch has changed."""
    sql = (
        "SELECT DISTINCT row FROM change WHERE batch = ? AND entity = 'fact' AND act = '~'"
        " AND before ->> 'lifecycle' IS NOT NULL"
    )
    return [seq for (seq,) in db.execute(sql, (batch,))]


def last_number(db: Connection) -> int:
    """Return the number of the newest change."""
    return int(db.execute("SELECT ifnull(max(number), 0) FROM change").get)


def used_since(db: Connection, at: int) -> set[str]:
    """Return the ids of the facts whose last use is not before an instant."""
    return {fact_id for (fact_id,) in db.execute(_USED, (at,))}


def noted_since(db: Connection, number: int) -> dict[str, str | None]:
    """Return the ids of the facts of which something was noted since this change that no register
    tells: when their state was stated, or why they are archived; with that, where it is known. An
    import notes it also of facts that it leaves as they are."""
    return dict(db.execute(_NOTED, (number,)))


def edge_ends(image: str) -> tuple[int, str, int]:
    """Return start, kind and end of the row of an edge in the journal."""
    row = codec.loads(image)
    return row["from_fact"], row["kind"], row["to_fact"]


def edges_told(
    db: Connection, rows: Iterable[tuple[int, str | None]]
) -> dict[tuple[int, str, int], None]:
    """Return the edges that rows of `link`, by number, stand for or stood for: each with an image
    of it before, None where the row is new."""
    found: dict[tuple[int, str, int], None] = {}
    numbers = {number for number, _ in rows}
    stored = images.row_images(db, "link", numbers)
    for number, image in rows:
        for one in (image, stored.get(number)):
            if one is not None:
                start, word, end = edge_ends(one)
                for kind in kinds_under(word):
                    found[start, kind, end] = None
    return found


def edge_now(
    db: Connection, source: str, kind: str, target: str
) -> tuple[str | None, int | None, int] | None:
    """Return reason, strength and time of an edge; None where it is not there."""
    row: Any = db.execute(_LINKS, (source, target, codec.dumps(words_for(kind)))).fetchone()
    return None if row is None else row[3:]


_OPEN = f"""
SELECT sync_fact.id, link.number FROM sync_fact
  JOIN fact ON fact.id = sync_fact.id JOIN link ON to_fact = fact.seq
  JOIN fact AS other ON other.seq = from_fact
WHERE sync_fact.id IN (SELECT value FROM json_each(?)) AND fact.lifecycle = 'archived'
  AND (ruled IN ('slot', 'same') AND other.id = by OR ruled = 'forgotten')
  AND link.kind IN ({sql_list(words_for(*REPLACING))})
"""
_MADE = f"""
SELECT EXISTS (SELECT 1 FROM change JOIN batch ON batch.number = change.batch
  WHERE entity = 'link' AND row = ? AND act = '+' AND verb = '{VERB}')
"""


def settle_rulings(db: Connection, ids: Collection[str]) -> set[str]:
    """Take the edges of rulings off those of these facts that a sync has archived, in a batch of
    the caller: the next sync tells that somebody has archived them. Return their ids."""
    rows: Iterable[Any] = db.execute(_OPEN, (codec.dumps(list(ids)),)).fetchall()
    found: dict[int, str] = {number: fact_id for fact_id, number in rows}
    undo_rows.delete(db, "link", found)
    return set(found.values())


def is_of_a_sync(db: Connection, edge: int) -> bool:
    """Say whether a sync has made the edge with this number: it shows a ruling."""
    return bool(db.execute(_MADE, (edge,)).get)


_EDGES = f"""
SELECT link.number, a.id, link.kind, b.id FROM link
  JOIN fact AS a ON a.seq = from_fact JOIN fact AS b ON b.seq = to_fact
  JOIN sync_fact AS ruling ON ruling.id = b.id AND ruling.by = a.id
WHERE (from_fact IN (SELECT value FROM json_each(?1))
    OR to_fact IN (SELECT value FROM json_each(?1)))
  AND link.kind IN (SELECT value FROM json_each(?2))
  AND EXISTS (SELECT 1 FROM change JOIN batch ON batch.number = change.batch
    WHERE entity = 'link' AND row = link.number AND act = '+' AND verb = '{VERB}')
"""
_IS_STATED = """
SELECT EXISTS (SELECT 1 FROM sync_edge WHERE source = ? AND target = ? AND present = 1
  AND kind IN (SELECT value FROM json_each(?)))
"""
_OWN = """
SELECT marks FROM sync_fact JOIN fact USING (id) WHERE seq = ? AND by IS NOT NULL AND replica = ?
"""
_ARCHIVED = """
SELECT replica = ?2 AND (by IS NULL OR ruled = 'forgotten' OR ruled <> 'purged' AND NOT EXISTS (
  SELECT 1 FROM link JOIN fact AS other ON other.seq = from_fact
  WHERE to_fact = fact.seq AND other.id = by))
FROM sync_fact JOIN fact USING (id) WHERE seq = ?1
"""
_CROWDED = """
SELECT id FROM fact AS one WHERE slot IS NOT NULL AND lifecycle = 'active' AND EXISTS (
  SELECT 1 FROM fact AS other
  WHERE other.origin = one.origin AND other.slot = one.slot AND other.scope IS one.scope
    AND other.lifecycle = 'active' AND other.seq <> one.seq)
"""
_BOTH_GONE = f"""
SELECT DISTINCT fact.id FROM link JOIN fact ON fact.seq = to_fact
  JOIN fact AS source ON source.seq = from_fact
WHERE link.kind IN ({sql_list(words_for(*REPLACING))})
  AND fact.lifecycle = 'archived' AND source.lifecycle = 'archived'
"""
_OTHER_VERBS = f"""
SELECT EXISTS (SELECT 1 FROM json_each(?) AS told LEFT JOIN batch ON batch.number = told.value
  WHERE ifnull(verb, '') <> '{VERB}')
"""


def is_archived_here(db: Connection, fact: int) -> bool:
    """Say whether an archived fact was stated by this machine, and archived by somebody's word."""
    own = sync_state.SyncState(db).own
    return bool(db.execute(_ARCHIVED, (fact, own)).get)


def stated_elsewhere(db: Connection, ids: Collection[str]) -> set[str]:
    """Return those of these facts that another machine has stated, also of those that are gone."""
    own = sync_state.SyncState(db).own
    sql = (
        "SELECT id FROM sync_fact WHERE replica NOT IN (0, ?)"
        " AND id IN (SELECT value FROM json_each(?))"
    )
    return {fact_id for (fact_id,) in db.execute(sql, (own, codec.dumps(list(ids))))}


def shown_edges(db: Connection, facts: Collection[int]) -> frozenset[int]:
    """Return the numbers of the edges from or to these facts that no machine has stated: they show
    because of which fact another is archived."""
    wanted = codec.dumps(list(facts)), codec.dumps(words_for(*REPLACING))
    rows: Any = db.execute(_EDGES, wanted).fetchall()
    return frozenset(
        number for number, source, word, target in rows
        if not db.execute(_IS_STATED, (source, target, codec.dumps(kinds_under(word)))).get
    )  # fmt: skip


def undecided(db: Connection) -> set[str]:
    """Return the ids of the facts that may not all stand as they are, in a memory that no ruling
    was made on: several values of one slot, and what was replaced by facts that are gone too."""
    return {fact_id for sql in (_CROWDED, _BOTH_GONE) for (fact_id,) in db.execute(sql)}


def only_shown(db: Connection, fact: int, batches: Collection[int]) -> bool:
    """Say whether all that other machines have said left the words of this one on a fact as they
    are: it is shown otherwise because of another fact alone, since syncs with these batches."""
    own = sync_state.SyncState(db).own
    row: Any = db.execute(_OWN, (fact, own)).fetchone()
    if row is None or not _are_of(row[0], own):
        return False
    return not db.execute(_OTHER_VERBS, (codec.dumps(list(batches)),)).get


def _are_of(marks: str | None, own: int) -> bool:
    """Say whether all fields that have a stamp of their own have that of this machine."""
    stamps: dict[str, Any] = codec.loads(marks) if marks else {}
    return all(
        stamp[1] == own for name, stamp in stamps.items()
        if name != "stated" and isinstance(stamp, list)
    )  # fmt: skip
