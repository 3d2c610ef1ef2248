"""timeline: a fact or a slot through time, with what took the place of what."""

from __future__ import annotations

from tideline_cli.memory import archived
from tideline_cli.model.edge import REPLACING
from tideline_cli.model.fact import slot_key
from tideline_cli.model.record import record, replace
from tideline_cli.policy.periods import holds_from
from tideline_cli.policy.slots import periods, same_place
from tideline_cli.ranking.decay import is_immune, strength_at
from tideline_cli.ranking.fading import fades_at, traits_of
from tideline_cli.store import archivals, facts, links, listing, reads, uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory.archived import Archived
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.ranking.fading import Eviction

MOST = 200
"""So many facts are followed along their replacements."""


@record
class Moment:
    """One fact of a timeline: from when to when it holds, what became of it (active, ahead, ended,
    interrupted, faded, merged, superseded, forgotten, pruned, archived), and which fact took its
    place; of an active one its strength, and when it fades if it does. A value that a stay has
    interrupted holds `again` behind it, as a moment of its own."""

    fact: Fact
    since: int
    until: int | None
    state: str
    by: str | None = None
    strength: float | None = None
    fades_at: int | None = None
    again: bool = False


@record
class SlotChange:
    """A slot: its newest value, how many values it has had, and when the last one came."""

    slot: str
    fact: Fact
    values: int
    at: int


def of_fact(
    db: Connection, reference: str, rule: Eviction, *, viewer: Origin, now: int
) -> list[Moment]:
    """Return the life of a fact: the values of its slot, and along its replacements what it
    replaced and what replaced it. The oldest comes first."""
    fact = facts.find(db, reference, viewer=viewer)
    found = {fact.id: fact}
    waiting = [fact]
    if fact.slot is not None:
        waiting += listing.values_of_slot(db, fact.slot, viewer=viewer)
        found |= {one.id: one for one in waiting}
    while waiting and len(found) < MOST:
        for near in _neighbours(db, waiting.pop(), viewer):
            if near.id not in found:
                found[near.id] = near
                waiting.append(near)
    return _steps(db, list(found.values()), rule, viewer=viewer, now=now)


def of_slot(db: Connection, slot: str, rule: Eviction, *, viewer: Origin, now: int) -> list[Moment]:
    """Return all values that a slot has and had, the oldest first."""
    found = listing.values_of_slot(db, slot_key(slot), viewer=viewer)
    return _steps(db, found, rule, viewer=viewer, now=now)


def changed_slots(db: Connection, *, viewer: Origin, limit: int) -> list[SlotChange]:
    """Return the slots that were spoken of last, the newest first."""
    found: list[SlotChange] = []
    for slot, count, at in listing.newest_slots(db, viewer=viewer, limit=limit):
        values = listing.values_of_slot(db, slot, viewer=viewer)
        held = [fact for fact in values if fact.lifecycle == "active"] or values
        found.append(SlotChange(slot, max(held, key=holds_from), count, at))
    return found


def _neighbours(db: Connection, fact: Fact, viewer: Origin) -> list[Fact]:
    """Return the facts that replaced a fact, and those that it replaced."""
    arriving = () if fact.lifecycle == "active" else links.arriving(db, fact.id, viewer=viewer)
    after = [link.source for link in arriving if link.kind in REPLACING]
    leaving = links.leaving(db, fact.id, viewer=viewer)
    before = [link.target for link in leaving if link.kind in REPLACING]
    newer = [facts.find(db, fact_id, viewer=viewer) for fact_id in after]
    older = [facts.find(db, fact_id, viewer=viewer) for fact_id in before]
    return newer + [one for one in older if one.lifecycle != "active"]


def _steps(
    db: Connection, found: list[Fact], rule: Eviction, *, viewer: Origin, now: int
) -> list[Moment]:
    numbers = {facts.number_of(db, fact.id, viewer=viewer): fact for fact in found}
    gone = {seq: fact for seq, fact in numbers.items() if fact.lifecycle == "archived"}
    why = {one.seq: one for one in archived.explained(db, gone, viewer=viewer)}
    places = reads.alone(db, archivals.successors(gone))
    gifts = uses.given_at(db, numbers)
    steps = [
        _gone(fact, why.get(seq), places.get(seq, []))
        if fact.lifecycle != "active"
        else _active(fact, rule, gifts.get(seq), now=now)
        for seq, fact in numbers.items()
    ]
    parted = [part for step in steps for part in _parted(step, found, now=now)]
    return sorted(parted, key=lambda step: (step.since, step.fact.created_at, step.fact.id))


def _parted(step: Moment, found: list[Fact], *, now: int) -> list[Moment]:
    """Return the moments of a value: one, and one more behind each stay that interrupts it."""
    mates = [one for one in found if same_place(one, step.fact) and one.lifecycle != "pruned"]
    parts = periods(step.fact, mates) if step.fact.lifecycle != "pruned" else []
    if len(parts) < 2:
        return [step]
    moments = [
        replace(step, since=since, until=until, again=since > step.since, state="interrupted",
                by=None)
        for since, until in parts
    ]  # fmt: skip
    last = moments[-1]
    state = "ahead" if step.state == "active" and last.since > now else step.state
    return [*moments[:-1], replace(last, state=state, by=step.by)]


def _active(fact: Fact, rule: Eviction, given_at: int | None, *, now: int) -> Moment:
    since = holds_from(fact)
    has_ended = fact.valid_to is not None and fact.valid_to <= now
    state = "ahead" if since > now else "ended" if has_ended else "active"
    stays = is_immune(fact.tier, fact.pinned) or fact.status == "confirmed"
    return Moment(
        fact, since, fact.valid_to, state, strength=strength_at(fact, now=now),
        fades_at=None if stays else fades_at(traits_of(fact, given_at), rule),
    )  # fmt: skip


def _gone(fact: Fact, why: Archived | None, places: list[tuple[str, int]]) -> Moment:
    state = fact.lifecycle if why is None or why.reason == "unknown" else why.reason
    by = None
    if state in ("merged", "superseded") and places:
        at = 0 if why is None else why.at
        by = next((source for source, made in places if made == at), places[0][0])
    return Moment(fact, holds_from(fact), fact.valid_to, state, by)
