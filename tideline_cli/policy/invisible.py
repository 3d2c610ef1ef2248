"""Characters that show nothing, and those that a terminal obeys: which of them belong to a text.

A joiner, a selector or a flag may be part of a letter or an emoji; the neighbours decide. Plain
ASCII texts need none of it.
"""

from __future__ import annotations

from tideline_cli.model.lean import once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ESC = "\x1b"
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_JOINERS = frozenset((_ZWNJ, _ZWJ))
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_KEYCAP_BASES = frozenset("0123456789#*")
_KEYCAP = "\u20e3"
_BLACK_FLAG = "\U0001f3f4"
_FLAG_TAILS = tuple(  # England, Scotland, Wales: the only tag sequences in general use
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_WIDE_SPACES = frozenset(
    "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
)

# Scripts whose shaping needs ZWJ, ZWNJ: Arabic to Sinhala, Tibetan and Myanmar, Khmer and
# Mongolian, Limbu to Vedic, the later Indic blocks, Arabic presentation forms, Brahmic, Adlam.
_JOINING = (
    (0x0600, 0x0DFF),
    (0x0F00, 0x109F),
    (0x1780, 0x18AF),
    (0x1900, 0x1CFF),
    (0xA800, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x10FFF),
    (0x11000, 0x11FFF),
    (0x1E900, 0x1E95F),
)
_EMOJI = (
    (0x2190, 0x21FF),
    (0x2300, 0x23FF),
    (0x2460, 0x27BF),
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x1F000, 0x1FAFF),
)
_EMOJI_ALONE = frozenset("\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299")
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_MONGOLIAN = ((0x1820, 0x18AA),)

# Default-ignorable characters whose category is not Cf, and format characters that have ink.
_IGNORABLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)
# Signs, kana, Han, Hangul and what stands among them: of a thousand such characters in a text each
# would be looked up. One of them shows nothing.
_FIRST_EASTERN, _SURROGATES, _FILLER = 0x2E80, 0xD800, 0x3164
_INKED = ((0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2))


def for_prompt(text: str) -> str:
    """Return a text without terminal sequences and hidden characters, on one line."""
    if _ESC in text or any(chr(code) in text for code in range(0x80, 0xA0)):
        text = _without_sequences(text)
    text = text.translate(_PROMPT)
    if text.isascii():
        return text
    if not _conditional().isdisjoint(text):
        text = _judged(text, lambda _: "")
    return text if _WIDE_SPACES.isdisjoint(text) else _collapsed(text)


def for_screen(text: str) -> str:
    """Return a text where control characters and hidden characters are spelled out."""
    text = text.translate(_SCREEN)
    return text if _conditional().isdisjoint(text) else _judged(text, _spelled)


def for_json(text: str) -> str:
    """Return JSON where hidden characters are escapes."""
    text = text.translate(_ESCAPE)
    return text if _conditional().isdisjoint(text) else _judged(text, _escaped)


def strays(text: str) -> str:
    """Return the joiners, selectors and tags of `text` that belong to nothing around them."""
    if _conditional().isdisjoint(text):
        return ""
    found: list[str] = []

    def note(char: str) -> str:
        found.append(char)
        return ""

    _judged(text.translate(_PROMPT), note)
    return "".join(found)


def _without_sequences(text: str) -> str:
    """Drop whole terminal sequences; none runs past the start of the next one: linear time."""
    import re  # noqa: PLC0415  4 ms that only texts with control characters pay

    strings = (
        r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    )
    control = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    other = r"\x1b[ -/]*[0-~]"
    return re.sub(f"{strings}|{control}|{other}", "", text)


def _collapsed(text: str) -> str:
    """Turn runs of spaces into one; a single no-break or ideographic space stays itself."""
    out: list[str] = []
    after_space = False
    for char in text:
        is_space = char == " " or char in _WIDE_SPACES
        if is_space and after_space:
            out[-1] = " "
        else:
            out.append(char)
        after_space = is_space
    return "".join(out)


def _judged(text: str, shown: Callable[[str], str]) -> str:
    """Keep the joiners, selectors and flags that belong to their surroundings, show the others."""
    conditional = _conditional()
    out: list[str] = []
    previous = base = ""  # base: the last character that is neither selector nor skin tone
    i = 0
    while i < len(text):
        piece = text[i]
        if piece in conditional:
            if not _belongs(piece, previous, base, text[i + 1 : i + 2]):
                piece = shown(piece)
                base = piece[-1:] or base
            i += 1
        else:
            if piece == _BLACK_FLAG:
                piece += next((tail for tail in _FLAG_TAILS if text.startswith(tail, i + 1)), "")
            if not _SKIN_TONES[0] <= piece <= _SKIN_TONES[1]:
                base = piece
            i += len(piece)
        if piece:
            out.append(piece)
            previous = piece[-1]
    return "".join(out)


