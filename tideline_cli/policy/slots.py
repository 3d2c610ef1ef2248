"""The rule of slots: which value stands where several claim the same time, and what ends. Pure."""

from __future__ import annotations

from tideline_cli.model.edge import SUCCEEDS, SUPERSEDES
from tideline_cli.model.record import record, replace
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import ended, holds_from, overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from tideline_cli.model.fact import Fact


@record
class Ended:
    """A fact that gives way: as it was, as it is then, to which, and by what kinds of edges."""

    before: Fact
    after: Fact
    by: Fact
    link_kinds: tuple[str, ...] = SUCCEEDS


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
    at = max(holds_from(holder), min(holds_from(new), now))
    found = {
        fact.id: Ended(fact, ended(fact, at=at, now=now), holder, SUPERSEDES)
        for fact in named
    }
    for mate in mates:
        held_it = mate.lifecycle != "active" and mate.content == holder.content
        if mate.id in found or held_it or not may_touch(new.source, mate.source):
            continue
        if _meet(holder, mate, at=at):
            found[mate.id] = Ended(mate, ended(mate, at=at, now=now), holder)
    found.pop(holder.id, None)
    return list(found.values())


def _meet(holder: Fact, mate: Fact, *, at: int) -> bool:
    """Say whether two facts hold at one instant, from `at` on."""
    ends = [fact.valid_to for fact in (holder, mate) if fact.valid_to is not None]
    return not ends or max(at, holds_from(mate)) < min(ends)


def ended_overlaps(values: Sequence[Fact], new: Container[str], *, now: int) -> list[Ended]:
    """Return what becomes of the values of one slot, the active ones and those that others have
    replaced, of which those with an id in `new` have just come: where two hold at once, the one
    said later ends the other where it begins, unless it may not touch it.

    So the outcome depends on what was said when, and not on what was read first; of two that were
    said at the same instant, the order of `values` decides.
    """
    now_so = {value.id: value for value in values}
    done: dict[str, Ended] = {}
    ordered = sorted(values, key=lambda value: value.created_at)
    for place, later in enumerate(ordered):
        for known in ordered[:place]:
            if known.id not in new and later.id not in new:
                continue
            earlier = now_so[known.id]
            by = now_so[later.id]
            if overlap(earlier, by) and may_touch(by.source, earlier.source):
                after = ended(earlier, at=holds_from(by), now=now)
                now_so[known.id] = after
                done[known.id] = Ended(known, after, later)
    return list(done.values())


def displaced(
    fact: Fact, mates: Iterable[Fact], *, at: int, now: int, before: Fact | None = None
) -> list[Ended]:
    """Return what gives way: `fact` replaces of its slot from `at` on.

    It ends where `fact` takes over; what holds at other times stays as it is, and so does what its
    source may not touch. `before` is the fact as it was in this slot: what it stood beside then, it
    stands beside now.
    """
    later = replace(fact, valid_from=max(at, holds_from(fact)))
    start = holds_from(later)
    return [
        Ended(mate, ended(mate, at=start, now=now), fact)
        for mate in mates
        if mate.id != fact.id
        and may_touch(fact.source, mate.source)
        and overlap(later, mate)
        and not (before is not None and overlap(before, mate))
    ]
