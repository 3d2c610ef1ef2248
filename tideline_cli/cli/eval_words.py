"""What an evaluation found, in words and figures."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.eval_gold import GoldFile
    from tideline_cli.evaluation.ask import Answered
    from tideline_cli.evaluation.metrics import Interval

HEADINGS = ("recall", "MRR", "nDCG", "hit")


def about(gold: GoldFile, outcome: Answered) -> str:
    """Return what was asked, on one line."""
    silent, unanswerable = outcome.silent
    questions = len(gold.questions) - unanswerable
    told = f"{_count(questions, 'question')} of {_count(gold.facts, 'fact')}, "
    told += f"the first {_count(outcome.way.k, 'answer')} of each"
    if unanswerable:
        told += f"; {unanswerable:,} without an answer, {silent:,} of them answered by nothing"
    return told


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


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
