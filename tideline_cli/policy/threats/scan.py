"""Which known attack patterns a text shows: a tripwire, since the border is who may write what.

What is scanned is what is rendered: the whole text goes through `prompt_text`, look-alike letters
are folded, and simple encodings are undone before the table is asked.
"""

from __future__ import annotations

from tideline_cli.policy.render import strays
from tideline_cli.policy.threats.patterns import (
    ADDED_ROWS,
    CASED,
    HIDDEN_TEXT,
    INVISIBLE,
    NAMES,
    REFERENCE_ROWS,
    SCOPES,
    TOO_COSTLY,
    UNICODE_ROWS,
)
from tideline_cli.policy.threats.plain import as_it_stands

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable
    from typing import Literal

    from tideline_cli.policy.threats.patterns import Row
    from tideline_cli.policy.threats.plain import Reading

    Scope = Literal["all", "context", "strict"]


BUDGET = 0.1  # seconds; the worst text of 8,192 characters takes a fifth of it
_SELECTORS_OF_A_MESSAGE = 4  # stray variation selectors before they may carry bytes
_INVISIBLE = frozenset(
    "\u200b\u2060\u2062\u2063\u2064\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_JOINERS = frozenset("\u200c\u200d")

_rows: list[tuple[tuple[bool, str], Row, str]] = []  # with their table and all their literals
_places: dict[str, tuple[int, ...]] = {}  # of the rows that hold a cue
_compiled: dict[tuple[str, ...], tuple[re.Pattern[str], ...]] = {}


def scan(
    text: str, *, scope: Scope = "strict", clock: Callable[[], float] | None = None
) -> tuple[str, ...]:
    """Return the names of the patterns found in `text`, in table order.

    With a `clock` that counts seconds of work the scan is given up after BUDGET of them, which is
    a finding too.
    """
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


def _search(
    text: str, plain: Reading | None, scope: Scope, found: set[str], added: set[str],
    meter: _Meter | None,
) -> None:  # fmt: skip
    """Ask the table about every reading of a text."""
    readings = [plain] if plain is not None else []
    if plain is None:
        # Most texts are plain.
        from tideline_cli.policy.threats.readings import disguises  # noqa: PLC0415  see above

        for one in disguises(text):
            readings.append(one)
            if meter is not None:
                meter.check()
    held = [_holding(reading) for reading in readings]
    for level in SCOPES[: SCOPES.index(scope) + 1]:
        for reading, rows in zip(readings, held, strict=True):
            if rows:
                _find(rows.get((False, level), ()), reading, found, meter)
        if not found:
            for reading, rows in zip(readings, held, strict=True):
                if rows:
                    _find(rows.get((True, level), ()), reading, added, meter)
                if not reading[0].isascii():
                    holding = [row for row in UNICODE_ROWS[level] if _holds(reading[1], row[1])]
                    _find(holding, reading, added, meter)


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

    def regex(self, alternatives: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
        """Return a row compiled, off the clock; raise when the time is up."""
        began = self._clock()
        if began > self._end:
            raise _TooCostlyError
        if alternatives not in _compiled:
            _regex(alternatives)
            self._end += self._clock() - began
        return _compiled[alternatives]


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


def _find(rows: Iterable[Row], reading: Reading, found: set[str], meter: _Meter | None) -> None:
    text, low, _ = reading
    for name, _, alternatives in rows:
        if name not in found:
            row = _regex(alternatives) if meter is None else meter.regex(alternatives)
            if any(regex.search(text if name in CASED else low) for regex in row):
                found.add(name)


def _holding(reading: Reading) -> dict[tuple[bool, str], list[Row]]:
    """Return the rows of each table, by whether it is ours and its scope, that a text may match:
    it has a cue of theirs, and a literal of each of their groups. Most texts have none."""
    _, low, cues = reading
    tried: set[int] = set()  # a row has many cues, and is asked once
    held: dict[tuple[bool, str], list[Row]] = {}
    for cue in cues:
        places = _places.get(cue)
        for place in _rows_with(cue) if places is None else places:
            if place not in tried:
                tried.add(place)
                table, row, _ = _rows[place]
                if _holds(low, row[1]):
                    held.setdefault(table, []).append(row)
    return held


def _rows_with(cue: str) -> tuple[int, ...]:
    """Return which rows hold a cue in one of their literals."""
    if not _rows:
        for ours, table in ((False, REFERENCE_ROWS), (True, ADDED_ROWS)):
            for level, rows in table.items():
                for row in rows:
                    _rows.append(((ours, level), row, "\n".join(map("\n".join, row[1]))))
    _places[cue] = tuple(place for place, row in enumerate(_rows) if cue in row[2])
    return _places[cue]


def _holds(low: str, literals: tuple[tuple[str, ...], ...]) -> bool:
    for group in literals:
        for literal in group:
            if literal in low:
                break
        else:
            return False
    return True


def _regex(alternatives: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    row = _compiled.get(alternatives)
    if row is None:
        # 4.6 ms for importing re, that only suspicious texts pay.
        from tideline_cli.policy.threats.regexes import compiled  # noqa: PLC0415  see above

        row = _compiled[alternatives] = compiled(alternatives)
    return row
