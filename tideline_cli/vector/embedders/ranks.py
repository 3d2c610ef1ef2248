"""The ranks of pieces in a tokenizer.json, read no further than a question needs.

A table of all pieces is most of what a cold question takes. So those of the lowest ranks are read,
which come first, and others are looked for in the bytes of the file, until there are many of them.
"""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.lean import encode_basestring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FIRST = 1 << 16  # bytes, some 3,000 pieces: 1 ms
_SOUGHT = 24  # of 0.3 ms each; a whole table of 32,000 pieces takes 12 ms
_NUMBER = 12  # bytes behind a piece
_TRIES = 4
_BEFORE = b" \t\r\n,{"  # what the mark in front of a piece stands behind


class Ranks:
    """The ranks of the pieces in a table, which `held` has from `start` to `end`. `first` are those
    of the lowest ranks, without a gap; `whole` reads all."""

    def __init__(
        self, held: bytes, start: int, end: int, whole: Callable[[], Mapping[str, int]]
    ) -> None:
        self._held = held
        self._start, self._end = start, end
        self._whole = whole
        self._sought: dict[str, int | None] = {}
        first = _first(held[start : min(end, start + _FIRST)])
        self._is_whole = first is None
        self.first: Mapping[str, int] = whole() if first is None else first

    def get(self, piece: str) -> int | None:
        """Return the rank of a piece, None where it is none."""
        rank = self.first.get(piece)
        if rank is not None or self._is_whole:
            return rank
        if piece not in self._sought:
            if len(self._sought) >= _SOUGHT:
                self.first, self._is_whole = self._whole(), True
                return self.first.get(piece)
            self._sought[piece] = self._seek(piece)
        return self._sought[piece]

    def _seek(self, piece: str) -> int | None:
        key = encode_basestring(piece).encode("utf-8", "surrogatepass") + b":"
        at = self._held.find(key, self._start, self._end)
        while at >= 0:
            if self._held[at - 1] in _BEFORE:  # else the end of a longer piece with a mark in it
                end = at + len(key)
                return _number(self._held[end : end + _NUMBER])
            at = self._held.find(key, at + 1, self._end)
        return None


def _number(text: bytes) -> int | None:
    text = text.lstrip()
    digits = text[: len(text) - len(text.lstrip(b"0123456789"))]
    return int(digits) if digits else None


def _first(held: bytes) -> dict[str, int] | None:
    """Return the pieces at the beginning of a table; None where it is short, or not written in the
    way that pieces are looked for: ranks in order, letters as they are, no blank after a piece."""
    if len(held) < _FIRST:
        return None
    text = held.decode("utf-8", "ignore")
    found = None
    end = len(text)
    for _ in range(_TRIES):
        end = text.rfind(",", 0, end)  # it may be a piece itself
        try:
            found = codec.value_at(text[: max(end, 0)] + "}", 0)
            break
        except ValueError:
            continue
    if not isinstance(found, dict) or list(found.values()) != list(range(len(found))):
        return None
    return None if text.isascii() or text.count('":') < len(found) else found
