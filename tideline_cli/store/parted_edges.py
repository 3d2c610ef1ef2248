"""Edges that were stored as one row and parted later: what a batch did to each of the two."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.edge import TWOFOLD
from tideline_cli.model.record import record, replace
from tideline_cli.store import images, reads
from tideline_cli.store.undo_rows import Trail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.history import Batch
    from tideline_cli.store.undo_rows import Trails

    Row = dict[str, Any]
    Links = dict[int, Trail]

_ENDS = ("from_fact", "to_fact", "created_at")
_SAID = ("reason", "strength")
_LEFT = """
SELECT row, number, batch, before FROM change
WHERE entity = 'link' AND row IN (SELECT value FROM json_each(?)) AND act = '-' ORDER BY number
"""
# Who parts a row deletes it, and stores its edges with the next changes.
_BORN_NEXT = """
SELECT row FROM change
WHERE number BETWEEN ?1 + 1 AND ?1 + 2 AND entity = 'link' AND act = '+' AND batch = ?2
ORDER BY number
"""
# An undo may have stored one of the edges again: it keeps the time at which it was made.
_THERE = """
SELECT number FROM link WHERE from_fact = ? AND to_fact = ? AND created_at = ?
  AND kind IN (SELECT value FROM json_each(?))
"""
_CHANGED = """
SELECT batch, before FROM change
WHERE entity = 'link' AND row = ?1 AND number > ?2 AND act <> '+' ORDER BY number
"""


@record
class _Parting:
    """How a row of two edges went: the number of the change, the batch, and the row."""

    number: int
    batch: int
    edges: Row


def followed(db: Connection, trails: Trails, batch: Batch) -> Trails:
    """Return what a batch did, where rows of two edges that it made or parted are told edge by
    edge: one of the two may be gone, or changed, and the other not."""
    links = dict(trails.links)
    partings = _partings(db, trails.links)
    pieces = _pieces(db, batch, [one for some in partings.values() for one in some])
    for row, trail in trails.links.items():
        for parting in partings.get(row, ()):
            if parting.batch != batch.number and trail.before is None:
                links |= _left_of(db, parting, trail)
            elif parting.batch == batch.number and trail.before and trail.now is None:
                links = _parted(db, parting, row, links, pieces[parting.number])
    return replace(trails, links=links)


def _partings(db: Connection, links: Iterable[int]) -> dict[int, list[_Parting]]:
    """Return how rows of two edges went, by row."""
    found: dict[int, list[_Parting]] = {}
    rows: Iterable[Any] = db.execute(_LEFT, (codec.dumps(list(links)),)).fetchall()
    for row, number, batch, before in rows:
        edges = codec.loads(before)
        if edges["kind"] in TWOFOLD:
            found.setdefault(row, []).append(_Parting(number, batch, edges))
    return found


def _pieces(db: Connection, batch: Batch, partings: Iterable[_Parting]) -> dict[int, list[int]]:
    """Return the rows stored in the place of those that a batch has parted, by change."""
    numbers = [one.number for one in partings if one.batch == batch.number]
    found = reads.together(db, *(
        reads.asked(_BORN_NEXT, (number, batch.number)) for number in numbers
    ))  # fmt: skip
    return {number: [row for (row,) in rows] for number, rows in zip(numbers, found, strict=True)}


def _left_of(db: Connection, parting: _Parting, trail: Trail) -> Links:
    """Return the edges still there of two that the batch has made, each under its number now."""
    edges = parting.edges
    rows: Iterable[Any] = db.execute(
        _THERE, (*(edges[name] for name in _ENDS), codec.dumps(TWOFOLD[edges["kind"]]))
    ).fetchall()
    there = images.row_images(db, "link", [row for (row,) in rows])
    return {
        number: Trail(trail.first, None, image, _lost(db, number, parting, image), False)
        for number, image in there.items()
    }


def _lost(db: Connection, number: int, parting: _Parting, image: str) -> tuple[int, ...]:
    """Return the batches that have said more of an edge since it was parted."""
    if _says_the_same(image, parting.edges):
        return ()
    changes: Iterable[Any] = db.execute(_CHANGED, (number, parting.number))
    return tuple(dict.fromkeys(batch for batch, _ in changes))


def _says_the_same(image: str | None, edges: Row) -> bool:
    edge = codec.loads(image or "{}")
    return all(edge.get(name) == edges[name] for name in _SAID)


def _parted(
    db: Connection, parting: _Parting, row: int, links: Links, born_next: Iterable[int]
) -> Links:
    """Return the trails where the batch itself has parted a row, and its pieces are no longer as it
    left them: each edge gets back what the batch took from it, and no more."""
    born = (number for number in born_next if number in links)
    left = {
        number: image for number in born
        if (image := _as_left(db, number, parting)) and _is_of(image, parting.edges)
    }  # fmt: skip
    pieces = {number: links[number] for number in left}
    if all(pieces[number].now == left[number] for number in pieces):
        return links
    after = {number: trail for number, trail in links.items() if number not in (row, *pieces)}
    kept = set()
    for number, trail in pieces.items():
        kind = codec.loads(left[number])["kind"]
        kept.add(kind)
        if not _says_the_same(left[number], parting.edges):
            before = codec.dumps({**parting.edges, "number": number, "kind": kind})
            after[number] = replace(trail, before=before)
    for kind in TWOFOLD[parting.edges["kind"]]:
        if kind not in kept:
            # The kind of a row never changes, so it comes back under a number of its own.
            before = codec.dumps({**parting.edges, "number": None, "kind": kind})
            after[row] = replace(links[row], before=before)
    return after


def _is_of(image: str, edges: Row) -> bool:
    """Say whether an edge is one of the two of a row."""
    edge = codec.loads(image)
    same = all(edge.get(name) == edges[name] for name in _ENDS)
    return same and edge.get("kind") in TWOFOLD[edges["kind"]]


def _as_left(db: Connection, number: int, parting: _Parting) -> str | None:
    """Return an edge as the batch that made it left it."""
    for batch, before in db.execute(_CHANGED, (number, parting.number)):
        if batch != parting.batch:
            return str(before)
    return images.row_image(db, "link", number)
