"""Which facts hold a common term and how often, as bits: a derived index beside the full-text
index, which tells row by row which facts hold a term. A term that many facts of an origin hold has
rows here, for all facts before a number that its last row names; later ones are looked up there.
"""

from __future__ import annotations

import zlib

from apsw import CorruptError

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    # Of a term: how many facts hold it, whatever their lifecycle, before which number they are
    # kept, and the numbers of the later ones.
    Counted = tuple[int, int, list[int]]

CHUNK = 32_000  # facts of a row: its bits and what stands before them fill a page of the file
DIGITS = 5  # binary digits of how often a fact repeats a term
TOKENS = 1 << 18  # terms of all active facts of an origin from which on its common ones are kept
_OWNER = 1
_ROWS = """
SELECT holders, repeats, upto FROM common_posting WHERE origin = ? AND term = ? ORDER BY number
"""
COUNT = "SELECT sum(facts), max(upto) FROM common_posting WHERE origin = ? AND term = ?"
LATER = "SELECT rowid FROM fact_fts WHERE fact_fts MATCH ? AND rowid >= ?"


@record
class Posting:
    """The facts before `upto` that hold a term, archived ones included, one bit each. `repeats` are
    the binary digits of how often they repeat it, the lowest first: 0 is once, 31 is 32 times or
    more."""

    holders: int
    repeats: tuple[int, ...]
    upto: int


NONE = Posting(0, (), 0)
NEVER: Counted = (0, 0, [])
"""What is known of a term that is not kept and was not looked up."""


def posting(db: Connection, term: str, *, origin_number: int) -> Posting:
    """Return what is kept of a term."""
    rows: list[Any] = db.execute(_ROWS, (origin_number, term)).fetchall()
    if not rows:
        return NONE
    sizes = [size_of(number, upto) for number, (*_, upto) in enumerate(rows)]
    holders = [inflated(row[0], size) for row, size in zip(rows, sizes, strict=True)]
    planes = [planes_of(row[1], size) for row, size in zip(rows, sizes, strict=True)]
    repeats = tuple([
        _joined([plane[place] if place < len(plane) else bytes(size)
                 for plane, size in zip(planes, sizes, strict=True)])
        for place in range(max(map(len, planes)))
    ])  # fmt: skip
    return Posting(_joined(holders), repeats, rows[-1][2])


def _joined(parts: list[bytes]) -> int:
    return int.from_bytes(b"".join(parts), "little")


def counted(
    db: Connection, terms: Iterable[str], *, origin_number: int, all_of_them: bool = False
) -> dict[str, Counted]:
    """Return for those of the terms that are kept, or for all, how many facts hold them."""
    found: dict[str, Counted] = {}
    for term in terms:
        row: Any = db.execute(COUNT, (origin_number, term)).fetchone()
        facts, upto = (0, 0) if row[1] is None else row
        if upto or all_of_them:
            later = looked_up(db, term, origin_number=origin_number, least=upto)
            found[term] = facts + len(later), upto, later
    return found


def looked_up(db: Connection, term: str, *, origin_number: int, least: int) -> list[int]:
    """Return the numbers of the facts from `least` on that hold a term, archived ones included,
    ascending, by the full-text index."""
    query = f'"{indexed(term, origin_number=origin_number)}"'
    return [seq for (seq,) in db.execute(LATER, (query, least))]


def indexed(term: str, *, origin_number: int) -> str:
    """Return a term of an origin as the full-text index has it."""
    return term if origin_number == _OWNER else f"{origin_number}_{term}"


def deflated(plain: bytes) -> bytes:
    """Return the bytes of a row, none where no bit is set, shorter ones where that saves half: a
    term of a million facts takes 0.5 ms longer to read then."""
    if not any(plain):
        return b""

    made = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_RLE)
    short = made.compress(plain) + made.flush()
    return short if 2 * len(short) < len(plain) else plain


def inflated(row: bytes, size: int) -> bytes:
    """Return the bits of a row, which are so many bytes; raise apsw.CorruptError where the row says
    something else."""
    if not row:
        return bytes(size)
    if len(row) == size:
        return row

    try:
        plain = zlib.decompress(row, -zlib.MAX_WBITS, size)
    except zlib.error as error:
        raise CorruptError(f"the facts that hold a common term cannot be read: {error}") from error
    if len(plain) != size:
        raise CorruptError("the facts that hold a common term are not as many as there are")
    return plain


def planes_of(row: bytes, size: int) -> list[bytes]:
    """Return the planes of repeats, each of so many bytes; those that are missing hold no bit."""
    if not row:
        return []
    plain = inflated(row[1:], row[0] * size)
    return [plain[start : start + size] for start in range(0, len(plain), size)]


def repeats_row(planes: list[bytes]) -> bytes:
    """Return the bytes of planes of repeats: how many there are, and their bits."""
    while planes and not any(planes[-1]):
        planes = planes[:-1]
    return bytes((len(planes),)) + deflated(b"".join(planes)) if planes else b""


def size_of(number: int, upto: int) -> int:
    """Return how many bytes the bits of a row take."""
    return (upto - number * CHUNK + 7) // 8
