"""The fusions that recall does not answer by itself, each a function of a row in `FUSIONS`: by
ranks, by points, by classes and distance; and answers with less repetition."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.memory import lexical, semantic
from tideline_cli.memory.lanes import lane_of
from tideline_cli.memory.query import Match, Ranked, weights_of
from tideline_cli.memory.semantic import are_few
from tideline_cli.memory.words_lane import by_words
from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.hit import Breakdown
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import decays, fusions, priority, worth
from tideline_cli.ranking.fusions import Points, points, question_words
from tideline_cli.store import facts, listing, vectors
from tideline_cli.vector.embedders.codes import cosine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from tideline_cli.memory.nearest import Lane
    from tideline_cli.memory.query import Backlog, Match, Query
    from tideline_cli.memory.search import Search, View
    from tideline_cli.model.fact import Fact

_AT_ONCE = 400
_HOUR_MS = 3_600_000.0
_LEAST_OF_ID = 4  # letters that stand in an id by no chance

# The nearest are asked for from the widest limit of all classes on: 1.25.
_LEAST = 1.0 - max(group.most for group in priority.GROUPS.values()) / 2.0
_FAR = 0.0  # the cosine of a fact that has no vector


def answered_otherwise(view: View, search: Search) -> Ranked:
    """Return the answer by another fusion, or points; by words where likeness cannot be had."""
    try:
        return _ranked(view, search)
    except UnavailableError as error:
        words = replace(search, query=replace(search.query, mode="keyword", mmr=1.0))
        return replace(_ranked(view, words), lacking=error)


def _ranked(view: View, search: Search) -> Ranked:
    query = search.query
    joined: Callable[[View, Search], Ranked] = globals()[query.way.joined_by]
    found = joined(view, search)
    matches = sorted(found.matches, key=Match.order)
    if query.mmr >= 1.0:
        return replace(found, matches=matches[: query.limit])
    return replace(found, matches=_diverse(view, search, matches))


def _diverse(view: View, search: Search, matches: list[Match]) -> list[Match]:
    """Return the best by maximal marginal relevance, which wants scores from 0 on."""
    least = min(0.0, min((match.score for match in matches), default=0.0))
    lifted = [replace(match, score=match.score - least) for match in matches]
    chosen = diversify(view, search.query, lifted)
    own = {match.seq: match for match in matches}
    return [own[match.seq] for match in chosen]


def _room(search: Search, lane: str) -> int:
    return search.query.way.room(lane, search.query.reach)


def _words(view: View, search: Search) -> list[Match]:
    """Return the best by words. How facts fade counts once, and not here."""
    limit = _room(search, "words")
    if search.query.mode == "semantic":
        return []
    query = replace(search.query, decay="none", limit=limit, pool=limit)
    sure, weak = by_words(
        view, replace(search, query=query, limit=limit, reach=limit, retained=None)
    )
    return sorted([*sure, *weak], key=Match.order)[:limit] if weak else sure


def by_ranks(view: View, search: Search) -> Ranked:
    """Return facts by the sum of 1 / (60 + rank) of both lanes · quality · relevance · trust."""
    words = {match.seq: match for match in _words(view, search)}
    like = liked(view, search)
    ranks: dict[int, dict[str, float]] = {}
    for name, lane in (("words_rank", words), ("likeness_rank", like.cosines)):
        for rank, seq in enumerate(lane, 1):
            ranks.setdefault(seq, {})[name] = rank
    found: list[Match] = []
    for one in with_weights(
        view, search, ranks, words=words, cosines=like.cosines, among_ranks=True
    ):
        fact, own = modest(one.fact), ranks[one.seq]
        joined = fusions.reciprocal(int(rank) for rank in own.values())
        worthy = fusions.quality(fact.heat, fact.importance, pinned=fact.pinned)
        parts = {**own, "rrf": joined, "quality": worthy}
        found.append(match_of(one, joined * worthy * one.share, parts, like))
    return Ranked(found, like.backlog)


def by_points(view: View, search: Search) -> Ranked:
    """Return the facts by points; in hybrid mode a likeness of 1 adds 10."""
    query = search.query
    is_alone = not query.way.lanes
    room = query.limit if is_alone else _room(search, "points")
    scored = [] if query.mode == "semantic" else _pointed(view, search, room)
    had = {one.seq: got for one, got in scored}
    like = Liked({}) if is_alone else liked(view, search)
    found: list[Match] = []
    words = {one.seq: one.words for one, _ in scored if one.words}
    seqs = dict.fromkeys((*had, *like.cosines))
    for one in with_weights(view, search, seqs, words=words, cosines=like.cosines):
        parts: dict[str, float] = {}
        if one.seq in had:
            parts |= {name: getattr(had[one.seq], name) for name in _PARTS}
        if one.cosine is not None:
            parts["likeness"] = fusions.likeness_points(one.cosine)
        found.append(match_of(one, sum(parts.values()) * one.share, parts, like))
    return Ranked(found, like.backlog)


_PARTS = ("words", "id", "tags", "recency", "active")


def _pointed(view: View, search: Search, limit: int) -> list[tuple[Weighed, Points]]:
    """Return the best facts by points, with them. Those with the most are read first, until the
    best beat whatever is left: no factor is more than 1."""
    had = matches(view, search.query)
    ordered = sorted(had, key=lambda seq: -had[seq].total)
    best: list[tuple[float, int, str, Weighed]] = []
    for start in range(0, len(ordered), _AT_ONCE):
        part = ordered[start : start + _AT_ONCE]
        if len(best) >= limit and -best[limit - 1][0] > had[part[0]].total:
            break
        for one in with_weights(view, search, part, words={}, cosines={}):
            score = had[one.seq].total * one.share
            best.append((-score, -one.fact.created_at, one.fact.id, one))
        best = sorted(best, key=lambda item: item[:3])[:limit]
    held = held_terms(view, search, [item[3].seq for item in best])
    weak = lexical.weak_among(view, search, [
        seq for *_, one in best if not had[seq := one.seq].id and not had[seq].tags
    ])  # fmt: skip
    return [(replace(one, words=_said(one, held, weak)), had[one.seq]) for *_, one in best]


def _said(one: Weighed, held: Mapping[int, tuple[str, ...]], weak: Collection[int]) -> Match:
    """Return a fact as one that words have found."""
    why = Breakdown(None, held.get(one.seq, ()), one.strength, one.factor, one.trust, "lexical")
    return Match(one.seq, one.fact.id, one.fact.created_at, 0.0, why, one.seq in weak)


def matches(view: View, query: Query) -> dict[int, Points]:
    """Return the points of the facts of an origin that match a word, an id or a tag, by number.
    Every text of the origin is looked at."""
    words, asked = question_words(query.text), query.wanted.tags
    moment = view.instant(query.wanted)
    found: dict[int, Points] = {}
    if not (words or asked):
        return found
    for seq, fact_id, text, tags, created_at, is_active in listing.wordings(
        view.db, origin_number=view.number, wanted=query.wanted, now=view.now
    ):
        hours = (moment - created_at) / _HOUR_MS
        labelled = codec.loads(tags) if tags else ()
        got = points(
            words, text="\n".join((text, *labelled)), fact_id=fact_id.lower(), asked_tags=asked,
            tags=labelled, hours=hours, is_active=bool(is_active), least_of_id=_LEAST_OF_ID,
        )  # fmt: skip
        if got.is_match:
            found[seq] = got
    return found


def held_terms(view: View, search: Search, seqs: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return which terms of a question each of the facts holds as a word."""
    asked, db, viewer = search.question.terms, view.db, view.viewer
    numbers = {fact.id: seq for seq, fact in facts.get(db, seqs, viewer=viewer).items()}
    found: dict[int, tuple[str, ...]] = {}
    for fact, terms in facts.with_terms(db, seqs, viewer=viewer):
        held = frozenset(terms.split())
        found[numbers[fact.id]] = tuple(term for term in asked if term in held)
    return found


