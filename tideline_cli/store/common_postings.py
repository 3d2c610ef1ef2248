"""Which facts hold a common term and how often, as bits: a derived index beside the full-text
index, which tells row by row which facts hold a term. A term that many facts of an origin hold has
rows here, for all facts before a number that its last row names; later ones are looked up there.
"""

from __future__ import annotations

import zlib

from apsw import CorruptError

from tideline_cli.model.record import record
from tideline_cli.ranking.bit_sums import bits_of
from tideline_cli.store import score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    # Of a term: how many facts hold it, whatever their lifecycle, before which number they are
    # kept, and the numbers of the later ones.
    Counted = tuple[int, int, list[int]]
    # Of a term: the facts that hold it more than once, and how often.
    Repeated = Mapping[str, Mapping[int, int]]

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
    """Return the bits of a row, so many bytes; raise apsw.CorruptError where it says otherwise."""
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


_HOLDERS, _SHARE = 1000, 256
"""A term is kept that so many facts hold, and one of so many."""
_SAMPLE, _SAMPLE_TERMS = 1 << 11, 1 << 17  # what is looked at for common terms
_GROWN = 8  # an origin is due again when the file has grown by such a part
_LEAST_GROWN = 1 << 9  # facts
_MANY = 500  # facts that are corrected one by one
_MARK = ""  # the term of the row that says how far all terms of an origin have come
_MOST = (1 << DIGITS) - 1
_PUT = """
INSERT INTO common_posting VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (origin, term, number) DO UPDATE
SET upto = excluded.upto, facts = excluded.facts, holders = excluded.holders,
  repeats = excluded.repeats
"""
# Of each origin: the number before which its terms are kept, that of the newest fact, its tokens.
_GROWTH = f"""
SELECT number,
  ifnull((SELECT max(upto) FROM common_posting WHERE origin = own.number AND term = '{_MARK}'), 0),
  (SELECT ifnull(max(seq), 0) FROM fact),
  (SELECT ifnull(sum(tokens), 0) FROM tally WHERE origin = own.number)
FROM origin AS own
"""
ROWS_OF = "SELECT origin, term, upto, holders, repeats FROM common_posting WHERE number = ?"
_SET = """
UPDATE common_posting SET facts = ?, holders = ?, repeats = ?
WHERE origin = ? AND term = ? AND number = ?
"""


def settle(db: Connection, *, origin_number: int, most: int) -> None:
    """Choose the common terms of an origin, and keep which facts hold them, up to the newest fact.
    Stops after some more than `most` holders; the next call goes on. In a transaction of the
    caller."""
    last = _last_number(db)
    terms = _common_terms(db, origin_number, last)
    starts = {term: _start(db, origin_number, term) for term in terms}
    least = min(starts.values(), default=0)
    repeated = _repeated(db, least, terms, origin_number=origin_number)
    for term, start in starts.items():
        most -= _continue(db, (origin_number, term), start, last, repeated.get(term, {}))
        if most < 0:
            return
    db.execute(_PUT, (origin_number, _MARK, 0, last + 1, 0, b"", b""))


