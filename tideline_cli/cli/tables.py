"""Tables on a terminal and progress on stderr, by rich. Stored text is never markup."""

from __future__ import annotations

import sys
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from tideline_cli.cli import ages, columns, output
from tideline_cli.cli.columns import Column
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from types import TracebackType

    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.finding import Finding
    from tideline_cli.model.hit import Hit
    from tideline_cli.policy.contradictions import Contradiction
    from tideline_cli.store.history import Entry
    from tideline_cli.store.steps import StandingBatch

_OF_A_HIT = 1_000  # characters of a text that a recall shows, and a list
_OF_A_LINE = 300
_WORD = 30  # characters within which a word ends


def hits(
    session: Session, found: Sequence[Hit], explained: Callable[[Hit], str] | None = None
) -> None:
    """Print the hits of a recall; `explained` says what a score is made of."""
    texts, scores = [], []
    for hit, content in zip(found, _beginnings(session, [hit.fact for hit in found], _OF_A_HIT),
                            strict=True):  # fmt: skip
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
            text.append("\n" + columns.with_joined_parts(explained(hit)), style="dim")
            text = columns.JoinedText.assemble(text)
        mark = "" if hit.why.lane == "lexical" else "~"
        texts.append(text)
        scores.append(Text(f"{mark}{hit.score:.3f}", style="dim" if mark else ""))
    columns.show(session, (
        columns.places(len(found)),
        Column("score", (scores,), is_number=True),
        columns.text("fact", texts),
        Column("segment", ([hit.fact.segment for hit in found],)),
        when(session, [hit.fact.created_at for hit in found]),
        columns.ids([hit.fact.id for hit in found]),
    ))  # fmt: skip


def _about(fact: Fact) -> str:
    """Return what helps to judge a hit beside its age: its slot, its title, of a chunk its document
    and its page, and who spoke."""
    spoke = fact.speaker or ("" if fact.role in (None, "user") else fact.role)
    cited = [fact.document, fact.source_turn, fact.title] if fact.document else []
    told = [f"slot {fact.slot}" if fact.slot else "",
            *(cited or [fact.title or fact.source_turn]),
            f"said by {spoke}" if spoke else ""]  # fmt: skip
    return screen_text(" · ".join(" ".join(part.split()) for part in told if part))


def facts(
    session: Session, found: Sequence[Fact], strength: Callable[[Fact], float] | None = None, *,
    now: int,
) -> None:  # fmt: skip
    """Print a list of facts, with `strength` how strong each is; `now` says what has ended."""
    texts = list(map(columns.one_line, _beginnings(session, found, _OF_A_LINE)))
    for fact, text in zip(found, texts, strict=True):
        if state := output.state(fact, now=now):
            text.append(f" ({state})")
            text.stylize("dim")
        elif fact.progress in ("blocked", "done"):
            text.append(f" ({fact.progress})", style="dim")
    columns.show(session, (
        columns.places(len(found)),
        columns.text("fact", texts),
        Column("segment", ([fact.segment for fact in found],)),
        *([Column("strength", ([f"{strength(fact):.3f}" for fact in found],))] if strength else []),
        when(session, [fact.created_at for fact in found]),
        columns.ids([fact.id for fact in found]),
    ))  # fmt: skip


def _beginnings(session: Session, found: Sequence[Fact], most: int) -> list[str]:
    """Return the texts of facts, of long ones the beginning; a note says how to read one whole."""
    long = next((fact for fact in found if len(fact.content) > most), None)
    if long is not None:
        session.note(f"long texts are cut (…): `{session.call('show', long.id)}` prints one whole")
    return [fact.content if len(fact.content) <= most else _beginning(fact.content, most)
            for fact in found]  # fmt: skip


def _beginning(text: str, most: int) -> str:
    """Return the beginning of a text, up to the end of a word where one ends near."""
    cut = text[:most]
    near = max(cut.rfind(" "), cut.rfind("\n"))
    return cut[: near if near > most - _WORD else most].rstrip() + " …"


