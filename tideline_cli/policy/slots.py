"""The rule of slots: a slot has one value at a time, so which values end, and when. Pure."""

from __future__ import annotations

from tideline_cli.model.edge import SUCCEEDS, SUPERSEDES
from tideline_cli.model.record import record, replace
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import ended, holds_from, overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from tideline_cli.model.fact import Fact


@record
class Ended:
    """A fact that gives way: as it was, as it becomes, to which fact, and the kinds of edges from
    that fact."""

    before: Fact
    after: Fact
    by: Fact
    link_kinds: tuple[str, ...] = SUCCEEDS


def same_place(one: Fact, other: Fact) -> bool:
    """Say whether two facts are values of one slot. Each scope has slots of its own."""
    return one.slot is not None and (one.slot, one.scope) == (other.slot, other.scope)


def succeeded(
    holder: Fact, new: Fact, *, named: Iterable[Fact], mates: Iterable[Fact]
) -> list[Ended]:
    """Return what gives way to `holder`, which says what the writer of `new` states.

    `named` are the active facts that the writer names as replaced. `mates` are the facts in the
    slot of the holder; archived ones are among them where the holder begins in the past. Each ends
    where the holder begins; one that begins later never held. A holder that was known, and is said
    again, begins anew with that; not so where it is over by then. A mate stays as it is where it
    never holds together with the holder, where the writer may not touch it, or where it is archived
    and held the same value.
    """
    now = new.created_at
    at = max(holds_from(holder), min(holds_from(new), now))
    found = {
        fact.id: Ended(fact, ended(fact, at=at, now=now), holder, SUPERSEDES)
        for fact in named
    }
    is_over = holder.valid_to is not None and holder.valid_to <= at
    at = holds_from(holder) if is_over else at
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


def ended_overlaps(
    values: Sequence[Fact], new: Container[str], *, said: Mapping[str, int], now: int
) -> list[Ended]:
    """Return the values of one slot that end, since a value that was said later begins.

    `values` are the active ones and those that others have replaced; the ids in `new` are those
    that have just come; `said` tells when a value was last said. A value ends only for one whose
    source may touch it: where that one begins, or where it was said again, if what ends was said in
    between. So the result depends on when things were said, and not on what was read first; of two
    that were said at the same instant, the order of `values` decides.
    """
    now_so = {value.id: value for value in values}
    done: dict[str, Ended] = {}
    ordered = sorted(values, key=lambda value: said[value.id])
    for place, later in enumerate(ordered):
        for known in ordered[:place]:
            if known.id not in new and later.id not in new:
                continue
            earlier = now_so[known.id]
            by = now_so[later.id]
            if overlap(earlier, by) and may_touch(by.source, earlier.source):
                is_between = by.created_at < said[earlier.id]
                again = min(said[by.id], now) if is_between else 0  # a clock may go back
                after = ended(earlier, at=max(holds_from(by), again), now=now)
                now_so[known.id] = after
                done[known.id] = Ended(known, after, later)
    return list(done.values())


def displaced(
    fact: Fact, mates: Iterable[Fact], *, at: int, now: int, before: Fact | None = None
) -> list[Ended]:
    """Return what gives way to `fact` in its slot from `at` on.

    Each ends where `fact` begins. A fact that holds at other times stays as it is, and so does one
    that the source of `fact` may not touch. `before` is `fact` as it was in this slot: a fact that
    held beside it then may stay beside it.
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
