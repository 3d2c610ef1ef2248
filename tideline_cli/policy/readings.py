"""The readings of a text that the table of patterns is asked about: as it is rendered, with
look-alikes folded, decoded, and without its disguises. A plain text has one.
"""

from __future__ import annotations

from tideline_cli.model.text import in_form
from tideline_cli.policy.decoding import HEX, SHORTEST_CODE, decoded
from tideline_cli.policy.render import prompt_text
from tideline_cli.policy.threat_patterns import (
    CUE_WIDTH,
    CUES,
    LOOKALIKES,
    MARKS,
    REVERSED_TRACES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Reading = tuple[str, str, list[str]]  # the text, the text in lower case, the cues in it

LONGEST_WORD = 20  # letters; a longer word may be several
_DEPTH = 2  # an encoding inside an encoding, no further
_FEWEST_LETTERS = 5  # single letters in a text before they may be a spread-out word
_FEWEST_BUT_WORDS = 3  # of them that are no words themselves

# Tables name every ASCII letter: one that is not there costs an exception.
_PUNCTUATION = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_TURNED = _LOWER[13:] + _LOWER[:13]
_ROT13 = str.maketrans(_LOWER + _LOWER.upper(), _TURNED + _TURNED.upper())
# What begins a text in rot13; cues of two letters are words of every day when they are turned.
_TURNED_CUES = frozenset(cue for cue in " ".join(CUES).translate(_ROT13).split() if len(cue) > 2)
_CUES_EITHER_WAY = CUES | _TURNED_CUES
_LEET = str.maketrans("0134579862@$!|+€(#", "oieastgbgzasiitech")
_LEET_WITH_L = str.maketrans("0134579862@$!|+€(#", "oleastgbgzasiltech")
_HAN = "\u2e80"  # scripts without blanks begin here
_RUBBLE = frozenset(".,;:!?|/-~…")
_ENDS = ".,;:!?\"'`()[]"

_WORDY = dict.fromkeys(map(ord, f"{_LOWER} .,;:!?'"))  # all that a plain text has but digits
_LETTERS = dict.fromkeys(map(ord, f"{_LOWER} "))
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_STOPS = {code: " " if chr(code) in ".,;:!?'" else chr(code) for code in range(128)}
_TRACES = tuple(
    trace for trace in (*MARKS, *REVERSED_TRACES) if not trace.translate(_WORDY).strip("0123456789")
)
_TRACES_OF_LETTERS = tuple(trace for trace in _TRACES if not trace.translate(_WORDY))


def as_it_stands(text: str) -> Reading | None:
    """Return the one reading of plain sentences, None for a text that may have others.

    Most facts are plain, and most of them hold no cue.
    """
    low = text.lower()
    rest = low.translate(_LETTERS)
    if rest.strip("0123456789.,;:!?'") or "  " in text:
        return None
    words = low.translate(_STOPS).split()
    lengths = list(map(len, words))
    longest = max(lengths, default=0)
    digits = rest.strip(".,;:!?'")
    signs = rest.translate(_NO_DIGITS) if digits else rest
    if (
        longest >= LONGEST_WORD
        or (longest >= SHORTEST_CODE and _may_hold_code(text))
        or (lengths.count(1) >= _FEWEST_LETTERS and _are_spread(words, _ends_of_words(low)))
        or any(map(low.__contains__, _TRACES if digits else _TRACES_OF_LETTERS))
    ):
        return None
    starts = [word[:CUE_WIDTH] for word in words]
    cues = _CUES_EITHER_WAY.intersection(starts)
    if not _TURNED_CUES.isdisjoint(cues) or (
        (
            len(signs) * 3 >= len(words)
            or len(words) != _blanks(low) + 1
            or (digits and ("'" in signs or any(map(_is_mixed, words))))
        )
        and _may_be_disguised(low, cues)
    ):
        return None
    return text, low, [*CUES.intersection(cues)] if cues else []


def _is_mixed(word: str) -> bool:
    return not (word.isalpha() or word.isdecimal())


def _are_spread(words: list[str], ends: int = 0) -> bool:
    """Say whether so many letters stand alone that they may be a word: a and I are words
    themselves, and some are the ends of others."""
    return (
        sum(len(word) == 1 for word in words) - words.count("a") - words.count("i") - ends
        >= _FEWEST_BUT_WORDS
    )


def _ends_of_words(low: str) -> int:
    """Count the letters that an apostrophe parts from their word: it's, don't, I'm, I'd."""
    return sum(map(low.count, ("'s ", "n't ", "'m ", "'d ")))


def _blanks(low: str) -> int:
    """Count what parts the words of a plain text, apostrophes inside them too."""
    return low.count(" ") + low.count("'")


def _may_hold_code(text: str) -> bool:
    """Say whether a long word of a plain text may be base64 or hex: those are not in lower case
    alone, or have the digits of hex alone."""
    return any(
        len(word) >= SHORTEST_CODE and (not word.islower() or HEX.issuperset(word))
        for word in text.translate(_STOPS).split()
    )


def disguises(text: str) -> Iterator[Reading]:
    """Yield the readings of a text that are scanned: as rendered, decoded, undisguised."""
    for layer in _layers(prompt_text(text)):
        yield from _readings(layer)


def _reading(text: str, low: str = "", starts: set[str] | None = None) -> Reading:
    """Return a text, the text in lower case, and the cues in it."""
    low = low or text.lower()
    starts = _starts(low) if starts is None else starts
    return text, low, [*CUES.intersection(starts), *(mark for mark in MARKS if mark in low)]


def _starts(low: str) -> set[str]:
    """Return how the words of a text begin."""
    return {word[:CUE_WIDTH] for word in low.translate(_PUNCTUATION).split()}


def _may_be_disguised(low: str, starts: Iterable[str]) -> bool:
    """Say whether a text may say more than it shows.

    Letters stand alone, or signs; most words end in one; a word is very long; or it has signs or
    digits inside, and a cue is beside it or in it.
    """
    tokens = low.split()
    lengths = list(map(len, tokens))
    if lengths.count(1) >= _FEWEST_LETTERS and _are_spread(tokens):
        return True
    if max(lengths, default=0) >= LONGEST_WORD and any(map(_is_long, tokens)):
        return True
    signed = [token for token in tokens if not token.isalpha() and max(token) < _HAN]
    if sum(token[-1] in _RUBBLE for token in signed) * 2 >= len(tokens) > 0:
        return True
    odd = [token for token in signed if _is_odd(token)]
    return bool(odd) and (not CUES.isdisjoint(starts) or any(map(_may_be_cue, odd)))


def _is_long(token: str) -> bool:
    return len(token) >= LONGEST_WORD and token.isalpha() and token.isascii()


def _is_odd(token: str) -> bool:
    """Say whether a word has letters, and something else inside."""
    core = token.strip(_ENDS).replace("'", "")
    return not core.isalpha() and core.upper() != core


def _may_be_cue(token: str) -> bool:
    """Say whether a word may begin like a cue once its signs are left out, or are letters."""
    letters = "".join(filter(str.isalnum, token))
    starts = (letters, token.translate(_LEET), token.translate(_LEET_WITH_L))
    return len(token) - len(letters) >= _FEWEST_LETTERS or not CUES.isdisjoint(
        start[:CUE_WIDTH] for start in starts
    )


def _layers(text: str) -> Iterator[str]:
    """Yield the text, then what its encoded parts say."""
    yield text
    for _ in range(_DEPTH):
        inner = decoded(text)
        if inner == text:
            return
        text = prompt_text(inner)
        yield text


def _readings(text: str) -> Iterator[Reading]:
    """Yield the text as it stands, with look-alikes folded, and without its disguises."""
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">")
    if "~~" in text:  # struck out
        text = text.replace("~~", "")
    if "_" in text:  # emphasis, not part of a name
        text = f" {text} ".replace(" __", " ").replace(" _", " ").replace("__ ", " ")
        text = text.replace("_ ", " ").strip()
    if not text.isascii():
        for swollen in ("\ufdfa", "\ufdfb"):  # one Arabic character that NFKC makes eighteen
            text = text.replace(swollen, " ")
        text = in_form("NFKC", text)
        yield _reading(text)
        text = in_form("NFKD", text).translate(_skeletons())
    low = text.lower()
    starts = _starts(low)
    yield _reading(text, low, starts)
    if _may_be_disguised(low, starts):
        from tideline_cli.policy.disguises import undisguised  # noqa: PLC0415  plain texts need none

        plain = undisguised(low)
        if plain != low:
            yield _reading(plain, plain)
    if not _TURNED_CUES.isdisjoint(starts):
        yield _reading(text.translate(_ROT13))
    if any(trace in low for trace in REVERSED_TRACES):
        yield _reading(low[::-1])


class _Skeletons(dict[int, int | str | None]):
    """A translation table filled on demand: look-alikes become ASCII, marks and joiners nothing."""

    def __init__(self) -> None:
        from unicodedata import category  # noqa: PLC0415  ASCII texts need none of it

        self._category = category
        super().__init__((ord(char), plain) for plain, like in LOOKALIKES.items() for char in like)
        for first in (0x1F150, 0x1F170, 0x1F1E6):  # letters in black circles, squares, flags
            self.update((first + i, letter) for i, letter in enumerate(_LOWER))

    def __missing__(self, code: int) -> int | str | None:
        kind = self._category(chr(code))
        value = None if kind in ("Mn", "Me", "Cf") else " " if kind == "Zs" else code
        self[code] = value
        return value


_tables: list[_Skeletons] = []


def _skeletons() -> _Skeletons:
    if not _tables:
        _tables.append(_Skeletons())
    return _tables[0]
