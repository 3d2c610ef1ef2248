"""How often and when a fact was used: apart from the facts, so that reads stay out of history. When
`context` last gave one out is apart from its use, so that neither strength nor rank moves."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.ranking.score_bounds import STEPS, changes_at
from tideline_cli.store import score_bounds, visibility
from tideline_cli.store.reads import alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read

_COUNT = """
INSERT INTO usage (fact, access_count, last_accessed_at)
SELECT seq, 1, max(created_at, ?1) FROM fact WHERE seq IN (SELECT value FROM json_each(?2)){}
ON CONFLICT (fact) DO UPDATE SET access_count = usage.access_count + 1,
  last_accessed_at = max(usage.last_accessed_at, ?1)
RETURNING fact, access_count
"""
_IS_STEADY = f"""
 AND EXISTS (SELECT 1 FROM usage WHERE usage.fact = seq
             AND access_count NOT IN ({", ".join(map(str, STEPS))}))
"""


def touch(
    db: Connection, seqs: Sequence[int], *, now: int, ids: Sequence[str] | None = None
) -> None:
    """Count one use of each fact that `counted` counts, in a transaction of the caller."""
    bound_anew(db, alone(db, counted(seqs, now=now, ids=ids)))


def bound_anew(db: Connection, counts: Iterable[tuple[int, int]]) -> None:
    """Make the bytes that bound scores anew of the facts that a use changes, by number."""
    reached = [seq for seq, count in counts if changes_at(count)]
    if reached:
        score_bounds.put_of(db, reached)


def counted(
    seqs: Sequence[int], *, now: int, ids: Sequence[str] | None = None, is_steady: bool = False
) -> Read[list[tuple[int, int]]]:
    """Count one use of each fact that is still there: what a reader has found may have been taken
    out since, and its connection keeps no foreign keys. With `ids`, a fact with none of them is
    another one; `is_steady` leaves out those of which a use changes more than its count. The last
    use never moves backwards, and none was before the fact was made. Say number and count of each.
    """
    which = "" if ids is None else " AND id IN (SELECT value FROM json_each(?3))"
    which += _IS_STEADY if is_steady else ""
    given = (now, codec.dumps(list(seqs)), *(() if ids is None else (codec.dumps(list(ids)),)))
    rows: list[Any] = yield _COUNT.format(which), given
    return rows


def put_of(db: Connection, fact: Fact) -> None:
    """Set the use of a fact to what the fact says."""
    put(db, fact.id, access_count=fact.access_count, last_accessed_at=fact.last_accessed_at)


def put(db: Connection, fact_id: str, *, access_count: int, last_accessed_at: int) -> None:
    """Set the use of a fact."""
    sql = """
    INSERT INTO usage (fact, access_count, last_accessed_at)
    SELECT seq, ?2, ?3 FROM fact WHERE id = ?1
    ON CONFLICT DO UPDATE SET access_count = ?2, last_accessed_at = ?3
    """
    db.execute(sql, (fact_id, access_count, last_accessed_at))
    rows: list[Any] = db.execute("SELECT seq FROM fact WHERE id = ?", (fact_id,)).fetchall()
    score_bounds.put_of(db, [seq for (seq,) in rows])


def put_all(db: Connection, used: Sequence[tuple[int, int, int]]) -> None:
    """Set the uses of facts, by number, count and time; the caller sees to the bounds."""
    sql = """
    INSERT INTO usage (fact, access_count, last_accessed_at)
    SELECT seq, ?2, ?3 FROM fact WHERE seq = ?1
    ON CONFLICT DO UPDATE SET access_count = ?2, last_accessed_at = ?3
    """
    db.executemany(sql, used)


_PUT = """
INSERT INTO given (fact, at) SELECT seq, ?1 FROM fact
WHERE seq IN (SELECT value FROM json_each(?2)) AND id IN (SELECT value FROM json_each(?3))
ON CONFLICT DO UPDATE SET at = max(given.at, ?1)
"""


def note_given(ids: Mapping[int, str], *, now: int) -> Read[None]:
    """Note that each fact was given out now. One that is gone, or whose number has another id by
    now, is left out; the time never moves backwards."""
    yield _PUT, (now, codec.dumps(list(ids)), codec.dumps(list(ids.values())))


def given_at(db: Connection, seqs: Iterable[int]) -> dict[int, int]:
    """Return when each of these facts was last given out, by number."""
    sql = "SELECT fact, at FROM given WHERE fact IN (SELECT value FROM json_each(?))"
    return dict(db.execute(sql, (codec.dumps(list(seqs)),)))


def given_since(db: Connection, instant: int, *, viewer: Origin) -> frozenset[str]:
    """Return the ids of an origin's active facts that were given out after `instant`."""
    condition, values = visibility.where(viewer)
    sql = (
        "SELECT fact.id FROM given JOIN fact ON fact.seq = given.fact"
        f" WHERE given.at > ? AND lifecycle = 'active' AND {condition}"
    )
    return frozenset(fact_id for (fact_id,) in db.execute(sql, (instant, *values)))
