"""Static embeddings: a vector a piece of word, and a text is their mean. Needs no numpy.

The weights of the installed package wordllama, or a folder as model2vec exports it.
"""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import UnavailableError
from tideline_cli.model.lean import once
from tideline_cli.vector.embedders.codes import MOST_DIMS, code
from tideline_cli.vector.embedders.kinds import floor_of
from tideline_cli.vector.embedders.names import revision_of, vector_name
from tideline_cli.vector.embedders.tensors import TensorFile
from tideline_cli.vector.embedders.tokenizer_file import read_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.vector.embedders.tensors import Tensor
    from tideline_cli.vector.embedders.tokenizer_file import Tokenizer

NAME = "static"
_WEIGHTS = ("wordllama", "weights", "l2_supercat_256.safetensors")
_TOKENIZER = ("wordllama", "tokenizers", "l2_supercat_tokenizer_config.json")
_TABLES = ("embeddings", "embedding.weight")
_MOST_PIECES = 1 << 14  # of one text; a fact has fewer


class StaticTable:
    """A table of vectors by piece, with the tokenizer that numbers the pieces."""

    def __init__(self, spec: str) -> None:
        weights, tokenizer = _files(spec)
        file = TensorFile(weights)
        self.table: Tensor = file.only(*_TABLES)
        self.weights: Tensor | None = file.get("weights")
        self.mapping: Tensor | None = file.get("mapping")
        self.dims = self.table.shape[1]
        if not 0 < self.dims <= MOST_DIMS:
            raise UnavailableError(f"{weights} has rows of {self.dims} values")
        size = os.stat(tokenizer).st_size
        self.name = vector_name(spec, revision_of(file.digest(), b"%d" % size), self.dims)
        self.floor = floor_of(spec)
        self._tokenizer_path = tokenizer
        self._tokenizer: Tokenizer | None = None

    def ids(self, text: str) -> list[int]:
        """Return the rows of the table that the pieces of a text have, and their weights."""
        most = (self.mapping or self.weights or self.table).shape[0]
        return [number for number in self.tokenizer.ids(text) if number < most][:_MOST_PIECES]

    @property
    def tokenizer(self) -> Tokenizer:
        """What numbers the pieces of a text; read when it is first asked for."""
        if self._tokenizer is None:
            self._tokenizer = read_tokenizer(self._tokenizer_path)
        return self._tokenizer

    def code(self, text: str) -> bytes:
        """Return the code of a text; zeros where it has no piece."""
        return code(self._sum([(number, 1.0) for number in self.ids(text)]))

    def asked_code(self, text: str, words: Sequence[tuple[str, float]]) -> bytes:
        """Return the code of a question whose words do not count alike; that of the whole text
        where a word has other pieces by itself than in a text."""
        if not self.tokenizer.cuts_words:
            return self.code(text)
        return code(self._sum([
            (number, weight) for word, weight in words if weight for number in self.ids(word)
        ]))  # fmt: skip

    def _sum(self, pieces: Sequence[tuple[int, float]]) -> list[float]:
        sums = [0.0] * self.dims
        for number, weight in pieces:
            row = self.table.row(self.row_of(number))
            if self.weights is not None:
                weight *= self.weights.row(number)[0]
            if weight != 1.0:
                row = [value * weight for value in row]
            sums = [total + value for total, value in zip(sums, row, strict=True)]
        return sums

    def row_of(self, number: int) -> int:
        """Return the row of a piece: some tables let pieces share rows."""
        return number if self.mapping is None else int(self.mapping.row(number)[0])

    def codes(self, texts: Sequence[str]) -> bytes:
        """Return the codes of texts, one after the other."""
        return b"".join(map(self.code, texts))


@once
def installed() -> tuple[str, str]:
    """Return the weights and the tokenizer of wordllama, which is not imported: that loads much."""
    for folder in sys.path:
        weights, tokenizer = os.path.join(folder, *_WEIGHTS), os.path.join(folder, *_TOKENIZER)
        if os.path.isfile(weights) and os.path.isfile(tokenizer):
            return weights, tokenizer
    raise UnavailableError(
        "the package wordllama, whose word vectors `static` reads, is not installed",
        hint="pip install 'tideline-cli[static]', or name a folder: static:DIR",
    )


def _files(spec: str) -> tuple[str, str]:
    folder = spec.partition(":")[2]
    if not folder:
        return installed()
    weights, tokenizer = (
        os.path.join(folder, name) for name in ("model.safetensors", "tokenizer.json")
    )
    for path in (weights, tokenizer):
        if not os.path.isfile(path):
            raise UnavailableError(
                f"{path} is missing", hint="static:DIR is a folder that model2vec has written"
            )
    return weights, tokenizer


