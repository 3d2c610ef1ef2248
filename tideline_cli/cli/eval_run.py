"""`eval run`: questions with known answers, asked in one way or several."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, nullcontext

from tideline_cli.cli import embedding, eval_gold, eval_report
from tideline_cli.cli.messages import shows_progress
from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.evaluation import ask, copies, profiles
from tideline_cli.memory import reembed
from tideline_cli.model.origin import EVERYONE
from tideline_cli.ranking.decay import DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.cli.eval_options import Options
    from tideline_cli.cli.session import Session
    from tideline_cli.evaluation.ask import Answered
    from tideline_cli.evaluation.gold import Case

_FEW = 50  # questions that need no progress


def run(session: Session, path: str, options: Options) -> int:
    """Ask the questions of a file, and report how well they are answered."""
    with ExitStack() as stack:
        gold = eval_gold.gold_of(session, path, options, stack)
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
        eval_gold.tell_left_out(session, gold)
        base = _with_vectors(session, gold.db, stack)
        outcomes = _outcomes(session, base, gold.questions, options)
        for name in dict.fromkeys(options.embedder):
            with copies.copy_of(base) as copied:
                _use(session, copied, name)
                outcomes += _outcomes(session, copied, gold.questions, options)
        eval_report.report(session, gold, outcomes, misses=options.misses)
    return 0


def _why(gold: eval_gold.GoldFile) -> str:
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
    from tideline_cli.memory import choice as choices  # noqa: PLC0415  numpy

    found = choices.chosen(session, name)
    label = found.name if " " in found.name else choices.plain_name(name, found)
    total = reembed.choose(db, label).missing
    if total:
        embedding.make(session, db, limit=None, total=total, viewer=EVERYONE)


def _outcomes(
    session: Session, db: Connection, questions: Sequence[Case], options: Options
) -> list[Answered]:
    label = reembed.choice_of(db, viewer=EVERYONE).now
    names, impossible = profiles.named(
        options.profiles, own=session.profile(None), is_learned=" " in label
    )
    for name in impossible:
        session.note(f"left out: {name} needs a learned embedder, see `tideline embedder list`")
    scopes = session.scopes(options.scope, everything=options.all_scopes)
    made = []
    for name in names:
        way = ask.Way(name, embedding.spec_of(label), options.k, session.setting("fading", DEPTH),
                      scopes)  # fmt: skip
        with _progress(session, name, len(questions)) as advance:
            made.append(ask.asked(db, questions, way, progress=advance))
        session.caution_of_likeness(made[-1].lacking)
    return made


def _progress(session: Session, name: str, total: int):  # type: ignore[no-untyped-def]
    if not shows_progress(quiet=session.quiet, as_json=session.json) or total < _FEW:
        return nullcontext(None)
    from tideline_cli.cli import tables  # noqa: PLC0415  rich

    done = 0

    @contextmanager
    def shown() -> Iterator[Callable[[int], None]]:
        with tables.progress_bar(f"asking, {name}", total, lambda: done) as advance:

            def progress(count: int) -> None:
                nonlocal done
                done = count
                advance(count)

            yield progress

    return shown()
