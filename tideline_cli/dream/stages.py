"""The stages of a dream: confirm, merge, relate, evict and the decay sweep. Each is a pure
function that returns what it proposes."""

from __future__ import annotations

from collections import Counter

from tideline_cli.model.edge import REPLACING, SIMILAR, SUCCEEDS
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.proposal import Confirm, Merge, Relate
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy import gate
from tideline_cli.policy.sameness import is_reworded, may_share_place, state_the_same
from tideline_cli.policy.survivor import may_be_one, merged, richness
from tideline_cli.ranking.decay import strength_at
from tideline_cli.ranking.fading import FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tideline_cli.model.fact import Fact, Lifecycle, Tier
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.ranking.fading import Eviction
    from tideline_cli.store.bulk_reads import Fading

    Pair = tuple[Fact, Fact, float]
    Edge = tuple[str, str, str | None, int | None]  # kind, target id, reason, strength
    Edges = Mapping[str, Sequence[Edge]]

CONFIDENCE = 0.9
IMPORTANCE = 0.8
KIND = "relates"
MOST = 12  # edges of the kind that leave one fact
ARCHIVE_BELOW = 0.15


@record
class Faded:
    """A fact that has faded, by number: its strength, its age in days, and what it becomes."""

    seq: int
    strength: float
    days: float
    becomes: Lifecycle


def confirm(
    beliefs: Iterable[Fact], corrections: Mapping[tuple[str, str | None], int], *, count: int
) -> list[Confirm]:
    """Return the beliefs to confirm: used or restated `count` - 1 times, or replaced so often.

    `beliefs` are active facts that hold a slot and are not confirmed; `corrections` counts for
    each slot of each scope the archived facts that another fact of the slot replaced. A fact of an
    untrusted source is never confirmed, however often it is repeated: a confirmed fact is safe from
    loss.
    """
    found: list[Confirm] = []
    for fact in beliefs:
        if not is_trusted(fact.source):
            continue
        said, corrected = fact.access_count + 1, corrections.get((fact.slot or "", fact.scope), 0)
        if max(said, corrected) >= count:
            importance = max(fact.importance, IMPORTANCE)
            after = replace(
                fact, status="confirmed", confidence=CONFIDENCE, importance=importance
            )
            found.append(Confirm(fact, after, said, corrected))
    return found


def merge(
    pairs: Iterable[Pair], edges: Edges, *, merge_at: float, now: int, rule: Sameness = "strict"
) -> list[Merge]:
    """Return the merges, in order; `pairs` come most alike first.

    Copies of one text are merged, and facts that a model distilled in the same words. A fact is
    merged away once at most, and a fact that is gone keeps nothing. A later merge of the
    same keeper starts from what the earlier one made of it.
    """
    current: dict[str, Fact] = {}
    held: dict[str, list[Edge]] = {}
    gone: set[str] = set()
    found: list[Merge] = []
    for one, other, cosine in pairs:
        a, b = current.get(one.id, one), current.get(other.id, other)
        if cosine < merge_at or {a.id, b.id} & gone or not _may_merge(a, b, now):
            continue
        if not are_one(a, b, rule=rule):
            continue
        keeper, loser = (a, b) if _is_keeper(a, b, now) else (b, a)
        if loser.pinned:
            continue
        own = held.setdefault(keeper.id, list(edges.get(keeper.id, ())))
        theirs = held.get(loser.id, edges.get(loser.id, ()))
        inherited = _inherited(own, theirs, keeper, loser)
        after = merged(keeper, loser)
        found.append(Merge(keeper, after, loser, cosine, inherited))
        own += [*inherited, *((kind, loser.id, None, None) for kind in SUCCEEDS)]
        current[keeper.id] = after
        gone.add(loser.id)
    return found


