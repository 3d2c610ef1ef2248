"""Applying proposals: compare and set, in transactions of a few milliseconds, as one batch."""

from __future__ import annotations

from tideline_cli.dream.stages import KIND
from tideline_cli.errors import NotFoundError, ReplacedError
from tideline_cli.memory import amend
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.model.edge import SUCCEEDS
from tideline_cli.model.proposal import Confirm, Fade, Merge, Relate, Retire
from tideline_cli.model.record import replace
from tideline_cli.policy.transitions import REMOVED, archived
from tideline_cli.store import facts, journal, links, uses, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact, Lifecycle
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.proposal import Proposal
    from tideline_cli.policy.sameness import Sameness

PROPOSALS_A_TRANSACTION = 40


class Pass:
    """One pass over an origin: many transactions, one batch of its journal. `rule` says by which
    rule of sameness it was planned what is said twice."""

    def __init__(
        self, db: Connection, *, verb: str, viewer: Origin, now: int, rule: Sameness
    ) -> None:
        self._db = db
        self._verb = verb
        self._viewer = viewer
        self._now = now
        self._rule = rule
        self._batch: int | None = None
        self.skipped: list[Proposal] = []

    def take(self, proposals: Sequence[Proposal]) -> None:
        """Apply the proposals in order; one whose facts have changed meanwhile is skipped."""
        for start in range(0, len(proposals), PROPOSALS_A_TRANSACTION):
            try:
                self._take_some(proposals[start : start + PROPOSALS_A_TRANSACTION])
            except ReplacedError as error:
                done = f"{start - len(self.skipped):,} of {len(proposals):,} changes were made"
                raise error.after(f"{done} in what was there before") from error

    def _take_some(self, proposals: Sequence[Proposal]) -> None:
        with self._open() as batch:
            self._batch = batch.number
            is_ruled = rule_of(self._db) == self._rule
            for proposal in proposals:
                rests_on_it = isinstance(proposal, Merge | Retire)
                if (rests_on_it and not is_ruled) or not self._apply(proposal):
                    self.skipped.append(proposal)

    def finish(self, summary: str, *, whole: bool = True) -> int:
        """Note what was done, and that the pass was `whole`; return the number that users know it
        by."""
        with self._open() as batch:
            batch.explain(summary, whole=whole)
            return batch.ordinal

    def _open(self) -> journal.batch:
        return journal.batch(
            self._db, verb=self._verb, by=self._viewer, now=self._now, resume=self._batch
        )

    def _apply(self, proposal: Proposal) -> bool:
        match proposal:
            case Confirm(before, after):
                return self._change(before, after)
            case Merge():
                return self._merge(proposal)
            case Relate(source, target):
                ends = (self._now_of(source), self._now_of(target))
                if not all(end is not None and end.lifecycle == "active" for end in ends):
                    return False
                links.add(
                    self._db, links.Link(source.id, KIND, target.id, created_at=self._now)
                )
                return True
            case Fade(fact, _, _, becomes):
                return self._fade(fact, becomes)
            case Retire():
                return self._retire(proposal)

    def _change(self, before: Fact, after: Fact) -> bool:
        """Store what a proposal changes of a fact, its use excepted, if it is as it was."""
        current = self._now_of(before)
        if current is None or not _same(current, before):
            return False
        writes.change(self._db, before, after)
        return True

    def _merge(self, proposal: Merge) -> bool:
        loser, keeper = self._now_of(proposal.loser), self._now_of(proposal.keeper)
        if loser is None or keeper is None or not _same(loser, proposal.loser):
            return False
        if not self._change(proposal.keeper, proposal.after):
            return False
        self._pass_uses_on(proposal.after, keeper)
        for kind, target, reason, strength in proposal.inherited:
            links.add(
                self._db, links.Link(keeper.id, kind, target, reason, strength, self._now)
            )
        amend.archive(self._db, loser, by=keeper, now=self._now)
        return True

    def _fade(self, fact: Fact, becomes: Lifecycle) -> bool:
        """Archive a fact that is as it was, unused since; or prune it."""
        current = self._now_of(fact)
        if current is None or current != fact:
            return False
        amend.archive(self._db, fact, by=None, now=self._now)
        if becomes == "pruned":
            archived = replace(fact, lifecycle="archived")
            writes.change(self._db, archived, replace(fact, lifecycle="pruned"))
        return True

    def _retire(self, proposal: Retire) -> bool:
        """Archive a fact with the reason; the survivor's edges to it carry the reason too."""
        loser, survivor, after = proposal.loser, proposal.survivor, proposal.after
        current = self._now_of(loser)
        if current is None or not _same(current, loser):
            return False
        if survivor is not None:
            stands = self._now_of(survivor)
            if stands is None or not _same(stands, survivor):
                return False
            if after is not None:
                writes.change(self._db, survivor, after)
                self._pass_uses_on(after, stands)
            for kind in SUCCEEDS:
                links.add(
                    self._db,
                    links.Link(survivor.id, kind, loser.id, proposal.reason, None, self._now),
                )
        # A reason may quote the survivor, so it stands in the survivor's edges: they go with it.
        note = {"replaced_by": survivor.id} if survivor else {"reason": proposal.reason}
        marked = replace(loser, metadata=dict(loser.metadata or {}) | {REMOVED: note})
        writes.change(self._db, loser, archived(marked, now=self._now))
        return True

    def _pass_uses_on(self, after: Fact, keeper: Fact) -> None:
        """Count for a survivor the uses that it has inherited, if it has inherited any."""
        if after.access_count > keeper.access_count:
            uses.put_of(self._db, replace(keeper, access_count=after.access_count))

    def _now_of(self, fact: Fact) -> Fact | None:
        try:
            return facts.find(self._db, fact.id, viewer=self._viewer)[1]
        except NotFoundError:
            return None


def _same(fact: Fact, planned: Fact) -> bool:
    """Say whether a fact is as it was planned with; what it was used for does not count."""
    return fact == replace(
        planned, access_count=fact.access_count, last_accessed_at=fact.last_accessed_at
    )
