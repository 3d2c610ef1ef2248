"""Facts that are linked with the best hits of a recall: among the hits, marked with the link."""

from __future__ import annotations

from tideline_cli.model.fact import role_weight, trust
from tideline_cli.model.hit import Breakdown, Hit, Via
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking import decay, decays
from tideline_cli.ranking.graph import FAN_OUT, HOP, SEEDS, asks_for_links, hub_damping
from tideline_cli.store import facts, neighbours, visibility
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.neighbours import Hop

_BEHIND = 1.0 - 1e-9  # of the score of a hit: just behind it


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
        hops = neighbours.steps(
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
        degrees = neighbours.degrees(db, list(read), origin_number=origin_number)
    found = _best(steps, seeds, read, degrees, query, now)
    keep = _behind if query.fusion == "priority" else _held
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
    """Return the answer with the linked facts in order of score; where hits are not in that order,
    behind them."""
    least = query.min_score
    more = sorted(
        ((seq, hit) for seq, hit in found.items() if not least or hit.score >= least),
        key=lambda pair: (-pair[1].score, -pair[1].fact.created_at, pair[1].fact.id),
    )
    both = [*zip(answer.seqs, answer.hits, strict=True), *more]
    if query.mmr >= 1.0:
        both.sort(key=lambda pair: -pair[1].score)  # equals stay in order
    both = both[: query.limit]
    return replace(
        answer, hits=tuple(hit for _, hit in both), seqs=tuple(seq for seq, _ in both)
    )
