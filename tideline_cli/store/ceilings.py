"""One byte per fact that bounds its score, packed by number: a derived index, filled in order."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    Coder = Callable[[list[str], str], int]

CHUNK = 4096


def codes(db: Connection) -> bytes:
    """Return the bytes of the facts from number 0 on, as far as they are made."""
    return b"".join(row[0] for row in db.execute("SELECT codes FROM ceiling ORDER BY number"))


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


def extend(db: Connection, coder: Coder, *, unknown: int, limit: int) -> None:
    """Make the bytes of up to `limit` more numbers; those without a fact are `unknown`."""
    row = db.execute(
        "SELECT number, codes FROM ceiling ORDER BY number DESC LIMIT 1"
    ).fetchone() or (0, b"")
    number, made = int(row[0]), bytearray(row[1])
    start = number * CHUNK + len(made)
    facts = db.execute(
        "SELECT seq, terms, source FROM fact WHERE seq >= ? AND seq < ? ORDER BY seq",
        (start, start + limit),
    ).fetchall()
    if not facts:
        return
    fresh = bytearray([unknown]) * (facts[-1][0] + 1 - start)
    for seq, terms, source in facts:
        fresh[seq - start] = coder(terms.split(), source)
    made += fresh
    for offset in range(0, len(made), CHUNK):
        db.execute(
            "INSERT OR REPLACE INTO ceiling (number, codes) VALUES (?, ?)",
            (number + offset // CHUNK, bytes(made[offset : offset + CHUNK])),
        )