def by_classes(view: View, search: Search) -> Ranked:
    """Return the facts by priority · 10 + distance + penalty + distrust − overlap: the score is
    that with the other sign. 30 near facts are looked at, 30 that words find, and where the
    question is about the user 30 that are near to a question about their profile. A class takes
    what is nearer than its limit, or, where the query has a `min_sim`, what is as like as that."""
    query = search.query
    probes = (priority.PROBE,) if priority.asks_about_user(query.text) else ()
    near, *others = liked_by(view, search, (query.text, *probes), floor=_LEAST)
    probed = others[0].cosines if others else {}
    words = {match.seq: match for match in _words(view, search)}
    cosines = {
        seq: max(lane[seq] for lane in (near.cosines, probed) if seq in lane)
        for seq in (*probed, *near.cosines)
    }
    cosines |= _cosines(view, search, [seq for seq in words if seq not in cosines])
    seqs = dict.fromkeys((*probed, *near.cosines, *words))
    taken = [
        (one, group, is_near)
        for one in with_weights(
            view, search, seqs, words=words, cosines=cosines
        )
        if (is_near := _is_near(one, group := _group(one, probed), query.min_sim))
        or one.words is not None
    ]
    shared = priority.overlaps(query.text, [one.fact.content for one, *_ in taken])
    found = [
        _match(view, search, one, group, overlap, is_near=is_near, like=near)
        for (one, group, is_near), overlap in zip(taken, shared, strict=True)
    ]
    return Ranked(found, near.backlog)


def _group(one: Weighed, probed: dict[int, float]) -> priority.Group:
    is_probed = one.seq in probed and priority.is_of_user(probed[one.seq])
    return priority.group_of(one.fact, is_probed=is_probed)


def _distance(one: Weighed) -> float:
    return priority.distance(_FAR if one.cosine is None else one.cosine)


