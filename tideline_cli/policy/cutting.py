"""A prompt text cut to a length, never inside a character as readers see it. Pure."""

from __future__ import annotations

ELLIPSIS = "…"
_ENTITIES = ("&lt;", "&gt;")
_LONGEST_WORD = 24  # a cut goes back to a space that is this near, so that no figure is halved

_ZWJ = "\u200d"
_VIRAMA = 9  # the combining class of what joins two consonants into one sign
# Marks by behaviour, not by category: joiners, Hangul vowels and tails, two vowels of Thai and
# Lao, Japanese voicing, skin tones, tags of flags.
_TRAILING = (
    (0x200C, 0x200D),
    (0x1160, 0x11FF),
    (0xD7B0, 0xD7FF),
    (0x0E33, 0x0E33),
    (0x0EB3, 0x0EB3),
    (0xFF9E, 0xFF9F),
    (0x1F3FB, 0x1F3FF),
    (0xE0020, 0xE007F),
)
_LEADING = ((0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x08E2, 0x08E2))
_HANGUL_HEADS = ((0x1100, 0x115F), (0xA960, 0xA97C))
_HANGUL = (*_HANGUL_HEADS, (0xAC00, 0xD7A3))
_REGIONAL = ((0x1F1E6, 0x1F1FF),)


def cut(text: str, most: int) -> str:
    """Return `text`, or its beginning and an ellipsis, in `most` characters; an empty text when not
    one character fits."""
    if len(text) <= most:
        return text
    end = max(0, most - len(ELLIPSIS))
    while end > 0 and not _parts(text, end):
        end -= 1
    space = text.rfind(" ", max(1, end - _LONGEST_WORD), end + 1)
    kept = text[: space if space > 0 else end].rstrip()
    return kept + ELLIPSIS if kept else ""


def _parts(text: str, place: int) -> bool:
    """Say whether a text may be cut before the character at `place`."""
    for entity in _ENTITIES:
        if text.find(entity, max(0, place - len(entity) + 1), place + len(entity) - 1) >= 0:
            return False
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return True
    from unicodedata import category, combining  # noqa: PLC0415  ASCII texts need none of it

    if category(after).startswith("M") or _within(after, _TRAILING) or before == _ZWJ:
        return False
    if _within(before, _LEADING) or (combining(before) == _VIRAMA and after.isalpha()):
        return False
    if _within(before, _HANGUL_HEADS) and _within(after, _HANGUL):
        return False
    return not (_within(after, _REGIONAL) and _regionals_before(text, place) % 2)


def _regionals_before(text: str, place: int) -> int:
    """Count the letters of flags that stand right before a place; two make a flag."""
    start = place
    while start > 0 and _within(text[start - 1], _REGIONAL):
        start -= 1
    return place - start


def _within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= ord(char) <= high for low, high in ranges)
