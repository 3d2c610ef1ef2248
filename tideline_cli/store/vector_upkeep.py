"""Vectors of facts that are removed, or that come back out of order: chunks are kept complete."""

from __future__ import annotations

from struct import unpack

from tideline_cli.model import codec
from tideline_cli.store import vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from apsw import Connection

_AT_ONCE = 50  # chunks that are read in one statement
_IN_PLACE = 64  # up to so many are put into their chunks; for more, all chunks are packed again


def remove(db: Connection, gone: Collection[int]) -> None:
    """Remove the vectors of facts by number, of every embedder."""
    wanted = frozenset(gone)
    if not wanted:
        return
    held = [row for row, facts in _chunks(db) if not wanted.isdisjoint(_numbers(facts))]
    for start in range(0, len(held), _AT_ONCE):
        for row, facts, codes, lows, embedder in _whole(db, held[start : start + _AT_ONCE]):
            kept = _by_fact(facts, vectors.whole(codes, lows))
            _write(db, row, {n: code for n, code in kept.items() if n not in wanted}, embedder)


def _whole(db: Connection, rows: list[int]) -> list[Any]:
    return db.execute(
        "SELECT number, facts, codes, lows, embedder FROM vector_chunk"
        " WHERE number IN (SELECT value FROM json_each(?))",
        (codec.dumps(rows),),
    ).fetchall()


def _chunks(db: Connection) -> list[tuple[int, bytes]]:
    return list(db.execute("SELECT number, facts FROM vector_chunk"))


def insert(db: Connection, made: Mapping[int, bytes], *, origin_number: int, embedder: str) -> None:
    """Store vectors of facts among those that are embedded, in order of number.

    Facts that the embedding has not reached are left out: they are embedded later.
    """
    reached = vectors.embedded_up_to(db, origin_number=origin_number, embedder=embedder)
    late = {number: code for number, code in made.items() if number <= reached}
    sql = "SELECT number, facts FROM vector_chunk WHERE origin = ? AND embedder = ? ORDER BY number"
    rows: list[Any] = db.execute(sql, (origin_number, embedder)).fetchall()
    if rows and len(late) <= _IN_PLACE:
        starts = [(_numbers(facts)[0], row) for row, facts in rows]
        for number, code in late.items():
            chunk = max((s for s in starts if s[0] <= number), default=starts[0])[1]
            _write(db, chunk, _held(db, chunk) | {number: code}, embedder)
    else:
        _pack_anew(db, [row for row, _ in rows], late, origin_number, embedder)


def rewind(db: Connection, seq: int, *, origin_number: int, kept: str = "") -> None:
    """Remove the vectors of an origin from number `seq` on, so that these facts are embedded again,
    in their order; but not those of the embedder `kept`."""
    sql = "SELECT number, facts, embedder FROM vector_chunk WHERE origin = ? AND embedder <> ?"
    late: list[Any] = db.execute(sql, (origin_number, kept)).fetchall()
    for row, facts, embedder in late:
        if max(_numbers(facts), default=0) >= seq:
            held = {number: code for number, code in _held(db, row).items() if number < seq}
            _write(db, row, held, embedder)
    db.execute(
        "UPDATE vector_progress SET seq = ?1 - 1"
        " WHERE origin = ?2 AND seq >= ?1 AND embedder <> ?3",
        (seq, origin_number, kept),
    )


def keep_only(db: Connection, embedder: str) -> None:
    """Remove what other embedders than this one have made."""
    for table in ("vector_chunk", "vector_progress", "query_vector"):
        db.execute(f"DELETE FROM {table} WHERE embedder <> ?", (embedder,))


def _pack_anew(
    db: Connection, rows: list[int], more: dict[int, bytes], origin_number: int, embedder: str
) -> None:
    held = dict(more)
    for row in rows:
        held |= _held(db, row)
        db.execute("DELETE FROM vector_chunk WHERE number = ?", (row,))
    numbers = sorted(held)
    for start in range(0, len(numbers), vectors.CHUNK):
        part = numbers[start : start + vectors.CHUNK]
        codes = b"".join([held[number] for number in part])
        vectors.add_chunk(db, _packed(part), codes, origin_number, embedder)


def _held(db: Connection, row: int) -> dict[int, bytes]:
    """Return the vectors of one chunk by the number of their fact."""
    facts, codes, _ = vectors.held(db, row)
    return _by_fact(facts, codes)


def _by_fact(facts: bytes, codes: bytes) -> dict[int, bytes]:
    numbers = _numbers(facts)
    size = len(codes) // len(numbers)
    return {number: codes[i * size : (i + 1) * size] for i, number in enumerate(numbers)}


def _write(db: Connection, row: int, held: dict[int, bytes], embedder: str) -> None:
    numbers = sorted(held)
    if numbers:
        codes = b"".join([held[number] for number in numbers])
        vectors.put_chunk(db, row, _packed(numbers), codes, embedder)
    else:
        db.execute("DELETE FROM vector_chunk WHERE number = ?", (row,))


def _numbers(facts: bytes) -> tuple[int, ...]:
    return unpack(f"<{len(facts) // 4}I", facts)


def _packed(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)
