"""When facts hold at one time, and what of its slot a fact replaces from an instant on. Pure."""

from __future__ import annotations

from tideline_cli.model.record import replace
from tideline_cli.policy.amend import begin, ended
from tideline_cli.policy.gate import may_touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

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


def united(one: Fact, other: Fact) -> Fact:
    """Return the first of two facts that hold at one time as one that holds when either does."""
    since = one.valid_from if begin(one) <= begin(other) else begin(other)
    ends = [fact.valid_to for fact in (one, other) if fact.valid_to is not None]
    return replace(one, valid_from=since, valid_to=max(ends) if len(ends) == 2 else None)


def displaced(
    fact: Fact, mates: Iterable[Fact], *, at: int, now: int, before: Fact | None = None
) -> list[tuple[Fact, Fact]]:
    """Return (active fact, what becomes of it) for what `fact` replaces of its slot from `at` on.

    It ends where `fact` takes over; what holds at other times stays as it is, and so does what its
    source may not touch. `before` is the fact as it was in this slot: what it stood beside then, it
    stands beside now.
    """
    later = replace(fact, valid_from=max(at, begin(fact)))
    start = begin(later)
    return [
        (mate, ended(mate, at=start, now=now))
        for mate in mates
        if mate.id != fact.id
        and may_touch(fact.source, mate.source)
        and overlap(later, mate)
        and not (before is not None and overlap(before, mate))
    ]
