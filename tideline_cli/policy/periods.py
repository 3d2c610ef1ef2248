"""From when to when facts hold, and whether two hold at one time. Pure."""

from __future__ import annotations

from tideline_cli.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact


def holds_from(fact: Fact) -> int:
    """Return when a fact begins to hold: the time it states, or else the time it was said."""
    return fact.created_at if fact.valid_from is None else fact.valid_from


def ended(fact: Fact, *, at: int, now: int) -> Fact:
    """Return a fact as one that holds until `at`, or until its own end if that is earlier.

    One that begins after `at` never held. The fact is archived, unless it still holds at `now`.
    """
    end = max(at, holds_from(fact))
    if fact.valid_to is not None:
        end = min(fact.valid_to, end)
    is_over = end <= max(now, holds_from(fact))
    return replace(fact, valid_to=end, lifecycle="archived" if is_over else fact.lifecycle)


def overlap(one: Fact, other: Fact) -> bool:
    """Say whether there is an instant at which both facts hold."""
    start = max(holds_from(one), holds_from(other))
    return all(fact.valid_to is None or start < fact.valid_to for fact in (one, other))


def covers(one: Fact, other: Fact, *, now: int) -> bool:
    """Say whether `one` holds from now on for as long as `other` does."""
    if other.valid_to is not None and other.valid_to <= now:
        return True
    if holds_from(one) > max(now, holds_from(other)):
        return False
    return one.valid_to is None or (other.valid_to is not None and one.valid_to >= other.valid_to)


def united(one: Fact, other: Fact) -> Fact:
    """Return the first of two facts as one that holds whenever either does."""
    since = min(holds_from(one), holds_from(other))
    ends = [fact.valid_to for fact in (one, other) if fact.valid_to is not None]
    stated = since if since != one.created_at or one.valid_from == since else None
    return replace(one, valid_from=stated, valid_to=max(ends) if len(ends) == 2 else None)
