"""The hash-256 embedder: signed counts of hashed features (the hashing trick)."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from tideline_cli.vector.arrays import np
from tideline_cli.vector.features import FLOOR, features, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DIMS = 256

_SCALE = 32767
_ROWS_AT_ONCE = 512


class HashingEmbedder:
    """Deterministic 256-value embedding; Protocol `tideline_cli.vector.embedder.Embedder`.

    Weinberger et al., Feature Hashing for Large Scale Multitask Learning (2009), over the words
    and trigrams of the HRR embedder. A packed vector is 256 little-endian int16 in units of
    1/32767. `tolerance`: rounding moves a value by at most e = 1/65534, a unit row by a vector
    no longer than 16 e = 0.000245, and its product with a unit query by no more than that.
    """

    name = "hash-256"
    dims = DIMS
    floor = FLOOR
    code_size = 2 * DIMS
    tolerance = 0.00025
    exact = True

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, 256); a text without words gets the zero vector."""
        vectors = np.zeros((len(texts), DIMS))
        for row, text in zip(vectors, texts, strict=True):
            buckets = list(chain.from_iterable(map(_buckets, words(text))))
            if buckets:
                counts = np.bincount(buckets, minlength=2 * DIMS)
                np.subtract(counts[:DIMS], counts[DIMS:], out=row)
        norms: NDArray[np.float64] = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
        return np.divide(vectors, norms, out=vectors, where=norms > 0)

    def pack(self, vectors: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return codes (n, 512) of the unit rows (n, 256)."""
        return np.rint(vectors * _SCALE).astype("<i2").view(np.uint8)

    def embed_packed(self, texts: Sequence[str]) -> NDArray[np.uint8]:
        """Return codes (n, 512): `pack(embed(texts))`, without the whole float64 array."""
        codes = np.empty((len(texts), self.code_size), np.uint8)
        for start in range(0, len(texts), _ROWS_AT_ONCE):
            part = texts[start : start + _ROWS_AT_ONCE]
            codes[start : start + len(part)] = self.pack(self.embed(part))
        return codes

    def similarities(
        self, query: NDArray[np.float64], codes: NDArray[np.uint8], *, floor: float = -1.0
    ) -> NDArray[np.float64]:
        """Return approximate cosines (n,) of the unit `query` (256,) and the rows of `codes`.

        A row below `floor` gets -1. Each row's value has the same bits
        whatever rows stand beside it: elementwise products and one sum along the row.
        """
        scores = np.empty(len(codes))
        for start in range(0, len(codes), _ROWS_AT_ONCE):
            part = np.ascontiguousarray(codes[start : start + _ROWS_AT_ONCE]).view("<i2")
            scores[start : start + len(part)] = (part * query).sum(axis=1) / _SCALE
        scores[scores < floor] = -1.0
        return scores

    def rows(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return rows (n, 256) of codes (n, 512), unit length but for the rounding."""
        return np.ascontiguousarray(codes).view("<i2").astype(np.float32) / np.float32(_SCALE)


@lru_cache(maxsize=1 << 15)
def _buckets(word: str) -> tuple[int, ...]:
    """Return the bucket of each of a word's features, plus 256 where the sign is negative."""
    return tuple(
        _hash(name, 1) % DIMS + (DIMS if _hash(name, 2) % 2 else 0) for name in features(word)
    )


def _hash(name: str, salt: int) -> int:
    """Return Bernstein's djb2 (xor) over the UTF-16 code units, modulo 2^32; seed 5381 ^ salt."""
    value = 5381 ^ salt
    for unit in memoryview(name.encode("utf-16-le", "surrogatepass")).cast("H"):
        value = (value * 33 ^ unit) & 0xFFFFFFFF
    return value
