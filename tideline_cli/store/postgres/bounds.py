"""The bytes that bound scores, on a server: rows by origin, so that nobody reads those of others.

A byte stands at the place of `fact.seq`, as in a file; those of other origins are 0, and a row
that would hold zeros alone is not there. Functions as in `store.score_bounds`, with an origin.
"""

from __future__ import annotations

from itertools import compress, groupby

from tideline_cli.model import codec
from tideline_cli.ranking.score_bounds import CODER, ROW, bound_of_fact, repeats_at_least
from tideline_cli.store import reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read

CHUNK = ROW
AHEAD = 512  # facts without a byte, of which a recall makes one for itself
TABLES = f"""
CREATE TABLE score_bound (
  origin BIGINT NOT NULL REFERENCES origin (number),
  number BIGINT NOT NULL,
  codes BYTEA NOT NULL,
  PRIMARY KEY (origin, number)
);
CREATE INDEX fact_own ON fact (origin, seq);
INSERT INTO setting (name, value) VALUES ('score_bounds', '{CODER}');
"""
# As `store.score_bounds` reads them.
WEIGHED = """
SELECT origin, seq, terms, source,
  iif((SELECT value FROM setting WHERE name = 'analyzer') IS 'reference', NULL, role),
  importance, tier, pinned, ifnull(access_count, 0)
FROM fact LEFT JOIN usage ON usage.fact = seq
"""
OF_ORIGIN = f"{WEIGHED} WHERE fact.origin = ? AND seq >= ? ORDER BY seq LIMIT ?"
_OF_FACTS = f"{WEIGHED} WHERE seq IN (SELECT value FROM json_each(?))"
END = f"""
(SELECT coalesce(max(number * {CHUNK} + length(codes)), 0) FROM score_bound
 WHERE origin = {{}} AND EXISTS (
   SELECT 1 FROM setting WHERE setting.name = 'score_bounds' AND setting.value = '{CODER}'))
"""
MISSING = f"SELECT count(*) FROM fact WHERE origin = ?1 AND seq >= {END.format('?1')}"
_VIEWERS = "(SELECT number FROM origin WHERE key = ?1)"
_MISSING = f"SELECT count(*) FROM fact WHERE origin = {_VIEWERS} AND seq >= {END.format(_VIEWERS)}"
_OF_NUMBERS = """
SELECT origin, number, codes FROM score_bound WHERE number IN (SELECT value FROM json_each(?))
"""
_BEHIND = f"""
SELECT number FROM origin AS one WHERE EXISTS (
  SELECT 1 FROM fact WHERE fact.origin = one.number AND seq >= {END.format("one.number")})
ORDER BY number
"""
_PUT = """
INSERT INTO score_bound (origin, number, codes) VALUES (?, ?, ?)
ON CONFLICT (origin, number) DO UPDATE SET codes = excluded.codes
"""


def codes(db: Connection, *, origin_number: int) -> bytes:
    """Return the bytes by number, those of the next few facts made now."""
    held = bytearray(_stored(db, origin_number))
    for seq, byte in _made(db, origin_number, len(held), AHEAD):
        held += bytes(seq - len(held))
        held.append(byte)
    return bytes(held)


def repeating(db: Connection, least: int, *, origin_number: int) -> Iterator[int]:
    """Yield the numbers from `least` on whose facts may hold a term more than once."""
    stored = _stored(db, origin_number)
    flags = stored.translate(repeats_at_least()[0])[least:]
    yield from compress(range(least, least + len(flags)), flags)
    rows: list[Any] = db.execute(
        "SELECT seq FROM fact WHERE origin = ? AND seq >= ? ORDER BY seq",
        (origin_number, max(least, len(stored))),
    ).fetchall()
    yield from (seq for (seq,) in rows)


def missing(*, viewer: Origin) -> Read[int]:
    """Read how many facts of an origin have no byte yet."""
    rows = yield _MISSING, (viewer.key,)
    return int(rows[0][0])


def missing_count(db: Connection, *, origin_number: int | None) -> int:
    """Return how many facts have no byte yet, of an origin or of all."""
    if origin_number is None:
        return sum(missing_count(db, origin_number=one) for one in _behind(db))
    return int(db.execute(MISSING, (origin_number,)).get)


def extend(db: Connection, *, limit: int, origin_number: int | None) -> None:
    """Make the bytes of up to `limit` more facts; without an origin, of each that the role sees."""
    if not _are_ours_now(db):
        return
    for one in _behind(db) if origin_number is None else [origin_number]:
        row, held = _last(db, one)
        fresh = list(_made(db, one, row * CHUNK + len(held), limit))
        _append(db, one, row, held, fresh)


def add(db: Connection, fresh: bytes) -> None:
    """Store the bytes of the newest facts, in the transaction that stores those. Where facts before
    them have none yet, all are left to `extend`."""
    rows: list[Any] = db.execute(
        "SELECT origin, seq FROM fact ORDER BY seq DESC LIMIT ?", (len(fresh),)
    ).fetchall()
    if not _are_ours_now(db):
        return
    made = [(origin, seq, byte) for (origin, seq), byte in zip(reversed(rows), fresh, strict=True)]
    for origin, own in groupby(sorted(made), key=lambda one: one[0]):
        pairs = [(seq, byte) for _, seq, byte in own]
        if missing_count(db, origin_number=origin) == len(pairs):
            _append(db, origin, *_last(db, origin), pairs)


