"""One dream of one origin: compare, plan, apply in short transactions."""

from __future__ import annotations

from tideline_cli.dream import apply
from tideline_cli.dream.plan import STAGES, plan
from tideline_cli.memory import fading
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.model.record import record, replace
from tideline_cli.store import bulk_reads, fts, visibility
from tideline_cli.store.transactions import snapshot, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from apsw import Connection

    from tideline_cli.dream.comparison import Compared
    from tideline_cli.dream.plan import DreamPlan, Settings
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.proposal import Proposal


@record
class Dreamt:
    """What a dream of one origin did, or would do: `skipped` counts proposals left out because
    their facts had changed meanwhile. `batch` is the origin's number of it, None for a dry run.
    `refused_before` says that the pass before it refused as many facts."""

    plan: DreamPlan
    skipped: int
    batch: int | None
    refused_before: bool = False

    @property
    def archived_count(self) -> int:
        """Return how many facts it took out of recall."""
        return len(self.archived)

    @property
    def archived(self) -> list[Fact]:
        """Return the facts that it took out of recall."""
        return [
            *(item.loser for item in self.plan.merges),
            *(item.fact for item in (*self.plan.fades, *self.plan.swept)),
        ]


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
    """Plan and apply the stages for one origin. The same store and time give the same plan."""
    number = visibility.number(db, viewer)
    compared = _compared(db, settings, number, viewer, progress)
    with snapshot(db):
        rule = rule_of(db)
        made = plan(db, settings, compared, viewer=viewer, now=now)
    if dry_run:
        return Dreamt(made, 0, None)
    if compared is not None:
        from tideline_cli.dream import comparison  # noqa: PLC0415  numpy

        comparison.store_pairs(db, compared, origin_number=number)
    before = bulk_reads.said_of_last(db, verb, viewer=viewer)
    pass_ = apply.Pass(db, verb=verb, viewer=viewer, now=now, rule=rule)
    pass_.apply(made.proposals)
    done = _without(made, pass_.skipped)
    whole = set(STAGES) <= set(settings.stages) or verb != "dream"
    ordinal = pass_.finish(("" if whole else "some stages: ") + summary(done), whole=whole)
    if fts.is_of_server(db):
        with writing(db):
            fts.fold(db, origin_number=number)
    if "evict" in settings.stages:
        fading.foresee(db, settings.eviction, viewer=viewer, now=now)
    return Dreamt(done, len(pass_.skipped), ordinal, f" {before}".endswith(f" {_refusal(made)}"))


def _without(made: DreamPlan, skipped: Sequence[Proposal]) -> DreamPlan:
    """Return the plan without the proposals that were skipped."""
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


def summary(made: DreamPlan) -> str:
    """Return in a few words what a plan does."""
    counts = (
        (len(made.confirms), "confirmed"),
        (len(made.merges), "merged"),
        (len(made.relates), "linked"),
        (len(made.fades), "evicted"),
        (sum(item.becomes == "archived" for item in made.swept), "archived"),
        (sum(item.becomes == "pruned" for item in made.swept), "pruned"),
    )
    said = [f"{count:,} {word}" for count, word in counts if count]
    return ", ".join([*said, _refusal(made)] if made.refused else said) or "nothing to do"


def _refusal(made: DreamPlan) -> str:
    return f"{made.refused:,} refused (over max-loss)"


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
