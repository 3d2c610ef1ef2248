"""The hrr-256 embedder: a text becomes the bundle of its words' and trigrams' phases.

Holographic reduced representation in the frequency domain (T. Plate, 1995): every feature owns
128 pseudo-random phases, a text the phases of the sum of its features' unit waves.
"""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256  # for a few bytes twice as fast as the one of model.lean
from math import cos, pi, sin, sqrt

from tideline_cli.vector.arrays import np
from tideline_cli.vector.features import EMPTY, FLOOR, HRR, PHASES, atom, features, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Waved = NDArray[np.float32]

STEP = 2 * pi / 65536  # radians of one unit of an atom's uint16 phase
CODE_STEP = 2 * pi / 256  # radians of one level of a packed phase

# Limits of the fixed-point sums: see Bundler.
_ONE = 1 << 21
_MOST_FEATURES = 1 << 13
_MOST_SHORT = (1 << 31) // _ONE
_MOST_SUMS = 1 << 16
_LONGEST_WORD = 40
_ROWS_TO_ADD = 256  # at once, of 1 KiB each: they stay in the L2 cache


class Bundler:
    """Sums the waves of whole words in fixed point, and remembers the sum of each word.

    A wave's value is rounded to 2^-21, so a sum of n features is off by at most n 2^-22 in each
    of its two components, sqrt(2) n 2^-22 together; where the sum is at least n 2^-11 long, its
    phase is off by at most 0.0007 radians. Texts with a shorter sum, a very long or astral word,
    or very many features are left to the caller.
    """

    def __init__(self) -> None:
        angles = STEP * np.arange(65536)
        waves = np.stack([np.cos(angles), np.sin(angles)], axis=1) * _ONE
        # One int64 holds a (cos, sin) pair of int32: one gather fetches both.
        self._waves = np.rint(waves).astype(np.int32).view(np.int64).ravel()
        self._slots: dict[str, int] = {}
        # Texts to add up, by their number of words: their places, and the slots of all their words.
        self._noted: dict[int, tuple[list[int], list[int]]] = {}
        self._sums = np.empty((_MOST_SUMS, 2 * PHASES), np.int32)  # pages are used as they fill

    def bundle(self, texts: Sequence[str], *, out: NDArray[np.uint8]) -> list[int]:
        """Write the codes (n, 128) of the texts; return the indices that the caller must redo."""
        waves = np.zeros((len(texts), 2 * PHASES), np.float32)
        sizes = np.zeros(len(texts), np.int64)
        unknown: list[tuple[int, list[str]]] = []
        for place, text in enumerate(texts):
            tokens = words(text)
            size = len(tokens) + sum(map(len, tokens))
            if not tokens or size > _MOST_FEATURES:
                continue
            try:
                slots = [*map(self._slots.__getitem__, tokens)]
            except KeyError:
                astral = not text.isascii() and max(text) > "\uffff"
                if astral or max(map(len, tokens)) > _LONGEST_WORD:
                    continue
                unknown.append((place, tokens))
            else:
                self._note(place, slots, size, waves)
            sizes[place] = size
        if unknown:
            self._note_unknown(unknown, sizes, waves)
        self._add_up(waves)
        cos, sin = waves[:, 0::2], waves[:, 1::2]
        out[:] = levels_of(np.arctan2(sin, cos))
        shortest = np.min(cos * cos + sin * sin, axis=1)
        unsure: list[int] = np.flatnonzero(
            (sizes == 0) | (shortest < np.square(sizes * (_ONE / 2048)))
        ).tolist()
        return unsure

    def _note(self, place: int, slots: list[int], size: int, out: Waved) -> None:
        """Note the words whose sums make a text of `size` features, for `_add_up` to write."""
        if size < _MOST_SHORT:
            places, noted = self._noted.setdefault(len(slots), ([], []))
            places.append(place)
            noted += slots
        else:
            out[place] = np.add.reduce(self._sums.take(slots, axis=0), axis=0, dtype=np.float64)

    def _note_unknown(
        self, unknown: Sequence[tuple[int, list[str]]], sizes: NDArray[np.int64], out: Waved
    ) -> None:
        """Learn the words of texts, given as (place, words), and note the texts."""
        slots = self._slots
        fresh = {word: None for _, tokens in unknown for word in tokens if word not in slots}
        if len(slots) + len(fresh) > _MOST_SUMS:
            half = len(unknown) // 2
            if half:
                self._note_unknown(unknown[:half], sizes, out)
                self._note_unknown(unknown[half:], sizes, out)
                return
            self._add_up(out)
            slots.clear()
            fresh = dict.fromkeys(unknown[0][1])
        self._learn(fresh)
        for place, tokens in unknown:
            self._note(place, [*map(slots.__getitem__, tokens)], int(sizes[place]), out)

    def _add_up(self, out: Waved) -> None:
        """Write the sums of the texts that were noted, of those with as many words at once: up to
        _MOST_SHORT features a sum is an int32."""
        for count, (places, noted) in self._noted.items():
            step = max(1, _ROWS_TO_ADD // count)
            for start in range(0, len(places), step):
                some = places[start : start + step]
                slots = noted[start * count : (start + step) * count]
                sums = self._sums.take(slots, axis=0, mode="clip").reshape(len(some), count, -1)
                out[some] = np.add.reduce(sums, axis=1, dtype=np.int32)
        self._noted.clear()

    def _learn(self, fresh: Iterable[str]) -> None:
        """Store the sums of new words, of those with as many features at once."""
        by_count: dict[int, list[list[str]]] = {}
        for word in fresh:
            names = features(word)
            by_count.setdefault(len(names), []).append(names)
        for count, listed in by_count.items():
            step = max(1, _ROWS_TO_ADD // count)
            for start in range(0, len(listed), step):
                some = listed[start : start + step]
                atoms = b"".join([
                    _atom(own) + b"".join(map(gram_atom, grams)) for own, *grams in some
                ])  # fmt: skip
                waves = self._waves.take(np.frombuffer(atoms, "<u2"), mode="clip").view(np.int32)
                first = len(self._slots)
                self._slots.update((own[2:], first + n) for n, (own, *_) in enumerate(some))
                np.add.reduce(
                    waves.reshape(len(some), count, -1), axis=1, dtype=np.int32,
                    out=self._sums[first : first + len(some)],
                )  # fmt: skip


def _atom(name: str) -> bytes:
    return atom(name, sha256)


gram_atom = lru_cache(maxsize=1 << 14)(_atom)
"""The phases of a trigram, which other words have too; 7 MiB at most."""
word_atom = lru_cache(maxsize=1 << 13)(_atom)
"""The phases of a word; texts that are compared share words; 4 MiB at most."""


def levels_of(phases: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return the nearest levels of phases in radians, as packed vectors have them."""
    levels: NDArray[np.uint8] = np.rint(phases * (1 / CODE_STEP)).astype(np.int16).astype(np.uint8)
    return levels


_FEATURES_AT_ONCE = 256
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
        for row, text in zip(vectors, texts, strict=True):
            phases = _bundle(text)
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


def _bundle(text: str) -> NDArray[np.float64]:
    """Return the 128 phases of a text: atan2 of the sums, in the order of the features."""
    names = [name for word in words(text) for name in features(word)] or [EMPTY]
    cos = np.zeros(PHASES)
    sin = np.zeros(PHASES)
    all_cos, all_sin = _waves()
    for start in range(0, len(names), _FEATURES_AT_ONCE):
        phases = _phases(names[start : start + _FEATURES_AT_ONCE])
        cos += all_cos.take(phases).sum(axis=0)
        sin += all_sin.take(phases).sum(axis=0)
    return np.arctan2(sin, cos)


@cache
def _waves() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the cosines and sines of all phases: 1 MiB, made in 2 ms."""
    angles = np.arange(1 << 16) * STEP
    return np.cos(angles), np.sin(angles)


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
