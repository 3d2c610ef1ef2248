"""The facts around a fact, and the links among them: what `tideline graph` shows."""

from __future__ import annotations

from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.fact import role_weight, trust
from tideline_cli.model.hit import Breakdown, Hit, Via
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import decay, decays
from tideline_cli.ranking.graph import FAN_OUT, HOP, SEEDS, asks_for_links, hub_damping, spread
from tideline_cli.store import facts, links, visibility
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.links import Hop, Tie

_STRONG = ("supersedes", "transition", "corrects", "contradicts", "contrasts_with")
_NONE: Mapping[str, int] = {}
_WEAK = ("relates", "same_topic", "similar")
_BEHIND = 1.0 - 1e-9  # of the score of a hit: just behind it


@record
class Connected:
    """A link between two facts of a graph; two that say the same from either end are one."""

    source: str
    kind: str
    target: str
    strength: int | None

    @property
    def weight(self) -> str:
        """Return how much the kind of the link says. Source: Tideline, graph export."""
        return "strong" if self.kind in _STRONG else "weak" if self.kind in _WEAK else "medium"


@record
class Graph:
    """Facts, by how many links they are away from the `centre` (None: all of an origin), and their
    links. `is_cut`: there are more. `left_out`: of facts with more links than are followed, how
    many of the facts that they are linked with are not shown. `elsewhere`: facts of other scopes
    that are linked with these."""

    centre: str | None
    facts: tuple[Fact, ...]
    hops: dict[str, int]
    edges: tuple[Connected, ...]
    is_cut: bool
    left_out: Mapping[str, int] = _NONE
    elsewhere: int = 0


@record
class Reach:
    """How far a graph goes: links away from its centre, facts, and links followed from a fact."""

    hops: int
    limit: int
    fan_out: int = FAN_OUT


def around(db: Connection, centre: Fact, *, viewer: Origin, reach: Reach, wanted: Filter) -> Graph:
    """Return the facts asked for that few links lead to from a fact, both ways, nearest first."""
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        start = facts.number_of(db, centre.id, viewer=viewer)
        away, counts = _walked(db, start, reach, origin_number, wanted)
        seqs = list(away)
        made = _graph(db, seqs[: reach.limit], viewer=viewer)
        ties = links.ties_between(db, list(made), origin_number=origin_number)
        hidden = _elsewhere(db, list(made), origin_number, wanted)
    hops_of = {fact.id: away[seq] for seq, fact in made.items()}
    left_out = _left_out(made, ties, counts, reach.fan_out)
    return Graph(
        centre.id, tuple(made.values()), hops_of, _edges(made, ties), len(seqs) > reach.limit,
        left_out, hidden,
    )  # fmt: skip


def _walked(
    db: Connection, start: int, reach: Reach, origin_number: int, wanted: Filter
) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many links away facts are from the first one, by number, and with how many facts
    each of those is linked whose links were followed."""
    edges: dict[str, list[str]] = {}
    counts: dict[int, int] = {}
    border, known = [start], {start}
    for _ in range(reach.hops):
        found = links.steps(
            db, border, origin_number=origin_number, limit=reach.fan_out, wanted=wanted
        )
        counts |= found.neighbours
        for hop in found.hops:
            edges.setdefault(str(hop.seq), []).append(str(hop.other))
        border = [seq for seq in dict.fromkeys(hop.other for hop in found.hops) if seq not in known]
        known.update(border)
        if len(known) > reach.limit:
            break
    away = spread(edges, [str(start)], hops=reach.hops, fan_out=reach.fan_out)
    return {int(seq): hop for seq, hop in away.items()}, counts


def _left_out(
    made: Mapping[int, Fact], ties: Sequence[Tie], counts: Mapping[int, int], fan_out: int
) -> dict[str, int]:
    """Return by id, of the facts with more links than were followed, how many of the facts that
    they are linked with are not shown."""
    shown: dict[int, set[int]] = {}
    for tie in ties:
        shown.setdefault(tie.start, set()).add(tie.end)
        shown.setdefault(tie.end, set()).add(tie.start)
    more = {
        fact.id: counts[seq] - len(shown.get(seq, ()))
        for seq, fact in made.items()
        if counts.get(seq, 0) > fan_out
    }
    return {fact_id: count for fact_id, count in more.items() if count > 0}


def whole(db: Connection, *, viewer: Origin, limit: int, wanted: Filter) -> Graph:
    """Return an origin's weightiest facts asked for that are linked with one another, and links."""
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        seqs = links.linked(db, origin_number=origin_number, limit=limit + 1, wanted=wanted)
        made = _graph(db, seqs[:limit], viewer=viewer)
        ties = links.ties_between(db, list(made), origin_number=origin_number)
        hidden = 0
        if wanted.scopes is not None:
            anywhere = replace(wanted, scopes=None)
            hidden = links.linked_count(
                db, origin_number=origin_number, wanted=anywhere
            ) - links.linked_count(db, origin_number=origin_number, wanted=wanted)
    edges = _edges(made, ties)
    return Graph(None, tuple(made.values()), {}, edges, len(seqs) > limit, elsewhere=hidden)


def _elsewhere(db: Connection, seqs: list[int], origin_number: int, wanted: Filter) -> int:
    """Return how many facts of other scopes are linked with these."""
    if wanted.scopes is None:
        return 0
    every, seen = (
        links.beside_count(db, seqs, origin_number=origin_number, wanted=asked)
        for asked in (replace(wanted, scopes=None), wanted)
    )
    return every - seen


