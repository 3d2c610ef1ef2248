"""Plain texts: sentences in ASCII letters that hide nothing, and so have one reading."""

from __future__ import annotations

from tideline_cli.policy.threats._cues import CUE_WIDTH, REVERSED_TRACES, TELLING, WAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    # The text, the text in lower case, the cues in it, and how its words begin.
    Reading = tuple[str, str, list[str], frozenset[str]]

CUES: dict[str, tuple[int, ...]] = {}
"""Which of WAYS a word that begins so makes worth a look."""
MARKS: dict[str, tuple[int, ...]] = {}
"""Which of WAYS a text that stands anywhere makes worth a look."""
for _place, _way in enumerate(WAYS):
    for _cue in _way[2]:
        _index = CUES if _way[1] else MARKS
        _index[_cue] = (*_index.get(_cue, ()), _place)

SHORTEST_CODE = 16  # characters of base64 or hex that can hold a phrase
HEX = frozenset("0123456789abcdefABCDEF")
LONGEST_WORD = 20  # letters; a longer word may be several
_FEWEST_LETTERS = 5  # single letters in a text before they may be a spread-out word
_FEWEST_BUT_WORDS = 3  # of them that are not words themselves (a, I)

LOWER = "abcdefghijklmnopqrstuvwxyz"
_TURNED = LOWER[13:] + LOWER[:13]
ROT13 = str.maketrans(LOWER + LOWER.upper(), _TURNED + _TURNED.upper())
# How words of an attack begin in rot13. Cues of two letters would be everyday words in it.
TURNED_CUES = frozenset(cue for cue in " ".join(CUES).translate(ROT13).split() if len(cue) > 2)
_TELLING_EITHER_WAY = TELLING | TURNED_CUES
_KNOWN_CUES = frozenset(CUES)
_NO_STARTS: frozenset[str] = frozenset()
_LEET = str.maketrans("0134579862@$!|+€(#", "oieastgbgzasiitech")
_LEET_WITH_L = str.maketrans("0134579862@$!|+€(#", "oleastgbgzasiltech")
_HAN = "\u2e80"  # scripts without blanks begin here
_RUBBLE = frozenset(".,;:!?|/-~…")
_ENDS = ".,;:!?\"'`()[]"

_WORDY = dict.fromkeys(map(ord, f"{LOWER} .,;:!?'"))  # all that a plain text holds, without digits
_LETTERS = dict.fromkeys(map(ord, f"{LOWER} "))
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_STOPS = {code: " " if chr(code) in ".,;:!?'" else chr(code) for code in range(128)}
_TRACES = tuple(
    trace for trace in (*MARKS, *REVERSED_TRACES) if not trace.translate(_WORDY).strip("0123456789")
)
_TRACES_OF_LETTERS = tuple(trace for trace in _TRACES if not trace.translate(_WORDY))
_TRACES_IN_WORDS = tuple(trace for trace in _TRACES_OF_LETTERS if trace.isalpha())
_TRACES_BEFORE_BLANKS = tuple(trace.split()[0] for trace in _TRACES_OF_LETTERS if " " in trace)
_WORDS_OF_ONE = ("a", "i")  # letters


def as_it_stands(text: str) -> Reading | None:
    """Return the one reading of plain sentences, None for a text that may have others. Most facts
    are plain, and most of them hold no cue."""
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
    telling = _TELLING_EITHER_WAY.intersection(starts)
    if not TURNED_CUES.isdisjoint(telling) or (
        (
            len(signs) * 3 >= len(words)
            or len(words) != _blanks(low) + 1
            or (digits and ("'" in signs or any(map(_is_mixed, words))))
        )
        and may_be_disguised(low, telling)
    ):
        return None
    cues = [*_KNOWN_CUES.intersection(telling)] if telling else []
    return text, low, cues, frozenset(starts) if cues else _NO_STARTS


def plain_start(low: str) -> str | None:
    """Return how a word in small letters begins that makes no text more than plain: of ASCII
    letters, and no trace of an attack. Return None of any other word."""
    start = low[:CUE_WIDTH]
    if not (low.isascii() and low.isalpha()) or start in TURNED_CUES:
        return None
    if len(low) == 1 and low not in _WORDS_OF_ONE:
        return None
    if any(map(low.__contains__, _TRACES_IN_WORDS)) or low.endswith(_TRACES_BEFORE_BLANKS):
        return None
    return start


def may_be_code(word: str) -> bool:
    """Say whether a word of letters is so long that it may be several, or a phrase in code."""
    size = len(word)
    return size >= SHORTEST_CODE and (
        size >= LONGEST_WORD or not word.islower() or HEX.issuperset(word)
    )


def is_cue(start: str) -> bool:
    """Say whether a word of an attack begins so."""
    return start in _KNOWN_CUES


def plain_reading(text: str, starts: frozenset[str]) -> Reading:
    """Return what `as_it_stands` returns of a text of such words that begin so, less than half of
    them with a sign behind."""
    return text, text.lower(), [*_KNOWN_CUES.intersection(starts)], starts


def _is_mixed(word: str) -> bool:
    return not (word.isalpha() or word.isdecimal())


def _are_spread(words: list[str], ends: int = 0) -> bool:
    """Say whether so many letters stand alone that they may spell a word. The words a and I do not
    count, nor letters behind an apostrophe."""
    return (
        sum(len(word) == 1 for word in words) - words.count("a") - words.count("i") - ends
        >= _FEWEST_BUT_WORDS
    )


def _ends_of_words(low: str) -> int:
    """Count the letters that stand behind an apostrophe: it's, don't, I'm, I'd."""
    return sum(map(low.count, ("'s ", "n't ", "'m ", "'d ")))


def _blanks(low: str) -> int:
    """Count what parts the words of a plain text, apostrophes inside them too."""
    return low.count(" ") + low.count("'")


def _may_hold_code(text: str) -> bool:
    """Say whether a long word of a plain text may be base64, which has upper case, or hex."""
    return any(
        len(word) >= SHORTEST_CODE and (not word.islower() or HEX.issuperset(word))
        for word in text.translate(_STOPS).split()
    )


def may_be_disguised(low: str, starts: Iterable[str]) -> bool:
    """Say whether a text may say more than it shows.

    Letters stand alone, or signs; most words end in one; a word is very long; or it has signs or
    digits inside, and a word of attacks is beside it or in it.
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
    return bool(odd) and (not TELLING.isdisjoint(starts) or any(map(_may_be_telling, odd)))


def _is_long(token: str) -> bool:
    return len(token) >= LONGEST_WORD and token.isalpha() and token.isascii()


def _is_odd(token: str) -> bool:
    """Say whether a word has letters, and something else inside."""
    core = token.strip(_ENDS).replace("'", "")
    return not core.isalpha() and core.upper() != core


def _may_be_telling(token: str) -> bool:
    """Say whether a word may be one of attacks once its signs are left out, or are letters."""
    letters = "".join(filter(str.isalnum, token))
    starts = (letters, token.translate(_LEET), token.translate(_LEET_WITH_L))
    return len(token) - len(letters) >= _FEWEST_LETTERS or not TELLING.isdisjoint(
        start[:CUE_WIDTH] for start in starts
    )
