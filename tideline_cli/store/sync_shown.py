"""What is shown because words of several machines cannot all stand, which nobody has said; and what
this machine has said."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import REPLACING, kinds_under, sql_list, words_for
from tideline_cli.store import sync_changes, sync_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from apsw import Connection

_EDGES = f"""
SELECT link.number, a.id, link.kind, b.id FROM link
  JOIN fact AS a ON a.seq = from_fact JOIN fact AS b ON b.seq = to_fact
  JOIN sync_fact AS ruling ON ruling.id = b.id AND ruling.by = a.id
WHERE (from_fact IN (SELECT value FROM json_each(?1))
    OR to_fact IN (SELECT value FROM json_each(?1)))
  AND link.kind IN (SELECT value FROM json_each(?2))
  AND EXISTS (SELECT 1 FROM change JOIN batch ON batch.number = change.batch
    WHERE entity = 'link' AND row = link.number AND act = '+' AND verb = '{sync_changes.VERB}')
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
  WHERE ifnull(verb, '') <> '{sync_changes.VERB}')
"""


def is_archived_here(db: Connection, fact: int) -> bool:
    """Say whether a fact that is archived was stated by this machine, and archived by somebody's
    word."""
    own = sync_state.SyncState(db).own
    return bool(db.execute(_ARCHIVED, (fact, own)).get)


def stated_elsewhere(db: Connection, ids: Collection[str]) -> set[str]:
    """Return those of these facts that another machine has stated, also of those that are gone."""
    own = sync_state.SyncState(db).own
    rows: Any = db.execute(
        "SELECT id FROM sync_fact WHERE replica NOT IN (0, ?)"
        " AND id IN (SELECT value FROM json_each(?))",
        (own, codec.dumps(list(ids))),
    ).fetchall()
    return {fact_id for (fact_id,) in rows}


def edges(db: Connection, facts: Collection[int]) -> frozenset[int]:
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
