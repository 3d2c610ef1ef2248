"""Learned embedders, whose vectors are kept as codes, and static embeddings of many texts, the same
as those of `static`. Loads numpy."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tideline_cli.vector.arrays import np, unit_rows
from tideline_cli.vector.embedders.codes import EIGHTHS, MOST, TAIL
from tideline_cli.vector.embedders.static import ARRAYS, StaticTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tideline_cli.vector.embedders.static import Tensor

_ROWS_AT_ONCE = 1 << 13
_EXACT_FLOAT32 = 1024  # products of so many values stay below 2^24


class CodedEmbedder(ABC):
    """Protocol `tideline_cli.vector.embedder.Embedder`, but for `embed`.

    Codes decide, not the vectors that they are made of: so `exact` is False and nothing is off.
    """

    learned = True
    exact = False
    tolerance = 0.0

    def __init__(self, name: str, dims: int, floor: float) -> None:
        self.name = name
        self.dims = dims
        self.floor = floor
        self.code_size = dims + TAIL

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, dims)."""

    def pack(self, vectors: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return codes (n, dims + 2) of rows (n, dims) of any length."""
        return packed(vectors)

    def embed_packed(self, texts: Sequence[str]) -> NDArray[np.uint8]:
        """Return codes (n, dims + 2) of texts."""
        return packed(self.embed(texts))

    def embed_query(self, text: str) -> NDArray[np.uint8]:
        """Return the code (dims + 2,) of a question."""
        code: NDArray[np.uint8] = self.embed_packed([text])[0]
        return code

    def similarities(
        self, query: NDArray[np.float64], codes: NDArray[np.uint8], *, floor: float = -1.0
    ) -> NDArray[np.float64]:
        """Return the cosines (n,) of the code of a query (dims,) and codes; below `floor` -1."""
        scores = code_cosines(packed(query[None])[0], codes)
        scores[scores < floor] = -1.0
        return scores

    def rows(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the unit rows (n, dims) that codes stand for."""
        numbers, lengths = _parts(codes)
        unit = np.maximum(lengths, 1.0)[:, None] / EIGHTHS
        rows: NDArray[np.float32] = (numbers / unit).astype(np.float32)
        return rows


def packed(vectors: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return codes (n, dims + 2) of rows (n, dims), equal to those of `codes.code`."""
    rows = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, 0.0)
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    with np.errstate(over="ignore"):
        scale = np.divide(MOST, largest, out=np.zeros_like(largest), where=largest > 0)
    scale[~np.isfinite(scale)] = 0.0
    numbers = np.rint(rows * scale)
    lengths = np.rint(EIGHTHS * np.sqrt((numbers * numbers).sum(axis=1))).astype("<u2")
    tails = lengths[:, None].view(np.uint8)
    return np.concatenate([numbers.astype(np.int8).view(np.uint8), tails], axis=1)


def code_cosines(query: NDArray[np.uint8], codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the cosines (n,) of one code and codes (n, dims + 2), equal to `codes.cosine`."""
    numbers, (length,) = _parts(query[None])
    kind = np.float32 if len(query) <= _EXACT_FLOAT32 else np.float64
    asked = numbers[0].astype(kind)
    scores = np.zeros(len(codes))
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        rows, lengths = _parts(codes[start : start + _ROWS_AT_ONCE])
        products = (rows.astype(kind) @ asked).astype(np.float64) * EIGHTHS**2
        lengths = lengths * length
        part = scores[start : start + len(products)]
        np.divide(products, lengths, out=part, where=lengths > 0)
    np.clip(scores, -1.0, 1.0, out=scores)
    return scores


def _parts(codes: NDArray[np.uint8]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return the numbers (n, dims) of codes and their lengths (n,) in eighths."""
    whole = np.ascontiguousarray(codes)
    lengths = np.ascontiguousarray(whole[:, -TAIL:]).view("<u2")[:, 0].astype(np.float64)
    return whole[:, :-TAIL].view(np.int8), lengths


class StaticEmbedder(CodedEmbedder):
    """Protocol `tideline_cli.vector.embedder.Embedder` over a table of word vectors."""

    def __init__(self, spec: str) -> None:
        self._static = StaticTable(spec)
        super().__init__(self._static.name, self._static.dims, self._static.floor)
        self._table = _array(self._static.table)
        weights, mapping = self._static.weights, self._static.mapping
        self._weights = None if weights is None else _array(weights)[:, 0]
        self._mapping = None if mapping is None else _array(mapping)[:, 0]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, dims)."""
        return unit_rows(self._sums(texts))

    def embed_packed(self, texts: Sequence[str]) -> NDArray[np.uint8]:
        """Return codes (n, dims + 2) of texts."""
        return packed(self._sums(texts))

    def _sums(self, texts: Sequence[str]) -> NDArray[np.float64]:
        sums = np.zeros((len(texts), self.dims))
        for out, text in zip(sums, texts, strict=True):
            numbers = self._static.ids(text)
            if not numbers:
                continue
            places = numbers if self._mapping is None else self._mapping[numbers]
            rows = self._table[places].astype(np.float64)
            if self._weights is not None:
                rows *= self._weights[numbers].astype(np.float64)[:, None]
            rows.sum(axis=0, out=out)  # row after row, as plain Python adds
        return sums


def _array(tensor: Tensor) -> NDArray[np.generic]:
    flat = np.frombuffer(
        tensor.held, ARRAYS[tensor.kind], tensor.shape[0] * tensor.shape[1], tensor.start
    )
    return flat.reshape(tensor.shape)
