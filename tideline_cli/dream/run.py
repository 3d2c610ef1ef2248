"""One dream of one origin: compare, plan, apply in short transactions."""

from __future__ import annotations

from itertools import groupby

from tideline_cli.dream.plan import STAGES, plan
from tideline_cli.errors import Interrupted, NotFoundError, ReplacedError
from tideline_cli.memory import amend, fading
from tideline_cli.memory.rivals import rule_of
from tideline_cli.model.edge import SUCCEEDS
from tideline_cli.model.proposal import Confirm, Fade, Merge, Relate, Retire, concerned
from tideline_cli.model.record import record, replace
from tideline_cli.policy.transitions import REMOVED, archived
from tideline_cli.store import facts, fts, journal, links, passes, uses, visibility, writes
from tideline_cli.store.connection import snapshot, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from apsw import Connection

    from tideline_cli.dream.comparison import Compared
    from tideline_cli.dream.plan import DreamPlan, Settings
    from tideline_cli.model.fact import Fact, Lifecycle
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.proposal import Proposal
    from tideline_cli.policy.sameness import Sameness

PROPOSALS_A_TRANSACTION = 40


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
    before = passes.said_of_last(db, verb, viewer=viewer)
    pass_ = Pass(db, verb=verb, viewer=viewer, now=now, rule=rule)
    pass_.apply(made.proposals)
    done = _without(made, pass_.skipped)
    whole = set(STAGES) <= set(settings.stages) or verb != "dream"
    ordinal = pass_.finish(("" if whole else "some stages: ") + summary(done), whole=whole)
    if fts.gathers(db):
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
    stages = ("confirms", "merges", "relates", "fades", "swept")
    return replace(made, **{
        stage: tuple(item for item in getattr(made, stage) if id(item) not in left_out)
        for stage in stages
    })  # fmt: skip


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


