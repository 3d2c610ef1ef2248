"""When `context` last gave a fact out: apart from its use, so that neither strength nor rank
moves."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store import visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read

_PUT = """
INSERT INTO given (fact, at) SELECT seq, ?1 FROM fact
WHERE seq IN (SELECT value FROM json_each(?2)) AND id IN (SELECT value FROM json_each(?3))
ON CONFLICT DO UPDATE SET at = max(given.at, ?1)
"""


def put(ids: Mapping[int, str], *, now: int) -> Read[None]:
    """Note that each fact was given out now. One that is gone, or whose number has another id by
    now, is left out; the time never moves backwards."""
    yield _PUT, (now, codec.dumps(list(ids)), codec.dumps(list(ids.values())))


def times(db: Connection, seqs: Iterable[int]) -> dict[int, int]:
    """Return when each of these facts was last given out, by number."""
    sql = "SELECT fact, at FROM given WHERE fact IN (SELECT value FROM json_each(?))"
    return dict(db.execute(sql, (codec.dumps(list(seqs)),)))


def since(db: Connection, instant: int, *, viewer: Origin) -> frozenset[str]:
    """Return the ids of an origin's active facts that were given out after `instant`."""
    condition, values = visibility.where(viewer)
    sql = (
        "SELECT fact.id FROM given JOIN fact ON fact.seq = given.fact"
        f" WHERE given.at > ? AND lifecycle = 'active' AND {condition}"
    )
    return frozenset(fact_id for (fact_id,) in db.execute(sql, (instant, *values)))
