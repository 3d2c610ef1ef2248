"""The hrr-256 embedder in plain Python: for one text and some ten thousand vectors.

The same vectors as those of `vector.hrr`, made before numpy (55 to 60 ms) would be loaded.
"""

from __future__ import annotations

from _operator import itemgetter, mul, sub
from math import atan2, ceil, cos, pi, sin
from sys import byteorder

from tideline_cli.model.lean import sha256
from tideline_cli.vector.features import EMPTY, PHASES, atom, features, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Phases = tuple[float, ...]

MARGIN = 0.009
_FEATURES_AT_ONCE = 256
_MOST_WAVES = 2048  # 5 KiB each
_ROWS_AT_ONCE = 4096  # 512 KiB stay in the L2 cache
_LEVELS = 2048  # phases of a query are rounded to 2 pi / 2048
_LEVELS_OF_CODE = 256
_MOST = 63  # which stands for a cosine of 1
# How many levels from 0 on, half a wave, stand for 63, for 62 … for 0: see `wave_of`.
_RUNS = (
    59, 42, 30, 25, 21, 19, 18, 16, 16, 14, 15, 13, 13, 13, 13, 12, 12, 11, 12, 11, 11, 11,
    11, 11, 10, 11, 11, 10, 10, 11, 10, 11, 10, 10, 11, 10, 10, 11, 11, 10, 11, 11, 11, 11,
    11, 12, 11, 12, 12, 13, 13, 13, 13, 15, 14, 16, 16, 18, 19, 21, 25, 30, 42, 59,
)  # fmt: skip
_COLUMNS = 4  # of at most 63 that make at most 255

# A wave exp(i u 2 pi / 65536) is the product of those of the two bytes of u: two small tables,
# 0.2 ms, where one of 65,536 waves takes 3 ms to fill.
_COARSE = [complex(cos(pi * byte / 128), sin(pi * byte / 128)) for byte in range(256)]
_FINE = [complex(cos(pi * byte / 32768), sin(pi * byte / 32768)) for byte in range(256)]
_waves: dict[str, list[complex]] = {}


def embed(text: str) -> Phases:
    """Return the 128 phases of a text, radians in -pi..pi: atan2 of the sums over its features."""
    counts: dict[str, int] = {}
    for word in words(text):
        for name in features(word):
            counts[name] = counts.get(name, 0) + 1
    names = list(counts.items()) or [(EMPTY, 1)]
    sums = [0j] * PHASES
    for start in range(0, len(names), _FEATURES_AT_ONCE):
        rows = [
            _wave(name) if count == 1 else [count * value for value in _wave(name)]
            for name, count in names[start : start + _FEATURES_AT_ONCE]
        ]
        sums = list(map(sum, zip(sums, *rows, strict=True)))
    return tuple([atan2(value.imag, value.real) for value in sums])


def cosine(left: Phases, right: Phases) -> float:
    """Return the cosine of two bundles: the mean of cos(p - q) over their phases."""
    return sum(map(cos, map(sub, left, right))) / PHASES


def pack(phases: Phases) -> bytes:
    """Return the code of 128 phases: the nearest of 256 levels each, one byte."""
    return bytes([round(phase * (_LEVELS_OF_CODE / (2 * pi))) & 255 for phase in phases])


def near(query: Phases, codes: bytes, least: float) -> list[tuple[int, float]]:
    """Return place and approximate cosine of the codes, 128 bytes each, of which it is `least` or
    more.

    Error: a code's phase is off by up to pi/256, the query's by up to pi/2048, a cosine in the
    table by up to 1/63, each as good as evenly spread and, since the phases are pseudo-random,
    independent from index to index. |cos a - cos b| <= |a - b|, so the mean of 128 has a standard
    deviation of at most

        sqrt((pi/256)^2 + (pi/2048)^2 + (1/63)^2) / sqrt(3) / sqrt(128) = 0.00103,

    and MARGIN is 8 of them, 0.0083, and the 0.0007 that `HrrEmbedder.embed_packed` may add, which
    wrote codes of bulk imports. The error is at most pi/256 + pi/2048 + 1/63 + 0.0007 = 0.0304,
    if all are at their largest and of one sign.
    """
    made = tables(query)
    enough = ceil((least + 1.0) * _MOST * PHASES / 2 - 1e-9)
    found: list[tuple[int, float]] = []
    size = _ROWS_AT_ONCE * PHASES
    for start in range(0, len(codes), size):
        totals = _totals(made, codes[start : start + size])
        if max(totals) >= enough:
            found += [
                (place, cosine_of(total))
                for place, total in enumerate(totals, start // PHASES)
                if total >= enough
            ]
    return found


def cosine_of(total: int) -> float:
    """Return the approximate cosine that a sum over the `tables` of a query stands for."""
    return total * (2 / _MOST / PHASES) - 1.0


def tables(query: Phases) -> list[bytes]:
    """Return for each phase of a query the table [level of a code]: cos(level - phase)."""
    base = wave_of(_RUNS)
    step = _LEVELS // _LEVELS_OF_CODE
    starts = [-round(phase * (_LEVELS / (2 * pi))) % _LEVELS for phase in query]
    return [base[start : start + _LEVELS : step] for start in starts]


def _totals(by_level: Sequence[bytes], rows: bytes) -> list[int]:
    """Return the sum over each row of what the tables hold for its bytes.

    Each column becomes one integer, so that one addition adds to all rows: four columns of at most
    63 stay within a byte. Then the rows of even and odd place go on in lanes of 16 bits.
    """
    pairs = (len(rows) // PHASES + 1) // 2
    mask = int.from_bytes(b"\xff\x00" * pairs, "little")
    even = odd = 0
    number = int.from_bytes
    for first in range(0, PHASES, _COLUMNS):
        four = sum([
            number(rows[index::PHASES].translate(by_level[index]), "little")
            for index in range(first, first + _COLUMNS)
        ])  # fmt: skip
        even += four & mask
        odd += four >> 8 & mask
    totals = [0] * (2 * pairs)
    totals[::2] = _lanes(even, pairs)
    totals[1::2] = _lanes(odd, pairs)
    return totals[: len(rows) // PHASES]


def _lanes(number: int, count: int) -> list[int]:
    """Return the lanes of 16 bits of a number, the lowest first; `struct` takes longer to load."""
    lanes = memoryview(number.to_bytes(2 * count, byteorder)).cast("H").tolist()
    return lanes if byteorder == "little" else lanes[::-1]


def wave_of(runs: Sequence[int]) -> bytes:
    """Return cosines of the levels 0.._LEVELS - 1, -1..1 as whole numbers from 0 on, twice over:
    `runs` says how many levels from 0 on have the highest number, then the next. A table of 1,025
    cosines takes a hundred times as long."""
    most = len(runs) - 1
    half = b"".join([bytes((most - place,)) * count for place, count in enumerate(runs)])
    return (half + half[-2:0:-1]) * 2


def _wave(name: str) -> list[complex]:
    """Return the 128 unit waves of a feature, and remember them: other words have its trigrams."""
    wave = _waves.get(name)
    if wave is None:
        made = atom(name, sha256)
        coarse: Iterable[complex] = itemgetter(*made[1::2])(_COARSE)
        wave = list(map(mul, coarse, itemgetter(*made[::2])(_FINE)))
        if len(_waves) >= _MOST_WAVES:
            _waves.clear()
        _waves[name] = wave
    return wave


