"""The heat of facts that were used: moved where the rule says so, as a batch of their own."""

from __future__ import annotations

from tideline_cli.ranking.heat import settled
from tideline_cli.store import facts, journal, writes
from tideline_cli.store.connection import heat_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

VERB = "recall"


def settle_used(db: Connection, read: Mapping[int, Fact], *, viewer: Origin, now: int) -> None:
    """Move the heat of facts that a recall has used, by number; without a trace if none moves."""
    rule = heat_rule(db)
    if all(settled(fact, now=now, rule=rule) == fact for fact in read.values()):
        return
    with journal.batch(db, verb=VERB, by=viewer, now=now) as batch:
        told: list[str] = []
        for before in facts.get(db, read, viewer=viewer).values():
            after = settled(before, now=now, rule=rule)
            writes.change(db, before, after)
            told += [f"{before.heat} → {after.heat}"] if after.heat != before.heat else []
        if not told and batch.is_empty():
            return
        counts = (f"{told.count(move):,} {move}" for move in dict.fromkeys(told))
        batch.explain(f"heat: {', '.join(counts)}")


def warmed(db: Connection, before: Fact | None, after: Fact, *, now: int) -> Fact:
    """Return a fact that a write makes, or changes from what it was `before`, with the heat that it
    has by its use and importance. A write that states nothing of either moves nothing."""
    kept = ("access_count", "importance")
    if before is not None and all(getattr(before, one) == getattr(after, one) for one in kept):
        return after
    return settled(after, now=now, rule=heat_rule(db))