def when(session: Session, times: Sequence[int]) -> Column:
    """Return the column that says how long ago; where there is little room, in a few letters."""
    now = session.now
    return Column("when", tuple([form(at, now) for at in times] for form in (ages.ago, ages.brief)))


def fading(session: Session, rows: Sequence[tuple[str, Fact, str]]) -> None:
    """Print what fades: the day, the fact, and below it why, with its id: so the text stays wide.
    """
    texts = []
    shown = _beginnings(session, [fact for _, fact, _ in rows], _OF_A_LINE)
    for (_, fact, why), content in zip(rows, shown, strict=True):
        text = columns.one_line(content)
        if state := output.state(fact, now=session.now):
            text.append(f" ({state})", style="dim")
        texts.append(text.append(f"\n{fact.id} · {why}", style="dim"))
    columns.show(session, (
        Column("fades", ([day for day, _, _ in rows],), stays=True),
        columns.text("fact", texts),
    ))  # fmt: skip


def slot_changes(session: Session, rows: Sequence[tuple[str, str, Fact, str]]) -> None:
    """Print slots: when the last value came, the name, the value, how many there were."""
    texts = []
    shown = _beginnings(session, [fact for _, _, fact, _ in rows], _OF_A_LINE)
    for (_, _, fact, _), content in zip(rows, shown, strict=True):
        text = columns.one_line(content)
        if fact.lifecycle != "active":
            text.append(f" ({fact.lifecycle})", style="dim")
        texts.append(text)
    columns.show(session, (
        Column("changed", ([day for day, _, _, _ in rows],), stays=True),
        Column("slot", ([columns.one_line(slot) for _, slot, _, _ in rows],), stays=True),
        columns.text("fact", texts),
        Column("values", ([values for _, _, _, values in rows],)),
    ))  # fmt: skip


