"""The documents of an origin: facts that are chunks of one, in order, and what is known of it."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record, replace
from tideline_cli.store import facts, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

NOTE = "document"
"""The key of the metadata of a document's first chunk that holds what is known of its file."""
_NAMES = """
SELECT document, count(*), (SELECT seq FROM fact AS first INDEXED BY fact_document
  WHERE first.origin = ?1 AND first.document = fact.document AND first.document IS NOT NULL
    AND first.lifecycle = 'active' ORDER BY turn, seq LIMIT 1)
FROM fact INDEXED BY fact_document
WHERE origin = ?1 AND document IS NOT NULL AND lifecycle = 'active' GROUP BY document
"""
_FIRST = "SELECT seq, metadata, created_at, scope FROM fact WHERE seq IN (%s) ORDER BY seq"
_ARCHIVED = """
SELECT document, metadata FROM fact
WHERE origin = ? AND document IN (SELECT value FROM json_each(?)) AND lifecycle <> 'active'
  AND metadata IS NOT NULL
ORDER BY seq
"""
_CHUNKS = """
SELECT seq FROM fact INDEXED BY fact_document
WHERE origin = ? AND document = ? AND document IS NOT NULL AND lifecycle = 'active'
ORDER BY turn, seq LIMIT ?
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


def listed(db: Connection, *, viewer: Origin) -> list[Document]:
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
    for start in range(0, len(seqs), 500):
        marks = ", ".join(map(str, seqs[start : start + 500]))
        for seq, metadata, created_at, scope in db.execute(_FIRST % marks):
            yield seq, (created_at, scope, note_in(codec.loads(metadata) if metadata else None))


def note_in(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return what the metadata of a chunk say of the file of its document."""
    found = (metadata or {}).get(NOTE)
    return found if isinstance(found, dict) else {}


def chunks(db: Connection, name: str, *, viewer: Origin, limit: int | None = None) -> list[Fact]:
    """Return the active chunks of a document in order, the first `limit` of them."""
    number = visibility.number(db, viewer)
    most = -1 if limit is None else limit
    rows: Iterable[Any] = db.execute(_CHUNKS, (number, name, most))
    seqs = [seq for (seq,) in rows]
    found: dict[int, Fact] = {}
    for start in range(0, len(seqs), 500):
        found |= facts.get(db, seqs[start : start + 500], viewer=viewer)
    return [found[seq] for seq in seqs]
