"""Facts in order: the chunks of a document and what is known of it, the turns of a session, and
what stands before and after a fact."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import Record, record, replace
from tideline_cli.model.source import TRUSTED
from tideline_cli.store import fts, reads, visibility
from tideline_cli.store.fact_rows import SELECT, fact_of
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow
    from tideline_cli.store.reads import Read, Statement

NOTE = "document"
"""The key of the metadata of a document's first chunk that holds what is known of its file."""
_NAMES = """
SELECT document, count(*), (SELECT seq FROM fact AS first INDEXED BY fact_document
  WHERE first.origin = ?1 AND first.document = fact.document AND first.document IS NOT NULL
    AND first.lifecycle = 'active' ORDER BY turn, seq LIMIT 1)
FROM fact INDEXED BY fact_document
WHERE origin = ?1 AND document IS NOT NULL AND lifecycle = 'active' GROUP BY document
"""
_FIRST = """
SELECT seq, metadata, created_at, scope FROM fact WHERE seq IN (SELECT value FROM json_each(?))
"""
_ARCHIVED = """
SELECT document, metadata FROM fact
WHERE origin = ? AND document IN (SELECT value FROM json_each(?)) AND lifecycle <> 'active'
  AND metadata IS NOT NULL
ORDER BY seq
"""
_CHUNKS = f"""
{SELECT} WHERE fact.seq IN (
  SELECT seq FROM fact INDEXED BY fact_document
  WHERE origin = ? AND document = ? AND document IS NOT NULL AND lifecycle = 'active'
  ORDER BY turn, seq LIMIT ?)
ORDER BY turn, fact.seq
"""


@record
class Document:
    """A document: its name, how many chunks it has, when the first of them was made, its scope, and
    what is known of its file: see `exchange.ingest.notes`."""

    name: str
    chunks: int
    created_at: int
    scope: str | None
    note: Mapping[str, Any]


def documents(db: Connection, *, viewer: Origin) -> list[Document]:
    """Return the documents of an origin that have active chunks, by name."""
    number = visibility.number(db, viewer)
    rows: list[Any] = db.execute(_NAMES, (number,)).fetchall()
    first = dict(_firsts(db, [seq for _, _, seq in rows]))
    found = [Document(name, count, *first[seq]) for name, count, seq in rows]
    bare = [one.name for one in found if not one.note]
    if not bare:
        return found
    noted = dict(_left_notes(db, number, bare))
    return [replace(one, note=one.note or noted.get(one.name, {})) for one in found]


def _left_notes(
    db: Connection, number: int, names: list[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what archived chunks say of the files of documents whose first chunk somebody has
    forgotten, the latest last."""
    rows: Iterable[Any] = db.execute(_ARCHIVED, (number, codec.dumps(names)))
    noted = [(name, note_in(codec.loads(metadata))) for name, metadata in rows]
    yield from sorted(
        ((name, note) for name, note in noted if note),
        key=lambda one: str(one[1].get("ingested_at", "")),
    )


def _firsts(db: Connection, seqs: list[int]) -> Iterator[tuple[int, tuple[int, str | None, Any]]]:
    """Yield for each of the facts when it was made, its scope, and the note in its metadata."""
    for seq, metadata, created_at, scope in db.execute(_FIRST, (codec.dumps(seqs),)):
        yield seq, (created_at, scope, note_in(codec.loads(metadata) if metadata else None))


def with_metadata(
    db: Connection, noted: str, *, viewer: Origin
) -> Iterable[tuple[int, str, str]]:
    """Yield number, metadata and source of an origin's active facts in whose metadata a text
    stands."""
    condition, values = visibility.where(viewer)
    rows: Iterable[Any] = db.execute(
        f"SELECT seq, metadata, source FROM fact WHERE {condition} AND lifecycle = 'active'"
        " AND metadata IS NOT NULL AND instr(metadata, ?) > 0 ORDER BY seq",
        (*values, noted),
    )
    return rows


def note_in(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return what the metadata of a chunk say of the file of its document."""
    found = (metadata or {}).get(NOTE)
    return found if isinstance(found, dict) else {}


def chunks(db: Connection, name: str, *, viewer: Origin, limit: int | None = None) -> list[Fact]:
    """Return the active chunks of a document in order, the first `limit` of them."""
    values = visibility.number(db, viewer), name, -1 if limit is None else limit
    return [fact_of(row) for row in db.execute(_CHUNKS, values)]


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
