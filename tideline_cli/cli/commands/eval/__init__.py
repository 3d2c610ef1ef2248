"""tideline eval."""

from __future__ import annotations

from contextlib import ExitStack
from textwrap import wrap

from rich.text import Text

from tideline_cli.cli import embedding, output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.commands.eval import questions
from tideline_cli.cli.commands.eval.questions import Options
from tideline_cli.cli.options import Argument
from tideline_cli.cli.session import Session
from tideline_cli.cli.tables import Column, screen_width, text_column
from tideline_cli.cli.verbs import progress
from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.evaluation import ask, copies, poison
from tideline_cli.evaluation.ask import MEASURES, contrast
from tideline_cli.memory import lanes, reembed
from tideline_cli.memory.query import Query
from tideline_cli.model.finding import some
from tideline_cli.model.origin import EVERYONE
from tideline_cli.ranking.decay import DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.commands.eval.questions import GoldFile, Options
    from tideline_cli.evaluation.ask import Answered, Comparison
    from tideline_cli.evaluation.gold import Case
    from tideline_cli.evaluation.metrics import Interval
    from tideline_cli.evaluation.poison import Fight

HELP = """Measure how good the answers are, with questions whose answers you know.

`eval run GOLD.jsonl` asks the questions of a file, a JSON object a line: "query", and what answers
it: "ids" of facts, or "answers", texts that a fact says. [] means that nothing does: then no answer
is the right one. "id", "now", "origin" and "category" may be given. It prints, of the first K
answers, the share that is found (recall), how high the first one stands (MRR), how good the order
is (nDCG), each with its 95 % interval; and with --profiles or --embedder what another way of asking
wins and loses against the one of now, which is that of your settings. Nothing is counted as use and
nothing is written: vectors that are missing, or of another embedder, are made in a copy.

`eval make` proposes questions from your own facts: by their slot, their title, or the rare words of
their text, or with --llm in the words of a model. On a terminal you say y, n or e (edit) to each;
elsewhere all are printed, for you to edit.

`eval poison` attacks a copy of your memory, through every door that untrusted text comes in by, and
says whether an attack changed, replaced or outranked what you said. It ends with 1 if one did.

`eval run SET` and `eval load SET` read public sets as their authors ship them: locomo10.json,
longmemeval_s.json, a folder of BEIR or TREC. Run puts the documents into a memory that goes
afterwards, load into a new memory of yours (--db), with the questions in --output."""
EXAMPLES = (("make --output gold.jsonl", ""), ("run gold.jsonl", "--profiles all"),
            ("run locomo10.json", "--k 10"), ("poison", ""))
ACTIONS = ("run", "make", "poison", "load")
ARGUMENTS = (
    Argument("words", "ACTION [FILE]", "run FILE, make, poison, load FILE.", "word", True, 0,
             ACTIONS),
)  # fmt: skip


def run(session: Session, words: list[str], options: Options) -> int:
    """Run one action."""
    match words:
        case ["run", path]:
            return _measure(session, path, options)
        case ["load", path]:
            return questions.load_set(session, path, options)
        case ["make"]:
            return questions.propose(session, options)
        case ["poison"]:
            return _poison(session)
    raise UsageError("eval takes run FILE, make, poison or load FILE", hint="tideline eval make")


def _poison(session: Session) -> int:
    """Attack a copy, and say whether anything succeeded."""
    session.needs_owner("only the owner may copy the store")
    db = session.reading()
    with copies.empty() if db is None else copies.copy_of(db) as copied:
        if session.is_watched:
            session.note("attacking a copy; your memory is left as it is")
        own = session.profile(None) or ask.DEFAULT
        asked = Query("", limit=1, fading=session.setting("fading", DEPTH), **ask.PROFILES[own])
        fight = poison.fought(copied, now=session.now, asked=asked)
    if own != ask.DEFAULT:
        session.note(f"asked as your settings have it: by the profile {own}")
    if session.json:
        output.emit_json(_fight_form(fight) | {"profile": own})
    else:
        output.emit_lines(_fight_lines(fight))
    return 1 if fight.harm or fight.refused else 0


