"""The vectors of an origin: chunks of packed ones as raw bytes, each of one embedder; and the codes
of the latest questions, without their texts."""

from __future__ import annotations

from struct import unpack

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.model import code_halves
from tideline_cli.store import reads, vector_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.reads import Read

CHUNK = 498  # of 132 bytes each: 16 pages and the part that a leaf keeps (512 waste half a page)
_WAITING = """
SELECT seq, content, id FROM fact
WHERE seq > ifnull((SELECT seq FROM vector_progress WHERE origin = ?1 AND embedder = ?2), 0)
  AND origin = ?1
ORDER BY seq LIMIT ?3
"""
HALVES = """
SELECT number, facts, codes FROM vector_chunk WHERE origin = ? AND embedder = ? ORDER BY number
"""
# The low halves of few chunks go along.
_ALL_HALVES = """
SELECT number, facts, codes, iif(count(*) OVER () <= 4, lows, NULL) FROM vector_chunk
WHERE origin = ? AND embedder = ? ORDER BY number
"""
BOTH = "SELECT codes, lows FROM vector_chunk WHERE number = ? AND origin = ?"
CHUNKS = """
SELECT facts, codes, lows FROM vector_chunk WHERE origin = ? AND embedder = ? ORDER BY number
"""
# The last chunk, where it has room.
_LAST = f"""
SELECT number, facts, codes, lows FROM vector_chunk WHERE number = (
  SELECT number FROM vector_chunk WHERE origin = ? AND embedder = ? ORDER BY number DESC LIMIT 1
) AND length(facts) < {4 * CHUNK}
"""
_IDS_AFTER = """
SELECT seq, id FROM fact
WHERE seq > ifnull((SELECT seq FROM vector_progress WHERE origin = ?1 AND embedder = ?2), 0)
  AND origin = ?1 AND seq <= ?3
"""
BACKLOG = 256  # facts that one recall embeds at most; the rest waits for the next, or for dream


