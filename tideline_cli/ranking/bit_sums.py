"""Sums for all facts at once: a set of facts is one whole number with a bit for each fact, and a
sum is several of them, one for each binary digit. Python adds such numbers at the speed of C.
"""

from __future__ import annotations

from itertools import compress

from tideline_cli.model.lean import once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_BITS = (1, 2, 4, 8, 16, 32, 64, 128)


def bits_of(numbers: Iterable[int], highest: int) -> int:
    """Return the set of these numbers, none of which is above `highest`."""
    made = bytearray((highest >> 3) + 1)
    bits = _BITS
    for number in numbers:
        made[number >> 3] |= bits[number & 7]
    return int.from_bytes(made, "little")


def numbers_of(bits: int) -> list[int]:
    """Return the numbers of a set, ascending."""
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    places = compress(range(0, 8 * len(data), 8), data)
    held, offsets = data.translate(None, b"\0"), _offsets()
    return [
        place + offset for place, byte in zip(places, held, strict=True) for offset in offsets[byte]
    ]


@once
def _offsets() -> list[tuple[int, ...]]:
    """Return the places of the bits of each byte."""
    return [tuple([place for place in range(8) if byte >> place & 1]) for byte in range(256)]


class BitSums:
    """Adds weights, each to all facts of a set.

    Of each binary digit two sets wait at most: a third makes one of this digit and one of the next,
    as a full adder does, for five operations on whole sets.
    """

    def __init__(self) -> None:
        self._waiting: list[list[int]] = []

    def add(self, members: int, weight: int) -> None:
        """Add a whole weight to the sums of the members of a set."""
        digit = 0
        while weight:
            if weight & 1:
                self._put(digit, members)
            weight >>= 1
            digit += 1

    def digits(self) -> list[int]:
        """Return the sums: for each binary digit, the lowest first, the facts that have it."""
        found: list[int] = []
        carry = 0
        for here in self._waiting:
            one, other = (*here, 0, 0)[:2]
            either = one ^ other
            found.append(either ^ carry)
            carry = one & other | carry & either
        return [*found, carry] if carry else found

    def _put(self, digit: int, members: int) -> None:
        while True:
            while len(self._waiting) <= digit:
                self._waiting.append([])
            here = self._waiting[digit]
            here.append(members)
            if len(here) < 3:
                return
            one, other, third = here
            either = one ^ other
            here[:] = [either ^ third]
            members = one & other | third & either
            digit += 1


def at_least(digits: list[int], least: int) -> int:
    """Return the facts whose sum is `least` or more; `least` is 1 or more."""
    if least >> len(digits):
        return 0
    over, equal = 0, -1
    for place in range(len(digits) - 1, -1, -1):
        if least >> place & 1:
            equal &= digits[place]
        else:
            over |= equal & digits[place]
    return over | equal


def highest(digits: list[int]) -> int:
    """Return the highest sum of all."""
    found, members = 0, -1
    for place in range(len(digits) - 1, -1, -1):
        here = members & digits[place]
        if here:
            members = here
            found |= 1 << place
    return found
