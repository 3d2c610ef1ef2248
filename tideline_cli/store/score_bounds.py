"""One byte per fact that bounds its score, packed by number: a derived index, filled in order.

The file names the tables (weights, length classes) that the bytes were made with. Bytes of other
tables are not used, and the next writer makes them again.
"""

from __future__ import annotations

from _operator import ne
from itertools import compress

from tideline_cli.model import codec
from tideline_cli.ranking.score_bounds import (
    CODER,
    FIRST_CODER,
    ROW,
    bound_of_fact,
    may_have_distinct,
    repeats_at_least,
)
from tideline_cli.store import SERVERS
from tideline_cli.store.connection import put_setting, setting
from tideline_cli.store.reads import alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read

# Files of the reference's analyser weigh no roles.
_WEIGHED = """
SELECT seq, terms, source,
  iif((SELECT value FROM setting WHERE name = 'analyzer') IS 'reference', NULL, role),
  importance, tier, pinned, ifnull(access_count, 0)
FROM fact LEFT JOIN usage ON usage.fact = seq
"""
_ARE_OURS = f"""
ifnull((SELECT value FROM setting WHERE name = 'score_bounds'), '{FIRST_CODER}') = '{CODER}'
"""
MADE_FROM = frozenset(("role", "importance", "tier", "pinned"))
"""What of a fact can change and makes its byte."""
CHUNK = ROW
LAG = 256  # facts that may be without a byte before a recall makes theirs
_MADE_BY = "score_bounds"
_LAST = "SELECT ifnull(max(seq), 0) FROM fact"


def _of_server(db: Connection) -> Any:
    """Return what does the same on a server, None for a file."""
    if not db.filename.startswith(SERVERS):
        return None
    from tideline_cli.store.postgres import bounds  # noqa: PLC0415  no file

    return bounds


def codes(db: Connection, *, origin_number: int) -> bytes:
    """Return the bytes of the facts from number 0 on: those stored, and the next few made now. On a
    server they are those of the origin, and 0 for the facts of others."""
    if server := _of_server(db):
        return server.codes(db, origin_number=origin_number)  # type: ignore[no-any-return]
    stored = _stored(db)
    return stored + _made(db, len(stored), limit=2 * LAG)


def repeating(db: Connection, least: int, *, origin_number: int) -> Iterator[int]:
    """Yield the numbers from `least` on whose facts may hold a term more than once; in a file, of
    facts of all origins."""
    if server := _of_server(db):
        yield from server.repeating(db, least, origin_number=origin_number)
        return
    stored = _stored(db)
    flags = stored.translate(repeats_at_least()[0])[least:]
    yield from compress(range(least, least + len(flags)), flags)
    yield from range(max(least, len(stored)), int(db.execute(_LAST).get) + 1)


def missing(db: Connection, *, viewer: Origin) -> Read[int]:
    """Return what reads how many numbers have no byte yet; on a server, how many facts of an
    origin."""
    server = _of_server(db)
    return server.missing(viewer=viewer) if server else _missing()


def missing_count(db: Connection, *, origin_number: int | None) -> int:
    """Return the same; on a server, of the origin of this number, or of all."""
    if server := _of_server(db):
        return server.missing_count(db, origin_number=origin_number)  # type: ignore[no-any-return]
    return alone(db, _missing())


def _missing() -> Read[int]:
    rows = yield f"""
    SELECT ifnull((SELECT max(seq) FROM fact), 0) + 1
      - ifnull((SELECT number * {CHUNK} + length(codes) FROM ceiling WHERE {_ARE_OURS}
                ORDER BY number DESC LIMIT 1), 0)
    """, ()
    return int(rows[0][0])


def extend(db: Connection, *, limit: int, origin_number: int | None) -> None:
    """Make the bytes of up to `limit` more numbers; those without a fact are 0. On a server, of so
    many facts of the origin, or of each."""
    if server := _of_server(db):
        server.extend(db, limit=limit, origin_number=origin_number)
        return
    if not are_ours(db):
        clear(db)
    number, made = _last(db)
    fresh = _made(db, number * CHUNK + len(made), limit=limit)
    if fresh:
        _store(db, number, made + fresh)


def append(db: Connection, first: int, fresh: bytes) -> None:
    """Store the bytes of the newest facts, numbered from `first` on. Where more than a row before
    them have none yet, all are left to `extend`."""
    if server := _of_server(db):
        server.add(db, fresh)
        return
    if not are_ours(db):
        clear(db)
    number, made = _last(db)
    missing = first - number * CHUNK - len(made)
    if 0 <= missing <= CHUNK:
        before = _made(db, first - missing, limit=missing) if missing else b""
        _store(db, number, made + before.ljust(missing, b"\x00") + fresh)


def _last(db: Connection) -> tuple[int, bytes]:
    """Return the number of the last row, and its bytes."""
    sql = "SELECT number, codes FROM ceiling ORDER BY number DESC LIMIT 1"
    row: tuple[int, bytes] = db.execute(sql).fetchone() or (0, b"")
    return row


