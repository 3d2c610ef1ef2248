"""One byte per fact that bounds its score, packed by number: a derived index, filled in order."""

from __future__ import annotations

from operator import ne

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.source import Source

    Coder = Callable[[Sequence[str], Source], int]

CHUNK = 4096
LAG = 256  # facts that may be without a byte before a recall makes theirs


def codes(db: Connection, coder: Coder) -> bytes:
    """Return the bytes of the facts from number 0 on: those stored, and the next few made now."""
    stored = b"".join(row[0] for row in db.execute("SELECT codes FROM ceiling ORDER BY number"))
    return stored + _made(db, len(stored), coder, limit=2 * LAG)


def missing(db: Connection) -> int:
    """Return how many numbers have no byte yet."""
    return int(
        db.execute(
            """
            SELECT ifnull((SELECT max(seq) FROM fact), 0) + 1
              - ifnull((SELECT number * 4096 + length(codes) FROM ceiling
                        ORDER BY number DESC LIMIT 1), 0)
            """
        ).get
    )


def extend(db: Connection, coder: Coder, *, limit: int) -> None:
    """Make the bytes of up to `limit` more numbers; those without a fact are 0."""
    row = db.execute(
        "SELECT number, codes FROM ceiling ORDER BY number DESC LIMIT 1"
    ).fetchone() or (0, b"")
    number, made = int(row[0]), bytearray(row[1])
    start = number * CHUNK + len(made)
    fresh = _made(db, start, coder, limit=limit)
    made += fresh
    if not fresh:
        return
    for offset in range(0, len(made), CHUNK):
        db.execute(
            "INSERT OR REPLACE INTO ceiling (number, codes) VALUES (?, ?)",
            (number + offset // CHUNK, bytes(made[offset : offset + CHUNK])),
        )


def put(db: Connection, made: Mapping[int, int]) -> None:
    """Set the bytes of facts by number, those that the index has come to; 0 is that of no fact."""
    by_row: dict[int, dict[int, int]] = {}
    for seq, code in made.items():
        by_row.setdefault(seq // CHUNK, {})[seq % CHUNK] = code
    for number, fresh in by_row.items():
        row = db.execute("SELECT codes FROM ceiling WHERE number = ?", (number,)).fetchone()
        held = bytearray(row[0] if row else b"")
        for place, code in fresh.items():
            if place < len(held):
                held[place] = code
        if row:
            db.execute("UPDATE ceiling SET codes = ? WHERE number = ?", (bytes(held), number))


def differing(db: Connection, coder: Coder) -> int:
    """Return how many of the bytes stored are not those of the facts."""
    stored = b"".join(row[0] for row in db.execute("SELECT codes FROM ceiling ORDER BY number"))
    wanted = _made(db, 0, coder, limit=len(stored)).ljust(len(stored), b"\x00")
    return sum(map(ne, stored, wanted))


def clear(db: Connection) -> None:
    """Forget all bytes."""
    db.execute("DELETE FROM ceiling")


def _made(db: Connection, start: int, coder: Coder, *, limit: int) -> bytes:
    """Return the bytes of the facts from number `start` on."""
    facts: list[tuple[Any, ...]] = db.execute(
        "SELECT seq, terms, source FROM fact WHERE seq >= ? AND seq < ? ORDER BY seq",
        (start, start + limit),
    ).fetchall()
    if not facts:
        return b""
    fresh = bytearray(facts[-1][0] + 1 - start)
    for seq, terms, source in facts:
        fresh[seq - start] = coder(terms.split(), source)
    return bytes(fresh)
