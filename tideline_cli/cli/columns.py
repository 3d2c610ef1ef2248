"""Tables that fit the terminal: what stands beside the text gives way before the text does."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tideline_cli.cli import output, terminal
from tideline_cli.model.record import record
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from rich.console import RenderableType
    from rich.containers import Lines

    from tideline_cli.cli.session import Session
    Cells = Sequence[str | Text]

_GAP = 2
_LEAST = 36  # columns that the text keeps, where it is that long
_BEGINNING = 20  # columns of a text of which only the beginning is shown
_NARROWEST = 20
_PADDING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$", re.M)  # blanks at the end of a line
_ENDING = 6  # letters of an id that a narrow table shows
# Which columns give way, in this order: ids get shorter, then go, as the rest does.
ORDER = ("id", "when", "score", "id", "segment", "verb", "when", "check", "from")


@record
class Column:
    """A column. `forms` are its cells as they are in a wide terminal, and as they are in narrower
    ones; after the last form the column goes. One that `stays` keeps its last. The one that
    `is_text` takes the room that the others leave."""

    heading: str
    forms: tuple[Cells, ...]
    stays: bool = False
    is_number: bool = False
    is_text: bool = False


def text(heading: str, cells: Cells) -> Column:
    """Return the column that takes the room which is left."""
    return Column(heading, (cells,), stays=True, is_text=True)


def ids(fact_ids: Sequence[str]) -> Column:
    """Return the column of ids; where there is little room, of their endings."""
    short = [f"…{one[-_ENDING:]}" if len(one) > _ENDING + 1 else one for one in fact_ids]
    forms = ([Text(one, style="dim") for one in form] for form in (fact_ids, short))
    return Column("id", tuple(forms))


def places(count: int) -> Column:
    """Return the column of `@1`, `@2` …, which every command takes for the facts beside them."""
    return Column("", ([f"@{place}" for place in range(1, count + 1)],), stays=True)


def one_line(text: str) -> Text:
    """Return a stored text as one line that a terminal may show."""
    return Text(screen_text(output.one_line(text)))


def show(
    session: Session, columns: Sequence[Column], *, crops: bool = False, parted: int = 0
) -> None:
    """Print a table. Its text is wrapped, or cut where only its beginning matters. A blank line
    stands behind each `parted` rows."""
    width = screen_width()
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
    fitted = zip(columns, _fitted(columns, width, _BEGINNING if crops else _LEAST), strict=True)
    shown = [(column, place) for column, place in fitted if place < len(column.forms)]
    others = sum(_width(one, place) + _GAP for one, place in shown if not one.is_text)
    for column, place in shown:
        is_wrapped = column.is_text and not crops
        table.add_column(
            column.heading, no_wrap=not is_wrapped, overflow="fold" if is_wrapped else "ellipsis",
            justify="right" if column.is_number else "left",
            width=max(1, width - others) if column.is_text else _width(column, place),
        )  # fmt: skip
    rows = zip(*(column.forms[place] for column, place in shown), strict=True)
    for number, row in enumerate(rows):
        if parted and number and number % parted == 0:
            table.add_row()
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    put(session, table, width=width)


def put(session: Session, shown: RenderableType, *, width: int | None = None) -> None:
    """Print what rich can show, by the pager where it is longer than the terminal."""
    width = screen_width() if width is None else width
    buffer = io.StringIO()
    colors = _colors(session)
    console = Console(
        file=buffer, force_terminal=colors is not None, color_system=colors, width=width,
        markup=False, highlight=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    console.print(shown)
    terminal.show_by_pager(session, _PADDING.sub(r"\1", buffer.getvalue()))


def screen_width() -> int:
    """Return how many columns the terminal has, by COLUMNS if that says so."""
    return max(_NARROWEST, shutil.get_terminal_size((80, 24)).columns)


def _colors(session: Session) -> Literal["standard"] | None:
    """Return which colors rich may use; None for none at all, neither bold nor dim."""
    if session.color == "never" or (session.color == "auto" and _is_plain()):
        return None
    return "standard"


def _is_plain() -> bool:
    return not sys.stdout.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "")


def _fitted(columns: Sequence[Column], width: int, least: int) -> list[int]:
    """Return which form of each column leaves the text `least` columns, or all that it needs: one
    past the last where a column goes."""
    text = next(number for number, column in enumerate(columns) if column.is_text)
    least = min(least, _width(columns[text], 0))
    at = [0] * len(columns)
    for heading in ORDER:
        beside = (_width(one, at[n]) + _GAP for n, one in enumerate(columns) if n != text)
        if width - sum(beside) >= least:
            break
        for number, column in enumerate(columns):
            last = len(column.forms) - 1 if column.stays else len(column.forms)
            if column.heading == heading and at[number] < last:
                at[number] += 1
    return at


def _width(column: Column, place: int) -> int:
    """Return how wide a form of a column is; a column that is gone takes back its gap."""
    if place >= len(column.forms):
        return -_GAP
    longest = max((cell_len(str(cell)) for cell in column.forms[place]), default=0)
    return max(cell_len(column.heading), longest)


_BOND = "\ufdd0"  # stands for a blank that does not end a line; no text has it, it is no character
_WORDS = re.compile(r"(?<!,) ")
_PARENTHESIS = re.compile(r"\([^()]*\)")


def with_joined_parts(sums: str) -> str:
    """Return sums and products with what belongs together joined. What stands in parentheses may be
    parted from what it explains, and behind its commas, as it may be long."""
    parts = re.split(r" (?=[×+=] )", sums)
    return " ".join(_joined_part(part) for part in parts)


def _joined_part(part: str) -> str:
    inside = [_WORDS.sub(_BOND, found[0]) for found in _PARENTHESIS.finditer(part)]
    outside = [piece.replace(" ", _BOND) for piece in _PARENTHESIS.split(part)]
    told = outside[0]
    for text, after in zip(inside, outside[1:], strict=True):
        told = told.removesuffix(_BOND) + (" " if told.endswith(_BOND) else "") + text + after
    return told


class JoinedText(Text):
    """A text with joined blanks, which are blanks again once it is wrapped."""

    def wrap(self, *given: Any, **options: Any) -> Lines:
        """Return the lines of the text."""
        lines = super().wrap(*given, **options)
        for line in lines:
            line.plain = line.plain.replace(_BOND, " ")
        return lines
