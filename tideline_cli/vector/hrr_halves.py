"""Search among codes of hrr-256 by their high halves: what they leave open is read for few rows.

The four high bits of a phase say in which of 16 sectors it lies, and so bound the cosine of a row.
Rows that can be near enough are made exact, to the whole code, as they are asked for.
"""

from __future__ import annotations

from _operator import getitem
from math import ceil, pi

from tideline_cli.model.code_halves import COLUMNS, pair
from tideline_cli.vector import hrr_plain
from tideline_cli.vector.features import PHASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tideline_cli.vector.hrr_plain import Phases

    # Approximate cosine, number of a chunk, place in it.
    Guess = tuple[float, int, int]
    # Number of a fact, and the cosine of its whole code.
    Found = tuple[int, float]

MARGIN = 0.065
"""How far a guess may be off the cosine of the whole code.

A phase lies anywhere in a sector of 2 pi / 16: what is guessed is the mean of the cosines there,
off by a standard deviation of 0.0800. A guess is rounded to 2/15, the cosine of the whole code to
2/63, both evenly: 0.0385 and 0.0092. As `hrr_plain` says, the errors are independent from index to
index, so the mean of 128 has a standard deviation of

    sqrt(0.0800^2 + 0.0385^2 + 0.0092^2) / sqrt(128) = 0.0079,

and the margin is eight of them, rounded up.
"""
_SECTORS = 16
_MOST = 15  # which stands for a cosine of 1
_AT_ONCE = 8  # columns of at most 30 that make at most 255
_FIRST_READ = 64
_NONE = -2.0

_LEVELS = 2048  # phases of a query are rounded to 2 pi / 2048
_MIDDLE = 60  # of a sector, from the level of its first code on
# Translates what stands for a cosine to that and a second one.
_PLUS = [bytes(range(more, 256)) + b"\xff" * more for more in range(_MOST + 1)]
# How many levels from 0 on, half a wave, stand for 15, for 14 … for 0 (`hrr_plain.wave_of`): the
# mean cosine of a sector is that of its middle times sin(pi / 16) / (pi / 16).
_RUNS = (115, 92, 66, 55, 49, 47, 45, 44, 43, 45, 47, 49, 55, 66, 92, 115)


class Halves:
    """The chunks of one search: `high` yields number of a chunk, numbers of facts and high halves,
    `whole` both halves of each of some chunks."""

    def __init__(
        self, high: Iterable[tuple[int, bytes, bytes]],
        whole: Callable[[Sequence[int]], Iterable[tuple[bytes, bytes]]],
    ) -> None:  # fmt: skip
        self.high = high
        self.whole = whole


def near(
    query: Phases, halves: Halves, least: float, more: Sequence[Found] = ()
) -> Iterator[Found]:
    """Yield number and approximate cosine of the facts of which it is `least` or more, as
    `hrr_plain.near` has it, the nearest first, then the lower number; `more` are known already.

    A row is made exact when its guess and the margin reach the next one: who stops early has read
    few chunks whole.
    """
    facts: dict[int, bytes] = {}
    guesses = sorted(_guesses(query, halves.high, least - MARGIN, facts), reverse=True)
    exact = _Exact(query, halves.whole, facts)
    ready = sorted([(cosine, -number) for number, cosine in more])
    start, size = 0, _FIRST_READ
    while True:
        most = guesses[start][0] + MARGIN if start < len(guesses) else _NONE
        while ready and ready[-1][0] > most:
            cosine, number = ready.pop()
            yield -number, cosine
        if start >= len(guesses):
            return
        made = exact.rows(guesses[start : start + size])
        ready += [(cosine, -number) for number, cosine in made if cosine >= least]
        ready.sort()
        start, size = start + size, 2 * size


def _guesses(
    query: Phases, chunks: Iterable[tuple[int, bytes, bytes]], least: float,
    facts: dict[int, bytes],
) -> Iterator[Guess]:  # fmt: skip
    """Yield the rows whose guess is `least` or more; keep the numbers of facts of their chunks."""
    tables = _tables(query)
    enough = ceil((least + 1.0) * _MOST * PHASES / 2 - 1e-9)
    lanes: dict[int, _Lanes] = {}
    for number, held, high in chunks:
        rows = len(held) // 4
        if not rows or len(high) != rows * COLUMNS:
            continue  # as only damage makes it: `doctor --deep` mends it
        if rows not in lanes:
            lanes[rows] = _Lanes(rows, enough)
        for place, total in lanes[rows].reaching(tables, high):
            facts[number] = held
            yield total * (2 / _MOST / PHASES) - 1.0, number, place


