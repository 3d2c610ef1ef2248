"""Stems of words that are not English: by their script, or by the languages that a user names."""

from __future__ import annotations

from Stemmer import Stemmer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LANGUAGES = {
    "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish",
    "hu": "hungarian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nl": "dutch",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip
"""The languages in Latin letters that `language` may name, by their codes."""
_BY_SCRIPT = (
    (0x370, 0x400, "greek"), (0x1F00, 0x2000, "greek"), (0x400, 0x530, "russian"),
    (0x530, 0x590, "armenian"), (0x600, 0x700, "arabic"), (0x900, 0x980, "hindi"),
    (0xB80, 0xC00, "tamil"),
)  # fmt: skip
_PERSIAN = frozenset("پچژگ")
_HEBREW = range(0x5D0, 0x5EB)
_PREFIXES = frozenset("והבלמכש")  # of Hebrew: and, the, in, to, from, as, that
_LEAST = 4  # letters of a Hebrew word that may begin with one
_made: dict[str, Callable[[str], str]] = {}


def by_script(word: str) -> Iterator[str]:
    """Yield the stems of a word whose script tells its language."""
    first = ord(word[0])
    if first in _HEBREW:
        if len(word) >= _LEAST and word[0] in _PREFIXES:
            yield word[1:]
        return
    for low, high, language in _BY_SCRIPT:
        if low <= first < high:
            yield _stemmer(language)(word)
    if 0x600 <= first < 0x700 and not _PERSIAN.isdisjoint(word):
        yield _stemmer("persian")(word)


def in_languages(word: str, languages: Sequence[str]) -> Iterator[str]:
    """Yield the stems of a word of Latin letters in languages that are named by their codes."""
    for code in languages:
        yield _stemmer(LANGUAGES[code])(word)


def _stemmer(language: str) -> Callable[[str], str]:
    if language not in _made:
        _made[language] = Stemmer(language).stemWord
    return _made[language]
