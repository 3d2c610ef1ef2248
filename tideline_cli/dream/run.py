"""One dream of one origin: gather, plan in order, check the loss, apply in short transactions."""

from __future__ import annotations

from tideline_cli.dream import apply, confirm, evict, merge, relate
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.model.instant import DAY_MS, LATEST_MS
from tideline_cli.model.proposal import Fade
from tideline_cli.model.record import record, replace
from tideline_cli.store import bulk_reads, visibility
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.dream.comparison import Compared
    from tideline_cli.dream.evict import Faded
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.proposal import Confirm, Merge, Proposal, Relate

    Pair = tuple[Fact, Fact, float]

STAGES = ("confirm", "consolidate", "relate", "evict")
SWEEP = "gc"  # the decay sweep: a stage that is run only when it is named
ALL_STAGES = (*STAGES, SWEEP)


@record
class Settings:
    """What a dream does. Thresholds are cosines and strengths; `max_loss` is the share of an
    origin's active facts that one run may archive."""

    stages: tuple[str, ...] = STAGES
    confirm_count: int = 3
    merge_at: float = 0.95
    relate_at: float = 0.80
    evict_below: float = 0.05
    evict_after_ms: int = 30 * DAY_MS
    max_loss: float = 0.25


@record
class Plan:
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


@record
class Dreamt:
    """What a dream of one origin did, or would do: `skipped` counts proposals left out because
    their facts had changed meanwhile. `batch` is the origin's number of it, None for a dry run."""

    plan: Plan
    skipped: int
    batch: int | None


def dream(
    db: Connection,
    settings: Settings,
    *,
    viewer: Origin,
    now: int,
    dry_run: bool,
    verb: str = "dream",
    progress: Callable[[int, int], None] | None = None,
) -> Dreamt:
    """Let the memory of one origin tend itself. The same store and time give the same plan."""
    number = visibility.number(db, viewer)
    compared = _compared(db, settings, number, viewer, progress)
    with snapshot(db):
        rule = rule_of(db)
        made = plan(db, settings, compared, viewer=viewer, now=now)
    if dry_run:
        return Dreamt(made, 0, None)
    if compared is not None:
        from tideline_cli.dream import comparison  # noqa: PLC0415  numpy

        comparison.keep(db, compared, origin_number=number)
    pass_ = apply.Pass(db, verb=verb, viewer=viewer, now=now, rule=rule)
    pass_.take(made.proposals)
    done = _without(made, pass_.skipped)
    whole = set(STAGES) <= set(settings.stages) or verb != "dream"
    ordinal = pass_.finish(("" if whole else "some stages: ") + summary(done), whole=whole)
    return Dreamt(done, len(pass_.skipped), ordinal)


def _without(made: Plan, skipped: Sequence[Proposal]) -> Plan:
    """Return what of a plan has happened."""
    left_out = {id(proposal) for proposal in skipped}
    if not left_out:
        return made
    return replace(
        made,
        confirms=tuple(item for item in made.confirms if id(item) not in left_out),
        merges=tuple(item for item in made.merges if id(item) not in left_out),
        relates=tuple(item for item in made.relates if id(item) not in left_out),
        fades=tuple(item for item in made.fades if id(item) not in left_out),
        swept=tuple(item for item in made.swept if id(item) not in left_out),
    )


def plan(
    db: Connection, settings: Settings, compared: Compared | None, *, viewer: Origin, now: int
) -> Plan:
    """Return what the stages propose, each on what those before it would leave behind."""
    stages = settings.stages
    reflected = bulk_reads.active_count(db, viewer=viewer)
    confirms: list[Confirm] = []
    if "confirm" in stages:
        beliefs = bulk_reads.beliefs(db, viewer=viewer)
        corrections = bulk_reads.corrections(db, viewer=viewer)
        confirms = confirm.plan(beliefs, corrections, count=settings.confirm_count)
    current = {item.after.id: item.after for item in confirms}
    pairs, edges = _pairs(db, compared, current, viewer)
    merges: list[Merge] = []
    if "consolidate" in stages:
        merges = merge.plan(
            pairs, edges, merge_at=settings.merge_at, now=now, rule=rule_of(db),
            learned=compared is not None and compared.learned,
        )  # fmt: skip
    current |= {item.after.id: item.after for item in merges}
    gone = {item.loser.id for item in merges}
    fades, swept = _fades(db, settings, current, gone, viewer=viewer, now=now)
    lost = len(merges) + len(fades) + len(swept)
    refused = lost > settings.max_loss * reflected + 1e-9
    if refused:
        merges, fades, swept = [], [], []
    relates = _relates(settings, pairs, edges, merges) if "relate" in stages else []
    return Plan(
        reflected, tuple(confirms), tuple(merges), tuple(relates), tuple(fades), tuple(swept),
        lost if refused else 0,
    )  # fmt: skip


