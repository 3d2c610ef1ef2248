"""What an evaluation found: a table, lines or one object."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.eval_words import HEADINGS, about, figure, told_difference, way_name
from tideline_cli.evaluation.ask import MEASURES, contrast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tideline_cli.cli.eval_gold import GoldFile
    from tideline_cli.cli.session import Session
    from tideline_cli.evaluation.ask import Answered, Comparison
    from tideline_cli.evaluation.metrics import Interval

def report(
    session: Session, gold: GoldFile, outcomes: Sequence[Answered], *, misses: bool
) -> None:
    """Print how well each way answers, and what it wins and loses against the first."""
    first = outcomes[0]
    against = [None, *(contrast(one, first) for one in outcomes[1:])]
    if session.json:
        output.emit_json(_form(gold, outcomes, against, misses=misses))
        return
    if output.is_terminal(session):
        from tideline_cli.cli import eval_tables  # noqa: PLC0415  rich, 20 ms

        eval_tables.outcomes(session, gold, outcomes, against)
    else:
        output.emit_lines([about(gold, first), *_lines(outcomes, against)])
    if session.profile(None) is not None:
        session.note(f"asked as your settings have it: by the profile {first.way.profile}")
    if misses:
        output.emit_lines(_missed(gold, first))


def _lines(
    outcomes: Sequence[Answered], against: Sequence[Comparison | None]
) -> list[str]:
    lines = []
    for outcome, other in zip(outcomes, against, strict=True):
        k = outcome.way.k
        lines.append("\t".join([way_name(outcome), *_cells(outcome.intervals(), k, figure)]))
        if other is not None:
            cells = _cells(other.differences, k, told_difference)
            hits = f"won {len(other.won):,}, lost {len(other.lost):,}"
            lines.append("\t".join(["  difference", *cells, hits]))
    return lines


def _cells(
    found: dict[str, Interval], k: int, shown: Callable[[Interval], str]
) -> list[str]:
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


def _form(
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
