"""One byte per fact that bounds its score, packed by number: a derived index, filled in order.

The file names the tables (weights, length classes) that the bytes were made with. Bytes of other
tables are not used, and the next writer makes them again.
"""

from __future__ import annotations

from _operator import ne
from itertools import compress

from tideline_cli.model.text import said_terms
from tideline_cli.ranking.decay import is_immune
from tideline_cli.ranking.score_bounds import (
    CODER,
    FIRST_CODER,
    bound_code,
    most_strength,
    repeats_at_least,
)
from tideline_cli.store.connection import put_setting, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

# Files of the reference's analyser weigh no roles.
_SELECT = """
SELECT seq, terms, source,
  iif((SELECT value FROM setting WHERE name = 'analyzer') IS 'reference', NULL, role),
  importance, tier, pinned, ifnull(access_count, 0)
FROM fact LEFT JOIN usage ON usage.fact = seq WHERE seq >= ? AND seq < ? ORDER BY seq
"""
MADE_FROM = frozenset(("role", "importance", "tier", "pinned"))
"""What of a fact can change and makes its byte."""
CHUNK = 4096
LAG = 256  # facts that may be without a byte before a recall makes theirs
_MADE_BY = "score_bounds"


def codes(db: Connection) -> bytes:
    """Return the bytes of the facts from number 0 on: those stored, and the next few made now."""
    stored = _stored(db)
    return stored + _made(db, len(stored), limit=2 * LAG)


def repeating(db: Connection, least: int) -> Iterator[int]:
    """Yield the numbers from `least` on whose facts may hold a term more than once."""
    stored = _stored(db)
    flags = stored.translate(repeats_at_least()[0])[least:]
    yield from compress(range(least, least + len(flags)), flags)
    last: Any = db.execute("SELECT ifnull(max(seq), 0) FROM fact").get
    yield from range(max(least, len(stored)), last + 1)


def missing_count(db: Connection) -> int:
    """Return how many numbers have no byte yet."""
    last: Any = db.execute(
        """
        SELECT ifnull((SELECT max(seq) FROM fact), 0) + 1,
          ifnull((SELECT number * 4096 + length(codes) FROM ceiling
                  ORDER BY number DESC LIMIT 1), 0)
        """
    ).fetchone()
    return int(last[0] - (last[1] if _are_ours(db) else 0))


def extend(db: Connection, *, limit: int) -> None:
    """Make the bytes of up to `limit` more numbers; those without a fact are 0."""
    if not _are_ours(db):
        clear(db)
    row = db.execute(
        "SELECT number, codes FROM ceiling ORDER BY number DESC LIMIT 1"
    ).fetchone() or (0, b"")
    number, made = int(row[0]), bytearray(row[1])
    start = number * CHUNK + len(made)
    fresh = _made(db, start, limit=limit)
    made += fresh
    if not fresh:
        return
    for offset in range(0, len(made), CHUNK):
        db.execute(
            "INSERT OR REPLACE INTO ceiling (number, codes) VALUES (?, ?)",
            (number + offset // CHUNK, bytes(made[offset : offset + CHUNK])),
        )


def put(db: Connection, made: Mapping[int, int]) -> None:
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
    put(db, {seq: byte for seq in seqs for byte in _made(db, seq, limit=1)})


def wrong_count(db: Connection) -> int:
    """Return how many of the bytes stored are not those of the facts."""
    stored = _stored(db)
    wanted = _made(db, 0, limit=len(stored)).ljust(len(stored), b"\x00")
    return sum(map(ne, stored, wanted))


def clear(db: Connection) -> None:
    """Forget all bytes, and note that the next ones are made with our tables."""
    db.execute("DELETE FROM ceiling")
    if not _are_ours(db):
        put_setting(db, _MADE_BY, CODER)


def _are_ours(db: Connection) -> bool:
    return setting(db, _MADE_BY, FIRST_CODER) == CODER


def _stored(db: Connection) -> bytes:
    """Return the bytes stored, none if they were made with other tables."""
    if not _are_ours(db):
        return b""
    return b"".join(row[0] for row in db.execute("SELECT codes FROM ceiling ORDER BY number"))


def _made(db: Connection, start: int, *, limit: int) -> bytes:
    """Return the bytes of the facts from number `start` on."""
    facts: list[tuple[Any, ...]] = db.execute(
        _SELECT, (start, start + limit)
    ).fetchall()
    if not facts:
        return b""
    fresh = bytearray(facts[-1][0] + 1 - start)
    for seq, terms, source, role, importance, tier, pinned, uses in facts:
        immune = is_immune(tier, bool(pinned))
        highest = most_strength(importance, uses, immune=immune)
        said = len(said_terms(terms))
        fresh[seq - start] = bound_code(terms.split(), source, role, highest, said=said)
    return bytes(fresh)
