"""What a lane is a function of: whose memory is looked at, what is looked for, and by which curve
its facts are forgotten."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory.query import question_of
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import Record
from tideline_cli.model.time_vocabulary import may_name_time
from tideline_cli.ranking.decay import is_immune
from tideline_cli.store import reads, score_bounds
from tideline_cli.store.overview import overview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.query import Query, Question
    from tideline_cli.model.origin import Origin
    from tideline_cli.ranking.decay import Decay
    from tideline_cli.store.as_of import Then
    from tideline_cli.store.common_postings import Counted
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.fts import RankingRow
    from tideline_cli.store.overview import Overview


class View(Record):
    """The memory of a viewer at a moment, and what is known of it before anything is looked up. So
    many facts are `unbounded`: their scores have no bound yet. None where that was not asked."""

    db: Connection
    viewer: Origin
    now: int
    origin: Overview
    unbounded: int | None

    @property
    def number(self) -> int:
        """The number of the origin."""
        return self.origin.number

    @property
    def embedder(self) -> str:
        """The name of the embedder of the memory."""
        return self.origin.embedder or DEFAULT_EMBEDDER

    @property
    def is_learned(self) -> bool:
        """Whether the embedder is a learned one."""
        return " " in self.origin.embedder

    def instant(self, wanted: Filter) -> int:
        """Return of which instant facts are asked for."""
        return self.now if wanted.as_of is None else wanted.as_of


class Search(Record):
    """A query with the question that its text asks. `limit` matches are wanted, and facts are
    weighed for `reach` of them. `retained` is another curve than the half-life; `by_score` says
    that likeness by a learned embedder adds to the scores of words. `known` is what is known of its
    terms, where that is asked for already."""

    query: Query
    question: Question
    limit: int
    reach: int
    retained: Retained | None = None
    by_score: bool = False
    known: Known | None = None

    @property
    def wanted(self) -> Filter:
        """What is asked of facts beside the question."""
        return self.query.wanted

    @property
    def weighs_roles(self) -> bool:
        """Whether it counts who has said a fact: the reference does not ask."""
        return not self.question.is_of_reference


class Known(Record):
    """What is known of the terms of a question: how many facts hold now, or held at a past instant,
    with how many terms, and of each term how many of them hold it, how many facts of any lifecycle,
    and how many archived ones; which facts held `then`; and of large memories what is counted of
    common terms."""

    facts: int
    tokens: int
    held: Mapping[str, int]
    holders: Mapping[str, int] | None
    labelled: Mapping[str, Mapping[int, int]]
    then: Then | None = None
    counted: Mapping[str, Counted] | None = None
    archived: Mapping[str, int] | None = None


def view_of(db: Connection, *, viewer: Origin, now: int) -> View:
    """Return the memory of a viewer as it is at a moment. Inside a transaction of the caller."""
    if not reads.has_trips(db):
        own = reads.alone(db, overview(viewer=viewer, now=now, at_once=False))
        return View(db, viewer, now, own, None)
    own, unbounded = reads.together(
        db, overview(viewer=viewer, now=now, at_once=True),
        score_bounds.missing(db, viewer=viewer),
    )  # fmt: skip
    return View(db, viewer, now, own, unbounded)


def search_of(view: View, query: Query) -> Search:
    """Return what a query looks for in a memory."""
    retained: Retained | None = None
    if query.decay not in ("half-life", "none"):
        retained = retained_by(query.decay, now=view.instant(query.wanted))
    analyzer, text = view.origin.analyzer, query.text
    if analyzer != "reference" and may_name_time(text):
        text = _beside_times(view, text)
    question = question_of(text, analyzer)
    pool = max(query.limit, query.reach)
    return Search(query, question, pool, query.reach, retained)


def _beside_times(view: View, text: str) -> str:
    """Return a question without the words of a time that count from its day (last week), where the
    memory has facts of that time: they are found by their time, and each fact means another one by
    these words."""
    from tideline_cli.model.times_in_text import midnight, without_relative  # noqa: PLC0415  2 ms
    from tideline_cli.store import arrivals  # noqa: PLC0415  few questions name a time

    return without_relative(text, view.now, lambda span: arrivals.are_there(
        view.db, midnight(span.first), midnight(span.last + 1), *span.days(),
        origin_number=view.number,
    ))  # fmt: skip


class Retained(Record):
    """The strength of a row at an instant; `by_heat` says that the row must end with the heat."""

    strength: Callable[[RankingRow], float]
    by_heat: bool = False


def retained_by(decay: Decay, *, now: int) -> Retained | None:
    """Return how strong rows are at an instant; None with the half-life asked for, or no fading."""
    from tideline_cli.ranking import decays  # noqa: PLC0415  another curve alone

    def relevance(row: Any) -> float:
        _, _, _, _, _, importance, _, _, _, pinned, created_at, access_count, _, _, heat = row
        days = (now - created_at) / DAY_MS
        return decays.weibull(heat, importance, access_count, days, pinned=bool(pinned)).relevance

    def spaced(row: RankingRow) -> float:
        _, _, _, _, _, _, _, _, tier, pinned, _, access_count, last_accessed_at, _ = row
        days = (now - last_accessed_at) / DAY_MS
        return decays.spaced(access_count, days, immune=is_immune(tier, bool(pinned)))

    match decay:
        case "weibull":
            return Retained(relevance, by_heat=True)
        case "spaced":
            return Retained(spaced)
        case _:
            return None
