"""What a program wrote into a user's turn: blocks in tags, and notes that run to the end.

Coding agents put command output, notices, open files and other people's messages where the user
speaks. Nobody types a tag with its end, so the rule goes by form; lists name the tags that people
do type.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from tideline_cli.model.record import record
from tideline_cli.policy.private_blocks import MEMORY, without_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Their end tag may be missing: where one starts a line, the rest of the turn is not the user's.
KNOWN = frozenset((
    "bash-input", "bash-stderr", "bash-stdout", "command-args", "command-contents",
    "command-message", "command-name", "environment_context", "environment_details",
    "ide_diagnostics", "ide_opened_file", "ide_selection", "local-command-caveat",
    "local-command-stderr", "local-command-stdout", "new-diagnostics", "persisted-output",
    "post-tool-use-hook", "session-start-hook", "system-notification", "system-reminder",
    "task-notification", "task-status", "teammate-message", "tool_use_error", "turn_aborted",
    "user-memory-input", "user-prompt-submit-hook", "user_instructions", "user_shell_command",
))  # fmt: skip
# Some clients put the user's own words into these.
_WRAPPERS = frozenset(("answer", "feedback", "task", "user_input", "user_message", "user_query"))
# Names that people type to lay out a text.
_LAYOUT = frozenset(
    "a abbr article b blockquote body br button cite code col dd del details div dl dt em fieldset "
    "figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i img input ins kbd label li "
    "link main mark meta nav ol option p pre q s samp section select small span strike strong "
    "style sub summary sup svg table tbody td textarea th thead title tr tt u ul var".split()
)
_TAG = re.compile(
    r"<(/?)([A-Za-z][A-Za-z0-9]{0,40}(?:[-_.:][A-Za-z0-9]{1,40}){0,8})(?=[\s/>])", re.ASCII
)
_FENCE = re.compile(r"[ \t]{0,3}(```+|~~~+)")
_SPAN = re.compile(r"`[^`\n]+`")
_NOTED = (
    r"[ \t]{0,200}(?:\[Request interrupted by user|\[SYSTEM NOTIFICATION"
    r"|Caveat: The messages below were|This session is being continued from a previous conversation"
    r"|Base directory for this skill:|Result of calling the \w{1,40} tool"
    r"|Called the \w{1,40} tool with|Another Claude session sent a message"
    r"|The user doesn't want to (?:proceed|take this action)"
    r"|(?:[A-Z][A-Za-z]{1,40}(?::\w{1,40})? )?hook (?:additional context|blocking error|error"
    r"|feedback|stopped continuation|success)\b[^\n:]{0,80}:)"
)
_NOTE, _NOTE_LINE = (re.compile(mode + _NOTED, re.I | re.M) for mode in ("", "^"))


_BLANKS = re.compile(r"[ \t]+\Z")
_MOST_BLANKS = 200


@record
class Heard:
    """What is left of a turn, how many blocks and notes are not, and the names among them that
    nobody knows."""

    text: str
    dropped: int = 0
    strange: tuple[str, ...] = ()


def heard(pieces: Sequence[str]) -> Heard:
    """Return what the user said in the pieces of one turn, which are read as one text.

    An element goes, from its first tag to the last end of that name: what it quotes cannot end
    it. Names in code, between backticks or fences, are only spoken of.
    """
    whole = "".join(pieces)
    unmarked = without_blocks(whole, (*MEMORY, "private"))
    if unmarked != whole:
        rest = heard((unmarked,))
        return Heard(rest.text, rest.dropped + 1, rest.strange)
    text = whole
    starts = [0, *accumulate(map(len, pieces))]
    notes = {m.start() for m in _NOTE_LINE.finditer(text)}
    notes.update(start for start in starts if _NOTE.match(text, start))
    if "<" not in text and not notes:
        return Heard(text)
    reading = _Reading(text, starts, sorted(notes))
    spans = list(reading.spans())
    kept: list[str] = []
    at = 0
    for start, end, _ in spans:
        kept.append(text[at:start])
        at = end
    kept.append(text[at:])
    names = (name for *_, name in spans if name and name.lower() not in KNOWN)
    return Heard("".join(kept), len(spans), tuple(dict.fromkeys(names)))


class _Reading:
    """The tags of a text, and where its lines, pieces and stretches of code are."""

    def __init__(self, text: str, starts: Iterable[int], notes: Sequence[int]) -> None:
        self._text = text
        self._starts = frozenset(starts)
        self._code = sorted(_code(text))
        self._notes = [note for note in notes if self._code_around(note) is None]
        self._ends: dict[str, list[int]] = {}
        self._bare_ends: dict[str, list[int]] = {}
        self._bare: dict[str, list[int]] = {}
        self._tags = [match for match in _TAG.finditer(text) if self._noted(match)]

    def spans(self) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, name) of what is not the user's, in order; a note has no name."""
        at = 0
        for tag in self._tags:
            note = _after(self._notes, at)
            if note is not None and note < tag.start():
                break
            end = self._end_of(tag, at) if tag.start() >= at else None
            if end is not None:
                yield tag.start(), end, tag[2]
                at = end
        note = _after(self._notes, at)
        if note is not None:
            yield note, len(self._text), ""

    def _noted(self, tag: re.Match[str]) -> bool:
        """Keep tags by name and place; say whether one may begin what is not the user's."""
        name = tag[2].lower()
        is_bare = self._code_around(tag.start()) is None
        if not tag[1]:
            if is_bare:
                self._bare.setdefault(name, []).append(tag.start())
            return name not in _LAYOUT and name not in _WRAPPERS
        close = self._text.find(">", tag.end(), tag.end() + 40)
        self._ends.setdefault(name, []).append(close + 1 if close >= 0 else tag.end())
        if is_bare:
            self._bare_ends.setdefault(name, []).append(tag.start())
        return False

    def _end_of(self, tag: re.Match[str], at: int) -> int | None:
        """Return where the element of a tag ends, None for what is no element of a program."""
        name = tag[2].lower()
        if self._is_spoken_of(tag.start(), name):
            return None
        last = self._ends.get(name, (0,))[-1]
        begins = self._begins_line(tag.start(), at)
        is_marked = name in KNOWN or not name.isalnum()
        if last > tag.start():
            return last if is_marked or begins else None
        return len(self._text) if name in KNOWN and begins else None

    def _is_spoken_of(self, at: int, name: str) -> bool:
        """Say whether a tag stands in code, and is not one whose end the code has cut off."""
        code = self._code_around(at)
        if code is None:
            return False
        end = _after(self._bare_ends.get(name, ()), code[1])
        again = _after(self._bare.get(name, ()), code[1])
        return end is None or (again is not None and again < end)

    def _code_around(self, at: int) -> tuple[int, int] | None:
        index = bisect_right(self._code, (at, len(self._text) + 1)) - 1
        return self._code[index] if index >= 0 and at < self._code[index][1] else None

    def _begins_line(self, at: int, before: int) -> bool:
        """Say whether only blanks stand between a place and the start of its line, its piece, or
        the element before it."""
        blanks = _BLANKS.search(self._text, max(before, at - _MOST_BLANKS), at)
        first = at if blanks is None else blanks.start()
        is_start = any(place in self._starts for place in range(first, at + 1))
        return is_start or first <= before or self._text[first - 1] == "\n"


def _after(places: Sequence[int], at: int) -> int | None:
    """Return the first of some places in order that is not before `at`."""
    index = bisect_left(places, at)
    return places[index] if index < len(places) else None


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of what stands between fences that are closed, or between backticks."""
    at = 0
    opened: tuple[str, int] | None = None
    spans: list[tuple[int, int]] = []  # what counts where the fence is never closed
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line)
        inside = [(at + m.start(), at + m.end()) for m in _SPAN.finditer(line)]
        if opened is None and fence is None:
            yield from inside
        elif opened is None and fence is not None:
            opened, spans = (fence[1], at), []
        elif opened is not None and fence is not None and fence[1].startswith(opened[0]):
            yield opened[1], at + len(line)
            opened = None
        else:
            spans += inside
        at += len(line)
    if opened is not None:
        yield from spans
