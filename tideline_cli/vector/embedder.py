"""What an embedder is, and which one a name means; hash-256, signed counts of hashed features."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from functools import lru_cache
from itertools import chain
from math import sqrt
from typing import Protocol, runtime_checkable

from tideline_cli.errors import UnavailableError
from tideline_cli.vector.arrays import np, unit_rows
from tideline_cli.vector.embedders.coded import StaticEmbedder
from tideline_cli.vector.embedders.onnx import OnnxEmbedder
from tideline_cli.vector.features import FLOOR, HRR, features, words
from tideline_cli.vector.hrr import HrrEmbedder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.metadata import EntryPoints
    from typing import Any

    from numpy.typing import NDArray

    from tideline_cli.vector.embedders.coded import CodedEmbedder

    Vector = Sequence[float] | NDArray[np.float64]

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
        return unit_rows(vectors)

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


GROUP = "tideline.embedders"
DECIMALS = 12


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors, and vectors into short codes that can be compared.

    name: stored beside every code; codes of different names are never compared.
    dims: values of a vector. floor: the least cosine that counts as similar.
    code_size: bytes of a packed vector.
    tolerance: a proven bound of |approximate - exact cosine|.
    exact: the embedding is deterministic and cheap, so exact cosines come from the texts.

    An embedder may also have `learned` (a bool): True where its cosines come from the meaning of
    words. Common words may then differ in two texts that it finds equal.
    """

    name: str
    dims: int
    floor: float
    code_size: int
    tolerance: float
    exact: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, dims); a row may be zero where a text says nothing."""

    def pack(self, vectors: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return codes (n, code_size) of unit rows (n, dims)."""

    def embed_packed(self, texts: Sequence[str]) -> NDArray[np.uint8]:
        """Return codes (n, code_size) of many texts, the fast way."""

    def similarities(
        self, query: NDArray[np.float64], codes: NDArray[np.uint8], *, floor: float = -1.0
    ) -> NDArray[np.float64]:
        """Return approximate cosines (n,) of a unit query (dims,) and codes (n, code_size).

        A row below `floor` gets -1, so that an embedder may decide it without the exact sum. A
        row's value must not depend on the other rows.
        """

    def rows(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return rows (n, dims) that codes (n, code_size) stand for, each within `tolerance` of
        the vector it was packed from: their products with unit vectors differ by no more."""


_BUILT_IN: dict[str, Callable[[], Embedder]] = {
    HRR: HrrEmbedder,
    "hrr": HrrEmbedder,
    "hash-256": HashingEmbedder,
}


def resolve(name: str) -> Embedder:
    """Return the embedder called `name`: built in, or an installed entry point.

    An entry point of the group `tideline.embedders` names a class or function that takes nothing
    and returns an Embedder. Raises UnavailableError if there is none or it cannot be used.
    """
    make = _BUILT_IN.get(name)
    if make is not None:
        return make()
    if learned := _learned(name):
        return learned
    embedder = _plugin(name)
    if not isinstance(embedder, Embedder):
        raise UnavailableError(f"entry point {name!r} of {GROUP} makes no embedder", hint=_hint())
    return _Guarded(name, embedder)


def cosines(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the exact cosine of the two texts of each pair, each text embedded once.

    Rounded to 12 decimals, so that a sum in another order is the same number.
    """
    texts = {text: place for place, text in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}
    made = embedder.embed(list(texts)) if texts else np.empty((0, embedder.dims))
    return [round(cosine(made[texts[a]], made[texts[b]]), DECIMALS) for a, b in pairs]


def cosine(left: Vector, right: Vector) -> float:
    """Return the cosine of two vectors (d,); 0 for unequal length, empty or zero norm."""
    a = np.asarray(left, np.float64)
    b = np.asarray(right, np.float64)
    if a.shape != b.shape:
        return 0.0
    norms = sqrt((a * a).sum()) * sqrt((b * b).sum())
    return float((a * b).sum()) / norms if norms else 0.0


class _Guarded:
    """A plug-in that cannot harm the program: an exception or exit makes it unavailable, its output
    goes to stderr, and its rows are checked to be finite numbers."""

    def __init__(self, entry: str, inner: Embedder) -> None:
        self._entry = entry
        self._inner = inner
        self.name, self.dims, self.floor = inner.name, inner.dims, inner.floor
        self.code_size, self.tolerance, self.exact = inner.code_size, inner.tolerance, inner.exact
        self.learned = getattr(inner, "learned", False) is True

    def _asked(self, what: str, *given: Any, **named: Any) -> Any:
        try:
            with redirect_stdout(sys.stderr):
                return getattr(self._inner, what)(*given, **named)
        except (Exception, SystemExit) as error:
            message = f"embedder {self._entry!r} failed: {type(error).__name__} {error}"
            raise UnavailableError(message, hint=_hint()) from error

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        made = self._asked("embed", texts)
        sound = isinstance(made, np.ndarray) and made.shape == (len(texts), self.dims)
        if not sound or made.dtype.kind != "f" or not np.isfinite(made).all():
            message = f"embedder {self._entry!r} makes no rows of {self.dims} finite numbers"
            raise UnavailableError(message, hint=_hint())
        rows: NDArray[np.float64] = made
        return rows

    def pack(self, vectors: NDArray[np.float64]) -> NDArray[np.uint8]:
        return self._codes(self._asked("pack", vectors), len(vectors))

    def embed_packed(self, texts: Sequence[str]) -> NDArray[np.uint8]:
        return self._codes(self._asked("embed_packed", texts), len(texts))

    def _codes(self, made: Any, count: int) -> NDArray[np.uint8]:
        if getattr(made, "shape", None) != (count, self.code_size) or made.dtype != np.uint8:
            message = f"embedder {self._entry!r} makes no codes of {self.code_size} bytes"
            raise UnavailableError(message, hint=_hint())
        codes: NDArray[np.uint8] = made
        return codes

    def similarities(
        self, query: NDArray[np.float64], codes: NDArray[np.uint8], *, floor: float = -1.0
    ) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._asked("similarities", query, codes, floor=floor)
        return found

    def rows(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._asked("rows", codes)
        return found


def _learned(spec: str) -> CodedEmbedder | None:
    """Return a learned embedder that runs in this process; None where the name means none."""
    name, _, folder = spec.partition(":")
    if name == "static" and spec != "static:":
        return StaticEmbedder(spec)
    if spec == "minilm" or (name == "onnx" and folder):
        return OnnxEmbedder(spec)
    return None


def plugin_names() -> list[str]:
    """Return the names of the entry points that other packages bring."""
    return sorted(_entries().names)


def _entries(name: str = "") -> EntryPoints:
    from importlib.metadata import entry_points  # noqa: PLC0415 - scanning costs 10 to 45 ms

    return entry_points(group=GROUP, name=name) if name else entry_points(group=GROUP)


def _plugin(name: str) -> Embedder:
    for entry in _entries(name=name):
        try:
            with redirect_stdout(sys.stderr):
                make: Callable[[], Embedder] = entry.load()
                return make()
        except (Exception, SystemExit) as error:
            message = f"embedder {name!r} cannot be loaded: {error}"
            raise UnavailableError(message, hint=_hint()) from error
    raise UnavailableError(f"no embedder is called {name!r}", hint=_hint())


def _hint() -> str:
    return (
        f"built in: {', '.join(_BUILT_IN)}, and what `tideline embedder list` names; others are "
        f"packages with an entry point in {GROUP}"
    )