class Pass:
    """One pass over an origin: many transactions, one batch of its journal. `rule` is the rule of
    sameness that the pass was planned by."""

    def __init__(
        self, db: Connection, *, verb: str, viewer: Origin, now: int, rule: Sameness
    ) -> None:
        self._db = db
        self._verb = verb
        self._viewer = viewer
        self._now = now
        self._rule = rule
        self._batch: int | None = None
        self._held: dict[str, Fact] = {}
        self._changed: set[str] = set()
        self._gone: list[Fact] = []  # of this transaction
        self.skipped: list[Proposal] = []

    def apply(self, proposals: Sequence[Proposal]) -> None:
        """Apply the proposals in order; one whose facts have changed since is skipped."""
        for start in range(0, len(proposals), PROPOSALS_A_TRANSACTION):
            try:
                self._apply_some(proposals[start : start + PROPOSALS_A_TRANSACTION])
            except ReplacedError as error:
                done = f"{start - len(self.skipped):,} of {len(proposals):,} changes were made"
                raise error.after(f"{done} in what was there before") from error
            except KeyboardInterrupt as stop:
                done = f"{start:,} of {len(proposals):,} changes are made"
                raise Interrupted.of(stop, done, hint="run it again to go on") from stop

    def _apply_some(self, proposals: Sequence[Proposal]) -> None:
        with self._open() as batch:
            self._batch = batch.number
            self._read(proposals)
            is_same_rule = rule_of(self._db) == self._rule
            for is_relate, alike in groupby(proposals, lambda one: isinstance(one, Relate)):
                if is_relate:
                    self._relate([one for one in alike if isinstance(one, Relate)])
                    continue
                for proposal in alike:
                    needs_rule = isinstance(proposal, Merge | Retire)
                    if (needs_rule and not is_same_rule) or not self._apply_one(proposal):
                        self.skipped.append(proposal)
                    self._changed |= {fact.id for fact in concerned(proposal)}
            gone, self._gone = self._gone, []
            amend.repaint_slots(self._db, gone, now=self._now)

    def _read(self, proposals: Sequence[Proposal]) -> None:
        """Read the facts of proposals as they are, all at once."""
        ids = {fact.id for proposal in proposals for fact in concerned(proposal)}
        held = facts.by_ids(self._db, sorted(ids), viewer=self._viewer)
        self._held = {fact_id: fact for fact_id, (_, fact) in held.items()}
        self._changed = set()

    def finish(self, summary: str, *, whole: bool = True) -> int:
        """Note what was done, and if it was a `whole` pass; return the batch's number for users."""
        with self._open() as batch:
            batch.explain(summary, whole=whole)
            return batch.ordinal

    def _open(self) -> journal.batch:
        return journal.batch(
            self._db, verb=self._verb, by=self._viewer, now=self._now, resume=self._batch
        )

    def _apply_one(self, proposal: Proposal) -> bool:
        match proposal:
            case Confirm(before, after):
                return self._change(before, after)
            case Merge():
                return self._merge(proposal)
            case Fade(fact, _, _, becomes):
                return self._fade(fact, becomes)
            case Retire():
                return self._retire(proposal)
            case Relate():
                raise AssertionError("links are stored together")

    def _relate(self, proposals: Sequence[Relate]) -> None:
        """Link facts that are still active, all at once: none changes what another one needs."""
        made: list[links.Link] = []
        for one in proposals:
            ends = [self._current(end) for end in concerned(one)]
            if all(end is not None and end.lifecycle == "active" for end in ends):
                ids = one.source.id, one.kind, one.target.id
                made.append(links.Link(*ids, created_at=self._now))
            else:
                self.skipped.append(one)
        links.store(self._db, made)

    def _change(self, before: Fact, after: Fact) -> bool:
        """Store what a proposal changes of a fact, except its use, if the fact is as it was."""
        current = self._current(before)
        if current is None or not _same(current, before):
            return False
        writes.change(self._db, before, after)
        return True

    def _merge(self, proposal: Merge) -> bool:
        """Archive the loser, and give the keeper what it inherits."""
        loser, keeper = self._current(proposal.loser), self._current(proposal.keeper)
        if loser is None or keeper is None or not _same(loser, proposal.loser):
            return False
        if not self._change(proposal.keeper, proposal.after):
            return False
        self._pass_uses_on(proposal.after, keeper)
        for kind, target, reason, strength in proposal.inherited:
            links.add(self._db, links.Link(keeper.id, kind, target, reason, strength, self._now))
        amend.archive_fact(self._db, loser, by=keeper, now=self._now)
        self._gone.append(loser)
        return True

    def _fade(self, fact: Fact, becomes: Lifecycle) -> bool:
        """Archive or prune a fact that is as it was, and that was not used since."""
        current = self._current(fact)
        if current is None or current != fact:
            return False
        amend.archive_fact(self._db, fact, by=None, now=self._now)
        if becomes == "pruned":
            before = replace(fact, lifecycle="archived")
            writes.change(self._db, before, replace(fact, lifecycle="pruned"))
        self._gone.append(fact)
        return True

    def _retire(self, proposal: Retire) -> bool:
        """Archive a fact with the reason; the survivor's edges to it carry the reason too."""
        loser, survivor = proposal.loser, proposal.survivor
        current = self._current(loser)
        if current is None or not _same(current, loser):
            return False
        if survivor is not None and not self._replace_by(survivor, proposal):
            return False
        # A reason may quote the survivor. So it is stored in the survivor's edges, and a purge of
        # the survivor removes it.
        note = {"replaced_by": survivor.id} if survivor else {"reason": proposal.reason}
        marked = replace(loser, metadata=dict(loser.metadata or {}) | {REMOVED: note})
        writes.change(self._db, loser, archived(marked, now=self._now))
        self._gone.append(loser)
        return True

    def _replace_by(self, survivor: Fact, proposal: Retire) -> bool:
        """Let the survivor stand in the place of the loser, if it is as it was."""
        current = self._current(survivor)
        if current is None or not _same(current, survivor):
            return False
        if proposal.after is not None:
            writes.change(self._db, survivor, proposal.after)
            self._pass_uses_on(proposal.after, current)
        links.add_all(
            self._db, survivor.id, SUCCEEDS, proposal.loser.id,
            reason=proposal.reason, now=self._now,
        )  # fmt: skip
        return True

    def _pass_uses_on(self, after: Fact, keeper: Fact) -> None:
        """Count for a survivor the uses that it has inherited, if it has inherited any."""
        if after.access_count > keeper.access_count:
            uses.put_of(self._db, replace(keeper, access_count=after.access_count))

    def _current(self, fact: Fact) -> Fact | None:
        """Return a fact as it is now: one that this transaction may have changed is read again."""
        if fact.id not in self._changed:
            return self._held.get(fact.id)
        try:
            return facts.find(self._db, fact.id, viewer=self._viewer)
        except NotFoundError:
            return None


def _same(fact: Fact, planned: Fact) -> bool:
    """Say whether a fact is as the plan knew it; its use may differ."""
    return fact == replace(
        planned, access_count=fact.access_count, last_accessed_at=fact.last_accessed_at
    )
