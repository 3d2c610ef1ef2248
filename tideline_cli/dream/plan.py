"""What a dream of one origin would change: each stage sees the facts as the earlier ones leave
them."""

from __future__ import annotations

from collections import Counter

from tideline_cli.memory.rivals import rule_of
from tideline_cli.model.edge import REPLACING, SIMILAR, SUCCEEDS
from tideline_cli.model.instant import DAY_MS, LATEST_MS
from tideline_cli.model.proposal import Confirm, Fade, Merge, Relate
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted, is_typed
from tideline_cli.policy import gate
from tideline_cli.policy.sameness import is_reworded, may_share_place, state_the_same
from tideline_cli.policy.survivor import may_be_one, merged, richness
from tideline_cli.ranking.decay import strength_at
from tideline_cli.ranking.fading import FLOOR, Eviction, traits_of
from tideline_cli.store import passes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.dream.comparison import Compared
    from tideline_cli.model.fact import Fact, Lifecycle, Tier
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.proposal import Proposal
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.store.passes import Edge, Fading

    Pair = tuple[Fact, Fact, float]
    Edges = Mapping[str, Sequence[Edge]]

STAGES = ("confirm", "consolidate", "relate", "evict")
SWEEP = "gc"  # the decay sweep: a stage that is run only when it is named
ALL_STAGES = (*STAGES, SWEEP)
CONFIDENCE = 0.9
IMPORTANCE = 0.8
KIND = "relates"
MOST = 12  # edges of the kind that leave one fact
ARCHIVE_BELOW = 0.15


@record
class Settings:
    """What a dream does. Thresholds are cosines and strengths; `max_loss` is the share of an
    origin's active facts that one run may archive; `evict_after_owner_ms` is how old
    what a person typed must be to be evicted, None for never."""

    stages: tuple[str, ...] = STAGES
    confirm_count: int = 3
    merge_at: float = 0.95
    relate_at: float = 0.80
    evict_below: float = FLOOR
    evict_after_ms: int = 30 * DAY_MS
    max_loss: float = 0.25
    evict_after_owner_ms: int | None = None

    @property
    def eviction(self) -> Eviction:
        """Return by which rule facts are evicted."""
        return Eviction(self.evict_below, self.evict_after_ms, self.evict_after_owner_ms)


DEFAULTS = Settings()


@record
class DreamPlan:
    """What a dream would like to change. `refused` counts the facts that it may not archive."""

    reflected: int
    confirms: tuple[Confirm, ...] = ()
    merges: tuple[Merge, ...] = ()
    relates: tuple[Relate, ...] = ()
    fades: tuple[Fade, ...] = ()
    swept: tuple[Fade, ...] = ()
    refused: int = 0

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """Return all of it, in the order in which it is applied."""
        return (*self.confirms, *self.merges, *self.relates, *self.fades, *self.swept)


def plan(
    db: Connection, settings: Settings, compared: Compared | None, *, viewer: Origin, now: int
) -> DreamPlan:
    """Return what the stages propose; each sees the facts as the earlier ones leave them."""
    named = settings.stages
    reflected = passes.active_count(db, viewer=viewer)
    rule = rule_of(db)
    confirms: list[Confirm] = []
    if "confirm" in named:
        beliefs = passes.beliefs(db, viewer=viewer)
        corrections = passes.corrections(db, viewer=viewer)
        confirms = confirm(beliefs, corrections, count=settings.confirm_count)
    current = {item.after.id: item.after for item in confirms}
    pairs, edges = _pairs(db, compared, current, viewer)
    merges: list[Merge] = []
    if "consolidate" in named:
        merges = merge(pairs, edges, merge_at=settings.merge_at, now=now, rule=rule)
    current |= {item.after.id: item.after for item in merges}
    gone = {item.loser.id for item in merges}
    fades, swept = _fades(db, settings, current, gone, viewer=viewer, now=now)
    lost = len(merges) + len(fades) + len(swept)
    refused = lost > settings.max_loss * reflected + 1e-9
    if refused:
        merges, fades, swept = [], [], []
    relates = _relates(settings, pairs, edges, merges, rule) if "relate" in named else []
    return DreamPlan(
        reflected, tuple(confirms), tuple(merges), tuple(relates), tuple(fades), tuple(swept),
        lost if refused else 0,
    )  # fmt: skip


def _pairs(
    db: Connection, compared: Compared | None, current: dict[str, Fact], viewer: Origin
) -> tuple[list[Pair], dict[str, list[Edge]]]:
    """Return the pairs with their facts, most alike first, then newest first; and the edges."""
    found = [] if compared is None else compared.pairs
    seqs = sorted({seq for pair in found for seq in pair[:2]})
    known = {
        seq: current.get(fact.id, fact)
        for seq, fact in passes.whole(db, seqs, viewer=viewer).items()
        if fact.lifecycle == "active"
    }
    place = {
        seq: place
        for place, seq in enumerate(sorted(known, key=lambda seq: (-known[seq].created_at, seq)))
    }
    alive = [(a, b, cosine) for a, b, cosine in found if a in known and b in known]
    alive.sort(key=lambda pair: (-pair[2], *sorted((place[pair[0]], place[pair[1]]))))
    pairs = [(known[a], known[b], cosine) for a, b, cosine in alive]
    return pairs, passes.edges(db, seqs, viewer=viewer)


