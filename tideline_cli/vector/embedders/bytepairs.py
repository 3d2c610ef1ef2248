"""Byte pairs as SentencePiece has them: letters joined to the pieces of a vocabulary, the commonest
first. Sennrich et al. (2016); Kudo and Richardson (2018).
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BLANK = "▁"
_MOST_KNOWN = 1 << 16
_LONGEST = 200  # letters of one word; what is longer is cut


class BytePairs:
    """Cuts texts into the numbers of pieces. The number of a piece is its rank: lower is joined
    first. No piece reaches over a blank, so words are cut one by one."""

    cuts_words = True

    def __init__(self, vocabulary: Mapping[str, int], *, unknown: str = "<unk>") -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary[unknown]
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without special ones."""
        found: list[int] = []
        for word in text.replace(BLANK, " ").split(" ") if text else ():
            pieces = self._known.get(word)
            if pieces is None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                pieces = self._known[word] = self._pieces_of(BLANK + word)
            found += pieces
        return found

    def marked(self, text: str, most: int) -> list[int]:
        """Return the same, `most` at most, with the one that marks the beginning."""
        return [self._vocabulary.get("<s>", self._unknown), *self.ids(text)][:most]

    def _pieces_of(self, word: str) -> list[int]:
        if len(word) <= _LONGEST:
            return self._pieces(word)
        parts = [word[start : start + _LONGEST] for start in range(0, len(word), _LONGEST)]
        return [number for part in parts for number in self._pieces(part)]

    def _pieces(self, word: str) -> list[int]:
        parts = list(word)
        rank = self._vocabulary.get
        while len(parts) > 1:
            pairs = [rank(left + right) for left, right in pairwise(parts)]
            best = min((number for number in pairs if number is not None), default=None)
            if best is None:
                break
            at = pairs.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [number for part in parts for number in self._numbers(part)]

    def _numbers(self, part: str) -> list[int]:
        """Return the number of a piece; of a letter that is in none, those of its bytes."""
        number = self._vocabulary.get(part)
        if number is not None:
            return [number]
        raw = part.encode("utf-8", "replace")
        return [self._vocabulary.get(f"<0x{byte:02X}>", self._unknown) for byte in raw]