def relate(
    pairs: Iterable[Pair], related: Mapping[str, Collection[str]], *, relate_at: float,
    twins: Collection[frozenset[str]], gone: Collection[str], similar_at: float = 2.0,
) -> list[Relate]:  # fmt: skip
    """Return the edges to make, two for a pair; `pairs` come most alike first.

    `related` are the ids that each fact is related to already, `twins` pairs of settled facts that
    say the same, `gone` facts that were merged away. From a cosine of `similar_at` on an edge is
    `similar`. A threshold of 1 or more relates nothing.
    """
    if relate_at >= 1:
        return []
    known = {fact_id: set(targets) for fact_id, targets in related.items()}
    found: list[Relate] = []
    for a, b, cosine in pairs:
        ids = frozenset((a.id, b.id))
        if cosine < relate_at or ids in twins or a.id in gone or b.id in gone:
            continue
        for source, target in ((a, b), (b, a)):
            mine = known.setdefault(source.id, set())
            if target.id not in mine and len(mine) < MOST:
                mine.add(target.id)
                kind = SIMILAR if cosine >= similar_at else KIND
                found.append(Relate(source, target, cosine, kind))
    return found


def evict(fading: Iterable[Fading], rule: Eviction, *, now: int) -> list[Faded]:
    """Return the facts that are too weak and that the rule does not keep."""
    found: list[Faded] = []
    for fact in fading:
        traits, power = fact.traits, fact.traits.strength_at(now=now)
        if power < rule.below and rule.may_fade(traits, now=now):
            found.append(Faded(fact.seq, power, (now - traits.created_at) / DAY_MS, "archived"))
    return found


def sweep(fading: Iterable[Fading], rule: Eviction, *, now: int) -> list[Faded]:
    """Return what the decay sweep takes of what the rule does not keep, whatever its age:
    long-lived facts below the floor are archived, others below it pruned and below 0.15 archived.
    Source: Tideline, decay sweep."""
    found: list[Faded] = []
    ageless = replace(rule, after_ms=0)
    for fact in fading:
        age, power = max(0, now - fact.traits.created_at), fact.traits.strength_at(now=now)
        becomes = _swept_to(fact.traits.tier, power)
        if becomes is not None and ageless.may_fade(fact.traits, now=now):
            found.append(Faded(fact.seq, power, age / DAY_MS, becomes))
    return found


def are_one(a: Fact, b: Fact, *, rule: Sameness) -> bool:
    """Say whether two facts that are much alike say the same, as a dream takes it."""
    return state_the_same(a, b, rule=rule) or is_reworded(a, b)


def are_settled(a: Fact, b: Fact) -> bool:
    """Say whether both of two facts are confirmed or pinned: neither gives way to the other."""
    return all(fact.status == "confirmed" or fact.pinned for fact in (a, b))


def _may_merge(a: Fact, b: Fact, now: int) -> bool:
    """Say whether two twins may become one.

    Two settled facts stay two. A fact that has ended is not the same as one that holds, and two
    facts that end or begin at different times are not the same. Two slots are two things.
    """
    if any(fact.valid_to is not None and fact.valid_to <= now for fact in (a, b)):
        return False
    if not may_be_one(a, b, now=now):
        return False
    if not may_share_place(a, b):
        return False
    return not are_settled(a, b)


def _is_keeper(a: Fact, b: Fact, now: int) -> bool:
    """Say whether `a` is the one to keep; of equals it is the one with the lesser id."""
    first, second = _merit(a, now), _merit(b, now)
    return a.id <= b.id if first == second else first > second


def _merit(fact: Fact, now: int) -> tuple[object, ...]:
    known, power = richness(fact)[:-1], strength_at(fact, now=now)
    return is_trusted(fact.source), fact.pinned, known, fact.status == "confirmed", power


def _inherited(
    own: Sequence[Edge], theirs: Iterable[Edge], keeper: Fact, loser: Fact
) -> tuple[Edge, ...]:
    """Return the edges that the keeper takes over. A trusted fact takes from an untrusted one no
    edge that says that it replaced something."""
    known = {(kind, target) for kind, target, *_ in own}
    barred = () if gate.may_touch(loser.source, keeper.source) else REPLACING
    counts = Counter(kind for kind, *_ in own)
    taken: list[Edge] = []
    for edge in theirs:
        kind, target, *_ = edge
        full = kind not in REPLACING and counts[kind] >= MOST
        if target != keeper.id and kind not in barred and (kind, target) not in known and not full:
            taken.append(edge)
            counts[kind] += 1
    return tuple(taken)


def _swept_to(tier: Tier, power: float) -> Lifecycle | None:
    """Return what the sweep makes of a fact; None when it stays."""
    if power < FLOOR:
        return "archived" if tier == "long" else "pruned"
    return "archived" if tier != "long" and power < ARCHIVE_BELOW else None