def _relates(
    settings: Settings,
    pairs: Sequence[Pair],
    edges: dict[str, list[Edge]],
    merges: Sequence[Merge],
    rule: Sameness,
) -> list[Relate]:
    """Return the edges to make, beside those that exist and those that merges pass on."""
    kinds = (KIND,) if rule == "reference" else (KIND, SIMILAR)
    related = {
        fact_id: {target for kind, target, *_ in own if kind in kinds}
        for fact_id, own in edges.items()
    }
    for item in merges:
        mine = related.setdefault(item.keeper.id, set())
        mine |= {target for kind, target, *_ in item.inherited if kind in kinds}
    twins: set[frozenset[str]] = set()
    if "consolidate" in settings.stages:
        twins = {
            frozenset((a.id, b.id))
            for a, b, cosine in pairs
            if cosine >= settings.merge_at
            and are_settled(a, b)
            and are_one(a, b, rule=rule)
        }
    gone = {item.loser.id for item in merges}
    return relate(
        pairs, related, relate_at=settings.relate_at, twins=twins, gone=gone,
        similar_at=2.0 if rule == "reference" else settings.merge_at,
    )  # fmt: skip


def _fades(
    db: Connection, settings: Settings, current: dict[str, Fact], gone: set[str], *,
    viewer: Origin, now: int,
) -> tuple[list[Fade], list[Fade]]:  # fmt: skip
    """Return what eviction and the decay sweep take, as the earlier stages leave it."""
    if "evict" not in settings.stages and SWEEP not in settings.stages:
        return [], []
    fading = _fading(db, settings, current, gone, viewer=viewer, now=now)
    old: list[Faded] = []
    weak: list[Faded] = []
    if "evict" in settings.stages:
        old = evict(fading, settings.eviction, now=now)
    if SWEEP in settings.stages:
        taken = {item.seq for item in old}
        swept = sweep(fading, settings.eviction, now=now)
        weak = [item for item in swept if item.seq not in taken]
    found = passes.whole(db, [item.seq for item in (*old, *weak)], viewer=viewer)

    def whole(some: Sequence[Faded]) -> list[Fade]:
        facts = [(found[item.seq], item) for item in some if item.seq in found]
        return [
            Fade(current.get(fact.id, fact), item.strength, item.days, item.becomes)
            for fact, item in facts
        ]

    return whole(old), whole(weak)


def _fading(
    db: Connection, settings: Settings, current: dict[str, Fact], gone: set[str], *,
    viewer: Origin, now: int,
) -> list[Fading]:  # fmt: skip
    """Return the facts that may fade, as the earlier stages leave them."""
    until = LATEST_MS if SWEEP in settings.stages else now - settings.evict_after_ms
    below = max(settings.evict_below, ARCHIVE_BELOW if SWEEP in settings.stages else 0)
    weak = passes.fading(
        db, viewer=viewer, until=until, now=now, below=below, also=current.keys(),
        keeps_typed=settings.evict_after_owner_ms is None,
    )  # fmt: skip
    found: list[Fading] = []
    for item in weak:
        changed = current.get(item.id)
        if item.id in gone:
            continue
        if changed is None:
            found.append(item)
        elif changed.status != "confirmed" and changed.tier != "permanent":
            traits = traits_of(changed, item.traits.given_at)
            found.append(passes.Fading(item.seq, item.id, traits))
    return found


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
            after = replace(fact, status="confirmed", confidence=CONFIDENCE, importance=importance)
            found.append(Confirm(fact, after, said, corrected))
    return found


def merge(
    pairs: Iterable[Pair], edges: Edges, *, merge_at: float, now: int, rule: Sameness = "strict"
) -> list[Merge]:
    """Return the merges, in order; `pairs` come most alike first.

    Copies of one text are merged, and facts that a model distilled in the same words. A fact is
    merged away once at most, and a fact that is gone keeps nothing. A later merge of the
    same keeper starts from what the earlier one made of it, and asks all that it was made of.
    """
    current: dict[str, Fact] = {}
    parts: dict[str, list[Fact]] = {}
    held: dict[str, list[Edge]] = {}
    gone: set[str] = set()
    found: list[Merge] = []
    for one, other, cosine in pairs:
        a, b = current.get(one.id, one), current.get(other.id, other)
        if cosine < merge_at or {a.id, b.id} & gone:
            continue
        ones, others = (parts.get(fact.id, [fact]) for fact in (one, other))
        if not all(_may_merge(one, other, now, rule) for one in ones for other in others):
            continue
        if not are_one(a, b, rule=rule):
            continue
        first, second = _merit(a, now), _merit(b, now)
        is_kept = a.id <= b.id if first == second else first > second
        keeper, loser = (a, b) if is_kept else (b, a)
        if loser.pinned:
            continue
        own = held.setdefault(keeper.id, list(edges.get(keeper.id, ())))
        theirs = held.get(loser.id, edges.get(loser.id, ()))
        inherited = _inherited(own, theirs, keeper, loser)
        after = merged(keeper, loser)
        found.append(Merge(keeper, after, loser, cosine, inherited))
        own += [*inherited, *((kind, loser.id, None, None) for kind in SUCCEEDS)]
        current[keeper.id], parts[keeper.id] = after, ones + others
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


def _may_merge(a: Fact, b: Fact, now: int, rule: Sameness) -> bool:
    """Say whether two twins may become one.

    Two settled facts stay two. A fact that has ended is not the same as one that holds, and two
    facts that end or begin at different times are not the same. Two slots are two things.
    """
    has_ended = any(fact.valid_to is not None and fact.valid_to <= now for fact in (a, b))
    may = may_be_one(a, b, rule=rule) and may_share_place(a, b)
    return may and not has_ended and not are_settled(a, b)


def _merit(fact: Fact, now: int) -> tuple[object, ...]:
    known, power = richness(fact)[:-1], strength_at(fact, now=now)
    typed = is_typed(fact.source, fact.agent)
    return is_trusted(fact.source), typed, fact.pinned, known, fact.status == "confirmed", power


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
