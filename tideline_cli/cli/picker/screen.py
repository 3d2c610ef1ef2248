"""The list as lines of a screen: the question, the facts, the marked one whole, and the keys."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells, set_cell_size

from tideline_cli.cli.picker.offer import line_of, shown_lines
from tideline_cli.model.record import record
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.cli.picker.choosing import Choosing

KEYS = "enter take · ^x forget · ^t pin · ^y copy id · esc leave"
_SHORT_KEYS = "↵ take ^x forget ^t pin ^y id"
_PROMPT, _MARK, _NO_MARK = "> ", "> ", "  "
_LEAST_FOR_VIEW = 9  # rows of a screen that shows the marked fact beside the list
_REVERSED, _DIM, _PLAIN = "\x1b[7m", "\x1b[2m", "\x1b[0m"


@record
class Size:
    """The columns and rows of a terminal, and whether it may show bold, dim and reversed."""

    columns: int
    rows: int
    is_styled: bool


@record
class Drawn:
    """The lines of a screen, and the column of the cursor, which is in the first of them."""

    lines: list[str]
    column: int


def drawn(state: Choosing, size: Size, *, now: int) -> Drawn:
    """Return what a screen shows, no line wider than it; `state.page` is set to what fits."""
    width = max(4, size.columns - 1)  # the last column makes some terminals go on a line further
    room = max(1, size.rows - 2)
    view = room // 2 if size.rows >= _LEAST_FOR_VIEW else 0
    state.page = max(1, room - view - (1 if view else 0))
    question, column = _question(state, width)
    keys = KEYS if cell_len(KEYS) <= width else _SHORT_KEYS
    told = screen_text(state.said) or f"{len(state.facts):,} · {keys}"
    lines = [question, _styled(_cut(told, width), "" if state.said else _DIM, size)]
    lines += _list(state, width, size, now=now)
    if view:
        lines.append(_styled("─" * width, _DIM, size))
        lines += _view(state, width, view, now=now)
    return Drawn(lines[: size.rows], column)


def _question(state: Choosing, width: int) -> tuple[str, int]:
    """Return the line of the question, its end or its cursor in sight, and the cursor's column."""
    room = width - len(_PROMPT)
    near = 4 * width  # letters at most that are in sight, some of them without a column
    before = screen_text(state.text[max(0, state.cursor - near) : state.cursor])
    after = screen_text(state.text[state.cursor : state.cursor + near])
    while cell_len(before) >= room:
        before = before[1:]
    return _cut(_PROMPT + before + after, width), len(_PROMPT) + cell_len(before)


def _list(state: Choosing, width: int, size: Size, *, now: int) -> Iterable[str]:
    first = state.place - state.place % state.page
    shown = state.facts[first : first + state.page]
    lines = [
        _styled(_cut(_MARK + line_of(fact, now=now), width), _REVERSED, size)
        if first + row == state.place else _cut(_NO_MARK + line_of(fact, now=now), width)
        for row, fact in enumerate(shown)
    ]  # fmt: skip
    return [*lines, *[""] * (state.page - len(lines))]


def _view(state: Choosing, width: int, rows: int, *, now: int) -> list[str]:
    """Return the rows that show the marked fact, from the line to which it is scrolled on."""
    if state.marked is None:
        return []
    folded = [part for line in shown_lines(state.marked, now=now) for part in _folded(line, width)]
    state.scrolled = min(state.scrolled, max(0, len(folded) - rows))
    shown = folded[state.scrolled : state.scrolled + rows]
    if state.scrolled + rows < len(folded):
        shown[-1] = "… shift-down shows more"[:width]
    return shown


def _folded(line: str, width: int) -> list[str]:
    """Return a line in parts that fit, broken at blanks where there are any."""
    parts: list[str] = []
    while cell_len(line) > width:
        head = chop_cells(line, width)[0]
        blank = head.rfind(" ")
        head = head[: blank + 1] if blank > 0 else head or line[0]
        parts.append(head.rstrip())
        line = line[len(head) :]
    return [*parts, line]


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + "…"


def _styled(text: str, style: str, size: Size) -> str:
    return style + text + _PLAIN if size.is_styled and style else text
