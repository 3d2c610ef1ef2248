"""What stands before and after a fact: the turns of a session, or the chunks of a document."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import Record
from tideline_cli.model.source import TRUSTED
from tideline_cli.store import reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.reads import Read

_TRUST = "({}.source IN (" + ", ".join(f"'{source}'" for source in TRUSTED) + "))"
_NOW = """lifecycle = 'active' AND (valid_to IS NULL OR valid_to > ?3)
    AND (valid_from IS NULL OR valid_from <= ?3)"""
_THEN = """lifecycle <> 'pruned' AND (valid_to IS NULL OR valid_to > ?3)
    AND ifnull(valid_from, created_at) <= ?3"""
_NEAREST = f"""(
    SELECT seq FROM fact
    WHERE origin = ?2 AND session = own.session AND (turn, seq) {{sign}} (own.turn, own.seq)
    AND scope IS own.scope AND {_TRUST.format("fact")} = {_TRUST.format("own")} AND {{holds}}
    ORDER BY turn {{order}}, seq {{order}} LIMIT 1)"""
_NEIGHBOURS = f"""
SELECT own.seq, {_NEAREST.replace("{sign}", "<").replace("{order}", "DESC")},
  {_NEAREST.replace("{sign}", ">").replace("{order}", "ASC")}
FROM json_each(?1) CROSS JOIN fact AS own ON own.seq = value
WHERE own.origin = ?2 AND own.session IS NOT NULL AND own.turn IS NOT NULL
"""
_OF_CHUNKS = _NEIGHBOURS.replace("session", "document").replace(
    "AND scope IS", "AND lifecycle = 'active' AND document IS NOT NULL AND scope IS"
)
_PLACES = f"""
SELECT own.seq, session, scope, {_TRUST.format("own")}, speaker, length
FROM json_each(?1) CROSS JOIN fact AS own ON own.seq = value
WHERE own.origin = ?2
"""


class Neighbours(Record):
    """The facts next to a fact in its session or document, by number; None where there is none."""

    before: int | None
    after: int | None


class Place(Record):
    """Where and by whom a fact was said, how many terms it has, and whether it is trusted. Facts of
    one `group` may move one another: those of a session, a scope and a degree of trust; None has no
    session."""

    group: tuple[str, str | None, int] | None
    speaker: str | None
    length: int
    is_trusted: bool


def places(db: Connection, seqs: Iterable[int], *, origin_number: int) -> dict[int, Place]:
    """Return for each of these facts of an origin where and by whom it was said."""
    rows: list[Any] = db.execute(_PLACES, (codec.dumps(list(seqs)), origin_number)).fetchall()
    return {
        seq: Place(
            None if session is None else (session, scope, trusted), speaker, length, bool(trusted)
        )
        for seq, session, scope, trusted, speaker, length in rows
    }


def neighbours(
    db: Connection, seqs: Iterable[int], *, origin_number: int, now: int, has_chunks: bool,
    is_past: bool = False,
) -> dict[int, Neighbours]:  # fmt: skip
    """Return for each of these facts of an origin that has a place in a session or, if it
    `has_chunks`, in a document the facts next to it: those that are active and hold at `now`; of a
    past instant, those that held then, and of chunks those that are still active.

    Facts of one turn stand in order of arrival. Neighbours are of the same scope and as much
    trusted as the fact: whoever claims a place in a session gains and moves nothing by it.
    """
    given = codec.dumps(list(seqs)), origin_number, now
    kinds = (_NEIGHBOURS, _OF_CHUNKS) if has_chunks else (_NEIGHBOURS,)
    holds = _THEN if is_past else _NOW
    found = reads.together(db, *(_next_to(kind.replace("{holds}", holds), given) for kind in kinds))
    return {seq: Neighbours(before, after) for rows in found for seq, before, after in rows}


def _next_to(sql: str, given: tuple[object, ...]) -> Read[list[tuple[Any, ...]]]:
    """Return (number, the one before, the one after) of facts in sessions, or of chunks."""
    return (yield sql, given)
