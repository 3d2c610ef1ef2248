"""The scan for many texts: the same answers, and ordinary text costs a look-up per word.

Each literal that a pattern row needs is cut to its longest piece without spaces; a word that was
seen before knows by a bit mask which pieces it holds. Only texts that hold all that a row needs go
through the scan itself. Building the masks pays from some hundred texts on.
"""

from __future__ import annotations

from tideline_cli.policy.threat_patterns import (
    ADDED_ROWS,
    LEET_TRACES,
    REFERENCE_ROWS,
    REVERSED_TRACES,
    ROT13_TRACES,
)
from tideline_cli.policy.threats import FEWEST_LETTERS, SHORTEST_CODE, disguises, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    Needs = tuple[tuple[str, ...], ...]

_ORDINARY = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyz0123456789 .,;:!?'"))
_STOPS = dict.fromkeys(map(ord, ".,;:!?'"), " ")
_TRACES = (*ROT13_TRACES, *REVERSED_TRACES, *LEET_TRACES)
_MOST_WORDS = 100_000
_MOST_SETS = 10_000


class BulkScanner:
    """Remembers words between texts."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._rows: list[tuple[int, Needs]] = []
        for table in (REFERENCE_ROWS, ADDED_ROWS):
            for rows in table.values():
                for _, needs, _ in rows:
                    rarest = min(needs, key=lambda group: (len(group), -min(map(len, group))))
                    self._rows.append((self._mask(rarest), needs))
        self._words = _Words(self._bits)
        self._met: dict[int, tuple[Needs, ...]] = {0: ()}

    def scan(self, text: str) -> tuple[str, ...]:
        """Return what `threats.scan` returns."""
        low = text.lower()
        if _is_plain(low):
            return scan(text) if self._may_match(low) else ()
        if text.isascii() and not any(self._may_match(one.lower()) for one in disguises(text)):
            return ()
        return scan(text)

    def _may_match(self, low: str) -> bool:
        held = 0
        words = self._words
        for word in low.split():
            held |= words[word]
        met = self._met.get(held)
        if met is None:
            if len(self._met) > _MOST_SETS:
                self._met = {0: ()}
            met = tuple(needs for mask, needs in self._rows if held & mask)
            self._met[held] = met
        for needs in met:
            for group in needs:
                for literal in group:
                    if literal in low:
                        break
                else:
                    break
            else:
                return True
        return False

    def _mask(self, group: tuple[str, ...]) -> int:
        mask = 0
        for literal in group:
            piece = max(literal.split(), key=len)
            mask |= self._bits.setdefault(piece, 1 << len(self._bits))
        return mask


def _is_plain(low: str) -> bool:
    """Say whether a text can only be read as it stands: words and sentences, nothing encoded."""
    if low.translate(_ORDINARY):
        return False
    words = low.split(" ")
    lengths = list(map(len, words))
    return (
        max(lengths) < SHORTEST_CODE
        and min(lengths) > 0
        and lengths.count(1) < FEWEST_LETTERS
        and len(low.translate(_STOPS).split()) == len(words)
        and not any(trace in low for trace in _TRACES)
    )


class _Words(dict[str, int]):
    """For each word the pieces that it holds."""

    def __init__(self, bits: dict[str, int]) -> None:
        super().__init__()
        self._bits = bits

    def __missing__(self, word: str) -> int:
        if len(self) > _MOST_WORDS:
            self.clear()
        mask = sum(bit for piece, bit in self._bits.items() if piece in word)
        self[word] = mask
        return mask
