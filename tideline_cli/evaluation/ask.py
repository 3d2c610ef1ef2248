"""Asking every question in one way, and comparing two ways question by question."""

from __future__ import annotations

from tideline_cli.config import settings
from tideline_cli.errors import UsageError
from tideline_cli.evaluation import metrics
from tideline_cli.memory.query import FUSIONS, Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import record
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.errors import UnavailableError
    from tideline_cli.evaluation.gold import Case
    from tideline_cli.evaluation.metrics import Interval

DEFAULT = "default"
PROFILES: Mapping[str, Mapping[str, Any]] = {
    DEFAULT: {},
    "keyword": {"mode": "keyword"},
    "semantic": {"mode": "semantic"},
    **{
        name: {"fusion": name, "decay": row.decay} for name, row in FUSIONS.items()
        if all(name != profile.fusion for profile in settings.PROFILES.values())
    },
    **{
        one.name: {"mode": one.mode, "fusion": one.fusion, "decay": one.decay, "profile": one.name}
        for one in settings.PROFILES.values() if one.name != "tideline"
    },
}  # fmt: skip
"""`default` asks as a recall without options does; `tideline` is the same."""
ALL = "all"
_LEARNED = frozenset(name for name, row in FUSIONS.items() if row.is_learned)


def named(
    names: tuple[str, ...], *, own: str | None, is_learned: bool
) -> tuple[list[str], list[str]]:
    """Return the profiles that are meant: first the one that a recall of the user has, `own` or the
    default; and those of `all` that need a learned embedder where there is none."""
    unknown = [name for name in names if name not in PROFILES and name != ALL]
    if unknown:
        raise UsageError(
            f"no profile is called {unknown[0]!r:.40}",
            hint="use all, or some of " + ", ".join(PROFILES),
        )
    wanted = [own or DEFAULT, *(name for name in PROFILES if name in names or ALL in names)]
    impossible = [] if is_learned else [
        name for name in wanted if name in _LEARNED and name not in names
    ]  # fmt: skip
    return list(dict.fromkeys(one for one in wanted if one not in impossible)), impossible


MEASURES = ("recall", "mrr", "ndcg", "hit")


@record
class Way:
    """How questions are asked: by a profile, with the vectors of an embedder, and `k` answers."""

    profile: str
    embedder: str
    k: int
    fading: float
    scopes: tuple[str | None, ...] | None = None


@record
class AnswerFound:
    """What one question found: ids in order, those of the gold under the names that the gold has;
    and its measures in the order of MEASURES, none for a question without gold."""

    question: str
    category: str
    found: tuple[str, ...]
    measures: tuple[float, ...]

    @property
    def is_hit(self) -> bool:
        return bool(self.measures) and self.measures[3] > 0


@record
class Answered:
    """All answers of one way. `lacking` says why likeness was left out, if it was."""

    way: Way
    fusion: str
    answers: tuple[AnswerFound, ...]
    lacking: UnavailableError | None = None

    def intervals(self, category: str | None = None) -> dict[str, Interval]:
        """Return each measure over the questions that have gold, or over those of a category."""
        rows = [one.measures for one in self.answers
                if one.measures and category in (None, one.category)]  # fmt: skip
        return {name: metrics.bootstrap([row[place] for row in rows])
                for place, name in enumerate(MEASURES)}  # fmt: skip

    @property
    def silent(self) -> tuple[int, int]:
        """Return how many questions without gold found nothing, and how many there are."""
        unanswerable = [one for one in self.answers if not one.measures]
        return sum(not one.found for one in unanswerable), len(unanswerable)


@record
class Comparison:
    """One way against another: the differences of pairs, and the questions whose answer is among
    the first k of one of them alone."""

    differences: dict[str, Interval]
    won: tuple[str, ...]
    lost: tuple[str, ...]


def asked(
    db: Connection, questions: Sequence[Case], way: Way, *,
    progress: Callable[[int], None] | None = None,
) -> Answered:  # fmt: skip
    """Ask every question; nothing is counted as use, and nothing is written."""
    answers, fusion, lacking = [], "append", None
    for number, question in enumerate(questions, 1):
        query = Query(
            question.text, limit=way.k, fading=way.fading, wanted=Filter(scopes=way.scopes),
            **PROFILES[way.profile],
        )  # fmt: skip
        answer = recall(db, query, viewer=question.origin, now=question.now)
        fusion, lacking = answer.fusion, lacking or answer.lacking
        facts = [hit.fact for hit in answer.hits]
        found = tuple(_name(fact.id, fact.source_turn, question) for fact in facts)
        answers.append(AnswerFound(question.id, question.category, found, _measured(found, question,
                                                                               way.k)))  # fmt: skip
        if progress is not None:
            progress(number)
    return Answered(way, fusion, tuple(answers), lacking)


def _name(fact_id: str, source_turn: str | None, question: Case) -> str:
    """Return the name under which the gold of a question knows a fact, else its id."""
    is_turn = source_turn is not None and source_turn in question.gold
    return source_turn if is_turn and source_turn and fact_id not in question.gold else fact_id


def _measured(found: Sequence[str], question: Case, k: int) -> tuple[float, ...]:
    gold = question.gold
    if not gold:
        return ()
    values = (
        metrics.recall_at(found, gold, k), metrics.reciprocal_rank(found, gold, k),
        metrics.ndcg(found, gold, k), metrics.hit_at(found, gold, k),
    )  # fmt: skip
    return tuple(value or 0.0 for value in values)


def contrast(outcome: Answered, against: Answered) -> Comparison:
    """Return how one way differs from another that was asked the same questions."""
    pairs = [(mine, theirs)
             for mine, theirs in zip(outcome.answers, against.answers, strict=True)
             if mine.measures]  # fmt: skip
    differences = {
        name: metrics.bootstrap([mine.measures[place] - theirs.measures[place]
                                 for mine, theirs in pairs])
        for place, name in enumerate(MEASURES)
    }  # fmt: skip
    won = tuple(mine.question for mine, theirs in pairs if mine.is_hit and not theirs.is_hit)
    lost = tuple(mine.question for mine, theirs in pairs if theirs.is_hit and not mine.is_hit)
    return Comparison(differences, won, lost)
