"""Static embeddings of many texts, by numpy; the same codes as those of `static`."""

from __future__ import annotations

from tideline_cli.vector.arrays import np
from tideline_cli.vector.embedders.coded import CodedEmbedder, packed
from tideline_cli.vector.embedders.static import StaticTable
from tideline_cli.vector.embedders.tensors import ARRAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tideline_cli.vector.embedders.tensors import Tensor


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
        sums = self._sums(texts)
        norms = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
        np.divide(sums, norms, out=sums, where=norms > 0)
        return sums

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
