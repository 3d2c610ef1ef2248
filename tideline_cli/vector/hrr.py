"""The hrr-256 embedder: a text becomes the bundle of its words' and trigrams' phases.

Holographic reduced representation in the frequency domain (T. Plate, 1995): every feature owns
128 pseudo-random phases, a text the phases of the sum of its features' unit waves.
"""

from __future__ import annotations

from functools import cache
from math import cos, sin, sqrt

from tideline_cli.vector.arrays import np
from tideline_cli.vector.bundles import (
    CODE_STEP,
    STEP,
    Bundler,
    gram_atom,
    levels_of,
    word_atom,
)
from tideline_cli.vector.features import EMPTY, FLOOR, HRR, PHASES, features, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Waves = Callable[[NDArray[np.uint16]], tuple[NDArray[np.float64], NDArray[np.float64]]]

_FEATURES_AT_ONCE = 256
_MANY_TEXTS = 32  # from here on a table of waves is cheaper than waves
_ROWS_AT_ONCE = 512  # 512 rows of 128 float64 stay in the L2 cache: 5 times as fast as 2,048

# The terms of a float32 product of two unit phase vectors have sizes that sum to at most 1, so it
# is off by less than 260 roundings of 2^-24: 0.000016.
_PRODUCT_ERROR = 0.0001


class HrrEmbedder:
    """Deterministic 256-value embedding; Protocol `tideline_cli.vector.embedder.Embedder`.

    A packed vector is its 128 phases in steps of 2 pi / 256, one byte each. `tolerance`: the
    cosine of two phase vectors is the mean of cos(p - q), and |cos a - cos b| <= |a - b|, so
    rounding one side to the nearest level moves it by at most pi/256 < 0.01228. `embed_packed`
    adds at most 0.0007 (see Bundler) and float arithmetic less than 0.00001. One instance serves
    one thread.
    """

    name = HRR
    dims = 2 * PHASES
    floor = FLOOR
    code_size = PHASES
    tolerance = 0.013
    exact = True

    def __init__(self) -> None:
        self._bundler: Bundler | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, 256): cos p0, sin p0, cos p1, ... over the norm."""
        vectors = np.empty((len(texts), self.dims))
        waves = _tabled if len(texts) >= _MANY_TEXTS else _computed
        for row, text in zip(vectors, texts, strict=True):
            phases = _bundle(text, waves)
            row[0::2] = np.cos(phases)
            row[1::2] = np.sin(phases)
            row /= np.sqrt((row * row).sum())
        return vectors

    def pack(self, vectors: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return codes (n, 128) of the unit rows (n, 256): each phase's nearest level."""
        return levels_of(np.arctan2(vectors[:, 1::2], vectors[:, 0::2]))

    def embed_packed(self, texts: Sequence[str]) -> NDArray[np.uint8]:
        """Return codes (n, 128): `pack(embed(texts))` but for phases off by up to 0.0007 radians.

        About 20 times as fast; keeps about 80 MiB at most of the words' bundles between calls.
        """
        if len(texts) < 8:  # the tables cost more than they save
            return self.pack(self.embed(texts))
        if self._bundler is None:
            self._bundler = Bundler()
        codes = np.empty((len(texts), PHASES), np.uint8)
        for start in range(0, len(texts), _ROWS_AT_ONCE):
            part = texts[start : start + _ROWS_AT_ONCE]
            block = codes[start : start + len(part)]
            unsure = self._bundler.bundle(part, out=block)
            if unsure:
                block[unsure] = self.pack(self.embed([part[index] for index in unsure]))
        return codes

    def similarities(
        self, query: NDArray[np.float64], codes: NDArray[np.uint8], *, floor: float = -1.0
    ) -> NDArray[np.float64]:
        """Return approximate cosines (n,) of the unit `query` (256,) and the rows of `codes`.

        A row below `floor` gets -1. Each row's value has the same bits whatever rows stand beside
        it: elementwise operations and one sum along the row.
        """
        phases = np.arctan2(query[1::2], query[0::2])
        levels = CODE_STEP * np.arange(256)
        cosines = np.outer(np.cos(phases), np.cos(levels))
        cosines += np.outer(np.sin(phases), np.sin(levels))  # [index, level]: cos(phase - level)
        first = 256 * np.arange(PHASES)
        scores = np.full(len(codes), -1.0)
        near = _reaching(query, codes, floor)
        for start in range(0, len(near), _ROWS_AT_ONCE):
            rows = near[start : start + _ROWS_AT_ONCE]
            scores[rows] = cosines.take(codes[rows] + first).sum(axis=1) / PHASES
        scores[scores < floor] = -1.0
        return scores

    def rows(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return unit rows (n, 256) of codes (n, 128); each phase is off by at most pi/256."""
        waves = _unit_waves() / sqrt(PHASES)
        pairs: NDArray[np.complex64] = waves.astype(np.complex64).take(codes)
        return pairs.view(np.float32)


@cache
def _unit_waves() -> NDArray[np.complex128]:
    """Return (cos, sin) of each level; some C libraries have no exponential of complex numbers."""
    angles = [CODE_STEP * level for level in range(256)]
    return np.array([complex(cos(angle), sin(angle)) for angle in angles])


def _bundle(text: str, waves: Waves) -> NDArray[np.float64]:
    """Return the 128 phases of a text: atan2 of the sums, in the order of the features."""
    names = [name for word in words(text) for name in features(word)] or [EMPTY]
    cos = np.zeros(PHASES)
    sin = np.zeros(PHASES)
    for start in range(0, len(names), _FEATURES_AT_ONCE):
        some_cos, some_sin = waves(_phases(names[start : start + _FEATURES_AT_ONCE]))
        cos += some_cos.sum(axis=0)
        sin += some_sin.sum(axis=0)
    return np.arctan2(sin, cos)


def _computed(phases: NDArray[np.uint16]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the cosines and sines of phases."""
    angles = phases * STEP
    return np.cos(angles), np.sin(angles)


def _tabled(phases: NDArray[np.uint16]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `_computed` returns, from a table of all phases: 1 MiB, made in 2 ms."""
    cos, sin = _table()
    return cos.take(phases), sin.take(phases)


@cache
def _table() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return _computed(np.arange(1 << 16, dtype=np.uint16))


def _phases(names: list[str]) -> NDArray[np.uint16]:
    atoms = b"".join([gram_atom(name) if name[0] == "g" else word_atom(name) for name in names])
    return np.frombuffer(atoms, "<u2").reshape(-1, PHASES)


def _reaching(
    query: NDArray[np.float64], codes: NDArray[np.uint8], floor: float
) -> NDArray[np.intp]:
    """Return the indices of all rows whose approximate cosine can be `floor` or more.

    A float32 matrix product decides: half the time of the exact sums, but its last bits depend
    on the number of rows.
    """
    if floor <= -1:
        return np.arange(len(codes))
    pairs = _unit_waves().astype(np.complex64)
    weights = (query / sqrt(PHASES)).astype(np.float32)
    product = np.empty(len(codes), np.float32)
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        part = codes[start : start + _ROWS_AT_ONCE]
        product[start : start + len(part)] = pairs.take(part).view(np.float32) @ weights
    return np.flatnonzero(product >= floor - _PRODUCT_ERROR)
