"""WordPiece: the words of a text, cut into the longest pieces that a vocabulary has.

Devlin et al., BERT (2019): clean, part, fold to lower case without accents, then match greedily.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 100
_MOST_KNOWN = 1 << 16
_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
# Signs stand alone, blanks part words, and other control characters go.
_ASCII: dict[int, str | None] = dict.fromkeys((*range(32), 127))
_ASCII |= {ord(char): f" {char} " for char in _SIGNS}
_ASCII |= dict.fromkeys(map(ord, "\t\n\r"), " ")
_HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """Cuts texts into the numbers of pieces. `lower` folds case; `strip` takes accents off; `han`
    makes a word of each Chinese character."""

    cuts_words = True

    def __init__(
        self, vocabulary: Mapping[str, int], *, unknown: str = "[UNK]", prefix: str = "##",
        longest: int = _LONGEST, lower: bool = True, strip: bool = True, han: bool = True,
    ) -> None:  # fmt: skip
        self._vocabulary = vocabulary
        self._unknown = vocabulary[unknown]
        self._prefix = prefix
        self._longest = longest
        self._lower, self._strip, self._han = lower, strip, han
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without special ones."""
        found: list[int] = []
        for word in self._words(text):
            pieces = self._known.get(word)
            if pieces is None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                pieces = self._known[word] = self._pieces(word)
            found += pieces
        return found

    def marked(self, text: str, most: int) -> list[int]:
        """Return the same, `most` at most, with those that mark its beginning and its end."""
        begin, end = self._vocabulary["[CLS]"], self._vocabulary["[SEP]"]
        return [begin, *self.ids(text)[: most - 2], end]

    def _words(self, text: str) -> list[str]:
        if text.isascii():
            parted = text.translate(_ASCII)
            return (parted.lower() if self._lower else parted).split()
        from unicodedata import category, normalize  # noqa: PLC0415  ASCII texts need none of it

        table = {ord(char): _parted(char, category(char), self._han) for char in set(text)}
        text = text.translate(table)
        if self._strip:
            text = normalize("NFD", text)
            marks = {ord(char): None for char in set(text) if category(char) == "Mn"}
            text = text.translate(marks)
        text = text.lower() if self._lower else text
        signs = {ord(char): f" {char} " for char in set(text) if _is_sign(char, category(char))}
        return text.translate(signs).split()

    def _pieces(self, word: str) -> list[int]:
        """Return the pieces of one word; that for the unknown where some part is in none."""
        if len(word) > self._longest:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = self._prefix if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            found.append(number)
            start = end
        return found


def _parted(char: str, kind: str, han: bool) -> str | None:
    """Return what stands for a character before its text is folded."""
    if char in "\t\n\r" or kind in ("Zs", "Zl", "Zp"):
        return " "
    if char == "\ufffd" or kind[0] == "C":
        return None
    if han and any(first <= ord(char) <= last for first, last in _HAN):
        return f" {char} "
    return char


def _is_sign(char: str, kind: str) -> bool:
    return char in _SIGNS if char.isascii() else kind[0] == "P"
