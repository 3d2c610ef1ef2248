"""The words, figures and symbols that a text states, in order.

Index terms say what a text is about; these say what it states. Case, blanks and the punctuation of
sentences are left out. What changes a meaning stays: order, small words, signs, units, symbols.
"""

from __future__ import annotations

from tideline_cli.model.letters import is_spaceless
from tideline_cli.policy.word_keys import APOSTROPHES, Word, append_figure, append_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DASHES = frozenset("-‐‑‒–−")
_SIGNS = frozenset("+-−±")
_MINUS = ("-", "−")
_GROUP = 3  # digits of a group of thousands
_JOINS_FIGURES = frozenset(".,:/")
_IGNORED = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0e\ufe0f")
_FEET, _INCHES, _OPENING = "'’′", '"”″', '"“„«'
_IN_PATHS, _BEFORE_PATHS = "./\\@_", "/\\~([{=,'\"`"
_SYMBOLS = frozenset("@#%&?\\/*§†‡¶‰")


def stated_words(text: str) -> list[Word]:
    """Return the words, figures and symbols of `text` in order.

    "1,000" is the figure 1000, "1 000" the same with two parts, "don't" is two words, "e-mail" one
    with two parts. A minus stands for itself before a blank and a figure. A word with a
    capital is a name, unless it is a function word or a day or month. Text of a script without
    blanks gives one word a character.
    """
    is_loud = text.isupper()
    is_quoted = any(mark in text for mark in _OPENING) and (
        text[0] in _OPENING or any(gap + mark in text for gap in " (" for mark in _OPENING)
    )
    found: list[Word] = []
    chunks = text.split()
    groups: list[tuple[int, int]] = []  # the place of the first word of each, and how many
    grouped = 0
    for place, chunk in enumerate(chunks):
        if chunk.isalpha() and chunk.isascii():
            append_word(chunk, found, is_loud=is_loud)
        elif chunk in _MINUS and chunks[place + 1 : place + 2] and chunks[place + 1][0].isdigit():
            found.append(Word("-", "symbol"))
        else:
            _Chunk(chunk, found, is_loud=is_loud, is_quoted=is_quoted).read()
            if chunk[-1].isdigit() and place >= grouped:
                length = _figures_from(chunks, place)
                grouped = place + length
                if _is_grouped(chunks[place:grouped]):
                    groups.append((len(found) - 1, length))
    for place, length in reversed(groups):
        parts = tuple(word.key for word in found[place : place + length])
        found[place : place + length] = [Word("".join(parts), "figure", parts)]
    return found


def _figures_from(chunks: Sequence[str], start: int) -> int:
    """Return how many chunks from `start` on are figures."""
    end = start + 1
    while end < len(chunks) and chunks[end][0].isdigit() and chunks[end - 1][-1].isdigit():
        end += 1
    return end - start


def _is_grouped(run: Sequence[str]) -> bool:
    """Say whether chunks are the thousands of one figure: 1 000 000, and 12 345.50 km."""
    head, *rest = run
    head = head.lstrip("+-−±$€£¥(~<>=")
    if not rest or not head.isdigit() or len(head) > _GROUP or head[0] == "0":
        return False
    tail = rest[-1][_GROUP:]
    tail = tail[1:].lstrip("0123456789") if tail[:1] == "." else tail
    return not any(map(str.isdigit, tail)) and all(
        part[:_GROUP].isdigit() and len(part) >= _GROUP for part in rest
    ) and all(len(part) == _GROUP for part in rest[:-1])