def _fight_lines(fight: Fight) -> list[str]:
    lines = [
        f"{lane.name:<10} {some(lane.attacks, 'attack')}, {lane.successes:,} succeeded"
        for lane in fight.lanes
    ]
    tried = sum(lane.attacks for lane in fight.lanes)
    lines.append(f"{'all':<10} {some(tried, 'attack')}, {fight.successes:,} succeeded")
    refused = len(fight.refused)
    lines.append(f"{'honest':<10} {some(fight.honest, 'write')}, {refused:,} refused")
    lines += [f"harm       {output.one_line(one)}" for one in fight.harm]
    return lines + [f"refused    {output.one_line(one)}" for one in fight.refused]


def _fight_form(fight: Fight) -> dict[str, Any]:
    return {
        "lanes": [
            {"name": lane.name, "attacks": lane.attacks, "successes": lane.successes}
            for lane in fight.lanes
        ],
        "attacks": sum(lane.attacks for lane in fight.lanes), "successes": fight.successes,
        "honest": fight.honest, "refused": list(fight.refused), "harm": list(fight.harm),
        "targets": [fact.id for fact in fight.targets],
    }  # fmt: skip


_FEW = 50  # questions that need no progress


def _measure(session: Session, path: str, options: Options) -> int:
    """Ask the questions of a file, and report how well they are answered."""
    with ExitStack() as stack:
        gold = questions.gold_of(session, path, options, stack)
        if not gold.questions:
            raise UsageError("no question can be asked", hint=_why(gold))
        if options.strict and gold.left_out:
            raise UsageError(f"{len(gold.left_out):,} questions cannot be asked", hint=_why(gold))
        unknown = next((one for one in gold.questions if one.unknown), None)
        if options.strict and unknown is not None:
            raise UsageError(
                f"question {unknown.id:.40}: no fact is called {unknown.unknown[0]!r:.60}",
                hint="an answer is the id or the source_turn of a fact",
            )
        questions.tell_left_out(session, gold)
        base = _with_vectors(session, gold.db, stack)
        outcomes = _outcomes(session, base, gold.questions, options)
        for name in dict.fromkeys(options.embedder):
            with copies.copy_of(base) as copied:
                _use(session, copied, name)
                outcomes += _outcomes(session, copied, gold.questions, options)
        report(session, gold, outcomes, misses=options.misses)
    return 0


def _why(gold: questions.GoldFile) -> str:
    first = gold.left_out[0] if gold.left_out else None
    return f"line {first.line:,}: {first.message}" if first else 'give {"query": …, "ids": […]}'


def _with_vectors(session: Session, db: Connection, stack: ExitStack) -> Connection:
    """Return a memory whose facts have their vectors: itself, or a copy where some are missing, as
    a recall would store them and this reads alone."""
    choice = reembed.choice_of(db, viewer=EVERYONE)
    if not choice.missing or choice.next:
        return db
    copied = stack.enter_context(copies.copy_of(db))
    session.detail(f"{embedding.waiting(choice.missing)}; made in a copy")
    try:
        embedding.make(session, copied, limit=None, total=choice.missing, viewer=EVERYONE)
    except UnavailableError as error:
        session.caution_of_likeness(error)
    return copied


def _use(session: Session, db: Connection, name: str) -> None:
    """Let a copy have the vectors of another embedder."""
    found = lanes.chosen_embedder(session, name)
    label = found.name if " " in found.name else lanes.plain_name(name, found)
    total = reembed.choose(db, label).missing
    if total:
        embedding.make(session, db, limit=None, total=total, viewer=EVERYONE)


def _outcomes(
    session: Session, db: Connection, cases: Sequence[Case], options: Options
) -> list[Answered]:
    label = reembed.choice_of(db, viewer=EVERYONE).now
    names, impossible = ask.named(
        options.profiles, own=session.profile(None), is_learned=" " in label
    )
    for name in impossible:
        session.note(f"left out: {name} needs a learned embedder, see `tideline embedder list`")
    scopes = session.scopes(options.scope, everything=options.all_scopes)
    made = []
    for name in names:
        way = ask.Way(name, embedding.spec_of(label), options.k, session.setting("fading", DEPTH),
                      scopes)  # fmt: skip
        total = len(cases) if len(cases) >= _FEW else 0
        with progress(session, f"asking, {name}", total) as advance:
            made.append(ask.asked(db, cases, way, progress=advance))
        session.caution_of_likeness(made[-1].lacking)
    return made