def _belongs(char: str, previous: str, base: str, following: str) -> bool:
    if char in _JOINERS:
        if previous in _JOINERS:
            return False
        if following in _conditional():
            following = ""
        if _IS_JOINING[previous] or _IS_JOINING[following]:
            return True
        return char == _ZWJ and _IS_EMOJI[base] and _IS_EMOJI[following]
    if char in _EMOJI_STYLE:
        return _IS_EMOJI[previous] or (previous in _KEYCAP_BASES and following == _KEYCAP)
    if "\ufe00" <= char <= "\ufe0d":
        return previous >= "\u1000" and not previous.isspace() and previous not in _conditional()
    if "\U000e0100" <= char <= "\U000e01ef":
        return _IS_HAN[previous]
    return "\u180b" <= char <= "\u180f" and _IS_MONGOLIAN[previous]


class _InRanges(dict[str, bool]):
    """Whether a character is in some ranges; remembered, as a text may ask thousands of times."""

    def __init__(self, ranges: tuple[tuple[int, int], ...], *, alone: Iterable[str] = ()) -> None:
        super().__init__(dict.fromkeys(alone, True))
        self._ranges = ranges

    def __missing__(self, char: str) -> bool:
        is_in = len(char) == 1 and any(low <= ord(char) <= high for low, high in self._ranges)
        self[char] = is_in
        return is_in


def _is_hidden(code: int) -> bool:
    """Say whether a character shows nothing: format, separators of lines, lone surrogates."""
    if _FIRST_EASTERN <= code < _SURROGATES and code != _FILLER:
        return False
    from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

    if any(low <= code <= high for low, high in _IGNORABLE):
        return True
    kind = category(chr(code))
    if kind == "Cf":
        return not any(low <= code <= high for low, high in _INKED)
    return kind in ("Cs", "Zl", "Zp")


def _spelled(char: str) -> str:
    return f"<U+{ord(char):04X}>"


def _escaped(char: str) -> str:
    octets = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{octets[at : at + 2].hex()}" for at in range(0, len(octets), 2))


class _Prompt(dict[int, int | str | None]):
    """A translation table, filled on demand: line breaks become spaces, hidden characters go."""

    def __missing__(self, code: int) -> int | str | None:
        value: int | str | None = code
        if code < 32 or 127 <= code < 160 or code in (0x2028, 0x2029):
            value = " " if chr(code).isspace() else None
        elif code >= 160 and _is_hidden(code) and chr(code) not in _conditional():
            value = None
        self[code] = value
        return value


class _Screen(dict[int, int | str | None]):
    """A translation table, filled on demand: what a terminal obeys or hides is spelled out."""

    def __missing__(self, code: int) -> int | str | None:
        value: int | str | None = code
        if code < 32 or 127 <= code < 160:
            value = f"\\x{code:02x}"
        elif code >= 160 and _is_hidden(code) and chr(code) not in _conditional():
            value = _spelled(chr(code))
        self[code] = value
        return value


class _Escape(dict[int, int | str | None]):
    """A translation table, filled on demand: what a terminal obeys or hides becomes an escape of
    JSON, which says the same inside a text. ASCII is escaped already."""

    def __missing__(self, code: int) -> int | str | None:
        value: int | str | None = code
        acts = 127 <= code < 160
        if acts or (code >= 160 and _is_hidden(code) and chr(code) not in _conditional()):
            value = _escaped(chr(code))
        self[code] = value
        return value


_IS_JOINING = _InRanges(_JOINING)
_IS_EMOJI = _InRanges(_EMOJI, alone=_EMOJI_ALONE)
_IS_HAN = _InRanges(_HAN)
_IS_MONGOLIAN = _InRanges(_MONGOLIAN)
_PROMPT = _Prompt()
_ESCAPE = _Escape()
_SCREEN = _Screen({9: " ", 10: "\\n", 27: "␛"})


@once
def _conditional() -> frozenset[str]:
    """Return the invisible characters that may belong to a text: their neighbours decide."""
    selectors = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))
    tags = range(0xE0020, 0xE0080)
    return _JOINERS | frozenset(map(chr, (*selectors, *tags)))
