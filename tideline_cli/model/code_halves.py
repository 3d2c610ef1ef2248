"""Codes of hrr-256 in halves, as the file keeps them: the high four bits of all bytes, which a
search reads, and the low four bits, which few rows need.

Two bytes of a code beside each other make one byte of each half. A half is stored column by
column: first that byte of all rows, then the next. So a search takes a column as it stands.
"""

from __future__ import annotations

CODE = 128
"""Bytes of a code."""
COLUMNS = CODE // 2
"""Bytes of a half of one code."""


def split(codes: bytes) -> tuple[bytes, bytes]:
    """Return the high and the low halves of codes, of which one follows the other."""
    size = len(codes) // 2
    first = int.from_bytes(b"".join([codes[i::CODE] for i in range(0, CODE, 2)]), "little")
    second = int.from_bytes(b"".join([codes[i::CODE] for i in range(1, CODE, 2)]), "little")
    high, low = _masks(size)
    return (
        (first & high | second >> 4 & low).to_bytes(size, "little"),
        ((first & low) << 4 | second & low).to_bytes(size, "little"),
    )


def joined(highs: bytes, lows: bytes) -> bytes:
    """Return the codes of which these are the halves."""
    count = len(highs) // COLUMNS
    codes = bytearray(CODE * count)
    codes[::2], codes[1::2] = pair(
        b"".join([highs[row::count] for row in range(count)]),
        b"".join([lows[row::count] for row in range(count)]),
    )
    return bytes(codes)


def pair(highs: bytes, lows: bytes) -> tuple[bytes, bytes]:
    """Return the first and the second byte of each pair of bytes that these are the halves of."""
    size = len(highs)
    high, low = _masks(size)
    above, below = int.from_bytes(highs, "little"), int.from_bytes(lows, "little")
    return (
        (above & high | below >> 4 & low).to_bytes(size, "little"),
        ((above & low) << 4 | below & low).to_bytes(size, "little"),
    )


def _masks(size: int) -> tuple[int, int]:
    return int.from_bytes(b"\xf0" * size, "little"), int.from_bytes(b"\x0f" * size, "little")