def report(session: Session, gold: GoldFile, outcomes: Sequence[Answered], *, misses: bool) -> None:
    """Print how well each way answers, and what it wins and loses against the first."""
    first = outcomes[0]
    against = [None, *(contrast(one, first) for one in outcomes[1:])]
    if session.json:
        output.emit_json(_report_form(gold, outcomes, against, misses=misses))
        return
    if output.is_terminal(session):
        outcome_tables(session, gold, outcomes, against)
    else:
        output.emit_lines([about(gold, first), *_lines(outcomes, against)])
    if session.profile(None) is not None:
        session.note(f"asked as your settings have it: by the profile {first.way.profile}")
    if misses:
        output.emit_lines(_missed(gold, first))


def _lines(outcomes: Sequence[Answered], against: Sequence[Comparison | None]) -> list[str]:
    lines = []
    for outcome, other in zip(outcomes, against, strict=True):
        k = outcome.way.k
        lines.append("\t".join([way_name(outcome), *_cells(outcome.intervals(), k, figure)]))
        if other is not None:
            cells = _cells(other.differences, k, told_difference)
            hits = f"won {len(other.won):,}, lost {len(other.lost):,}"
            lines.append("\t".join(["  difference", *cells, hits]))
    return lines


def _cells(found: dict[str, Interval], k: int, shown: Callable[[Interval], str]) -> list[str]:
    named = zip(HEADINGS, found.values(), strict=True)
    return [f"{heading}@{k} {shown(one)}" for heading, one in named]


def _missed(gold: GoldFile, outcome: Answered) -> list[str]:
    """Return the questions that are not answered among the first k."""
    texts = {one.id: one for one in gold.questions}
    return [
        f"{one.question}\t{output.one_line(texts[one.question].text)}\t"
        f"wanted {', '.join(texts[one.question].gold)}"
        for one in outcome.answers
        if one.measures and not one.is_hit
    ]


def _report_form(
    gold: GoldFile, outcomes: Sequence[Answered], against: Sequence[Comparison | None], *,
    misses: bool,
) -> dict[str, Any]:  # fmt: skip
    first = outcomes[0]
    _, unanswerable = first.silent
    form: dict[str, Any] = {
        "file": gold.path, "format": gold.form, "k": first.way.k, "facts": gold.facts,
        "questions": len(gold.questions) - unanswerable, "unanswerable": unanswerable,
        "archived": sum(1 for one in gold.questions if one.archived),
        "unknown": [
            {"id": one.id, "names": list(one.unknown)} for one in gold.questions if one.unknown
        ],
        "left_out": [{"line": one.line, "message": one.message} for one in gold.left_out],
        "ways": [_way(one, other) for one, other in zip(outcomes, against, strict=True)],
    }  # fmt: skip
    if misses:
        form["misses"] = [
            {"id": one.question, "found": list(one.found)}
            for one in first.answers if one.measures and not one.is_hit
        ]  # fmt: skip
    return form


def _way(outcome: Answered, other: Comparison | None) -> dict[str, Any]:
    categories = sorted({one.category for one in outcome.answers if one.category})
    return {
        "profile": outcome.way.profile, "embedder": outcome.way.embedder,
        "fusion": outcome.fusion, "lacking": outcome.lacking and outcome.lacking.message,
        **_intervals(outcome.intervals()),
        "silent": outcome.silent[0],
        "by_category": {one: _intervals(outcome.intervals(one)) for one in categories},
        "against_first": None if other is None else {
            **_intervals(other.differences), "won": list(other.won), "lost": list(other.lost),
        },
    }  # fmt: skip


def _intervals(found: dict[str, Interval]) -> dict[str, Any]:
    return {
        measure: {"mean": one.mean, "low": one.lo, "high": one.hi, "questions": one.n}
        for measure, one in found.items() if measure in MEASURES
    }  # fmt: skip


