"""What holds of facts that replicas stated without knowing of one another. Pure.

The registers of each fact say what was stated of it. Two of them may not be able to stand side by
side: two values of one slot, the same text twice, two facts that were each merged into the other.
What is shown then is a function of the facts alone: it is the same on every replica, in whatever
order the words have come, and goes when one of the words is taken back. Nothing is lost: the
registers keep what was said. Times come from the facts: those of stamps depend on what was said in
other origins.
"""

from __future__ import annotations

from tideline_cli.model.edge import SUCCEEDS
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.times_in_text import days_meant
from tideline_cli.policy.periods import ended, of_one_period, united
from tideline_cli.policy.sameness import state_the_same
from tideline_cli.policy.slots import painted, successor
from tideline_cli.policy.survivor import enriched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from typing import Any, Literal

    from tideline_cli.model.fact import Fact

    Why = Literal["slot", "same", "kept", "circle", "forgotten", "purged"]
    Stamp = tuple[int, str]  # a time, the id of a replica


EDGES: Mapping[str, Sequence[str]] = {
    "slot": ("contradicts",), "same": SUCCEEDS, "kept": (), "circle": (), "forgotten": (),
    "purged": (),
}  # fmt: skip
"""The edges from the fact because of which another is shown otherwise, by the ruling."""


@record
class StatedFact:
    """A fact as its registers have it, with the uses of all replicas: when it was last `said`, the
    replica that has stated it, and whether somebody who knew of it has said what replaced it."""

    fact: Fact
    said: int
    author: str
    is_replaced: bool = False


@record
class Ruling:
    """A fact as it is shown, where that is not what its registers say: because of the fact `by`.
    One that others were merged into is `kept`, and one that comes back out of a circle is ruled by
    itself; so is one that rewords what was `purged` elsewhere. One that was `forgotten` and that
    another machine has reworded is as it was stated, until somebody says which of both is right."""

    fact: Fact
    why: Why
    by: str


def ruled(stated: Sequence[StatedFact]) -> dict[str, Ruling]:
    """Return the rulings on facts of which some share a slot or a text, by id."""
    found: dict[str, Ruling] = {}
    _merge_copies(stated, found)
    by_slot: dict[tuple[Any, ...], list[StatedFact]] = {}
    for one in stated:
        fact = one.fact
        if fact.slot is not None:
            by_slot.setdefault((fact.origin.key, fact.scope, fact.slot), []).append(one)
    for values in by_slot.values():
        _paint_slot(values, found)
    return found


def _merge_copies(stated: Iterable[StatedFact], found: dict[str, Ruling]) -> None:
    """Merge facts of different authors that are one statement into the oldest of them. In a slot
    each is a statement of its own: the later one paints over the earlier."""
    groups: dict[tuple[Any, ...], list[StatedFact]] = {}
    for one in stated:
        if one.fact.lifecycle == "active" and one.fact.slot is None:
            groups.setdefault(_words(one.fact), []).append(one)
    for group in groups.values():
        waiting = sorted(group, key=lambda one: (one.fact.created_at, one.fact.id))
        while waiting:
            keeper, *others = waiting
            copies = [one for one in others if _is_copy(one, keeper)]
            waiting = [one for one in others if one not in copies]
            kept = keeper.fact
            for copy in copies:
                at = max(copy.fact.created_at, keeper.fact.created_at)
                gone = ended(copy.fact, at=at, now=at)
                found[copy.fact.id] = Ruling(gone, "same", keeper.fact.id)
                kept = _with_uses(kept, copy.fact)
            if copies:
                found[kept.id] = Ruling(kept, "kept", kept.id)


def _words(fact: Fact) -> tuple[Any, ...]:
    """Return what is equal for two facts that are one, beside what is compared pair by pair. What
    counts from its day is another on each machine: their zones differ, and so may the day."""
    instant = fact.created_at if days_meant(fact.content, fact.created_at) else None
    return (
        fact.origin.key, fact.content, instant, fact.scope, fact.document, fact.session, fact.turn,
        fact.role, fact.progress, is_trusted(fact.source),
    )  # fmt: skip


def _is_copy(one: StatedFact, keeper: StatedFact) -> bool:
    """Say whether two facts with the same words are one statement, of two authors."""
    return (
        one.author != keeper.author
        and state_the_same(one.fact, keeper.fact, rule="strict")
        and of_one_period(one.fact, keeper.fact)
    )


def _with_uses(keeper: Fact, copy: Fact) -> Fact:
    """Return a fact said once more: with both's labels, as often used as both, as long valid."""
    return replace(
        enriched(keeper, copy, {}),
        valid_from=united(keeper, copy).valid_from,
        access_count=keeper.access_count + copy.access_count + 1,
        last_accessed_at=max(
            keeper.last_accessed_at, copy.last_accessed_at, copy.created_at
        ),
    )


def _paint_slot(values: Sequence[StatedFact], found: dict[str, Ruling]) -> None:
    """Show the values of a slot as its time line does, by when they were last said. A value
    contradicts the one that gives way to it, unless a word has archived or replaced that."""
    after = painted((one.fact for one in values), {one.fact.id: one.said for one in values})
    before = {one.fact.id: one for one in values}
    for fact in after:
        told = before[fact.id]
        if fact != told.fact:
            by = successor(fact, after)
            if by is None or told.is_replaced or told.fact.lifecycle != "active":
                found[fact.id] = Ruling(fact, "kept", fact.id)
            else:
                found[fact.id] = Ruling(fact, "slot", by.id)


def orphans(purged: Mapping[str, bool], reworded_by: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the facts that reword what was purged elsewhere, directly or not; `purged` tells for
    some whether they do. One of which somebody has said that it stands ends the chain."""
    found = {one for one, is_purged in purged.items() if is_purged}
    waiting = sorted(found)
    while waiting:
        for one in reworded_by.get(waiting.pop(), ()):
            if one not in found and purged.get(one) is not False:
                found.add(one)
                waiting.append(one)
    return found


def standing(
    start: str, reworded_by: Mapping[str, Iterable[str]], active: Container[str]
) -> str | None:
    """Return the wording of a fact by which an active one says it anew, at once or in turn."""
    for first in sorted(reworded_by.get(start, ())):
        waiting, seen = [first], {start, first}
        while waiting:
            one = waiting.pop()
            if one in active:
                return first
            fresh = set(reworded_by.get(one, ())) - seen
            seen |= fresh
            waiting += fresh
    return None


def revived(
    start: str, replaced_by: Mapping[str, Iterable[str]], archived: Mapping[str, Stamp]
) -> str | None:
    """Return the fact that comes back where facts were merged in a circle: the one that went last.

    `replaced_by` tells for each fact which others have replaced it, `archived` the facts that are
    archived and by which word. None where what has replaced `start` is there, or is gone for
    another reason than a circle.
    """
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for one in replaced_by.get(waiting.pop(), ()):
            if one not in archived:
                return None
            if one not in reached:
                reached.add(one)
                waiting.append(one)
    if start not in reached:
        return None
    circle = [one for one in reached if _leads_to(one, start, replaced_by)]
    return max(circle, key=lambda one: (archived[one], one))


def _leads_to(start: str, end: str, replaced_by: Mapping[str, Iterable[str]]) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for one in replaced_by.get(waiting.pop(), ()):
            if one == end:
                return True
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return False
