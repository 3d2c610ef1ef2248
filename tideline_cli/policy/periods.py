"""From when to when facts hold, and whether two hold at one time. Pure."""

from __future__ import annotations

from tideline_cli.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.model.fact import Fact


def holds_from(fact: Fact) -> int:
    """Return when a fact begins to hold: the time it states, or else the time it was said."""
    return fact.created_at if fact.valid_from is None else fact.valid_from


STATEMENT = ("from", "to", "until", "at", "said", "moved", "back")
"""The times that may be known of a value of a slot beside what it shows: see `policy.slots`."""


def statement_of(fact: Fact) -> dict[str, Any]:
    """Return what was said of a value: what it shows, where nothing else is known."""
    if fact.statement is not None:
        return dict(fact.statement)
    shown = {"from": fact.valid_from, "to": fact.valid_to}
    return {name: at for name, at in shown.items() if at is not None}


def as_said(fact: Fact) -> Fact:
    """Return a fact with the validity that was said of it, whatever its slot shows."""
    if fact.statement is None:
        return fact
    said = fact.statement
    end = said.get("until", said.get("to"))
    return replace(fact, valid_from=said.get("from"), valid_to=end, statement=None)


def ended(fact: Fact, *, at: int, now: int) -> Fact:
    """Return a fact as one that holds until `at`, or until its own end if that is earlier.

    One that begins after `at` never held. The fact is archived, unless it still holds at `now`. In
    a slot the end is one that was set later, where none was stated before it.
    """
    end = max(at, holds_from(fact))
    if fact.valid_to is not None:
        end = min(fact.valid_to, end)
    is_over = end <= max(now, holds_from(fact))
    after = replace(fact, valid_to=end, lifecycle="archived" if is_over else fact.lifecycle)
    if fact.slot is None:
        return after
    said, known = as_said(fact), statement_of(fact)
    until = max(at, holds_from(said))
    if said.valid_to is None or until < said.valid_to:
        known["until"] = until
    return replace(after, statement=known)


def overlap(one: Fact, other: Fact) -> bool:
    """Say whether there is an instant at which both facts hold."""
    start = max(holds_from(one), holds_from(other))
    return all(fact.valid_to is None or start < fact.valid_to for fact in (one, other))


def of_one_period(one: Fact, other: Fact) -> bool:
    """Say whether two facts hold for the same time: until the same end, and since the same
    beginning, or one that only one of them states and that was when the other was said."""
    begun = (
        fact.valid_from is None or fact.valid_from == against.valid_from
        or (against.valid_from is None and fact.valid_from <= against.created_at)
        for fact, against in ((one, other), (other, one))
    )  # fmt: skip
    return one.valid_to == other.valid_to and all(begun)


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