def summary(made: Plan) -> str:
    """Return in a few words what a plan does."""
    counts = (
        (len(made.confirms), "confirmed"),
        (len(made.merges), "merged"),
        (len(made.relates), "linked"),
        (len(made.fades), "evicted"),
        (sum(item.becomes == "archived" for item in made.swept), "archived"),
        (sum(item.becomes == "pruned" for item in made.swept), "pruned"),
        (made.refused, "refused (over max-loss)"),
    )
    return ", ".join(f"{count:,} {word}" for count, word in counts if count) or "nothing to do"


def _compared(
    db: Connection,
    settings: Settings,
    number: int,
    viewer: Origin,
    progress: Callable[[int, int], None] | None,
) -> Compared | None:
    wanted = [settings.merge_at] if "consolidate" in settings.stages else []
    if "relate" in settings.stages and settings.relate_at < 1:
        wanted.append(settings.relate_at)
    if number == visibility.NOBODY or not wanted:
        return None
    from tideline_cli.dream import comparison  # noqa: PLC0415  numpy

    return comparison.compare(
        db, origin_number=number, viewer=viewer, floor=min(wanted), progress=progress
    )


def _pairs(
    db: Connection, compared: Compared | None, current: dict[str, Fact], viewer: Origin
) -> tuple[list[Pair], dict[str, list[bulk_reads.Edge]]]:
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
    edges: dict[str, list[bulk_reads.Edge]],
    merges: Sequence[Merge],
) -> list[Relate]:
    """Return the edges to make, on top of those that are there and that merges pass on."""
    related = {
        fact_id: {target for kind, target, *_ in own if kind == relate.KIND}
        for fact_id, own in edges.items()
    }
    for item in merges:
        mine = related.setdefault(item.keeper.id, set())
        mine |= {target for kind, target, *_ in item.inherited if kind == relate.KIND}
    twins: set[frozenset[str]] = set()
    if "consolidate" in settings.stages:
        twins = {
            frozenset((a.id, b.id))
            for a, b, cosine in pairs
            if cosine >= settings.merge_at and merge.are_settled(a, b)
        }
    gone = {item.loser.id for item in merges}
    return relate.plan(
        pairs, related, relate_at=settings.relate_at, twins=twins, gone=gone
    )


def _fades(
    db: Connection,
    settings: Settings,
    current: dict[str, Fact],
    gone: set[str],
    *,
    viewer: Origin,
    now: int,
) -> tuple[list[Fade], list[Fade]]:
    """Return what eviction and the decay sweep take, as the facts would be by then."""
    if "evict" not in settings.stages and SWEEP not in settings.stages:
        return [], []
    until = LATEST_MS if SWEEP in settings.stages else now - settings.evict_after_ms
    rows = [
        _row(row[0], current[row[1]]) if row[1] in current else row
        for row in bulk_reads.fading(db, viewer=viewer, until=until)
        if row[1] not in gone and not _is_confirmed(current.get(row[1]))
    ]
    old: list[Faded] = []
    weak: list[Faded] = []
    if "evict" in settings.stages:
        old = evict.plan(
            rows, now=now, below=settings.evict_below, after_ms=settings.evict_after_ms
        )
    if SWEEP in settings.stages:
        taken = {faded[0] for faded in old}
        weak = [faded for faded in evict.sweep(rows, now=now) if faded[0] not in taken]
    found = bulk_reads.whole(db, [faded[0] for faded in (*old, *weak)], viewer=viewer)

    def whole(some: Sequence[Faded]) -> list[Fade]:
        return [
            Fade(current.get(found[seq].id, found[seq]), power, days, becomes)
            for seq, power, days, becomes in some
            if seq in found
        ]

    return whole(old), whole(weak)


def _row(seq: int, fact: Fact) -> tuple[Any, ...]:
    """Return a fact as a row of `material.fading`."""
    return (
        seq, fact.id, fact.tier, fact.importance, fact.decay_rate, fact.segment,
        fact.access_count, fact.last_accessed_at, fact.created_at,
    )  # fmt: skip


def _is_confirmed(fact: Fact | None) -> bool:
    return fact is not None and (fact.status == "confirmed" or fact.tier == "permanent")