class _Lanes:
    """The sums of all rows of a chunk, in lanes of 16 bits: those of even and of odd place. Each
    begins so high that its top bit is set when it reaches `enough`."""

    def __init__(self, rows: int, enough: int) -> None:
        self._bytes = 2 * ((rows + 1) // 2)
        lanes = self._bytes // 2
        self._rows = rows
        self._offset = 0x8000 - max(enough, 0)
        self._begin = int.from_bytes(self._offset.to_bytes(2, "little") * lanes, "little")
        self._even = int.from_bytes(b"\xff\x00" * lanes, "little")
        self._top = int.from_bytes(b"\x00\x80" * lanes, "little")
        self._columns = [slice(start * rows, (start + 1) * rows) for start in range(COLUMNS)]

    def reaching(self, tables: Sequence[bytes], high: bytes) -> Iterator[tuple[int, int]]:
        """Yield place and sum of the rows that have enough."""
        number = int.from_bytes
        columns = [
            number(high[part].translate(table), "little")
            for part, table in zip(self._columns, tables, strict=True)
        ]
        even = odd = self._begin
        for first in range(0, COLUMNS, _AT_ONCE):
            some = sum(columns[first : first + _AT_ONCE])
            even += some & self._even
            odd += some >> 8 & self._even
        for sums, place in (even, 0), (odd, 1):
            if sums & self._top:
                yield from self._found(sums, place)

    def _found(self, sums: int, odd: int) -> Iterator[tuple[int, int]]:
        tops = (sums & self._top).to_bytes(self._bytes, "little")
        held = sums.to_bytes(self._bytes, "little")
        at = tops.find(b"\x80")
        while at >= 0:
            place = at - 1 + odd
            if place < self._rows:
                yield place, int.from_bytes(held[at - 1 : at + 1], "little") - self._offset
            at = tops.find(b"\x80", at + 1)


class _Exact:
    """The cosines of whole codes."""

    def __init__(
        self, query: Phases, whole: Callable[[Sequence[int]], Iterable[tuple[bytes, bytes]]],
        facts: dict[int, bytes],
    ) -> None:  # fmt: skip
        tables = hrr_plain.tables(query)
        self._first, self._second = tables[::2], tables[1::2]
        self._whole = whole
        self._facts = facts

    def rows(self, guesses: Sequence[Guess]) -> Iterator[Found]:
        """Yield the number of the fact and the cosine of each guess."""
        places: dict[int, list[int]] = {}
        for _, chunk, place in guesses:
            places.setdefault(chunk, []).append(place)
        for (chunk, its), (high, low) in zip(places.items(), self._whole([*places]), strict=True):
            held = self._facts[chunk]
            count = len(held) // 4
            for place in its:
                number = int.from_bytes(held[4 * place : 4 * place + 4], "little")
                yield number, self._cosine(high[place::count], low[place::count])

    def _cosine(self, high: bytes, low: bytes) -> float:
        first, second = pair(high, low)
        total = sum(map(getitem, self._first, first)) + sum(map(getitem, self._second, second))
        return hrr_plain.cosine_of(total)


def _tables(query: Phases) -> list[bytes]:
    """Return for each column the table from a byte, two sectors, to the sum of two cosines."""
    # The codes of a sector begin with its own: their middle lies 7.5 codes above it.
    wave, step = hrr_plain.wave_of(_RUNS), _LEVELS // _SECTORS
    starts = [(_MIDDLE - round(phase * (_LEVELS / (2 * pi)))) % _LEVELS for phase in query]
    parts = [wave[start : start + _LEVELS : step] for start in starts]
    return [
        b"".join([second.translate(_PLUS[value]) for value in first])
        for first, second in zip(parts[::2], parts[1::2], strict=True)
    ]