HEADINGS = ("recall", "MRR", "nDCG", "hit")


def about(gold: GoldFile, outcome: Answered) -> str:
    """Return what was asked, on one line."""
    silent, unanswerable = outcome.silent
    questions = len(gold.questions) - unanswerable
    told = f"{some(questions, 'question')} of {some(gold.facts, 'fact')}, "
    told += f"the first {some(outcome.way.k, 'answer')} of each"
    if unanswerable:
        told += f"; {unanswerable:,} without an answer, {silent:,} of them answered by nothing"
    return told


def way_name(outcome: Answered) -> str:
    """Return the name of a way, with its embedder where it is not that of the memory."""
    return f"{outcome.way.profile} · {outcome.way.embedder}"


def figure(one: Interval) -> str:
    """Return a mean and its interval."""
    return f"{one.mean:.3f} ({one.lo:.3f}..{one.hi:.3f})"


def told_difference(one: Interval) -> str:
    """Return a difference and its interval; a star where that leaves out 0."""
    star = "*" if one.lo > 0 or one.hi < 0 else ""
    return f"{one.mean:+.3f}{star} ({one.lo:+.3f}..{one.hi:+.3f})"


_MEASURES = 3  # of the measures: what is hit stands in the JSON
_WIDE = 110  # columns in which intervals have room, in full
_NARROW = 76  # and in two digits


def outcome_tables(
    session: Session, gold: GoldFile, found: Sequence[Answered],
    against: Sequence[Comparison | None],
) -> None:  # fmt: skip
    """Print a row for each way; below it what it wins and loses."""
    output.emit_lines([*wrap(about(gold, found[0]), screen_width()), ""])
    shows, tells = _figure_forms()
    names, marks, cells = list[Text](), list[str](), list[list[Text]]()
    for one, other in zip(found, against, strict=True):
        names.append(Text(way_name(one)))
        marks.append("")
        cells.append([Text(shows(value)) for value in one.intervals().values()])
        if other is not None:
            names.append(Text("  difference", style="dim"))
            marks.append(f"+{len(other.won):,} -{len(other.lost):,}")
            cells.append([Text(tells(value), style="dim") for value in other.differences.values()])
    drawer(session).show_columns((
        text_column("way", names), *_measure_columns(cells, found[0].way.k),
        *([Column("hits", (marks,), stays=True, is_number=True)] if any(marks) else []),
    ))  # fmt: skip
    if len(found) == 1:
        _category_table(session, found[0])


def _figure_forms() -> tuple[Callable[[Interval], str], Callable[[Interval], str]]:
    """Return how a figure and a difference are shown: with the interval where that has room."""
    width = screen_width()
    if width >= _WIDE:
        return figure, told_difference
    short = (lambda one: f"{one.mean:.3f}") if width < _NARROW else (
        lambda one: f"{one.mean:.3f} {_two_digits(one.lo)}-{_two_digits(one.hi)}"
    )  # fmt: skip
    return short, (lambda one: told_difference(one).partition(" ")[0])


def _two_digits(value: float) -> str:
    """Return a share in two digits: .76"""
    return f"{value:.2f}".removeprefix("0")


def _measure_columns(cells: Sequence[Sequence[Text]], k: int) -> list[Column]:
    return [
        Column(f"{HEADINGS[place]}@{k}", ([row[place] for row in cells],), stays=True,
               is_number=True)
        for place in range(_MEASURES)
    ]  # fmt: skip


def _category_table(session: Session, outcome: Answered) -> None:
    names = sorted({one.category for one in outcome.answers if one.category and one.measures})
    if len(names) < 2:
        return
    output.emit_lines([""])
    shows, _ = _figure_forms()
    rows = [list(outcome.intervals(one).values()) for one in names]
    counts = [f"{row[0].n:,}" for row in rows]
    cells = [[Text(shows(value)) for value in row] for row in rows]
    drawer(session).show_columns((
        text_column("category", list(map(Text, names))),
        Column("questions", (counts,), stays=True, is_number=True),
        *_measure_columns(cells, outcome.way.k),
    ))  # fmt: skip
