"""What deleting leaves in a file with `secure_delete`, and where: why a purge ends with VACUUM.

    python bench/left_by_delete.py [stores]

Makes small tables with a unique index, changes half of the rows, deletes 40 one by one, and looks
for each piece of eight bytes of what they held in every page of the file.
"""

from __future__ import annotations

import os
import random
import string
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator

import apsw

_PAGE = 4096
_PIECE = 8
_ROWS, _GONE = 1500, 40
_LETTERS = string.ascii_letters + string.digits
_LEAVES = {2: 12, 5: 12, 10: 8, 13: 8}  # kinds of pages of a tree, and the length of their heads


def made(path: str, seed: int, *, vacuum: bool) -> list[bytes]:
    """Make a store of one table; return what its deleted rows held."""
    rng = random.Random(seed)
    rows = [
        ["".join(rng.choices(_LETTERS, k=k)) for k in (26, rng.randint(60, 260))]
        for _ in range(_ROWS)
    ]
    db = apsw.Connection(path)
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    db.execute("PRAGMA synchronous = OFF; PRAGMA secure_delete = ON").fetchall()
    db.execute("CREATE TABLE fact (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, content TEXT, more)")
    db.executemany("INSERT INTO fact (id, content) VALUES (?, ?)", rows)
    for seq in rng.sample(range(_ROWS), _ROWS // 2):
        longer = "x" * rng.randint(1, 60)
        db.execute("UPDATE fact SET more = ? WHERE seq = ?", (longer, seq + 1))
    gone = rng.sample(range(_ROWS), _GONE)
    for seq in gone:
        db.execute("DELETE FROM fact WHERE seq = ?", (seq + 1,))
    if vacuum:
        db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()
    return [text.encode() for seq in gone for text in rows[seq]]


def left(path: str, held: list[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the length of each piece that is left in a file, and where in its page it lies."""
    pieces = {text[at : at + _PIECE] for text in held for at in range(len(text) - _PIECE + 1)}
    with open(path, "rb") as file:
        raw = file.read()
    at = 0
    while at < len(raw):
        length = 0
        while raw[at + length : at + length + _PIECE] in pieces:
            length += 1
        if length:
            length += _PIECE - 1
            yield length, place(raw, at)
        at += length or 1


def place(raw: bytes, at: int) -> str:
    """Return in which part of its page a byte lies."""
    number, offset = divmod(at, _PAGE)
    page = raw[number * _PAGE : (number + 1) * _PAGE]
    head = 100 if number == 0 else 0
    kind, free, cells, start = struct.unpack(">BHHH", page[head : head + 7])
    if kind not in _LEAVES:
        return "no page of a tree"
    if head + _LEAVES[kind] + 2 * cells <= offset < start:
        return "the unused middle of a page"
    while free:
        following, size = struct.unpack(">HH", page[free : free + 4])
        if free <= offset < free + size:
            return "a free block"
        free = following
    return "a cell"


def main() -> None:
    """Print how many stores kept something, without and with VACUUM."""
    stores = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for vacuum in (False, True):
        found: Counter[str] = Counter()
        keeping, longest = 0, 0
        for seed in range(stores):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "one.db")
                pieces = list(left(path, made(path, seed, vacuum=vacuum)))
            keeping += bool(pieces)
            longest = max([longest, *(length for length, _ in pieces)])
            found.update(where for _, where in pieces)
        after = "after VACUUM" if vacuum else "after DELETE"
        print(f"{after}: {keeping} of {stores} files keep a piece, at most {longest} bytes;",
              ", ".join(f"{count} in {where}" for where, count in found.items()) or "none")


if __name__ == "__main__":
    main()