class _Chunk:
    """The characters between two blanks, read from left to right."""

    def __init__(self, text: str, found: list[Word], *, is_loud: bool, is_quoted: bool) -> None:
        self._text = "".join(char for char in text if char not in _IGNORED)
        self._found = found
        self._is_loud = is_loud
        self._is_quoted = is_quoted or self._text[:1] in _FEET
        self._is_path = _is_path(self._text)
        self._is_option = False
        self._run: list[str] = []

    def read(self) -> None:
        """Append the words of the chunk."""
        for place, char in enumerate(self._text):
            before = self._text[place - 1] if place else ""
            after = self._text[place + 1 : place + 2]
            if _is_letter(char):
                self._take(char)
            elif self._belongs(char, before, after):
                self._run.append("-" if char in _DASHES else char)
            else:
                is_grade = len(self._run) in (1, 2) and "".join(self._run).isalpha()
                self._close()
                if not self._begin(char, place):
                    self._symbol(char, before, after, is_grade=is_grade)
        self._close()

    def _begin(self, mark: str, place: int) -> bool:
        """Take the dots of a path (`.env`, `../lib`), the point of `.5` and the dashes of an
        option (`-P`, `--force`); say whether the mark was one."""
        if mark not in ".-" or (place and self._text[place - 1] not in _BEFORE_PATHS):
            return False
        rest = self._text[place:].lstrip(mark)
        marks = self._text[place : len(self._text) - len(rest)]
        if len(marks) > 2 or (mark == "-" and place and self._text[place - 1] in "/\\"):
            return False
        is_word = bool(rest) and (_is_letter(rest[0]) and not rest[0].isdigit())
        if mark == "." and len(marks) == 1 and rest[:1].isdigit():
            self._run += "0."
        elif is_word or (mark == "." and (rest[:1] in ("/", "\\") or rest == "" != marks[1:])):
            self._found.append(Word(marks, "symbol"))
            self._is_option = marks == "-"
        else:
            return False
        return True

    def _take(self, char: str) -> None:
        if is_spaceless(char):
            self._close()
            self._found.append(Word(char, "word"))
        else:
            self._run.append(char)

    def _belongs(self, char: str, before: str, after: str) -> bool:
        """Say whether a mark between two characters is part of their word or figure."""
        if not before or not after:
            return False
        if char in APOSTROPHES or (char in _DASHES and not self._is_path):
            return _is_letter(before) and _is_letter(after)
        return char in _JOINS_FIGURES and before.isdigit() and after.isdigit()

    def _symbol(self, char: str, before: str, after: str, *, is_grade: bool) -> None:
        """Append a mark that states something; the punctuation of a sentence states nothing."""
        is_end = not (after and _is_letter(after))
        if self._is_path and char in "-." and before.isalnum() and not is_end:
            self._found.append(Word(char, "symbol"))
        elif is_grade and char in _DASHES and is_end:
            self._found.append(Word("-", "symbol"))
        elif before.isdigit() and is_end and char in _FEET and not self._is_quoted:
            self._found.append(Word("'", "symbol"))
        elif before.isdigit() and is_end and char in _INCHES and not self._is_quoted:
            self._found.append(Word('"', "symbol"))
        elif char in _SIGNS and after.isdigit() and not (before and _is_letter(before)):
            self._run.append("-" if char in _DASHES else char)
        elif char == "!":
            if after == "=" or (after and _is_letter(after)):
                self._found.append(Word(char, "symbol"))
        elif char == "&":
            self._found.append(Word("and", "word"))
        elif char in _SYMBOLS or _is_symbol(char):
            self._found.append(Word(char, "symbol"))

    def _close(self) -> None:
        """Append the word or figure that has been read."""
        run = "".join(self._run)
        self._run.clear()
        if run and self._is_option:
            self._is_option = False
            self._found.append(Word(run, "figure"))
        elif run:
            for piece in _pieces(run):
                if any(map(str.isdigit, piece)):
                    append_figure(piece, self._found)
                else:
                    append_word(piece, self._found, is_loud=self._is_loud)


def _is_path(text: str) -> bool:
    """Say whether a chunk is a path, an address or a name of a program: in it `my-app` is not
    `my.app`, nor `myapp`."""
    inner = zip(text, text[1:], text[2:], strict=False)
    return any(
        mark in _IN_PATHS and a.isalnum() and b.isalnum() and not (a.isdigit() and b.isdigit())
        for a, mark, b in inner
    )


def _pieces(run: str) -> list[str]:
    """Part a run at hyphens beside a digit, those between digits excepted: `4-bit` is two."""
    pieces = [""]
    for place, char in enumerate(run):
        if char == "-" and 0 < place < len(run) - 1:
            before, after = run[place - 1].isdigit(), run[place + 1].isdigit()
            if before != after:
                pieces.append("")
                continue
        pieces[-1] += char
    return pieces


def _is_letter(char: str) -> bool:
    if char.isalnum() or char == "_":
        return True
    return not char.isascii() and _category(char)[0] == "M"


def _is_symbol(char: str) -> bool:
    if char.isascii():
        return char in "$+<=>^|~"
    return _category(char)[0] == "S"


def _category(char: str) -> str:
    from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

    return category(char)
