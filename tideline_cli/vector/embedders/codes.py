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
    from collections.abc import Sequence

MOST = 127
EIGHTHS = 8
TAIL = 2  # bytes of a code beside its values
MOST_DIMS = 4096  # of more values the length could need a third byte
_ROWS_AT_ONCE = 4096
_FEW = 64  # rows that are multiplied one by one
_LANE = 65535
_SPAN = 2 * MOST * MOST + MOST  # a product is below it, once it is moved above 0
_SIGMAS = 8


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


def near(query: bytes, codes: bytes, *, least: float) -> list[tuple[int, float]]:
    """Return (row, cosine) of each of the codes, one after the other, with at least `least`."""
    size = len(query)
    found: list[tuple[int, float]] = []
    if not _length(query):
        return [(row, 0.0) for row in range(len(codes) // size)] if least <= 0 else []
    for start in range(0, len(codes) // size, _ROWS_AT_ONCE):
        rows = codes[start * size : (start + _ROWS_AT_ONCE) * size]
        for row in _likely(query, rows, least):
            value = cosine(query, rows[row * size : (row + 1) * size])
            if value >= least:
                found.append((start + row, value))
    return found


def _likely(query: bytes, rows: bytes, least: float) -> Sequence[int]:
    """Return the rows whose cosine may be `least` or more.

    Each column is mapped to the products with its value of the query, cut to a few levels, and
    added for all rows at once, as `hrr_plain` does. Cutting moves a product by half a level at
    most, as good as evenly spread, so the sum of n is off by a standard deviation of
    sqrt(n / 12) levels; eight of them are allowed for.
    """
    size, count = len(query), len(rows) // len(query)
    if count <= _FEW:
        return range(count)
    values = [(place, value) for place, value in enumerate(_numbers(query)) if value]
    step = -(-_SPAN // min(254, _LANE // len(values) - 1))
    ramp = b"".join([bytes((level,)) * step for level in range(-(-_SPAN // step))])
    lanes = bytearray(2 * count)
    total = offset = 0
    for place, value in values:
        # Position of a product: that of the least one of its column is 0.
        line = ramp[: 256 * abs(value) : abs(value)]
        line = line if value > 0 else line[::-1]
        offset += 128 * value if value > 0 else -127 * value
        lanes[::2] = rows[place::size].translate(line[128:] + line[:128])
        total += int.from_bytes(lanes, "little")
    sums = unpack(f"<{count}H", total.to_bytes(2 * count, "little"))
    lanes[::2], lanes[1::2] = rows[size - 2 :: size], rows[size - 1 :: size]
    lengths = unpack(f"<{count}H", lanes)
    share = least * _length(query) / EIGHTHS**2
    # What a row needs, in the units of its sum.
    short = offset - step * (len(values) / 2 + _SIGMAS * sqrt(len(values) / 12))
    return [
        row for row, (sum_, length) in enumerate(zip(sums, lengths, strict=True))
        if sum_ * step - short >= share * length
    ]  # fmt: skip


def _numbers(one: bytes) -> memoryview[int]:
    return memoryview(one)[:-TAIL].cast("b")


def _length(one: bytes) -> int:
    return int.from_bytes(one[-TAIL:], "little")
