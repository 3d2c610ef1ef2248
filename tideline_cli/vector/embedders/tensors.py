"""Tensors of a safetensors file, mapped into memory: a row is read when it is asked for.

The format: eight bytes of length, a JSON header, then the values, little-endian.
"""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from struct import unpack_from

from tideline_cli.errors import UnavailableError
from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

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
        from tideline_cli.model.lean import blake2b  # noqa: PLC0415  learned embedders alone

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