def forget(db: Connection, seqs: Iterable[int]) -> None:
    """Note that facts are gone: their bytes are 0, in the rows of whatever origin."""
    gone: dict[int, list[int]] = {}
    for seq in seqs:
        gone.setdefault(seq // CHUNK, []).append(seq % CHUNK)
    if not gone:
        return
    for origin, number, old in _rows_of(db, gone):
        fresh = bytearray(old)
        for place in gone[number]:
            if place < len(fresh):
                fresh[place] = 0
        if fresh != old:
            db.execute(_PUT, (origin, number, bytes(fresh)))


def put_of(db: Connection, seqs: Iterable[int]) -> None:
    """Make the bytes of facts anew, as far as their origins have been reached."""
    wanted = list(seqs)
    if not wanted:
        return
    numbers = sorted({seq // CHUNK for seq in wanted})
    found, rows = reads.together(
        db, reads.asked(_OF_FACTS, (codec.dumps(wanted),)),
        reads.asked(_OF_NUMBERS, (codec.dumps(numbers),)),
    )  # fmt: skip
    held = {(origin, number): bytearray(old) for origin, number, old in rows}
    changed: set[tuple[int, int]] = set()
    for origin, seq, terms, *weights in found:
        row = held.get((origin, seq // CHUNK))
        if row is not None and seq % CHUNK < len(row):
            row[seq % CHUNK] = bound_of_fact(terms, *weights)
            changed.add((origin, seq // CHUNK))
    for origin, number in sorted(changed):
        db.execute(_PUT, (origin, number, bytes(held[origin, number])))


def _rows_of(db: Connection, numbers: Iterable[int]) -> list[Any]:
    """Return origin, number and bytes of rows by number, of whatever origin."""
    return db.execute(_OF_NUMBERS, (codec.dumps(sorted(numbers)),)).fetchall()


def are_whole(db: Connection, last: int) -> bool:
    """Say whether no row holds more than its numbers, or reaches beyond the fact numbered `last`.
    """
    sql = f"""
    SELECT NOT EXISTS (SELECT 1 FROM score_bound WHERE length(codes) NOT BETWEEN 1 AND {CHUNK}
                       OR number < 0 OR number * {CHUNK} + length(codes) > ?1 + 1)
    """
    return bool(db.execute(sql, (last,)).get)


def clear(db: Connection) -> None:
    """Forget all bytes of the origins that the role sees."""
    db.execute("DELETE FROM score_bound")
    db.execute("UPDATE setting SET value = ? WHERE name = 'score_bounds'", (CODER,))


def wrong_count(db: Connection) -> int:
    """Return how many of the bytes stored are not those of the facts."""
    numbers: list[Any] = db.execute("SELECT number FROM origin").fetchall()
    wrong = 0
    for (origin,) in numbers:
        stored = _stored(db, origin)
        wanted = dict(_made(db, origin, 0, len(stored)))
        wrong += sum(byte != wanted.get(seq, 0) for seq, byte in enumerate(stored))
    return wrong


def _behind(db: Connection) -> list[int]:
    """Return the origins that the role sees and that have facts without a byte."""
    rows: list[Any] = db.execute(_BEHIND).fetchall()
    return [number for (number,) in rows]


def _are_ours(db: Connection) -> bool:
    held: Any = getattr(db, "settings", None)
    if held is None:
        rows: list[Any] = db.execute("SELECT name, value FROM setting").fetchall()
        held = dict(rows)
    return str(held.get("score_bounds", "")) == CODER


def _are_ours_now(db: Connection) -> bool:
    """Say whether the bytes were made with our tables. The owner of the memory clears others; a
    member leaves them, and reads without."""
    if _are_ours(db):
        return True
    if db.execute("SELECT row_security_active('score_bound')").get:
        return False
    clear(db)
    return True


def _stored(db: Connection, origin_number: int) -> bytes:
    if not _are_ours(db):
        return b""
    held = bytearray()
    for number, some in db.execute(
        "SELECT number, codes FROM score_bound WHERE origin = ? ORDER BY number", (origin_number,)
    ):
        held += bytes(number * CHUNK - len(held)) + some
    return bytes(held)


def _last(db: Connection, origin_number: int) -> tuple[int, bytes]:
    sql = "SELECT number, codes FROM score_bound WHERE origin = ? ORDER BY number DESC LIMIT 1"
    row: tuple[int, bytes] = db.execute(sql, (origin_number,)).fetchone() or (0, b"")
    return row


def _made(
    db: Connection, origin_number: int, start: int, limit: int
) -> Iterator[tuple[int, int]]:
    """Yield (number, byte) of up to `limit` facts of an origin from number `start` on."""
    rows: list[Any] = db.execute(OF_ORIGIN, (origin_number, start, limit)).fetchall()
    for _, seq, terms, *weights in rows:
        yield seq, bound_of_fact(terms, *weights)


def _append(
    db: Connection, origin_number: int, last: int, held: bytes, fresh: Sequence[tuple[int, int]]
) -> None:
    """Store the bytes of facts that come after all that have one; `held` are those of the last
    row."""
    for number, some in groupby(fresh, key=lambda one: one[0] // CHUNK):
        row = bytearray(held if number == last else b"")
        for seq, byte in some:
            row += bytes(seq % CHUNK - len(row))
            row.append(byte)
        db.execute(_PUT, (origin_number, number, bytes(row)))
