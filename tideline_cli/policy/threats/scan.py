"""Which known attack patterns a text shows: a warning system. The write-gate is what protects.

What is scanned is what is rendered: the whole text goes through `prompt_text`, look-alike letters
are folded, and simple encodings are undone before the table is asked.
"""

from __future__ import annotations

from tideline_cli.policy.threats._cues import ADDED_NAMES, REFERENCE_NAMES, SCOPES, UNFOLDED, WAYS
from tideline_cli.policy.threats.plain import CUES, MARKS, as_it_stands, plain_reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Literal

    from tideline_cli.policy.threats.plain import Reading

    Scope = Literal["all", "context", "strict"]


INVISIBLE = "invisible_unicode"
HIDDEN_TEXT = "hidden_text"
TOO_COSTLY = "scan_timeout"  # the scan was given up: no harmless text takes so long
NAMES = (*REFERENCE_NAMES, INVISIBLE, HIDDEN_TEXT, *ADDED_NAMES, TOO_COSTLY)

BUDGET = 0.1  # seconds; the worst text of 8,192 characters takes a fifth of it
_SELECTORS_OF_A_MESSAGE = 4  # stray variation selectors before they may carry bytes
_INVISIBLE = frozenset(
    "\u200b\u2060\u2062\u2063\u2064\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_JOINERS = frozenset("\u200c\u200d")

_ways_of: dict[str, tuple[int, ...]] = CUES | MARKS
_compiled: dict[str, re.Pattern[str]] = {}


def scan(
    text: str, *, scope: Scope = "strict", clock: Callable[[], float] | None = None
) -> tuple[str, ...]:
    """Return the names of the patterns found in `text`, in table order. With a `clock` that counts
    seconds of work the scan is given up after BUDGET of them, which is a finding too."""
    plain = as_it_stands(text)
    if plain is not None and not (plain[2] and _holding(plain)):
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


def finds_nothing(text: str, starts: frozenset[str]) -> bool:
    """Say whether a text of plain words, that begin so, is one in which `scan` finds nothing. True
    is certain."""
    return not _holding(plain_reading(text, starts))


def _search(
    text: str, plain: Reading | None, scope: Scope, found: set[str], added: set[str],
    meter: _Meter | None,
) -> None:  # fmt: skip
    """Ask the table about every reading of a text."""
    readings = [plain] if plain is not None else []
    if plain is None:
        from tideline_cli.policy.threats.readings import disguises  # noqa: PLC0415  most are plain

        for one in disguises(text):
            readings.append(one)
            if meter is not None:
                meter.check()
    held = [_holding(reading) for reading in readings]
    for level in SCOPES[: SCOPES.index(scope) + 1]:
        for reading, rows in zip(readings, held, strict=True):
            _find(rows, (False, level), reading, found, meter)
        if not found:
            for reading, rows in zip(readings, held, strict=True):
                _find(rows, (True, level), reading, added, meter)


class _TooCostlyError(Exception):
    """A text has taken all the time that a scan may take."""


class _Meter:
    """The time that is left to a scan. Compiling regular expressions does not count: they serve all
    texts, and this one is only the first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._end = clock() + BUDGET

    def check(self) -> None:
        """Raise when the time is up."""
        if self._clock() > self._end:
            raise _TooCostlyError

    def regex(self, alternative: str) -> re.Pattern[str]:
        """Return an alternative compiled, off the clock; raise when the time is up."""
        began = self._clock()
        if began > self._end:
            raise _TooCostlyError
        if alternative not in _compiled:
            _regex(alternative)
            self._end += self._clock() - began
        return _compiled[alternative]


def _hidden(text: str, scope: Scope) -> set[str]:
    """Return the names that only the raw text shows: of characters that rendering takes away."""
    from tideline_cli.policy.invisible import strays  # noqa: PLC0415  ASCII texts need none of it

    stray = strays(text)
    names = set()
    if not (_INVISIBLE.isdisjoint(text) and _JOINERS.isdisjoint(stray)):
        names.add(INVISIBLE)
    selectors = sum(char not in _JOINERS for char in stray)
    tags = any(char >= "\U000e0000" for char in stray)
    if scope != "all" and (tags or selectors >= _SELECTORS_OF_A_MESSAGE):
        names.add(HIDDEN_TEXT)
    return names


def _find(
    rows: list[int], table: tuple[bool, str], reading: Reading, found: set[str],
    meter: _Meter | None,
) -> None:  # fmt: skip
    """Ask the rows about a reading, of which `table` says the scope and whether they are ours."""
    if not rows:
        return
    # Few texts get so far.
    from tideline_cli.policy.threats._patterns import CASED, ROWS  # noqa: PLC0415  see above

    text, low, _, _ = reading
    for row in rows:
        name, ours, level, alternative = ROWS[row]
        if (ours, level) == table and name not in found:
            regex = _regex(alternative) if meter is None else meter.regex(alternative)
            if regex.search(text if name in CASED else low):
                found.add(name)


def _holding(reading: Reading) -> list[int]:
    """Return the rows that a text may match: it holds a cue of a filter of that row, and the words
    and literals of that filter. Most texts hold none."""
    _, low, cues, starts = reading
    tried: set[int] = set()  # a filter has several cues, and is asked once
    rows: dict[int, None] = {}
    for cue in cues:
        for place in _ways_of[cue]:
            if place not in tried:
                tried.add(place)
                row, _, _, words, literals = WAYS[place]
                if not any(map(starts.isdisjoint, words)) and _holds(low, literals):
                    rows[row] = None
    if not low.isascii():
        rows |= {row: None for row, literals in UNFOLDED if _holds(low, literals)}
    return [*rows]


def _holds(low: str, literals: tuple[tuple[str, ...], ...]) -> bool:
    for group in literals:
        for literal in group:
            if literal in low:
                break
        else:
            return False
    return True


def _regex(alternative: str) -> re.Pattern[str]:
    regex = _compiled.get(alternative)
    if regex is None:
        # 4.6 ms for importing re, that only suspicious texts pay.
        from tideline_cli.policy.threats.regexes import compiled  # noqa: PLC0415  see above

        regex = _compiled[alternative] = compiled(alternative)
    return regex
