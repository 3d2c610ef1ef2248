"""Tables on a terminal and progress on stderr, by rich. Stored text is never markup."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from tideline_cli.model import instant
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit

_ID_SHOWN = 26


def hits(
    session: Session, found: Sequence[Hit], explained: Callable[[Hit], str] | None = None
) -> None:
    """Print the hits of a recall; `explained` says what a score is made of."""
    table = _table("", "score", "fact", "segment", "id")
    for rank, hit in enumerate(found, 1):
        text = Text(screen_text(" ".join(hit.fact.content.split())))
        if hit.fact.lifecycle != "active":
            text.append(f" ({hit.fact.lifecycle})", style="dim")
        if explained is not None:
            text.append("\n" + explained(hit), style="dim")
        mark = "~" if hit.why.lane == "vector" else ""
        score = Text(f"{mark}{hit.score:.3f}", style="dim" if mark else "")
        table.add_row(f"@{rank}", score, text, hit.fact.segment, Text(hit.fact.id, style="dim"))
    _console(session).print(table)


def facts(session: Session, found: Sequence[Fact]) -> None:
    """Print a list of facts."""
    table = _table("made", "fact", "segment", "id")
    for fact in found:
        text = Text(screen_text(" ".join(fact.content.split())))
        if fact.lifecycle != "active":
            text.append(f" ({fact.lifecycle})")
            text.stylize("dim")
        made = instant.iso(fact.created_at)[:10]
        table.add_row(made, text, fact.segment, Text(fact.id, style="dim"))
    _console(session).print(table)


def fading(session: Session, rows: Sequence[tuple[str, Fact, str]]) -> None:
    """Print what fades: the day, the fact, and why."""
    table = _table("fades", "fact", "segment", "id")
    for day, fact, why in rows:
        text = Text(screen_text(" ".join(fact.content.split())))
        text.append(f"\n{why}", style="dim")
        table.add_row(day, text, fact.segment, Text(fact.id, style="dim"))
    _console(session).print(table)


def cells(session: Session, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of texts; the first column takes the room that the others leave."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(names):
        table.add_column(name, overflow="fold", ratio=3 if not place else 1)
    for row in rows:
        table.add_row(*(Text(screen_text(cell)) for cell in row))
    _console(session).print(table)


class progress_bar:  # noqa: N801  reads as a statement: with progress(...) as advance
    """A bar on stderr; `advance` is called now and then, `position` says how far it is."""

    def __init__(self, label: str, total: int, position: Callable[[], int]) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._task = self._bar.add_task(label, total=total)
        self._position = position

    def __enter__(self) -> Callable[[int], None]:
        self._bar.start()
        return lambda _: self._bar.update(self._task, completed=self._position())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        fold = heading == "fact"
        table.add_column(heading, overflow="fold", no_wrap=not fold, ratio=1 if fold else None)
    return table


def _console(session: Session) -> Console:
    return Console(
        force_terminal=session.color == "always" or None,
        no_color=session.color == "never",
        markup=False,
        highlight=False,
        emoji=False,
    )