def _is_near(one: Weighed, group: priority.Group, min_sim: float | None) -> bool:
    """Say whether a fact is near enough: for its class, or where a call says how near, for that."""
    if min_sim is not None:
        return one.cosine is not None and one.cosine >= min_sim
    return _distance(one) < group.most


def _match(
    view: View, search: Search, one: Weighed, group: priority.Group, overlap: float, *,
    is_near: bool, like: Liked,
) -> Match:  # fmt: skip
    rank = priority.priority_of(group, trusted=is_trusted(one.fact.source))
    far, penalty = _distance(one), _penalty(view, search, one)
    distrust = 1.0 - one.trust * one.role
    parts = {"priority": rank, "distance": far, "penalty": penalty, "distrust": distrust,
             "overlap": overlap}  # fmt: skip
    if not is_near:
        parts["by_words"] = 1
    score = overlap - priority.summed_up(rank, far, penalty, distrust)
    return match_of(one, score, parts, like, group.name)


def _penalty(view: View, search: Search, one: Weighed) -> float:
    """Return what time adds to a distance: a penalty, or what is lost of the strength."""
    if not search.query.depth:
        return 0.0
    if search.query.decay == "spaced":
        return decays.penalty_at(one.fact, now=view.instant(search.wanted))
    return 1.0 - one.strength


def _cosines(view: View, search: Search, seqs: Sequence[int]) -> dict[int, float]:
    """Return the cosines of facts that words have found."""
    if search.query.mode == "keyword" or not seqs:
        return {}

    return semantic.cosines_of(view, search.query.text, seqs)


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


def with_weights(
    view: View, search: Search, seqs: Iterable[int], *, words: Mapping[int, Match],
    cosines: Mapping[int, float], among_ranks: bool = False,
) -> list[Weighed]:  # fmt: skip
    """Return those of the facts that the query asks for, each with its weights. Among ranks facts
    are `modest`, and Weibull's relevance is the factor itself."""
    read = facts.among(view.db, list(seqs), viewer=view.viewer, wanted=search.wanted, now=view.now)
    query, moment, found = search.query, view.instant(search.wanted), []
    for seq, fact in read.items():
        counted = modest(fact) if among_ranks else fact
        power, factor, weight, spoken = weights_of(
            counted, query, now=moment, weighs_roles=search.weighs_roles
        )
        if among_ranks and query.decay == "weibull" and query.depth:
            factor = power
        found.append(Weighed(
            seq, fact, power, factor, weight, spoken, words.get(seq), cosines.get(seq)
        ))  # fmt: skip
    return found


def modest(fact: Fact) -> Fact:
    """Return a fact as it counts among ranks, which are close together: what nobody trusts has no
    more importance than its segment gives, and is not core."""
    if is_trusted(fact.source):
        return fact
    usual = SEGMENTS[fact.segment].importance
    heat = "working" if fact.heat == "core" else fact.heat
    return replace(fact, importance=min(fact.importance, usual), heat=heat)


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


def liked(view: View, search: Search) -> Liked:
    """Return the facts that are most like a question; in keyword mode none."""
    return liked_by(view, search, (search.query.text,))[0]


def liked_by(
    view: View, search: Search, texts: Sequence[str], *, floor: float | None = None
) -> list[Liked]:
    """Return for each of some texts the facts that a question asks for and that are most like it;
    in keyword mode none."""
    query = search.query
    if query.mode == "keyword":
        return [Liked({}) for _ in texts]

    least = query.min_sim if query.min_sim is not None else floor
    found, backlog = semantic.likest(
        view, query, texts, limit=_room(search, "likeness"), floor=least
    )
    usual = lane_of(view.db, name=view.embedder).floor
    return [
        Liked({one.seq: cosine for one, cosine in near}, backlog, view.is_learned, usual)
        for near in found
    ]


def diversify(view: View, query: Query, matches: list[Match]) -> list[Match]:
    """Return the best `query.limit` of the matches by maximal marginal relevance."""
    read = facts.get(view.db, [match.seq for match in matches], viewer=view.viewer)
    if not matches:
        return []
    texts = [read[match.seq].content for match in matches]
    lane = lane_of(view.db, large=not are_few(texts), name=view.embedder)
    likeness = (
        _stored_likeness(view, lane, matches, texts)
        if " " in lane.name
        else lane.likeness(texts)
    )
    chosen = fusions.mmr_order([match.score for match in matches], likeness, query.mmr, query.limit)
    return [matches[i] for i in chosen]


def _stored_likeness(
    view: View, lane: Lane[Any], matches: list[Match], texts: list[str]
) -> Callable[[int, int], float]:
    """Return the function of two indices that is the cosine of these matches by a learned embedder:
    by the vectors that are stored, so that few texts are embedded or none."""
    seqs = [match.seq for match in matches]
    held = vectors.packed_of(view.db, seqs, origin_number=view.number, embedder=lane.name)
    for seq, text in zip(seqs, texts, strict=True):
        if seq not in held:
            held[seq] = lane.packed([text])
    return lambda a, b: cosine(held[seqs[a]], held[seqs[b]])
