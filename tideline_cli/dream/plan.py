"""What a dream of one origin would change: each stage sees the facts as the earlier ones leave
them."""

from __future__ import annotations

from tideline_cli.dream import stages
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.model.edge import SIMILAR
from tideline_cli.model.instant import DAY_MS, LATEST_MS
from tideline_cli.model.proposal import Fade
from tideline_cli.model.record import record
from tideline_cli.ranking.fading import FLOOR, Eviction, traits_of
from tideline_cli.store import bulk_reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.dream.comparison import Compared
    from tideline_cli.dream.stages import Faded, Pair
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.proposal import Confirm, Merge, Proposal, Relate
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.store.bulk_reads import Edge, Fading

STAGES = ("confirm", "consolidate", "relate", "evict")
SWEEP = "gc"  # the decay sweep: a stage that is run only when it is named
ALL_STAGES = (*STAGES, SWEEP)


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
    """Return what the stages propose. Each stage sees the facts as the earlier ones would leave
    them."""
    named = settings.stages
    reflected = bulk_reads.active_count(db, viewer=viewer)
    rule = rule_of(db)
    confirms: list[Confirm] = []
    if "confirm" in named:
        beliefs = bulk_reads.beliefs(db, viewer=viewer)
        corrections = bulk_reads.corrections(db, viewer=viewer)
        confirms = stages.confirm(beliefs, corrections, count=settings.confirm_count)
    current = {item.after.id: item.after for item in confirms}
    pairs, edges = _pairs(db, compared, current, viewer)
    merges: list[Merge] = []
    if "consolidate" in named:
        merges = stages.merge(pairs, edges, merge_at=settings.merge_at, now=now, rule=rule)
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
        for seq, fact in bulk_reads.whole(db, seqs, viewer=viewer).items()
        if fact.lifecycle == "active"
    }
    place = {
        seq: place
        for place, seq in enumerate(sorted(known, key=lambda seq: (-known[seq].created_at, seq)))
    }
    alive = [(a, b, cosine) for a, b, cosine in found if a in known and b in known]
    alive.sort(key=lambda pair: (-pair[2], *sorted((place[pair[0]], place[pair[1]]))))
    pairs = [(known[a], known[b], cosine) for a, b, cosine in alive]
    return pairs, bulk_reads.edges(db, seqs, viewer=viewer)


def _relates(
    settings: Settings,
    pairs: Sequence[Pair],
    edges: dict[str, list[Edge]],
    merges: Sequence[Merge],
    rule: Sameness,
) -> list[Relate]:
    """Return the edges to make, beside those that exist and those that merges pass on."""
    kinds = (stages.KIND,) if rule == "reference" else (stages.KIND, SIMILAR)
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
            and stages.are_settled(a, b)
            and stages.are_one(a, b, rule=rule)
        }
    gone = {item.loser.id for item in merges}
    return stages.relate(
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
        old = stages.evict(fading, settings.eviction, now=now)
    if SWEEP in settings.stages:
        taken = {item.seq for item in old}
        swept = stages.sweep(fading, settings.eviction, now=now)
        weak = [item for item in swept if item.seq not in taken]
    found = bulk_reads.whole(db, [item.seq for item in (*old, *weak)], viewer=viewer)

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
    below = max(settings.evict_below, stages.ARCHIVE_BELOW if SWEEP in settings.stages else 0)
    weak = bulk_reads.fading(
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
            found.append(bulk_reads.Fading(item.seq, item.id, traits))
    return found
