"""What stands before and after a fact: the turns of a session, or the chunks of a document."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import Record
from tideline_cli.model.source import TRUSTED
from tideline_cli.store import fts, reads
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow
    from tideline_cli.store.reads import Read, Statement

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
_PLACE = f"fact.session, fact.scope, {_TRUST.format('fact')}, fact.speaker, fact.length"
_PLACES = f"""
SELECT fact.seq, {_PLACE} FROM json_each(?1) CROSS JOIN fact ON fact.seq = value
WHERE fact.origin = ?2
"""
_AROUND = f"""
WITH near (own, before, after) AS MATERIALIZED ({{neighbours}})
SELECT own, before, after, {{shown}}, {_PLACE}, {{columns}}
FROM near LEFT JOIN fact ON fact.seq IN (before, after) AND fact.origin = ?2{{narrowed}}
LEFT JOIN usage ON usage.fact = fact.seq
"""
_WIDTH = 5  # values of _PLACE


class Around(Record):
    """What stands around some facts: of each the numbers of the fact before and of the one behind
    it, as far as there are any; the ranking rows of these, and which of them are shown; and the
    places of all."""

    beside: dict[int, list[int]]
    rows: list[RankingRow]
    shown: set[int]
    places: dict[int, Place]


class Place(Record):
    """Where and by whom a fact was said, how many terms it has, and whether it is trusted. Facts of
    one `group` may move one another: those of a session, a scope and a degree of trust; None has no
    session."""

    group: tuple[str, str | None, int] | None
    speaker: str | None
    length: int
    is_trusted: bool


def places(seqs: Iterable[int], *, origin_number: int) -> Read[dict[int, Place]]:
    """Read for each of these facts of an origin where and by whom it was said."""
    rows = yield _PLACES, (codec.dumps(list(seqs)), origin_number)
    return {seq: _place(*place) for seq, *place in rows}


def _place(
    session: str | None, scope: str | None, trusted: int, speaker: str | None, length: int
) -> Place:
    group = None if session is None else (session, scope, trusted)
    return Place(group, speaker, length, bool(trusted))


def around(
    db: Connection, seqs: Sequence[int], *, origin_number: int, now: int, wanted: Filter,
    has_chunks: bool, heat: bool = False,
) -> Around:  # fmt: skip
    """Return what stands around these facts of an origin that have a place in a session or, if it
    `has_chunks`, in a document: what is active and holds now; for a past instant, what held then,
    and of chunks what is still active. Those are shown that `wanted` asks for.

    Facts of one turn stand in order of arrival. Neighbours are of the same scope and as much
    trusted as the fact: whoever claims a place in a session gains and moves nothing by it.
    """
    kinds = (_NEIGHBOURS, _OF_CHUNKS) if has_chunks else (_NEIGHBOURS,)
    own, *found = reads.together(
        db, places(seqs, origin_number=origin_number),
        *(reads.asked(*_around(kind, seqs, origin_number, now, wanted, heat=heat))
          for kind in kinds),
    )  # fmt: skip
    beside: dict[int, list[int]] = {}
    rows: dict[int, Any] = {}
    shown: set[int] = set()
    for part in found:
        beside |= {seq: [] for seq, *_ in part}
        for seq, before, _, is_shown, *more in part:
            other = more[_WIDTH]
            if other is not None:
                beside[seq].insert(0 if other == before else 1, other)
                rows[other], own[other] = tuple(more[_WIDTH:]), _place(*more[:_WIDTH])
                shown |= {other} if is_shown else set()
    return Around(beside, [*rows.values()], shown, own)


def _around(
    kind: str, seqs: Sequence[int], origin_number: int, now: int, wanted: Filter, *, heat: bool
) -> Statement:
    whole, values = narrowing(type(wanted)(lifecycle=wanted.lifecycle, as_of=wanted.as_of),
                              valid_at=now)  # fmt: skip
    shown, more = ("", ()) if wanted.is_open() else narrowing(wanted, valid_at=now)
    is_past = wanted.as_of is not None
    sql = _AROUND.format(
        neighbours=kind.replace("{holds}", _THEN if is_past else _NOW), narrowed=whole,
        shown=f"iif(true{shown}, 1, 0)", columns=fts.COLUMNS + (", heat" if heat else ""),
    )  # fmt: skip
    moment = now if wanted.as_of is None else wanted.as_of
    return sql, (codec.dumps(list(seqs)), origin_number, moment, *more, *values)
