"""Which known attack patterns a text shows: a tripwire, since the border is who may write what.

What is scanned is what is rendered: the whole text goes through `prompt_text`, look-alike letters
are folded, and simple encodings are undone before the table is asked.
"""

from __future__ import annotations

from tideline_cli.policy.decoding import HEX, SHORTEST_CODE, decoded
from tideline_cli.policy.render import prompt_text, strays
from tideline_cli.policy.threat_patterns import (
    ADDED_ROWS,
    CASED,
    CUE_WIDTH,
    CUES,
    HIDDEN_TEXT,
    INVISIBLE,
    LOOKALIKES,
    MARKS,
    NAMES,
    REFERENCE_ROWS,
    REVERSED_TRACES,
    SCOPES,
    TOO_COSTLY,
    UNICODE_ROWS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator
    from typing import Literal

    from tideline_cli.policy.threat_patterns import Row

    Scope = Literal["all", "context", "strict"]
    Reading = tuple[str, str, list[str]]

BUDGET = 0.1  # seconds; the worst text of 8,192 characters takes a fifth of it
_DEPTH = 2  # an encoding inside an encoding, no further
LONGEST_WORD = 20  # letters; a longer word may be several
_FEWEST_LETTERS = 5  # single letters in a text before they may be a spread-out word
_SELECTORS_OF_A_MESSAGE = 4  # stray variation selectors before they may carry bytes
_INVISIBLE = frozenset(
    "\u200b\u2060\u2062\u2063\u2064\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_JOINERS = frozenset("\u200c\u200d")

# Tables name every ASCII letter: one that is not there costs an exception.
_PUNCTUATION = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_TURNED = _LOWER[13:] + _LOWER[:13]
_ROT13 = str.maketrans(_LOWER + _LOWER.upper(), _TURNED + _TURNED.upper())
# What begins a text in rot13; cues of two letters are words of every day when they are turned.
_TURNED_CUES = frozenset(
    cue for cue in " ".join(CUES).translate(_ROT13).split() if len(cue) > 2
)
_LEET = str.maketrans("0134579862@$!|+€(#", "oieastgbgzasiitech")
_LEET_WITH_L = str.maketrans("0134579862@$!|+€(#", "oleastgbgzasiltech")
_HAN = "\u2e80"  # scripts without blanks begin here
_RUBBLE = frozenset(".,;:!?|/-~…")
_ENDS = ".,;:!?\"'`()[]"
# Possessive, so that a text is cut into spaces and words in one way only: a regular expression that
# can cut it in many tries them all.
_SPACE = "[ _*\"'`,:()\\[\\]-]{1,4}+"
_WORD = r"[^ _-]{1,40}+(?<![.!?;])[ _-]{1,3}+"

_WORDY = dict.fromkeys(map(ord, f"{_LOWER} .,;:!?'"))  # all that a plain text has but digits
_LETTERS = dict.fromkeys(map(ord, f"{_LOWER} "))
_STOPS = {code: " " if chr(code) in ".,;:!?'" else chr(code) for code in range(128)}
_TRACES = tuple(
    trace
    for trace in (*MARKS, *REVERSED_TRACES)
    if not trace.translate(_WORDY).strip("0123456789")
)
_TRACES_OF_LETTERS = tuple(trace for trace in _TRACES if not trace.translate(_WORDY))
_ANY = [""]  # the cue of every row

_cued: dict[int, dict[str, list[Row]]] = {}
_compiled: dict[tuple[str, ...], re.Pattern[str]] = {}


def scan(
    text: str, *, scope: Scope = "strict", clock: Callable[[], float] | None = None
) -> tuple[str, ...]:
    """Return the names of the patterns found in `text`, in table order.

    With a `clock` that counts seconds of work the scan is given up after BUDGET of them, which is
    a finding too.
    """
    plain = _as_it_stands(text)
    if plain is not None and not plain[2]:
        return ()
    meter = _Meter(clock) if clock is not None else None
    found: set[str] = set()
    added: set[str] = set()
    try:
        _search(text, plain, scope, found, added, meter)
    except _TooCostlyError:
        found.add(TOO_COSTLY)
    if not text.isascii():
        found |= _hidden(text, scope)
    found |= added
    return tuple(name for name in NAMES if name in found) if found else ()


def _search(
    text: str, plain: Reading | None, scope: Scope, found: set[str], added: set[str],
    meter: _Meter | None,
) -> None:  # fmt: skip
    """Ask the table about every reading of a text."""
    readings = [plain] if plain is not None else []
    if plain is None:
        for one in _disguises(text):
            readings.append(one)
            if meter is not None:
                meter.check()
    for level in SCOPES[: SCOPES.index(scope) + 1]:
        for reading in readings:
            _find(REFERENCE_ROWS[level], reading, found, meter)
        if not found:
            for reading in readings:
                _find(ADDED_ROWS[level], reading, added, meter)
                if not reading[0].isascii():
                    _find(UNICODE_ROWS[level], (*reading[:2], _ANY), added, meter)


class _TooCostlyError(Exception):
    """A text has taken all the time that a scan may take."""


class _Meter:
    """The work that is left to a scan. What is made for all texts, the regular expressions, does
    not count: a text cannot help being the first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._end = clock() + BUDGET

    def check(self) -> None:
        """Raise when the time is up."""
        if self._clock() > self._end:
            raise _TooCostlyError

    def regex(self, alternatives: tuple[str, ...]) -> re.Pattern[str]:
        """Return a row compiled, off the clock; raise when the time is up."""
        began = self._clock()
        if began > self._end:
            raise _TooCostlyError
        if alternatives not in _compiled:
            _regex(alternatives)
            self._end += self._clock() - began
        return _compiled[alternatives]


def _as_it_stands(text: str) -> Reading | None:
    """Return the one reading of plain sentences, None for a text that may have others.

    Most facts are plain, and most of them hold no cue.
    """
    low = text.lower()
    rest = low.translate(_LETTERS)
    if rest.strip("0123456789.,;:!?'") or "  " in text:
        return None
    digits = rest.strip(".,;:!?'")
    words = low.translate(_STOPS).split()
    lengths = list(map(len, words))
    longest = max(lengths, default=0)
    if (
        longest >= LONGEST_WORD
        or (longest >= SHORTEST_CODE and _may_hold_code(text))
        or lengths.count(1) >= _FEWEST_LETTERS
        or any(map(low.__contains__, _TRACES if digits else _TRACES_OF_LETTERS))
    ):
        return None
    starts = [word[:CUE_WIDTH] for word in words]
    if not _TURNED_CUES.isdisjoint(starts) or (
        (digits or len(rest) * 3 >= len(words) or len(words) != _blanks(low) + 1)
        and _may_be_disguised(low, starts)
    ):
        return None
    return text, low, [*CUES.intersection(starts)]


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


def _disguises(text: str) -> Iterator[Reading]:
    """Yield the readings of a text that are scanned: as rendered, decoded, undisguised."""
    for layer in _layers(prompt_text(text)):
        yield from _readings(layer)


def _hidden(text: str, scope: Scope) -> set[str]:
    """Return what only the raw text can show: characters that the renderer takes away."""
    stray = strays(text)
    names = set()
    if not (_INVISIBLE.isdisjoint(text) and _JOINERS.isdisjoint(stray)):
        names.add(INVISIBLE)
    selectors = sum(char not in _JOINERS for char in stray)
    tags = any(char >= "\U000e0000" for char in stray)
    if scope != "all" and (tags or selectors >= _SELECTORS_OF_A_MESSAGE):
        names.add(HIDDEN_TEXT)
    return names


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
    if lengths.count(1) >= _FEWEST_LETTERS:
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


def _find(rows: tuple[Row, ...], reading: Reading, found: set[str], meter: _Meter | None) -> None:
    text, low, cues = reading
    tried: set[tuple[str, ...]] = set()  # a row has many cues, and is asked once
    for cue in cues:
        for name, literals, alternatives in _rows_with(cue, rows):
            if name in found or alternatives in tried or not _holds(low, literals):
                continue
            tried.add(alternatives)
            regex = _regex(alternatives) if meter is None else meter.regex(alternatives)
            if regex.search(text if name in CASED else low):
                found.add(name)


def _rows_with(cue: str, rows: tuple[Row, ...]) -> list[Row]:
    """Return the rows that hold a cue in one of their literals."""
    known = _cued.setdefault(id(rows), {})
    kept = known.get(cue)
    if kept is None:
        kept = [row for row in rows if any(cue in "\n".join(group) for group in row[1])]
        known[cue] = kept
    return kept


def _holds(low: str, literals: tuple[tuple[str, ...], ...]) -> bool:
    for group in literals:
        for literal in group:
            if literal in low:
                break
        else:
            return False
    return True


def _regex(alternatives: tuple[str, ...]) -> re.Pattern[str]:
    regex = _compiled.get(alternatives)
    if regex is None:
        import re  # noqa: PLC0415  4.6 ms that only suspicious texts pay

        whole = "|".join(alternatives).replace(" ", _SPACE)
        for most in range(1, 13):
            whole = whole.replace(f"«{most}»", f"(?:{_WORD}){{0,{most}}}?")
        regex = _compiled[alternatives] = re.compile(whole)
    return regex


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
    if "_" in text:  # emphasis, not part of a name
        text = f" {text} ".replace(" __", " ").replace(" _", " ").replace("__ ", " ")
        text = text.replace("_ ", " ").strip()
    if not text.isascii():
        from unicodedata import normalize  # noqa: PLC0415  ASCII texts need none of it

        for swollen in ("\ufdfa", "\ufdfb"):  # one Arabic character that NFKC makes eighteen
            text = text.replace(swollen, " ")
        text = normalize("NFKC", text)
        yield _reading(text)
        text = normalize("NFKD", text).translate(_skeletons())
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
