"""Byte pairs as SentencePiece has them: letters joined to the pieces of a vocabulary, the commonest
first. Sennrich et al. (2016); Kudo and Richardson (2018).
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.vector.embedders.ranks import Ranks

BLANK = "▁"
_MOST_KNOWN = 1 << 16
_LONGEST = 200  # letters of one word; what is longer is cut


class BytePairs:
    """Cuts texts into the numbers of pieces. The number of a piece is its rank: lower is joined
    first. No piece reaches over a blank, so words are cut one by one."""

    cuts_words = True

    def __init__(self, ranks: Ranks, *, unknown: str = "<unk>") -> None:
        self._ranks = ranks
        rank = ranks.get(unknown)
        if rank is None:
            raise LookupError(f"no piece {unknown}")
        self._unknown = rank
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
        return [self._known_or("<s>"), *self.ids(text)][:most]

    def _pieces_of(self, word: str) -> list[int]:
        if len(word) <= _LONGEST:
            return self._pieces(word)
        parts = [word[start : start + _LONGEST] for start in range(0, len(word), _LONGEST)]
        return [number for part in parts for number in self._pieces(part)]

    def _pieces(self, word: str) -> list[int]:
        parts = list(word)
        while len(parts) > 1:
            joined = [left + right for left, right in pairwise(parts)]
            at = self._lowest(joined)
            if at is None:
                break
            parts[at : at + 2] = [joined[at]]
        return [number for part in parts for number in self._numbers(part)]

    def _lowest(self, pieces: list[str]) -> int | None:
        """Return the place of the piece with the lowest rank; the first ranks are asked alone where
        they have one of them."""
        for rank in (self._ranks.first.get, self._ranks.get):
            found = list(map(rank, pieces))
            best = min((number for number in found if number is not None), default=None)
            if best is not None:
                return found.index(best)
        return None

    def _known_or(self, piece: str) -> int:
        number = self._ranks.get(piece)
        return self._unknown if number is None else number

    def _numbers(self, part: str) -> list[int]:
        """Return the number of a piece; of a letter that is in none, those of its bytes."""
        number = self._ranks.get(part)
        if number is not None:
            return [number]
        raw = part.encode("utf-8", "replace")
        return [self._known_or(f"<0x{byte:02X}>") for byte in raw]
