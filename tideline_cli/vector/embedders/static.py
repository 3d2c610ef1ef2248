"""Static embeddings: a vector a piece of word, and a text is their mean. Needs no numpy.

The weights of the installed package wordllama, or a folder as model2vec exports it: tensors of a
safetensors file, mapped into memory, so that a row is read when it is asked for. The format: eight
bytes of length, a JSON header, then the values, little-endian.
"""

from __future__ import annotations

import os
import sys
from mmap import ACCESS_READ, mmap
from struct import unpack_from

from tideline_cli.errors import UnavailableError
from tideline_cli.model import codec
from tideline_cli.model.lean import blake2b, once
from tideline_cli.vector.embedders.codes import MOST_DIMS, code
from tideline_cli.vector.embedders.names import floor_of, revision_of, vector_name
from tideline_cli.vector.embedders.tokenizer import read_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.vector.embedders.tokenizer import Tokenizer

_HEAD = 8
_LARGEST_HEADER = 1 << 24
_KINDS = {"F16": "e", "F32": "f", "F64": "d", "I8": "b", "I32": "i", "I64": "q"}
_SIZES = {"F16": 2, "F32": 4, "F64": 8, "I8": 1, "I32": 4, "I64": 8}
ARRAYS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "<i1", "I32": "<i4", "I64": "<i8"}
_SAMPLES = 64
_SAMPLE = 1024


class Tensor:
    """One tensor (rows, width) of a file, or (rows,): its kind, its shape, and where it lies."""

    def __init__(self, held: mmap, kind: str, shape: tuple[int, int], start: int) -> None:
        self.held = held
        self.kind = kind
        self.shape = shape
        self.start = start

    def row(self, number: int) -> Sequence[float]:
        """Return the values of a row."""
        width = self.shape[1]
        place = self.start + number * width * _SIZES[self.kind]
        return unpack_from(f"<{width}{_KINDS[self.kind]}", self.held, place)


class TensorFile:
    """The tensors of a file by name."""

    def __init__(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                self._held = mmap(file.fileno(), 0, access=ACCESS_READ)
            self._tensors = self._read()
        except (OSError, ValueError, LookupError, TypeError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise UnavailableError(
                f"{path} holds no tensors: {said}", hint="a file of the format safetensors"
            ) from error
        self._path = path

    def get(self, name: str) -> Tensor | None:
        """Return a tensor, None where the file has none of this name."""
        return self._tensors.get(name)

    def only(self, *names: str) -> Tensor:
        """Return the first of these tensors; raises UnavailableError where there is none."""
        found = next((self._tensors[name] for name in names if name in self._tensors), None)
        if found is None:
            raise UnavailableError(f"{self._path} has no tensor named {' or '.join(names)}")
        return found

    def digest(self) -> bytes:
        """Return what tells this file from others: its size, its header, and samples of it."""
        size = len(self._held)
        step = max(_SAMPLE, size // _SAMPLES)
        parts = [self._held[at : at + _SAMPLE] for at in range(0, size, step)]
        return blake2b(b"%d" % size + b"".join(parts)).digest()

    def _read(self) -> dict[str, Tensor]:
        length = int.from_bytes(self._held[:_HEAD], "little")
        if not 0 < length <= min(_LARGEST_HEADER, len(self._held) - _HEAD):
            raise ValueError("no header")
        header = codec.loads(self._held[_HEAD : _HEAD + length].decode())
        if not isinstance(header, dict):
            raise ValueError("no header")
        base = _HEAD + length
        return {
            name: self._checked(form, base) for name, form in header.items()
            if name != "__metadata__" and form["dtype"] in _KINDS
        }  # fmt: skip

    def _checked(self, form: Any, base: int) -> Tensor:
        sizes = [int(size) for size in form["shape"]]
        start, end = (base + int(place) for place in form["data_offsets"])
        rows, width = sizes[0] if sizes else 1, sizes[1] if len(sizes) > 1 else 1
        fits = base <= start <= end <= len(self._held) and min(rows, width) >= 0
        if len(sizes) > 2 or not fits or end - start != rows * width * _SIZES[form["dtype"]]:
            raise ValueError("a tensor does not fit the file")
        return Tensor(self._held, form["dtype"], (rows, width), start)


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
        hint="pip install '.[static]' in the clone, or name a folder: static:DIR",
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
