"""Tables that fit the terminal, and progress on stderr, by rich. What stands beside the text gives
way before the text does; stored text is never markup."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from contextlib import contextmanager
from time import monotonic

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from tideline_cli.cli import output, terminal
from tideline_cli.model import time_words
from tideline_cli.model.record import record
from tideline_cli.policy.render import screen_text, with_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from rich.console import RenderableType
    from rich.containers import Lines

    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.finding import Finding
    from tideline_cli.model.hit import Hit
    from tideline_cli.policy.contradictions import Contradiction
    from tideline_cli.store.history import Entry, StandingBatch
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


def text_column(heading: str, cells: Cells) -> Column:
    """Return the column that takes the room which is left."""
    return Column(heading, (cells,), stays=True, is_text=True)


def id_column(fact_ids: Sequence[str]) -> Column:
    """Return the column of ids; where there is little room, of their endings."""
    short = [f"…{one[-_ENDING:]}" if len(one) > _ENDING + 1 else one for one in fact_ids]
    forms = ([Text(one, style="dim") for one in form] for form in (fact_ids, short))
    return Column("id", tuple(forms))


def place_column(count: int) -> Column:
    """Return the column of `@1`, `@2` …, which every command takes for the facts beside them."""
    return Column("", ([f"@{place}" for place in range(1, count + 1)],), stays=True)


def one_line(text: str) -> Text:
    """Return a stored text as one line that a terminal may show."""
    return Text(screen_text(output.one_line(text)))


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


def _fitted_widths(columns: Sequence[Column], width: int, least: int) -> list[int]:
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


_OF_A_HIT = 1_000  # characters of a text that a recall shows, and a list
_OF_A_LINE = 300
_WORD = 30  # characters within which a word ends


def _about(fact: Fact) -> str:
    """Return what helps to judge a hit beside its age: its slot, its title, of a chunk its document
    and its page, and who spoke."""
    spoke = fact.speaker or ("" if fact.role in (None, "user") else fact.role)
    cited = [fact.document, fact.source_turn, fact.title] if fact.document else []
    told = [f"slot {fact.slot}" if fact.slot else "",
            *(cited or [fact.title or fact.source_turn]),
            f"said by {spoke}" if spoke else ""]  # fmt: skip
    return screen_text(" · ".join(" ".join(part.split()) for part in told if part))


def _beginning(text: str, most: int) -> str:
    """Return the beginning of a text, up to the end of a word where one ends near."""
    cut = text[:most]
    near = max(cut.rfind(" "), cut.rfind("\n"))
    return cut[: near if near > most - _WORD else most].rstrip() + " …"


@contextmanager
def progress_bar(
    label: str, total: int, position: Callable[[], int] | None
) -> Iterator[Callable[[int], None]]:
    """Show a bar on stderr, and give what is told now and then how many rows are done; `position`
    says how far the file is read, where that is not by rows."""
    columns = (
        TextColumn("{task.description}"), BarColumn(),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )  # fmt: skip
    shown = Progress(*columns, console=Console(file=sys.stderr), transient=True)
    task, began = shown.add_task(label, total=total, rows=0, rate=0.0), monotonic()

    def advance(rows: int) -> None:
        rate = rows / max(monotonic() - began, 1e-3)
        place = rows if position is None else position()
        shown.update(task, completed=place, rows=rows, rate=rate)

    with shown:
        yield advance


_SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "repaired": "green"}


def _setting_value(value: str) -> Text:
    return one_line(value) if value else Text("not set", style="dim")


def _fact_places(fact_ids: Sequence[str | None]) -> Column:
    """Return the column of `@1`, `@2` …, which stand for the facts of the rows that have one."""
    known = dict.fromkeys(one for one in fact_ids if one)
    places = {one: f"@{place}" for place, one in enumerate(known, 1)}
    return Column("", ([places.get(one or "", "") for one in fact_ids],), stays=True)


class Tables:
    """The tables of a session. Stored texts are printed as text: control characters are made
    visible."""

    def __init__(self, session: Session) -> None:
        self._session = session

    bar = staticmethod(progress_bar)

    def show_columns(
        self, columns: Sequence[Column], *, crops: bool = False, parted: int = 0
    ) -> None:
        """Print a table. Its text is wrapped, or cut where only its beginning matters. A blank line
        stands behind each `parted` rows."""
        width = screen_width()
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
        widths = _fitted_widths(columns, width, _BEGINNING if crops else _LEAST)
        fitted = zip(columns, widths, strict=True)
        shown = [(column, place) for column, place in fitted if place < len(column.forms)]
        others = sum(_width(one, place) + _GAP for one, place in shown if not one.is_text)
        for column, place in shown:
            is_wrapped = column.is_text and not crops
            table.add_column(
                column.heading, no_wrap=not is_wrapped,
                overflow="fold" if is_wrapped else "ellipsis",
                justify="right" if column.is_number else "left",
                width=max(1, width - others) if column.is_text else _width(column, place),
            )  # fmt: skip
        rows = zip(*(column.forms[place] for column, place in shown), strict=True)
        for number, row in enumerate(rows):
            if parted and number and number % parted == 0:
                table.add_row()
            table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
        self._put_shown(table, width=width)

    def _put_shown(self, shown: RenderableType, *, width: int | None = None) -> None:
        """Print what rich can show, by the pager where it is longer than the terminal."""
        width = screen_width() if width is None else width
        buffer = io.StringIO()
        colors = _colors(self._session)
        console = Console(
            file=buffer, force_terminal=colors is not None, color_system=colors, width=width,
            markup=False, highlight=False, emoji=False, legacy_windows=False,
        )  # fmt: skip
        console.print(shown)
        terminal.show_by_pager(self._session, _PADDING.sub(r"\1", buffer.getvalue()))

    def hits(self, found: Sequence[Hit], explained: Callable[[Hit], str] | None = None) -> None:
        """Print the hits of a recall; `explained` says what a score is made of."""
        texts, scores = [], []
        contents = self._beginnings([hit.fact for hit in found], _OF_A_HIT)
        for hit, content in zip(found, contents, strict=True):
            lines = output.block(content.expandtabs(4))
            text = Text("\n".join(map(screen_text, lines)))
            if hit.fact.lifecycle != "active":
                text.append(f" ({hit.fact.lifecycle})", style="dim")
            about = _about(hit.fact)
            if hit.via is not None:
                way = "from" if hit.via.leaves else "to"
                linked = f"via {hit.via.kind} {way} …{hit.via.id[-6:]}"
                about = f"{linked} · {about}" if about else linked
            if hit.weak:
                text.append("\nweak match", style="yellow")
            if about:
                text.append((" · " if hit.weak else "\n") + about, style="dim")
            if explained is not None:
                text.append("\n" + with_joined_parts(explained(hit)), style="dim")
                text = JoinedText.assemble(text)
            mark = "" if hit.why.lane == "lexical" else "~"
            texts.append(text)
            scores.append(Text(f"{mark}{hit.score:.3f}", style="dim" if mark else ""))
        self.show_columns((
            place_column(len(found)),
            Column("score", (scores,), is_number=True),
            text_column("fact", texts),
            Column("segment", ([hit.fact.segment for hit in found],)),
            self._when([hit.fact.created_at for hit in found]),
            id_column([hit.fact.id for hit in found]),
        ))  # fmt: skip

    def facts(
        self, found: Sequence[Fact], strength: Callable[[Fact], float] | None = None, *, now: int
    ) -> None:
        """Print a list of facts, with `strength` how strong each is; `now` says what has ended."""
        texts = list(map(one_line, self._beginnings(found, _OF_A_LINE)))
        for fact, text in zip(found, texts, strict=True):
            if state := output.state(fact, now=now):
                text.append(f" ({state})")
                text.stylize("dim")
            elif fact.progress in ("blocked", "done"):
                text.append(f" ({fact.progress})", style="dim")
        strong = [] if strength is None else [f"{strength(fact):.3f}" for fact in found]
        self.show_columns((
            place_column(len(found)),
            text_column("fact", texts),
            Column("segment", ([fact.segment for fact in found],)),
            *([Column("strength", (strong,))] if strong else []),
            self._when([fact.created_at for fact in found]),
            id_column([fact.id for fact in found]),
        ))  # fmt: skip

    def _beginnings(self, found: Sequence[Fact], most: int) -> list[str]:
        """Return the texts of facts, of long ones the beginning; a note says how to read one whole.
        """
        texts = [with_title(fact.title, fact.content) for fact in found]
        both = zip(found, texts, strict=True)
        long = next((fact for fact, text in both if len(text) > most), None)
        if long is not None:
            call = self._session.call("show", long.id)
            self._session.note(f"long texts are cut (…): `{call}` prints one whole")
        return [text if len(text) <= most else _beginning(text, most) for text in texts]

    def _when(self, times: Sequence[int]) -> Column:
        """Return the column that says how long ago; where there is little room, in few letters."""
        now = self._session.now
        forms = ([form(at, now) for at in times] for form in (time_words.ago, time_words.brief))
        return Column("when", tuple(forms))

    def fading(self, rows: Sequence[tuple[str, Fact, str]]) -> None:
        """Print what fades: the day, the fact, and below it why, with its id: so the text stays
        wide."""
        texts = []
        shown = self._beginnings([fact for _, fact, _ in rows], _OF_A_LINE)
        for (_, fact, why), content in zip(rows, shown, strict=True):
            text = one_line(content)
            if state := output.state(fact, now=self._session.now):
                text.append(f" ({state})", style="dim")
            texts.append(text.append(f"\n{fact.id} · {why}", style="dim"))
        self.show_columns((
            Column("fades", ([day for day, _, _ in rows],), stays=True),
            text_column("fact", texts),
        ))  # fmt: skip

    def slot_changes(self, rows: Sequence[tuple[str, str, Fact, str]]) -> None:
        """Print slots: when the last value came, the name, the value, how many there were."""
        texts = []
        shown = self._beginnings([fact for _, _, fact, _ in rows], _OF_A_LINE)
        for (_, _, fact, _), content in zip(rows, shown, strict=True):
            text = one_line(content)
            if fact.lifecycle != "active":
                text.append(f" ({fact.lifecycle})", style="dim")
            texts.append(text)
        self.show_columns((
            Column("changed", ([day for day, _, _, _ in rows],), stays=True),
            Column("slot", ([one_line(slot) for _, slot, _, _ in rows],), stays=True),
            text_column("fact", texts),
            Column("values", ([values for _, _, _, values in rows],)),
        ))  # fmt: skip

    def timeline(self, rows: Sequence[tuple[bool, str, Fact, str]], *, draws: bool) -> None:
        """Print facts through time, one below the other: whether it holds, since when, the text,
        and what is said of it. Without `draws` the marks are ASCII."""
        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold", ratio=1)
        on, off = ("●", "○") if draws else ("*", "o")
        line = "│" if draws else "|"
        shown = self._beginnings([fact for _, _, fact, _ in rows], _OF_A_LINE)
        for place, (holds, day, _, told) in enumerate(rows):
            text = one_line(shown[place])
            text.style = "" if holds else "dim"
            text.append("\n" + told, style="dim")
            table.add_row(on if holds else off, day, text)
            if place < len(rows) - 1:
                table.add_row(Text(line, style="dim"), "", "")
        self._put_shown(table)

    def kinds(self, found: Sequence[tuple[str, str, int, Sequence[Fact]]]) -> None:
        """Print of each kind of row what it is, what becomes of it, how many there are, and below
        it the first facts of it, a line each."""
        names = ["of the file", *(str(one_line(name)) for name, *_ in found)]
        becoming = ["become", *(str(one_line(becomes)) for _, becomes, *_ in found)]
        counts = ["rows", *(f"{count:,}" for _, _, count, _ in found)]
        wide, long = max(map(len, counts)), max(map(cell_len, names))
        heads = [
            Text(f"{count:>{wide}}  {name}{' ' * (long - cell_len(name))}  {becomes}")
            for count, name, becomes in zip(counts, names, becoming, strict=True)
        ]
        table = Table(box=None, pad_edge=False, show_header=False, padding=0)
        table.add_column(no_wrap=True, overflow="ellipsis", width=screen_width())
        table.add_row(heads[0], style="dim")
        for head, (_, _, _, first) in zip(heads[1:], found, strict=True):
            table.add_row(head, style="bold")
            for fact in first:
                said = one_line(with_title(fact.title, fact.content))
                table.add_row(Text(" " * (wide + 2)) + said)
        self._put_shown(table)

    def listing(self, headings: Sequence[str], rows: Sequence[Sequence[str]], *, wide: str) -> None:
        """Print rows of texts; the column `wide` takes the room that the others leave."""
        shown = ([one_line(row[place]) for row in rows] for place in range(len(headings)))
        self.show_columns([
            Column(heading, (cells,), stays=True, is_text=heading == wide)
            for heading, cells in zip(headings, shown, strict=True)
        ])  # fmt: skip

    def findings(self, found: Sequence[Finding], mended: Mapping[Finding, bool]) -> None:
        """Print what is wrong, each with what to do about it unless that is done."""
        marks: list[Text] = []
        texts: list[Text] = []
        for finding in found:
            is_done = mended.get(finding, False)
            word = "repaired" if is_done else finding.severity
            marks.append(Text(word, style=_SEVERITY_STYLES.get(word, "")))
            text = one_line(finding.message)
            if not is_done:
                remedy = one_line(f"→ {finding.remedy}")
                remedy.stylize("dim")
                text.append("\n").append_text(remedy)
            texts.append(text)
        self.show_columns((
            Column("", (marks,), stays=True),
            Column("check", ([finding.check for finding in found],)),
            text_column("what", texts),
        ), parted=1)  # fmt: skip

    def settings(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Print settings: name, value, and where the value comes from."""
        names, values, origins = zip(*rows, strict=True)
        self.show_columns((
            Column("setting", (list(names),), stays=True),
            text_column("value", [_setting_value(value) for value in values]),
            Column("from", ([Text(one, style="dim") for one in origins],)),
        ))  # fmt: skip

    def pairs(self, found: Sequence[Contradiction]) -> None:
        """Print pairs that may contradict each other, the newer fact of each first."""
        both = [fact for pair in found for fact in (pair.a, pair.b)]
        scores = [text for pair in found for text in (f"{pair.score:.2f}", "")]
        self.show_columns((
            place_column(len(both)),
            Column("score", (scores,), is_number=True),
            text_column("facts", [output.told(fact) for fact in both]),
            self._when([fact.created_at for fact in both]),
            id_column([fact.id for fact in both]),
        ), parted=2)  # fmt: skip

    def undo_steps(self, found: Sequence[StandingBatch], texts: Sequence[str]) -> None:
        """Print what could be undone, a line a batch; `texts` say what each did."""
        self.show_columns((
            *self._steps([(step.ordinal, step.at, step.verb) for step in found]),
            text_column("what", [one_line(text) for text in texts]),
        ), crops=True)  # fmt: skip

    def history_batches(
        self, found: Sequence[Entry], texts: Sequence[str], ids: Sequence[str | None],
        standing: Collection[int],
    ) -> None:  # fmt: skip
        """Print batches, newest first: of each its first entry, what it did, the id of its fact,
        and whether it stands or was taken back since."""
        shown: list[Text] = []
        for entry, said in zip(found, texts, strict=True):
            text = one_line(said)
            if entry.outcome != "blocked" and entry.batch not in standing:
                text = Text("undone · ").append_text(text)
            if entry.batch not in standing:
                text.stylize("dim")
            shown.append(text)
        self.show_columns((
            *self._steps([(entry.batch, entry.at, entry.verb) for entry in found]),
            _fact_places(ids),
            text_column("what", shown),
        ), crops=True)  # fmt: skip

    def fact_changes(self, found: Sequence[Entry], said: Sequence[str]) -> None:
        """Print the changes of one fact, each as it is `said` in words."""
        self.show_columns((
            *self._steps([(entry.batch, entry.at, entry.verb) for entry in found]),
            text_column("what", [one_line(text) for text in said]),
        ))  # fmt: skip

    def _steps(self, found: Sequence[tuple[int | None, int, str]]) -> tuple[Column, ...]:
        """Return the columns of batches: their numbers, how long ago they were, their verbs."""
        numbers = [Text("-" if one is None else str(one), style="bold") for one, _, _ in found]
        return (
            Column("batch", (numbers,), stays=True, is_number=True),
            self._when([at for _, at, _ in found]),
            Column("verb", ([verb for _, _, verb in found],)),
        )