def chunks(db: Connection, *, origin_number: int, embedder: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield (numbers of facts, little-endian, 4 bytes each; their packed vectors) of an origin."""
    for facts, codes, lows in db.execute(CHUNKS, (origin_number, embedder)):
        yield facts, whole(codes, lows)


def halves(
    db: Connection, *, origin_number: int, embedder: str
) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield (number of a chunk, numbers of facts, high halves) of vectors kept in halves."""
    yield from db.execute(HALVES, (origin_number, embedder))


def all_halves(*, origin_number: int, embedder: str) -> Read[list[tuple[int, bytes, bytes, Any]]]:
    """Read the same at once, each with the low halves where these are few."""
    rows: list[Any] = yield _ALL_HALVES, (origin_number, embedder)
    return rows


def halves_of(
    db: Connection, numbers: Iterable[int], *, origin_number: int
) -> Iterator[tuple[bytes, bytes]]:
    """Yield both halves of some chunks of an origin, in the order given."""
    for ((high, low),) in reads.one_by_one(
        db, *(reads.asked(BOTH, (number, origin_number)) for number in numbers)
    ):
        yield high, low


def kept(codes: bytes, embedder: str) -> tuple[bytes, bytes]:
    """Return what the columns `codes` and `lows` have of packed vectors."""
    if embedder != DEFAULT_EMBEDDER or len(codes) % code_halves.CODE:
        return codes, b""
    return code_halves.split(codes)


def whole(codes: bytes, lows: bytes) -> bytes:
    """Return the packed vectors that the columns `codes` and `lows` have."""
    return code_halves.joined(codes, lows) if len(lows) == len(codes) else codes


def packed_of(
    db: Connection, numbers: Sequence[int], *, origin_number: int, embedder: str
) -> dict[int, bytes]:
    """Return the packed vectors of those of some facts that are of an origin and have one. The
    embedder is a learned one: its vectors are not kept in halves."""
    wanted = {number.to_bytes(4, "little"): number for number in numbers}
    found: dict[int, bytes] = {}
    rows: list[Any] = db.execute(
        "SELECT number, facts, length(codes) FROM vector_chunk WHERE origin = ? AND embedder = ?"
        " ORDER BY number",
        (origin_number, embedder),
    ).fetchall()
    for chunk, facts, octets in rows:
        count = len(facts) // 4
        its = [facts[start : start + 4] for start in range(0, 4 * count, 4)]
        size = octets // max(1, count)
        for place in [place for place, one in enumerate(its) if one in wanted]:
            sql = "SELECT substr(codes, ?, ?) FROM vector_chunk WHERE number = ?"
            found[wanted[its[place]]] = db.execute(sql, (1 + place * size, size, chunk)).get
    return found


def packed_among(chunks: Sequence[tuple[bytes, bytes]], numbers: Sequence[int]) -> dict[int, bytes]:
    """Return the packed vectors of those of some facts that have one among the `chunks`."""
    wanted = [(number, number.to_bytes(4, "little")) for number in numbers]
    found: dict[int, bytes] = {}
    for facts, packed in chunks:
        size = len(packed) // max(1, len(facts) // 4)
        for number, octets in wanted:
            at = facts.find(octets)
            while at >= 0 and at % 4:
                at = facts.find(octets, at + 1)
            if at >= 0:
                found[number] = packed[at // 4 * size : (at // 4 + 1) * size]
    return found


def backlog(
    db: Connection, *, origin_number: int, embedder: str, limit: int
) -> list[tuple[int, str, str]]:
    """Return (number, content, id) of the first `limit` facts that have no vector yet."""
    return reads.alone(db, waiting(origin_number=origin_number, embedder=embedder, limit=limit))


def waiting(*, origin_number: int, embedder: str, limit: int) -> Read[list[tuple[int, str, str]]]:
    """Read what `backlog` returns."""
    rows: list[Any] = yield _WAITING, (origin_number, embedder, limit)
    return rows


def append(
    db: Connection, numbers: list[int], codes: bytes, *, origin_number: int, embedder: str,
    ids: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Store packed vectors of facts that follow those already embedded, in ascending order.

    Facts that are embedded already are left out: another process was faster. So are facts that
    another process has removed since they were read. With `ids`, nothing is stored when one of the
    numbers now belongs to another fact.
    """
    if not numbers:
        return
    rows, last = reads.together(
        db, reads.asked(_IDS_AFTER, (origin_number, embedder, numbers[-1])),
        reads.asked(_LAST, (origin_number, embedder)),
    )  # fmt: skip
    there = dict(rows)
    if ids and any(there.get(seq, one) != one for seq, one in zip(numbers, ids, strict=True)):
        return
    size = len(codes) // len(numbers)
    kept = [place for place, number in enumerate(numbers) if number in there]
    if len(kept) < len(numbers):
        codes = b"".join(codes[place * size : (place + 1) * size] for place in kept)
        numbers = [numbers[place] for place in kept]
    if not numbers:
        return
    facts = b"".join(number.to_bytes(4, "little") for number in numbers)
    room = 0
    for number, before, held_codes, lows in last:
        room = CHUNK - len(before) // 4
        both = before + facts[: room * 4], whole(held_codes, lows) + codes[: room * size]
        put_chunk(db, number, *both, embedder)
    for start in range(room, len(numbers), CHUNK):
        some = codes[start * size : (start + CHUNK) * size]
        add_chunk(db, facts[start * 4 : (start + CHUNK) * 4], some, origin_number, embedder)
    sql = "INSERT OR REPLACE INTO vector_progress (origin, embedder, seq) VALUES (?, ?, ?)"
    db.execute(sql, (origin_number, embedder, numbers[-1]))


def add_chunk(
    db: Connection, facts: bytes, codes: bytes, origin_number: int, embedder: str
) -> None:
    """Add a chunk behind all others."""
    sql = "INSERT INTO vector_chunk (origin, embedder, facts, codes, lows) VALUES (?, ?, ?, ?, ?)"
    db.execute(sql, (origin_number, embedder, facts, *kept(codes, embedder)))


def put_chunk(db: Connection, number: int, facts: bytes, codes: bytes, embedder: str) -> None:
    """Give a chunk another content."""
    sql = "UPDATE vector_chunk SET facts = ?, codes = ?, lows = ? WHERE number = ?"
    db.execute(sql, (facts, *kept(codes, embedder), number))


QUESTIONS_KEPT = 128
_DIGEST = 16  # bytes


def digest_of(text: str) -> bytes:
    """Return what stands for the text of a question."""
    from tideline_cli.model.lean import blake2b  # noqa: PLC0415  learned embedders alone

    return bytes(blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).digest())


def question_code(
    db: Connection, digest: bytes, *, origin_number: int, embedder: str
) -> bytes | None:
    """Return the code of a question that an origin has asked before."""
    sql = "SELECT code FROM query_vector WHERE origin = ? AND embedder = ? AND digest = ?"
    row: Any = db.execute(sql, (origin_number, embedder, digest)).fetchone()
    return None if row is None else bytes(row[0])


def put_question_code(
    db: Connection, digest: bytes, code: bytes, *, origin_number: int, embedder: str
) -> None:
    """Keep the code of a question; the oldest of its origin goes where there are many."""
    if question_code(db, digest, origin_number=origin_number, embedder=embedder) is not None:
        return
    sql = """
    INSERT INTO query_vector (origin, embedder, digest, code, number)
    SELECT ?1, ?2, ?3, ?4, 1 + ifnull(max(number), 0) FROM query_vector WHERE origin = ?1
    """
    db.execute(sql, (origin_number, embedder, digest, code))
    db.execute(
        """
        DELETE FROM query_vector WHERE origin = ?1 AND number <= (
          SELECT number FROM query_vector WHERE origin = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2
        )
        """,
        (origin_number, QUESTIONS_KEPT),
    )


def forget_questions(db: Connection, origin_numbers: Collection[int]) -> None:
    """Forget the questions of some origins."""
    sql = "DELETE FROM query_vector WHERE origin = ?"
    db.executemany(sql, [(number,) for number in origin_numbers])


_AT_ONCE = 50  # chunks that are read in one statement
_SOME = """
SELECT number, facts, codes, lows, embedder FROM vector_chunk
WHERE number IN (SELECT value FROM json_each(?))
"""
_NUMBERS = """
SELECT number, facts FROM vector_chunk WHERE origin = ? AND embedder = ? ORDER BY number
"""
_IN_PLACE = 64  # up to so many are put into their chunks; for more, all chunks are packed again


def remove(db: Connection, gone: Collection[int]) -> None:
    """Remove the vectors of facts by number, of every embedder."""
    wanted = frozenset(gone)
    if not wanted:
        return
    held = [row for row, facts in _chunks(db) if not wanted.isdisjoint(_numbers(facts))]
    for row, embedder, kept in _held(db, held):
        _write(db, row, {n: code for n, code in kept.items() if n not in wanted}, embedder)


def _chunks(db: Connection) -> list[tuple[int, bytes]]:
    return list(db.execute("SELECT number, facts FROM vector_chunk"))


def insert(db: Connection, made: Mapping[int, bytes], *, origin_number: int, embedder: str) -> None:
    """Store vectors of facts among those that are embedded, in order of number.

    Facts that the embedding has not reached are left out: they are embedded later.
    """
    progress, rows = reads.together(
        db, reads.asked(vector_counts.PROGRESS, (origin_number, embedder)),
        reads.asked(_NUMBERS, (origin_number, embedder)),
    )  # fmt: skip
    reached = progress[0][0] if progress else 0
    late = {number: code for number, code in made.items() if number <= reached}
    if rows and len(late) <= _IN_PLACE:
        starts = [(_numbers(facts)[0], row) for row, facts in rows]
        fresh: dict[int, dict[int, bytes]] = {}
        for number, code in late.items():
            chunk = max((s for s in starts if s[0] <= number), default=starts[0])[1]
            fresh.setdefault(chunk, {})[number] = code
        for row, _, held in _held(db, fresh):
            _write(db, row, held | fresh[row], embedder)
    else:
        _pack_anew(db, [row for row, _ in rows], late, origin_number, embedder)


def rewind(db: Connection, seq: int, *, origin_number: int, kept: str = "") -> None:
    """Remove the vectors of an origin from number `seq` on, so that these facts are embedded again,
    in their order; but not those of the embedder `kept`."""
    sql = "SELECT number, facts FROM vector_chunk WHERE origin = ? AND embedder <> ?"
    rows: list[Any] = db.execute(sql, (origin_number, kept)).fetchall()
    late = [row for row, facts in rows if max(_numbers(facts), default=0) >= seq]
    for row, embedder, held in _held(db, late):
        _write(db, row, {number: code for number, code in held.items() if number < seq}, embedder)
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
    for row, _, some in _held(db, rows):
        held |= some
        db.execute("DELETE FROM vector_chunk WHERE number = ?", (row,))
    numbers = sorted(held)
    for start in range(0, len(numbers), CHUNK):
        part = numbers[start : start + CHUNK]
        codes = b"".join([held[number] for number in part])
        add_chunk(db, _packed(part), codes, origin_number, embedder)


def _held(
    db: Connection, rows: Iterable[int]
) -> Iterator[tuple[int, str, dict[int, bytes]]]:
    """Yield (number, embedder, vectors by the number of their fact) of chunks."""
    for some in reads.one_by_one(db, *reads.in_parts(_SOME, rows, size=_AT_ONCE)):
        for row, facts, codes, lows, embedder in some:
            yield row, embedder, _by_fact(facts, whole(codes, lows))


def _by_fact(facts: bytes, codes: bytes) -> dict[int, bytes]:
    numbers = _numbers(facts)
    size = len(codes) // len(numbers)
    return {number: codes[i * size : (i + 1) * size] for i, number in enumerate(numbers)}


def _write(db: Connection, row: int, held: dict[int, bytes], embedder: str) -> None:
    numbers = sorted(held)
    if numbers:
        codes = b"".join([held[number] for number in numbers])
        put_chunk(db, row, _packed(numbers), codes, embedder)
    else:
        db.execute("DELETE FROM vector_chunk WHERE number = ?", (row,))


def _numbers(facts: bytes) -> tuple[int, ...]:
    return unpack(f"<{len(facts) // 4}I", facts)


def _packed(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)
