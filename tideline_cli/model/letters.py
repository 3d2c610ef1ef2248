"""Letters beyond ASCII: what parts the words of a text, and how a word of them is cut into terms.

ASCII texts need none of it.
"""

from __future__ import annotations

from unicodedata import category

from tideline_cli.model.lean import once
from tideline_cli.model.unicode_forms import in_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_LATIN_END = 0x250
_LATIN_EXTRA = (0x1E00, 0x1F00)
_HAN = ((0x3400, 0x9FFF), (0x3005, 0x3007), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_SPACELESS = (
    *_HAN,
    (0x0E00, 0x0E7F),  # Thai
    (0x3040, 0x30FF),  # Kana
    (0x31F0, 0x31FF),
    (0xFF66, 0xFF9F),
    (0xAC00, 0xD7FF),  # Hangul
    (0x1100, 0x11FF),
    (0x3130, 0x318F),
    (0xA960, 0xA97F),
)
FIRST_SPACELESS = chr(min(low for low, _ in _SPACELESS))
_APOSTROPHES = (0x2019, 0x02BC, 0xFF07)
_HYPHENS = (0x2010, 0x2011)
_JOINERS = (0x200C, 0x200D, 0x00AD)


def is_spaceless(char: str) -> bool:
    """Say whether a character is of a script that writes no spaces between words."""
    return char >= FIRST_SPACELESS and _is_in(ord(char), _SPACELESS)


def is_latin(char: str) -> bool:
    """Say whether a letter is of the Latin script."""
    code = ord(char)
    return code < _LATIN_END or _LATIN_EXTRA[0] <= code < _LATIN_EXTRA[1]


def pieces(word: str) -> list[tuple[str, bool]]:
    """Return the pieces of a word, and whether a piece is a word of a script with spaces.

    A run of letters in a script without spaces gives each pair of neighbours, and each Han
    character; a run of one letter gives that letter. A letter keeps its marks.
    """
    found: list[tuple[str, bool]] = []
    run: list[str] = []
    spaceless = False
    for letter in _letters_with_marks(word):
        here = _is_in(ord(letter[0]), _SPACELESS)
        if run and here != spaceless:
            _add_run(run, spaceless, found)
            run = []
        spaceless = here
        run.append(letter)
    _add_run(run, spaceless, found)
    return found


def _add_run(run: list[str], spaceless: bool, found: list[tuple[str, bool]]) -> None:
    if not spaceless:
        found.append(("".join(run), True))
        return
    for i, letter in enumerate(run):
        if len(run) == 1 or _is_in(ord(letter[0]), _HAN):
            found.append((letter, False))
        if i + 1 < len(run):
            found.append((letter + run[i + 1], False))


def _letters_with_marks(word: str) -> list[str]:
    found: list[str] = []
    for char in word:
        if found and category(char)[0] == "M":
            found[-1] += char
        else:
            found.append(char)
    return found


def _is_in(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


class _Table(dict[int, int | str | None]):
    """A translation table filled on demand: letters and digits stay, the rest becomes a space."""

    def __init__(self, kept: str) -> None:
        super().__init__()
        self._category = category
        self._kept = kept

    def __missing__(self, code: int) -> int | str | None:
        value: int | str = code if self._category(chr(code))[0] in self._kept else " "
        self[code] = value
        return value


def words_of(text: str) -> list[str]:
    """Return the words of a text, as the standard analyser parts them."""
    return in_form("NFC", text.casefold()).translate(_words_table()).split()


def latin_stemmer(stem: Callable[[str], str]) -> Callable[[str], str]:
    """Return the function that stems a word of Latin letters, and leaves others as they are."""
    return lambda word: stem(word) if word.isascii() or all(map(is_latin, word)) else word


@once
def _words_table() -> dict[int, int | str | None]:
    """Return the table for the standard analyser: marks, hyphens and apostrophes stay too."""
    table = _Table("LNM")
    table.update({ord("'"): "'", ord("-"): "-"})
    table.update(dict.fromkeys(_APOSTROPHES, "'"))
    table.update(dict.fromkeys(_HYPHENS, "-"))
    table.update(dict.fromkeys(_JOINERS))
    return table


@once
def reference_table() -> dict[int, int | str | None]:
    """Return the table for the reference analyser."""
    return _Table("LN")