def settle_all(db: Connection, *, most: int = 1 << 62) -> None:
    """Continue the common terms of all origins that have grown so much that it is due, each up to
    some more than `most` holders."""
    rows: list[Any] = db.execute(_GROWTH).fetchall()
    for number, reached, last, tokens in rows:
        if last - reached > max(_LEAST_GROWN, reached // _GROWN) and tokens >= TOKENS:
            settle(db, origin_number=number, most=most)


def correct(db: Connection, seqs: Collection[int]) -> None:
    """Bring the rows up to date with facts that have gone or come back, as the last index."""
    if len(seqs) > _MANY:
        clear(db)
        settle_all(db)
        return
    by_chunk: dict[int, list[int]] = {}
    for seq in seqs:
        by_chunk.setdefault(seq // CHUNK, []).append(seq)
    for number, members in by_chunk.items():
        rows: list[Any] = db.execute(ROWS_OF, (number,)).fetchall()
        held = _terms_of(db, members) if rows else {}
        for origin, term, upto, *blobs in rows:
            early = [seq for seq in members if seq < upto]
            counts = {
                seq: held[seq][1].count(term)
                for seq in early
                if seq in held and held[seq][0] == origin
            }
            size = size_of(number, upto)
            fresh = _corrected(blobs, size, dict.fromkeys(early, 0) | counts)
            if term and fresh[1:] != tuple(blobs):
                db.execute(_SET, (*fresh, origin, term, number))
                if not fresh[0]:
                    _drop_unheld(db, origin, term)


def clear(db: Connection) -> None:
    """Forget all rows, so that they are made anew."""
    db.execute("DELETE FROM common_posting")


def wrong_count(db: Connection) -> int:
    """Return how many kept terms have other rows than the facts say."""
    wrong = 0
    for origin, listed in _listed(db).items():
        repeated = _repeated(db, 0, listed, origin_number=origin)
        for term in listed:
            rows: list[Any] = db.execute(
                "SELECT number, upto, facts, holders, repeats FROM common_posting"
                " WHERE origin = ? AND term = ? ORDER BY number",
                (origin, term),
            ).fetchall()
            seqs = looked_up(db, term, origin_number=origin, least=0)
            last = rows[-1][1] - 1
            held = [seq for seq in seqs if seq <= last]
            made = list(_made(held, repeated.get(term, {}), 0, last))
            wrong += not _are_alike(rows, made)
    return wrong


def _drop_unheld(db: Connection, origin_number: int, term: str) -> None:
    """Forget a term that no fact holds: nothing tells that there was such a fact."""
    sql = "SELECT sum(facts) FROM common_posting WHERE origin = ? AND term = ?"
    if not db.execute(sql, (origin_number, term)).get:
        db.execute(
            "DELETE FROM common_posting WHERE origin = ? AND term = ?", (origin_number, term)
        )


def _are_alike(rows: Iterable[Any], made: Iterable[Any]) -> bool:
    try:
        return [_plain(row) for row in rows] == [_plain(row) for row in made]
    except CorruptError:
        return False


def _plain(row: Any) -> tuple[Any, ...]:
    number, upto, count, holders, repeats = row
    size = size_of(number, upto)
    return number, upto, count, inflated(holders, size), planes_of(repeats, size)


def _listed(db: Connection) -> dict[int, list[str]]:
    """Return the terms that are kept, by origin."""
    found: dict[int, list[str]] = {}
    sql = "SELECT DISTINCT origin, term FROM common_posting WHERE term <> ''"
    for origin, term in db.execute(sql):
        found.setdefault(origin, []).append(term)
    return found


def _reached(db: Connection, origin_number: int, term: str) -> int:
    """Return the number before which all holders of a term are kept."""
    sql = "SELECT ifnull(max(upto), 0) FROM common_posting WHERE origin = ? AND term = ?"
    return int(db.execute(sql, (origin_number, term)).get)


def _last_number(db: Connection) -> int:
    return int(db.execute("SELECT ifnull(max(seq), 0) FROM fact").get)


def _start(db: Connection, origin_number: int, term: str) -> int:
    """Return the first number of the row that a term is continued with."""
    return max(0, _reached(db, origin_number, term) - 1) // CHUNK * CHUNK


def _common_terms(db: Connection, origin_number: int, last: int) -> list[str]:
    """Return the terms that are kept, and those that a sample of the facts shows to be common."""
    counts: dict[str, int] = {}
    looked_at = 0
    for terms in _sample(db, origin_number, last):
        looked_at += 1
        for term in set(terms.split()):
            counts[term] = counts.get(term, 0) + 1
    kept = _listed(db).get(origin_number, [])
    least = max(3.0, looked_at / _SHARE, looked_at * _HOLDERS / last)
    fresh = sorted({term for term, n in counts.items() if n >= least}.difference(kept))
    return [*kept, *(term for term in fresh if _count(db, origin_number, term) >= _HOLDERS)]


def _count(db: Connection, origin_number: int, term: str) -> int:
    """Return how many facts hold a term, whatever their lifecycle."""
    named = indexed(term, origin_number=origin_number)
    sql = "SELECT ifnull((SELECT doc FROM fact_vocabulary WHERE term = ?), 0)"
    return int(db.execute(sql, (named,)).get)


def _sample(db: Connection, origin_number: int, last: int) -> Iterator[str]:
    """Yield the terms of facts of an origin from everywhere in the file."""
    step = max(1, last // _SAMPLE)
    sql = "SELECT terms, length FROM fact WHERE seq = ? AND origin = ?"
    seen = 0
    for seq in _spread(last, step):
        row: Any = db.execute(sql, (seq, origin_number)).fetchone()
        if row:
            yield row[0]
            seen += row[1]
        if seen > _SAMPLE_TERMS:
            return


def _spread(last: int, step: int) -> Iterator[int]:
    """Yield numbers up to the last one, in an order in which the first few come from everywhere."""
    for offset in range(16):
        yield from range(last - offset * step, 0, -16 * step)


def _repeated(
    db: Connection, least: int, terms: Iterable[str], *, origin_number: int
) -> dict[str, dict[int, int]]:
    """Return for the terms which facts from a number on hold them more than once, and how often."""
    from collections import Counter  # noqa: PLC0415  five modules more

    wanted = set(terms)
    found: dict[str, dict[int, int]] = {}
    sql = "SELECT terms FROM fact WHERE seq = ? AND origin = ?"
    for seq in score_bounds.repeating(db, least, origin_number=origin_number):
        row: Any = db.execute(sql, (seq, origin_number)).fetchone()
        counts = Counter(filter(wanted.__contains__, row[0].split() if row else ()))
        for term, n in counts.items():
            if n > 1:
                found.setdefault(term, {})[seq] = n
    return found


def _continue(
    db: Connection, key: tuple[int, str], start: int, last: int, counts: Mapping[int, int]
) -> int:
    """Keep the holders of a term from a number on; return how many were looked up."""
    seqs = looked_up(db, key[1], origin_number=key[0], least=start)
    for row in _made(seqs, counts, start, last):
        db.execute(_PUT, (*key, *row))
    return len(seqs)


def _made(
    seqs: list[int], counts: Mapping[int, int], start: int, last: int
) -> Iterator[tuple[int, int, int, bytes, bytes]]:
    """Yield the rows (number, upto, facts, holders, repeats) of a term that these facts hold."""
    holders = bits_of(seqs, last) >> start
    planes = [
        bits_of([seq for seq, n in counts.items()
                 if seq >= start and min(n - 1, _MOST) >> digit & 1], last) >> start
        for digit in range(DIGITS)
    ]  # fmt: skip
    whole = (1 << CHUNK) - 1
    for number in range(start // CHUNK, last // CHUNK + 1):
        upto = min((number + 1) * CHUNK, last + 1)
        parts = [holders & whole, *(plane & whole for plane in planes)]
        yield (number, upto, *_row(parts, size_of(number, upto)))
        holders >>= CHUNK
        planes = [plane >> CHUNK for plane in planes]


def _row(parts: list[int], size: int) -> tuple[int, bytes, bytes]:
    """Return how many facts hold a term, and the blobs of holders and repeats."""
    plain = [part.to_bytes(size, "little") for part in parts]
    return parts[0].bit_count(), deflated(plain[0]), repeats_row(plain[1:])


def _corrected(
    blobs: list[bytes], size: int, counts: Mapping[int, int]
) -> tuple[int, bytes, bytes]:
    """Return a row in which these facts hold the term so often."""
    plain = [inflated(blobs[0], size), *planes_of(blobs[1], size)]
    parts = [int.from_bytes(plane, "little") for plane in plain] + [0] * (1 + DIGITS - len(plain))
    for seq, n in counts.items():
        bit = 1 << seq % CHUNK
        digits = [n > 0, *(max(0, min(n - 1, _MOST)) >> place & 1 for place in range(DIGITS))]
        parts = [
            part | bit if digit else part & ~bit for part, digit in zip(parts, digits, strict=True)
        ]
    return _row(parts, size)


def _terms_of(db: Connection, seqs: Collection[int]) -> dict[int, tuple[int, list[str]]]:
    """Return origin and terms of those facts that are there."""
    marks = ", ".join(map(str, seqs))
    rows: Any = db.execute(f"SELECT seq, origin, terms FROM fact WHERE seq IN ({marks})")
    return {seq: (origin, terms.split()) for seq, origin, terms in rows}