def _graph(db: Connection, seqs: Sequence[int], *, viewer: Origin) -> dict[int, Fact]:
    read = facts.get(db, seqs, viewer=viewer)
    return {seq: read[seq] for seq in seqs if seq in read}


def _edges(made: Mapping[int, Fact], ties: Sequence[Tie]) -> tuple[Connected, ...]:
    """Return the links among facts; a symmetric one is stored from both ends, and told once."""
    told: dict[tuple[object, str], Connected] = {}
    for tie in ties:
        ends = made[tie.start].id, made[tie.end].id
        pair: object = frozenset(ends) if tie.kind in SYMMETRIC else ends
        told.setdefault((pair, tie.kind), Connected(ends[0], tie.kind, ends[1], tie.strength))
    return tuple(told.values())


def with_linked(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin, now: int, always: bool
) -> Recalled:
    """Return an answer with the facts that one link leads to from its best hits, by score; unless
    `always`, only where the question asks for that or two of those hits are linked.

    A linked fact scores half of the hit's score · 1/sqrt(1 + its neighbours) · trust · modulator ·
    role. One that nobody trusts stays behind every trusted hit. By classes and distance, where a
    score is no share of anything, linked facts stand behind all hits. Filters and origin hold for
    it as for any other hit; no hit that was found otherwise gains or loses by it.
    """
    seeds = dict(zip(answer.seqs[:SEEDS], answer.hits[:SEEDS], strict=True))
    with snapshot(db):
        origin_number = visibility.number(db, viewer)
        hops = links.steps(
            db, list(seeds), origin_number=origin_number, limit=FAN_OUT, wanted=query.wanted,
            valid_at=now,
        ).hops  # fmt: skip
        asks = always or asks_for_links(query.text)
        if not asks and not any(step.other in seeds for step in hops):
            return answer
        known = set(answer.seqs)
        steps = [step for step in hops if step.other not in known]
        others = list(dict.fromkeys(step.other for step in steps))
        read = facts.among(db, others, viewer=viewer, wanted=query.wanted, now=now)
        degrees = links.degrees(db, list(read), origin_number=origin_number)
    found = _best(steps, seeds, read, degrees, query, now)
    keep = _behind if query.way.by_distance else _held
    return _merged(answer, keep(found, answer.hits), query)


def _best(
    steps: Sequence[Hop], seeds: dict[int, Hit], read: dict[int, Fact], degrees: dict[int, int],
    query: Query, now: int,
) -> dict[int, Hit]:  # fmt: skip
    """Return each linked fact by its best link."""
    moment = now if query.wanted.as_of is None else query.wanted.as_of
    found: dict[int, Hit] = {}
    for step in steps:
        if step.other not in read:
            continue
        seed = seeds[step.seq]
        hit = _hit(read[step.other], seed, step, degrees[step.other], query, moment)
        if step.other not in found or hit.score > found[step.other].score:
            found[step.other] = hit
    return found


def _hit(fact: Fact, seed: Hit, step: Hop, degree: int, query: Query, moment: int) -> Hit:
    strength = decays.strength_by(fact, query.decay, now=moment)
    modulator = decay.modulator(strength, query.depth)
    trusted, role = trust(fact.source, fact.confidence), role_weight(fact.role)
    base, less = seed.score * HOP, hub_damping(degree)
    why = Breakdown(
        None, (), strength, modulator, trusted, "graph", base=base, damping=less, role=role
    )
    score = base * less * trusted * modulator * role
    return Hit(fact, score, why, via=Via(seed.fact.id, step.kind, step.leaves))


def _behind(found: dict[int, Hit], hits: Sequence[Hit]) -> dict[int, Hit]:
    """Return linked facts with scores below those of all hits, the nearest first."""
    least = min(hit.score for hit in hits)
    kept: dict[int, Hit] = {}
    for seq, hit in found.items():
        why = hit.why
        share = HOP * (why.damping or 0.0) * why.trust * why.modulator * why.role
        parts = {"behind": least, "share": share}
        kept[seq] = replace(hit, score=least - 1.0 + share, why=replace(why, parts=parts))
    return kept


def _held(found: dict[int, Hit], hits: Sequence[Hit]) -> dict[int, Hit]:
    """Return linked facts, of which those that nobody trusts stay behind the trusted hits."""
    least = min((hit.score for hit in hits if is_trusted(hit.fact.source)), default=None)
    if least is None:
        return found
    kept: dict[int, Hit] = {}
    for seq, hit in found.items():
        if hit.score >= least * _BEHIND and not is_trusted(hit.fact.source):
            held = least * _BEHIND / hit.score
            hit = replace(hit, score=hit.score * held, why=replace(hit.why, held=held))
        kept[seq] = hit
    return kept


def _merged(answer: Recalled, found: dict[int, Hit], query: Query) -> Recalled:
    """Return the answer with the linked facts in order of score; behind hits in another order."""
    least = query.min_score
    more = sorted(
        ((seq, hit) for seq, hit in found.items() if not least or hit.score >= least),
        key=lambda pair: (-pair[1].score, -pair[1].fact.created_at, pair[1].fact.id),
    )
    both = [*zip(answer.seqs, answer.hits, strict=True), *more]
    if query.mmr >= 1.0:
        both.sort(key=lambda pair: -pair[1].score)  # equals stay in order
    both = both[: query.limit]
    return replace(answer, hits=tuple(hit for _, hit in both), seqs=tuple(seq for seq, _ in both))
