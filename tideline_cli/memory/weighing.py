"""What every other way of ranking starts from: facts with their weights, and which are alike."""

from __future__ import annotations

from tideline_cli.memory.query import Match
from tideline_cli.model.fact import SEGMENTS, role_weight, trust
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import decay, decays, worth
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.errors import UnavailableError
    from tideline_cli.memory.query import Backlog, Query
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

    ByWords = Callable[[Query, int], list[Match]]


@record
class Inquiry:
    """A query, in which origin and when it is asked, and how its words are looked up: `by_words`
    returns the best so many for a query that may fade otherwise."""

    query: Query
    origin_number: int
    now: int
    by_words: ByWords
    weighs_roles: bool

    @property
    def moment(self) -> int:
        as_of = self.query.wanted.as_of
        return self.now if as_of is None else as_of


@record
class Weighed:
    """A fact that may be a hit, and what every way of ranking multiplies or adds."""

    seq: int
    fact: Fact
    strength: float
    factor: float
    trust: float
    role: float
    words: Match | None = None
    cosine: float | None = None

    @property
    def share(self) -> float:
        """Return the factor of all that a fact is worth."""
        return self.factor * self.trust * self.role


@record
class Liked:
    """The cosines of the facts that are most like a question, nearest first, by number; what was
    made on the way; and of the embedder whether it is learned, and from where on it is like."""

    cosines: dict[int, float]
    backlog: Backlog | None = None
    is_learned: bool = False
    floor: float = 0.0


@record
class Ranked:
    """The matches in order, what was made on the way, and why likeness was left out."""

    matches: list[Match]
    backlog: Backlog | None = None
    lacking: UnavailableError | None = None


def with_weights(
    db: Connection, asked: Inquiry, seqs: Iterable[int], *, words: Mapping[int, Match],
    cosines: Mapping[int, float], viewer: Origin,
) -> list[Weighed]:  # fmt: skip
    """Return those of the facts that the query asks for, each with its weights."""
    read = facts.among(
        db, list(seqs), viewer=viewer, wanted=asked.query.wanted, now=asked.now
    )
    return [
        Weighed(
            seq, fact, *_faded(asked, fact), trust(fact.source, fact.confidence),
            role_weight(fact.role) if asked.weighs_roles else 1.0, words.get(seq),
            cosines.get(seq),
        )
        for seq, fact in read.items()
    ]  # fmt: skip


def modest(fact: Fact) -> Fact:
    """Return a fact as it counts among ranks, which are close together: what nobody trusts has no
    more importance than its segment gives, and is not core."""
    if is_trusted(fact.source):
        return fact
    usual = SEGMENTS[fact.segment].importance
    heat = "working" if fact.heat == "core" else fact.heat
    return replace(fact, importance=min(fact.importance, usual), heat=heat)


def _faded(asked: Inquiry, fact: Fact) -> tuple[float, float]:
    """Return how strong a fact is, and its factor in a score. By ranks Weibull's relevance is the
    factor itself."""
    query = asked.query
    fact = modest(fact) if query.fusion == "rrf" else fact
    strength = decays.strength_by(fact, query.decay, now=asked.moment) if query.depth else 1.0
    if query.fusion == "rrf" and query.decay == "weibull" and query.depth:
        return strength, strength
    return strength, decay.modulator(strength, query.depth)


def match_of(
    one: Weighed, score: float, parts: Mapping[str, float], like: Liked, group: str | None = None
) -> Match:
    """Return a fact with its score and why it has it."""
    words, cosine = one.words, one.cosine
    why = Breakdown(
        None if words is None else words.why.bm25, words.why.matched_terms if words else (),
        one.strength, one.factor, one.trust, "vector" if words is None else "lexical", cosine,
        role=one.role, parts=parts, group=group,
    )  # fmt: skip
    weak = words.weak if words else worth.is_weak_likeness(cosine or 0.0, floor=like.floor)
    return Match(one.seq, one.fact.id, one.fact.created_at, score, why, weak)


def liked(
    db: Connection, asked: Inquiry, limit: int, *, viewer: Origin, floor: float | None = None
) -> Liked:
    """Return the facts that are most like a question; in keyword mode none."""
    return liked_by(db, asked, (asked.query.text,), limit, viewer=viewer, floor=floor)[0]


def liked_by(
    db: Connection, asked: Inquiry, texts: Sequence[str], limit: int, *, viewer: Origin,
    floor: float | None = None,
) -> list[Liked]:  # fmt: skip
    """Return for each of some texts the facts that a question asks for and that are most like it;
    in keyword mode none."""
    query = asked.query
    if query.mode == "keyword":
        return [Liked({}) for _ in texts]
    from tideline_cli.memory import lanes, semantic  # noqa: PLC0415  2 ms

    least = query.min_sim if query.min_sim is not None else floor
    found, backlog = semantic.likest(
        db, query, texts, viewer=viewer, now=asked.now, limit=limit, floor=least
    )
    is_learned, usual = semantic.is_learned(db), lanes.lane_of(db).floor
    return [
        Liked({one.seq: cosine for one, cosine in near}, backlog, is_learned, usual)
        for near in found
    ]
