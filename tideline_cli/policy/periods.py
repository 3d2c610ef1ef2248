"""When facts hold at one time, and what of its slot a fact replaces from an instant on. Pure."""

from __future__ import annotations

from tideline_cli.model.record import replace
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.sameness import enriched
from tideline_cli.policy.transitions import begin

TYPE_CHECKING = False
if TYPE_CHECKING:

    from tideline_cli.model.fact import Fact


def overlap(one: Fact, other: Fact) -> bool:
    """Say whether there is an instant at which both facts hold."""
    start = max(begin(one), begin(other))
    return all(fact.valid_to is None or start < fact.valid_to for fact in (one, other))


def covers(one: Fact, other: Fact, *, now: int) -> bool:
    """Say whether `one` holds for all of the time from now on that `other` has left."""
    if other.valid_to is not None and other.valid_to <= now:
        return True
    if begin(one) > max(now, begin(other)):
        return False
    return one.valid_to is None or (other.valid_to is not None and one.valid_to >= other.valid_to)


def may_be_one(one: Fact, other: Fact, *, now: int) -> bool:
    """Say whether two facts that say the same may become one fact: they end at the same time, and
    one that begins later begins when the other does."""
    later = begin(one) > now or begin(other) > now
    return one.valid_to == other.valid_to and (not later or begin(one) == begin(other))


def united(one: Fact, other: Fact) -> Fact:
    """Return the first of two facts that hold at one time as one that holds when either does."""
    since = min(begin(one), begin(other))
    ends = [fact.valid_to for fact in (one, other) if fact.valid_to is not None]
    stated = since if since != one.created_at or one.valid_from == since else None
    return replace(one, valid_from=stated, valid_to=max(ends) if len(ends) == 2 else None)


def merged(survivor: Fact, other: Fact) -> Fact:
    """Return the fact that stays of two that say the same: with what the other knows better, and
    holding since the earlier beginning. Of one that nobody vouches for a trusted one takes
    nothing."""
    period = united(survivor, other) if may_touch(other.source, survivor.source) else survivor
    after = enriched(survivor, other)
    return replace(after, valid_from=period.valid_from, valid_to=period.valid_to)