def _store(db: Connection, number: int, codes: bytes) -> None:
    """Store bytes from the beginning of a row on."""
    for offset in range(0, len(codes), CHUNK):
        db.execute(
            "INSERT OR REPLACE INTO ceiling (number, codes) VALUES (?, ?)",
            (number + offset // CHUNK, codes[offset : offset + CHUNK]),
        )


def forget(db: Connection, seqs: Iterable[int]) -> None:
    """Note that facts are gone: their bytes are 0."""
    if server := _of_server(db):
        server.forget(db, seqs)
    else:
        _put(db, dict.fromkeys(seqs, 0))


def _put(db: Connection, made: Mapping[int, int]) -> None:
    """Set the bytes of those of the facts that the index has reached; 0 stands for no fact."""
    by_row: dict[int, dict[int, int]] = {}
    for seq, byte in made.items():
        by_row.setdefault(seq // CHUNK, {})[seq % CHUNK] = byte
    for number, fresh in by_row.items():
        row = db.execute("SELECT codes FROM ceiling WHERE number = ?", (number,)).fetchone()
        held = bytearray(row[0] if row else b"")
        for place, byte in fresh.items():
            if place < len(held):
                held[place] = byte
        if row:
            db.execute("UPDATE ceiling SET codes = ? WHERE number = ?", (bytes(held), number))


def put_of(db: Connection, seqs: Iterable[int]) -> None:
    """Make the bytes of facts anew, of which one of `MADE_FROM` or the use has changed."""
    if server := _of_server(db):
        server.put_of(db, seqs)
        return
    rows: list[Any] = db.execute(
        f"{_WEIGHED} WHERE seq IN (SELECT value FROM json_each(?))", (codec.dumps([*seqs]),)
    ).fetchall()
    _put(db, {seq: bound_of_fact(*weights) for seq, *weights in rows})


def are_whole(db: Connection, last: int) -> bool:
    """Say whether there is one byte for each number up to one that is not beyond `last`, without a
    hole; on a server, whether no row is longer than its numbers."""
    if server := _of_server(db):
        return server.are_whole(db, last)  # type: ignore[no-any-return]
    rows: Any = db.execute("SELECT number, length(codes) FROM ceiling ORDER BY number").fetchall()
    sizes = [size for _, size in rows]
    is_row = [number for number, _ in rows] == list(range(len(rows)))
    is_full = all(size == CHUNK for size in sizes[:-1])
    return is_row and is_full and sum(sizes) <= last + 1 and sizes[-1:] != [0]


def wrong_count(db: Connection) -> int:
    """Return how many of the bytes stored are not those of the facts."""
    if server := _of_server(db):
        return server.wrong_count(db)  # type: ignore[no-any-return]
    stored = _stored(db)
    wanted = _made(db, 0, limit=len(stored)).ljust(len(stored), b"\x00")
    return sum(map(ne, stored, wanted))


def are_ours(db: Connection) -> bool:
    """Say whether the bytes stored were made with our tables."""
    return setting(db, _MADE_BY, FIRST_CODER) == CODER


def clear(db: Connection) -> None:
    """Forget all bytes, and note that the next ones are made with our tables."""
    if server := _of_server(db):
        server.clear(db)
        return
    db.execute("DELETE FROM ceiling")
    if not are_ours(db):
        put_setting(db, _MADE_BY, CODER)


def _stored(db: Connection) -> bytes:
    """Return the bytes stored, none if they were made with other tables."""
    rows = db.execute(f"SELECT codes FROM ceiling WHERE {_ARE_OURS} ORDER BY number")
    return b"".join(row[0] for row in rows)


def _made(db: Connection, start: int, *, limit: int) -> bytes:
    """Return the bytes of the facts from number `start` on."""
    facts: list[tuple[Any, ...]] = db.execute(
        f"{_WEIGHED} WHERE seq >= ? AND seq < ? ORDER BY seq", (start, start + limit)
    ).fetchall()
    if not facts:
        return b""
    fresh = bytearray(facts[-1][0] + 1 - start)
    for seq, terms, *weights in facts:
        fresh[seq - start] = bound_of_fact(terms, *weights)
    return bytes(fresh)


class Sized:
    """The facts of a file, of all origins, or those of an origin on a server, that may have so many
    distinct terms, as their bytes say. Those that have no byte yet may."""

    def __init__(self, db: Connection, least: int, most: int, *, origin_number: int) -> None:
        held = codes(db, origin_number=origin_number)
        self._fitting = held.translate(may_have_distinct(least, most))
        self._unknown = range(len(self._fitting), int(db.execute(_LAST).get) + 1)

    def are_few(self, most: int) -> bool:
        """Say whether they are no more than `most`."""
        return self._fitting.count(1) + len(self._unknown) <= most

    def numbers(self) -> list[int]:
        """Return their numbers, ascending."""
        found, place = [], self._fitting.find(1)
        while place >= 0:
            found.append(place)
            place = self._fitting.find(1, place + 1)
        return [*found, *self._unknown]

    def among(self, seqs: list[int]) -> list[int]:
        """Return those of the facts with these numbers that are among them."""
        fitting, end = self._fitting, self._unknown.start
        return [seq for seq in seqs if seq >= end or fitting[seq]]
