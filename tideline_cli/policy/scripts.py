"""Whether two texts are written in the same script: a memory keeps the language it was said in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_RANGES = (
    (0x0041, 0x024F, "latin"),
    (0x1E00, 0x1EFF, "latin"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0531, 0x058F, "armenian"),
    (0x0591, 0x05FF, "hebrew"),
    (0x0600, 0x077F, "arabic"),
    (0x0900, 0x0DFF, "indic"),
    (0x0E00, 0x0E7F, "thai"),
    (0x10A0, 0x10FF, "georgian"),
    (0x1100, 0x11FF, "hangul"),
    (0xAC00, 0xD7FF, "hangul"),
    # Japanese mixes kana and Han, so they count as one script.
    (0x3040, 0x30FF, "han"),
    (0x3400, 0x9FFF, "han"),
    (0xF900, 0xFAFF, "han"),
    (0x20000, 0x3FFFF, "han"),
)


def are_in_one_script(message: str, memory: str) -> bool:
    """Say whether a memory may be in the language of a message.

    It may not where half of one of them or more is in a script that the other does not hold at
    all: an English sentence about a Chinese message, or the reverse. Numbers have no script.
    """
    said, kept = _units(message), _units(memory)
    if not (said and kept):
        return True
    return not (_is_foreign(said, kept) or _is_foreign(kept, said))


def _is_foreign(counts: dict[str, int], other: dict[str, int]) -> bool:
    total = sum(counts.values())
    return any(2 * count >= total and script not in other for script, count in counts.items())


def _units(text: str) -> dict[str, int]:
    """Return how many units of each script a text has: a Han character, else a word."""
    counts: dict[str, int] = {}
    previous = ""
    for char in text:
        script = _script(char) if char.isalpha() else ""
        if script and (script == "han" or script != previous):
            counts[script] = counts.get(script, 0) + 1
        previous = script
    return counts


def _script(char: str, ranges: Iterable[tuple[int, int, str]] = _RANGES) -> str:
    code = ord(char)
    return next((name for low, high, name in ranges if low <= code <= high), "other")
