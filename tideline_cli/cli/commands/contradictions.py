"""tideline contradictions."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats
from tideline_cli.cli.options import Argument, choice, count, flag, share
from tideline_cli.cli.session import Session
from tideline_cli.memory import contradictions as memory
from tideline_cli.memory.query import ALL
from tideline_cli.model import instant
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.policy.contradictions import MIN_SCORE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.contradictions import ContradictionReport
    from tideline_cli.policy.contradictions import ComparedFact, Contradiction

HELP = """Show pairs of facts that may contradict each other.

Two facts that speak of the same, where one is negated, has the opposite word, or another figure
or value behind the same subject and verb; two negations agree. The strongest stand first, and of a
pair the newer one. Before them stand values of one slot that two machines stated without knowing of
one another (see `tideline sync`): the later holds, the earlier is archived. Nothing is changed:
forget, edit or link them as you see fit. The newest 20,000 facts are compared; --all compares all
of them."""
EXAMPLES = (("", ""), ("", "--segment preference --limit 5"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(Formats):
    """The options of a call."""

    limit = count("Pairs at most [default: 50; 0 is all].", short="-n", default=50)
    min_score = share(
        f"Only pairs of this score or above [default: {MIN_SCORE}].", default=MIN_SCORE
    )
    segment = choice(tuple(SEGMENTS))("Only this segment.", short="-s", many=True)
    newest = count(
        f"Compare so many of the newest facts [default: {memory.NEWEST:,}].", default=memory.NEWEST
    )
    all = flag("Compare all facts, however many.", excludes=("newest",))


def run(session: Session, _: list[str], options: Options) -> int:
    """Show the pairs."""
    db = session.reading()
    found: tuple[Contradiction, ...] = ()
    synced: list[Contradiction] = []
    is_cut, is_bounded, compared = False, False, 0
    if db is not None:
        report = _report(session, db, options)
        synced = memory.pairs(db, viewer=session.viewer)
        told = (*synced, *report.found)
        found = told[:options.limit] if options.limit else told
        is_cut = len(found) < len(told)
        compared, is_bounded = report.compared, report.is_bounded
    archived = {pair.b.id for pair in synced}

    def table() -> None:
        drawer(session).pairs(found)
        session.keep_hits([fact.id for pair in found for fact in (pair.a, pair.b)])

    chosen = output.of_rows(session, options)
    output.emit_rows(
        chosen,
        (_form(pair, archived) for pair in found),
        whole=lambda forms: {
            "contradictions": forms,
            "truncated": is_cut,
            "compared": compared,
            "bounded": is_bounded,
        },
        lines=lambda: [line for pair in found for line in _lines(pair)],
        table=table,
        is_empty=not found,
    )
    if not (found or output.is_json(session, chosen)):
        session.note("no contradictions found")
    _note_rest(session, synced, cut_at=options.limit if is_cut else None)
    return 0


def _report(session: Session, db: Connection, options: Options) -> ContradictionReport:
    """Compare the facts, and say how many."""
    report = memory.contradictions(
        db,
        viewer=session.viewer,
        now=session.now,
        limit=options.limit + 1 if options.limit else ALL,
        segments=options.segment,
        min_score=options.min_score,
        newest=None if options.all or not options.newest else options.newest,
    )
    session.detail(f"compared {report.compared:,} facts")
    if report.is_bounded:
        session.note("facts that many others are like were compared with the nearest of them alone")
    if report.is_partial:
        session.note(f"compared the newest {report.compared:,} facts; --all compares all")
    return report


def _note_rest(session: Session, synced: Sequence[Contradiction], *, cut_at: int | None) -> None:
    """Say what else a reader should know."""
    if synced:
        session.note(
            f"in {len(synced):,} of them two machines named different values, and the earlier one "
            "is archived: `tideline forget ID` of the wrong one settles it on all machines"
        )
    if cut_at is not None:
        session.note(f"there are more pairs than the strongest {cut_at:,}: --limit 0 shows all")


def _form(pair: Contradiction, archived: set[str]) -> dict[str, Any]:
    return {
        "a": _side(pair.a),
        "b": _side(pair.b),
        "overlap": pair.overlap,
        "divergence": pair.divergence,
        "score": pair.score,
        "sign": pair.sign,
        "archived": pair.b.id if pair.b.id in archived else None,
    }


def _side(fact: ComparedFact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "content": fact.content,
        "title": fact.title,
        "created_at": instant.iso(fact.created_at),
    }


def _lines(pair: Contradiction) -> list[str]:
    a, b = (f"{fact.id}\t{output.told(fact)}" for fact in (pair.a, pair.b))
    return [f"{pair.score:.3f}\t{a}", f"     \t{b}"]
