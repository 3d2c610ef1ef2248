"""An evaluation on a terminal: a table of ways, and one of categories."""

from __future__ import annotations

from textwrap import wrap

from rich.text import Text

from tideline_cli.cli import columns, output
from tideline_cli.cli.columns import Column
from tideline_cli.cli.eval_words import HEADINGS, about, figure, told_difference, way_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.cli.eval_gold import GoldFile
    from tideline_cli.cli.session import Session
    from tideline_cli.evaluation.ask import Answered, Comparison
    from tideline_cli.evaluation.metrics import Interval

_SHOWN = 3  # of the measures: what is hit stands in the JSON
_WIDE = 110  # columns in which intervals have room, in full
_NARROW = 76  # and in two digits


def outcomes(
    session: Session, gold: GoldFile, found: Sequence[Answered],
    against: Sequence[Comparison | None],
) -> None:  # fmt: skip
    """Print a row for each way; below it what it wins and loses."""
    output.emit_lines([*wrap(about(gold, found[0]), columns.screen_width()), ""])
    shows, tells = _forms()
    names, marks, cells = list[Text](), list[str](), list[list[Text]]()
    for one, other in zip(found, against, strict=True):
        names.append(Text(way_name(one)))
        marks.append("")
        cells.append([Text(shows(value)) for value in one.intervals().values()])
        if other is not None:
            names.append(Text("  difference", style="dim"))
            marks.append(f"+{len(other.won):,} -{len(other.lost):,}")
            cells.append([Text(tells(value), style="dim") for value in other.differences.values()])
    columns.show(session, (
        columns.text("way", names), *_measures(cells, found[0].way.k),
        *([Column("hits", (marks,), stays=True, is_number=True)] if any(marks) else []),
    ))  # fmt: skip
    if len(found) == 1:
        _categories(session, found[0])


def _forms() -> tuple[Callable[[Interval], str], Callable[[Interval], str]]:
    """Return how a figure and a difference are shown: with the interval where that has room."""
    width = columns.screen_width()
    if width >= _WIDE:
        return figure, told_difference
    short = (lambda one: f"{one.mean:.3f}") if width < _NARROW else (
        lambda one: f"{one.mean:.3f} {_two(one.lo)}-{_two(one.hi)}"
    )  # fmt: skip
    return short, (lambda one: told_difference(one).partition(" ")[0])


def _two(value: float) -> str:
    """Return a share in two digits: .76"""
    return f"{value:.2f}".removeprefix("0")


def _measures(cells: Sequence[Sequence[Text]], k: int) -> list[Column]:
    return [
        Column(f"{HEADINGS[place]}@{k}", ([row[place] for row in cells],), stays=True,
               is_number=True)
        for place in range(_SHOWN)
    ]  # fmt: skip


def _categories(session: Session, outcome: Answered) -> None:
    names = sorted({one.category for one in outcome.answers if one.category and one.measures})
    if len(names) < 2:
        return
    output.emit_lines([""])
    shows, _ = _forms()
    rows = [list(outcome.intervals(one).values()) for one in names]
    counts = [f"{row[0].n:,}" for row in rows]
    cells = [[Text(shows(value)) for value in row] for row in rows]
    columns.show(session, (
        columns.text("category", list(map(Text, names))),
        Column("questions", (counts,), stays=True, is_number=True),
        *_measures(cells, outcome.way.k),
    ))  # fmt: skip