def timeline(
    session: Session, rows: Sequence[tuple[bool, str, Fact, str]], *, draws: bool
) -> None:
    """Print facts through time, one below the other: whether it holds, since when, the text, and
    what is said of it. Without `draws` the marks are ASCII."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    on, off = ("●", "○") if draws else ("*", "o")
    line = "│" if draws else "|"
    shown = _beginnings(session, [fact for _, _, fact, _ in rows], _OF_A_LINE)
    for place, (holds, day, _, told) in enumerate(rows):
        text = columns.one_line(shown[place])
        text.style = "" if holds else "dim"
        text.append("\n" + told, style="dim")
        table.add_row(on if holds else off, day, text)
        if place < len(rows) - 1:
            table.add_row(Text(line, style="dim"), "", "")
    columns.put(session, table)


def listing(
    session: Session, headings: Sequence[str], rows: Sequence[Sequence[str]], *, wide: str
) -> None:
    """Print rows of texts; the column `wide` takes the room that the others leave."""
    shown = ([columns.one_line(row[place]) for row in rows] for place in range(len(headings)))
    columns.show(session, tuple(
        columns.text(heading, cells) if heading == wide else Column(heading, (cells,), stays=True)
        for heading, cells in zip(headings, shown, strict=True)
    ))  # fmt: skip


class progress_bar:  # noqa: N801  reads as a statement: with progress(...) as advance
    """A bar on stderr; `advance` is called now and then with the number of rows, `position` says
    how far the file is read."""

    def __init__(self, label: str, total: int, position: Callable[[], int]) -> None:
        columns = (
            TextColumn("{task.description}"), BarColumn(),
            TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f}/s"),
            TimeRemainingColumn(),
        )  # fmt: skip
        self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._task = self._bar.add_task(label, total=total, rows=0, rate=0.0)
        self._position = position
        self._began = monotonic()

    def __enter__(self) -> Callable[[int], None]:
        self._bar.start()
        return self._advance

    def _advance(self, rows: int) -> None:
        rate = rows / max(monotonic() - self._began, 1e-3)
        self._bar.update(self._task, completed=self._position(), rows=rows, rate=rate)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()


_SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "repaired": "green"}


def findings(
    session: Session, found: Sequence[Finding], mended: Mapping[Finding, bool]
) -> None:
    """Print what is wrong, each with what to do about it unless that is done."""
    marks: list[Text] = []
    texts: list[Text] = []
    for finding in found:
        is_done = mended.get(finding, False)
        word = "repaired" if is_done else finding.severity
        marks.append(Text(word, style=_SEVERITY_STYLES.get(word, "")))
        text = columns.one_line(finding.message)
        if not is_done:
            remedy = columns.one_line(f"→ {finding.remedy}")
            remedy.stylize("dim")
            text.append("\n").append_text(remedy)
        texts.append(text)
    columns.show(session, (
        Column("", (marks,), stays=True),
        Column("check", ([finding.check for finding in found],)),
        columns.text("what", texts),
    ), parted=1)  # fmt: skip


def settings(session: Session, rows: Sequence[tuple[str, str, str]]) -> None:
    """Print settings: name, value, and where the value comes from."""
    names, values, origins = zip(*rows, strict=True)
    columns.show(session, (
        Column("setting", (list(names),), stays=True),
        columns.text("value", [_setting_value(value) for value in values]),
        Column("from", ([Text(one, style="dim") for one in origins],)),
    ))  # fmt: skip


def _setting_value(value: str) -> Text:
    return columns.one_line(value) if value else Text("not set", style="dim")


def pairs(session: Session, found: Sequence[Contradiction]) -> None:
    """Print pairs that may contradict each other, the newer fact of each first."""
    both = [fact for pair in found for fact in (pair.a, pair.b)]
    scores = [text for pair in found for text in (f"{pair.score:.2f}", "")]
    columns.show(session, (
        columns.places(len(both)),
        Column("score", (scores,), is_number=True),
        columns.text("facts", [columns.one_line(fact.content) for fact in both]),
        when(session, [fact.created_at for fact in both]),
        columns.ids([fact.id for fact in both]),
    ), parted=2)  # fmt: skip


def undo_steps(session: Session, found: Sequence[StandingBatch], texts: Sequence[str]) -> None:
    """Print what could be undone, a line a batch; `texts` say what each did."""
    columns.show(session, (
        _batches([step.ordinal for step in found]),
        when(session, [step.at for step in found]),
        Column("verb", ([step.verb for step in found],)),
        columns.text("what", [columns.one_line(text) for text in texts]),
    ), crops=True)  # fmt: skip


def history_batches(
    session: Session, found: Sequence[Entry], texts: Sequence[str], ids: Sequence[str | None],
    standing: Collection[int],
) -> None:  # fmt: skip
    """Print batches, newest first: of each its first entry, what it did, the id of its fact, and
    whether it stands or was taken back since."""
    shown: list[Text] = []
    for entry, said in zip(found, texts, strict=True):
        text = columns.one_line(said)
        if entry.outcome != "blocked" and entry.batch not in standing:
            text = Text("undone · ").append_text(text)
        if entry.batch not in standing:
            text.stylize("dim")
        shown.append(text)
    columns.show(session, (
        _batches([entry.batch for entry in found]),
        when(session, [entry.at for entry in found]),
        Column("verb", ([entry.verb for entry in found],)),
        _fact_places(ids),
        columns.text("what", shown),
    ), crops=True)  # fmt: skip


def fact_changes(session: Session, found: Sequence[Entry], said: Sequence[str]) -> None:
    """Print the changes of one fact, each as it is `said` in words."""
    columns.show(session, (
        _batches([entry.batch for entry in found]),
        when(session, [entry.at for entry in found]),
        Column("verb", ([entry.verb for entry in found],)),
        columns.text("what", [columns.one_line(text) for text in said]),
    ))  # fmt: skip


def _batches(ordinals: Sequence[int | None]) -> Column:
    numbers = [Text("-" if one is None else str(one), style="bold") for one in ordinals]
    return Column("batch", (numbers,), stays=True, is_number=True)


def _fact_places(fact_ids: Sequence[str | None]) -> Column:
    """Return the column of `@1`, `@2` …, which stand for the facts of the rows that have one."""
    known = dict.fromkeys(one for one in fact_ids if one)
    places = {one: f"@{place}" for place, one in enumerate(known, 1)}
    return Column("", ([places.get(one or "", "") for one in fact_ids],), stays=True)
