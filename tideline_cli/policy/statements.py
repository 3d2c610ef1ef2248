"""A text as statements are compared: its words, those that tell something, its negations. Pure."""

from __future__ import annotations

from tideline_cli.model.record import Record
from tideline_cli.model.text import stem
from tideline_cli.policy.sign_words import (
    ARTICLES,
    BREAKS,
    ENDINGS,
    JOINED,
    LIGHT,
    ME,
    NEGATIONS,
    NUMBERS,
    TURNING,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BEHIND = 3
_MARKS = ".,;:!?…()[]{}<>«»„“”\"'`。，；：！？、"
_CLAUSE = ".,;:!?。，；：！？、"
_SPACELESS = "\u0e00"


class Statement(Record):
    """A text as it is compared: its words in order without articles, the stems of those that tell
    something, whether it is negated, what stands behind each negation, and whether it may tell of a
    move or change."""

    words: tuple[str, ...]
    telling: frozenset[str]
    is_negated: bool
    behind: tuple[frozenset[str], ...]
    is_of_change: bool


def statement(text: str) -> Statement:
    """Return a text as it is compared."""
    words: list[str] = []
    behind: list[frozenset[str]] = []
    telling: set[str] = set()
    is_negated = False
    said = [*_words(text)]
    for place, word in enumerate(said):
        if word in NEGATIONS or _is_ending(said, place):
            is_negated = True
            behind.append(_behind(said, place))
            words.append(word)
        elif word not in ARTICLES and word != "|":
            words.append(word)
            if word not in LIGHT:
                telling.add(stem_of(word))
    return Statement(
        tuple(words), frozenset(telling), is_negated, tuple(filter(None, behind)),
        any(word.startswith(TURNING) for word in words),
    )  # fmt: skip


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case; `|` stands where a clause ends."""
    for raw in text.casefold().replace("’", "'").split():
        word = raw.strip(_MARKS)
        if word.isalpha() and word.isascii() and word not in JOINED:
            yield word
        elif is_figure(word) or (not word.isascii() and max(word) >= _SPACELESS):
            yield from _pieces(word)
        elif "/" in word or "_" in word or "." in word:
            yield word
        else:
            for part in _parted(word):
                yield "|" if part in BREAKS else part
        if raw[-1] in _CLAUSE:
            yield "|"


def _pieces(word: str) -> Iterator[str]:
    """Yield a figure whole, and of scripts without spaces each character."""
    if word.isascii() or max(word) < _SPACELESS:
        yield word
        return
    latin = ""
    for char in word:
        if char < _SPACELESS:
            latin += char
            continue
        if latin:
            yield latin
            latin = ""
        yield "|" if char in _CLAUSE else char
    if latin:
        yield latin


def _parted(word: str) -> list[str]:
    """Return a word in its parts: don't is do not, Anna's is Anna s."""
    if word == "cannot":
        return ["can", "not"]
    if word.endswith("n't"):
        return [word[:-3], "not"]
    return [part for part in word.replace("-", "'").split("'") if part]


def stem_of(word: str) -> str:
    """Return what a word is compared by: its English stem; one word for all forms of `I`."""
    if word in ME:
        return "i"
    return stem(word) if word.isascii() else word


def is_figure(word: str) -> bool:
    """Say whether a word is a figure or a number."""
    return word in NUMBERS or any(map(str.isdecimal, word))


def _is_ending(said: Sequence[str], place: int) -> bool:
    follows = said[place + 1 : place + 3]
    return said[place] in ENDINGS and any(word.endswith("ing") for word in follows)


def _behind(said: Sequence[str], place: int) -> frozenset[str]:
    """Return the next telling words of a clause."""
    found: list[str] = []
    for word in said[place + 1 :]:
        if word == "|" or len(found) == _BEHIND:
            break
        if word not in LIGHT and word not in NEGATIONS:
            found.append(stem_of(word))
    return frozenset(found)
