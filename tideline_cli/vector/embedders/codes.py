"""Codes of learned embedders: vectors as small whole numbers, and their cosines in plain Python.

A code holds one byte a value, -127 to 127 in units of the largest value, and two bytes: the length
of these numbers in eighths. A cosine of two codes is a quotient of whole numbers, so it is the same
in whatever order it is summed, here and in `coded`.
"""

from __future__ import annotations

from math import isfinite, sqrt
from operator import mul
from struct import pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST = 127
EIGHTHS = 8
TAIL = 2  # bytes of a code beside its values
MOST_DIMS = 4096  # of more values the length could need a third byte
_ROWS_AT_ONCE = 8192
_FEW = 64  # rows that are multiplied one by one
_STEP = 32  # rows that are multiplied before it is looked whether the nearest are found
_LANE = 65535
_LEVELS = 127  # of a product: two columns stay within a byte
_SPAN = 2 * 128 * MOST  # a product is below it, once it is moved above 0
_SIGMAS = 8
_ABOVE_0 = bytes([byte ^ 128 for byte in range(256)])


def code(values: Sequence[float]) -> bytes:
    """Return the code of a vector of any length; of zeros, or of what is no number, zeros."""
    largest = max(map(abs, values), default=0.0)
    if not largest or not isfinite(largest) or not isfinite(sum(values)):
        return bytes(len(values) + TAIL)
    scale = MOST / largest
    if not isfinite(scale):
        return bytes(len(values) + TAIL)
    numbers = [round(value * scale) for value in values]
    length = round(EIGHTHS * sqrt(sum(map(mul, numbers, numbers))))
    return pack(f"<{len(numbers)}bH", *numbers, length)


def cosine(left: bytes, right: bytes) -> float:
    """Return the cosine of two codes; 0 where one is zero or of another size."""
    lengths = _length(left) * _length(right)
    if len(left) != len(right) or not lengths:
        return 0.0
    product: int = sum(map(mul, _numbers(left), _numbers(right)))
    return max(-1.0, min(1.0, product * EIGHTHS**2 / lengths))


def near(
    query: bytes, codes: bytes, *, least: float, most: int | None = None
) -> list[tuple[int, float]]:
    """Return (row, cosine) of each of the codes, one after the other, with at least `least`; with
    `most`, of the `most` nearest alone, more where the last of them has its equals."""
    size = len(query)
    if not _length(query):
        return [(row, 0.0) for row in range(len(codes) // size)][:most] if least <= 0 else []
    cosine_of = _cosines(query)
    found: list[tuple[int, float]] = []
    for start in range(0, len(codes) // size, _ROWS_AT_ONCE):
        rows = codes[start * size : (start + _ROWS_AT_ONCE) * size]
        likely = _likely(query, rows, least)
        done, step = 0, most or len(likely)
        while done < len(likely) and likely[done][0] >= least:
            values = [
                (start + row, cosine_of(rows[row * size : (row + 1) * size]))
                for _, row in likely[done : done + step]
            ]
            done, step = done + step, _STEP
            found += [one for one in values if one[1] >= least]
            if most is not None and len(found) > most:
                least = sorted([value for _, value in found])[-most]
                found = [one for one in found if one[1] >= least]
    return sorted(found)


def _cosines(query: bytes) -> Callable[[bytes], float]:
    """Return the function that is `cosine` with a code."""
    numbers, length = _numbers(query).tolist(), _length(query)
    shift = 128 * sum(numbers)

    def cosine_of(row: bytes) -> float:
        lengths = length * _length(row)
        if not lengths:
            return 0.0
        # Bytes of 0 and more are multiplied faster than numbers with a sign.
        product: int = sum(map(mul, numbers, row.translate(_ABOVE_0))) - shift
        return max(-1.0, min(1.0, product * EIGHTHS**2 / lengths))

    return cosine_of


def _likely(query: bytes, rows: bytes, least: float) -> list[tuple[float, int]]:
    """Return what the cosine of a row is at most, and the row, highest first, of those that may
    have `least` or more.

    Each column is mapped to the products with its value of the query, cut to a few levels, and
    added for all rows at once, as `hrr_plain` does. Cutting moves a product by half a level at
    most, as good as evenly spread, so the sum of n is off by a standard deviation of
    sqrt(n / 12) levels; eight of them are allowed for.
    """
    size, count = len(query), len(rows) // len(query)
    if count <= _FEW:
        return [(1.0, row) for row in range(count)]
    values = [(place, value) for place, value in enumerate(_numbers(query)) if value]
    levels = min(_LEVELS, _LANE // len(values) - 1)
    step = -(-_SPAN // levels)
    sums, offset = _sums(values, rows, size, step)
    lengths = _pairs(rows[size - 2 :: size], rows[size - 1 :: size])
    unit = EIGHTHS**2 / _length(query)
    # What a row needs, in the units of its sum.
    short = offset - step * (len(values) / 2 + _SIGMAS * sqrt(len(values) / 12))
    share = least / unit
    found = [
        ((sum_ * step - short) * unit / (length or 1), row)
        for row, (sum_, length) in enumerate(zip(sums, lengths, strict=True))
        if sum_ * step - short >= share * length
    ]
    found.sort(reverse=True)
    return found


def _sums(
    values: Sequence[tuple[int, int]], rows: bytes, size: int, step: int
) -> tuple[list[int], int]:
    """Return the sum of the levels of each row, and what stands for 0 in it. As many columns as
    stay within a byte are added before rows of even and odd place go on in lanes of 16 bits."""
    ramp = b"".join([bytes((level,)) * step for level in range(-(-_SPAN // step))])
    pairs = (len(rows) // size + 1) // 2
    mask = int.from_bytes(b"\xff\x00" * pairs, "little")
    at_once = 255 // max(1, len(ramp) // step - 1)
    even = odd = together = offset = 0
    for number, (place, value) in enumerate(values, 1):
        # Position of a product: that of the least one of its column is 0.
        line = ramp[: 256 * abs(value) : abs(value)]
        line = line if value > 0 else line[::-1]
        offset += 128 * value if value > 0 else -127 * value
        column = rows[place::size].translate(line[128:] + line[:128])
        together += int.from_bytes(column, "little")
        if number % at_once == 0 or number == len(values):
            even += together & mask
            odd += together >> 8 & mask
            together = 0
    sums = [0] * (2 * pairs)
    sums[::2], sums[1::2] = (
        unpack(f"<{pairs}H", half.to_bytes(2 * pairs, "little")) for half in (even, odd)
    )
    return sums[: len(rows) // size], offset


def _pairs(low: bytes, high: bytes) -> tuple[int, ...]:
    """Return the numbers of two bytes each."""
    lanes = bytearray(2 * len(low))
    lanes[::2], lanes[1::2] = low, high
    return unpack(f"<{len(low)}H", lanes)


def _numbers(one: bytes) -> memoryview[int]:
    return memoryview(one)[:-TAIL].cast("b")


def _length(one: bytes) -> int:
    return int.from_bytes(one[-TAIL:], "little")
