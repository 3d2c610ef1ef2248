"""What ends when a value comes into a slot, or when a writer names what a fact replaces. Pure."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.policy.amend import begin, ended
from tideline_cli.policy.gate import may_touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.model.fact import Fact


@record
class Ended:
    """A fact that gives way, before and after, and the kinds of the edges that lead to it."""

    before: Fact
    after: Fact
    link_kinds: tuple[str, ...]


def succeeded(
    holder: Fact, new: Fact, *, named: Iterable[Fact], mates: Iterable[Fact]
) -> list[Ended]:
    """Return what gives way to `holder`, which says what the writer of `new` states.

    `named` are the active facts that the writer names as replaced, `mates` those in the slot of the
    holder, archived ones where it begins in the past. Each ends where the holder begins: what
    begins later never held. A mate that holds at no instant of the holder's stays as it is, and so
    does one that the writer may not touch, or that held the same value.
    """
    now = new.created_at
    at = max(begin(holder), min(begin(new), now))
    found = {
        fact.id: Ended(fact, ended(fact, at=at, now=now), ("supersedes", "transition"))
        for fact in named
    }
    for mate in mates:
        held_it = mate.lifecycle != "active" and mate.content == holder.content
        if mate.id in found or held_it or not may_touch(new.source, mate.source):
            continue
        if _meet(holder, mate, at=at):
            after = ended(mate, at=at, now=now)
            found[mate.id] = Ended(mate, after, ("contradicts", "transition"))
    found.pop(holder.id, None)
    return list(found.values())


def _meet(holder: Fact, mate: Fact, *, at: int) -> bool:
    """Say whether two facts hold at one instant, from `at` on."""
    ends = [fact.valid_to for fact in (holder, mate) if fact.valid_to is not None]
    return not ends or max(at, begin(mate)) < min(ends)
