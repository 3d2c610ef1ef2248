"""Likeness by arrays: any embedder, many vectors. Loads numpy."""

from __future__ import annotations

import numpy as np

from tideline_cli.memory.nearness import DECIMALS
from tideline_cli.vector import search
from tideline_cli.vector.embedder import cosine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tideline_cli.memory.nearness import Chunk, Rough
    from tideline_cli.vector.embedder import Embedder

    Vector = NDArray[np.float64]


class ArrayLane:
    """Likeness by an embedder; see tideline_cli.memory.nearness.Lane."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.floor = embedder.floor
        self.margin = embedder.tolerance if embedder.exact else 0.0

    def embed(self, text: str) -> Vector:
        return self._embedder.embed([text])[0]

    def packed(self, texts: Sequence[str]) -> bytes:
        return self._embedder.embed_packed(texts).tobytes()

    def rough(self, asked: Vector, chunks: Sequence[Chunk], least: float) -> Rough:
        size = self._embedder.code_size
        blocks = (
            (
                np.frombuffer(numbers, dtype="<u4").astype(np.int64),
                np.frombuffer(codes, dtype=np.uint8).reshape(-1, size),
            )
            for numbers, codes in chunks
        )
        floor = least + self._embedder.tolerance  # which `best` takes off again
        seqs, scores = search.best(self._embedder, asked, blocks, floor=floor)
        return list(zip(seqs.tolist(), scores.tolist(), strict=True))

    def exact(self, asked: Vector, text: str, approximate: float) -> float:
        if not self._embedder.exact:
            return approximate
        return round(cosine(asked, self.embed(text)), DECIMALS)

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made = self._embedder.embed(texts)
        return lambda a, b: round(cosine(made[a], made[b]), DECIMALS)
