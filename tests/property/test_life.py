"""Whatever is said in whatever order: one value a slot, and nothing that held is hidden."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import DAY, NOW, fresh_store, often
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import record
from tideline_cli.policy.slots import periods, same_place
from tideline_cli.store import listing
from tideline_cli.store.checks.derived import slot_values
from tideline_cli.store.facts import Filter

TEXTS = ("The capital is Rome", "The capital is Oslo", "The gate code is blue heron",
         "Bern has the archive")  # fmt: skip
INSTANTS = [NOW + day * DAY for day in range(-4, 26)]


@record
class Step:
    """One remember: the day of it, what is said, when that holds, in which slot, and which of the
    facts so far it names."""

    days: int
    text: str
    valid_from: int | None
    valid_to: int | None
    slot: str | None
    named: int | None


@st.composite
def steps(draw):
    """Return a step; a stated end lies behind a stated beginning."""
    start, end = draw(st.none() | st.integers(-3, 20)), draw(st.none() | st.integers(-3, 20))
    if start is not None and end is not None:
        start, end = (start, start + 1) if start == end else sorted((start, end))
    at = [None if day is None else NOW + day * DAY for day in (start, end)]
    return Step(
        draw(st.integers(0, 3)), draw(st.sampled_from(TEXTS)), at[0], at[1],
        draw(st.sampled_from((None, "a", "a", "b"))),
        draw(st.none() | st.none() | st.integers(0, 5)),
    )  # fmt: skip


def held(db):
    """Return every fact by its id, and the instants at which it holds."""
    every = list(listing.each(db, viewer=EVERYONE, wanted=Filter(lifecycle=None)))
    found = {}
    for fact in every:
        mates = [one for one in every if same_place(one, fact)]
        found[fact.id] = fact, {
            at for at in INSTANTS for since, until in periods(fact, mates)
            if since <= at and (until is None or at < until)
        }  # fmt: skip
    return found


def take_place(db, step, number, now):
    """Do a step; return what remember returned, and the facts that it named."""
    active = list(listing.each(db, viewer=OWNER, wanted=Filter(), oldest_first=True))
    named = [fact.id for place, fact in enumerate(active) if place == step.named]
    new = NewFact(
        step.text, "knowledge", "owner_message", OWNER, slot=step.slot,
        valid_from=step.valid_from, valid_to=step.valid_to, supersedes=tuple(named),
    )  # fmt: skip
    return remember(db, new, fact_id=f"F{number:02}", now=now), named


@settings(max_examples=often(30, 120), deadline=None)
@given(st.lists(steps(), min_size=1, max_size=9))
def test_the_lives_of_facts(program):
    """After each step a slot has one value at any instant; what held and holds no more was named,
    ended outright, or of the slot of a later statement; an active fact may hold yet or hold now."""
    now = NOW
    with fresh_store() as db:
        for number, step in enumerate(program):
            now += step.days * DAY
            before = held(db)
            done, named = take_place(db, step, number, now)
            after = held(db)
            slot = after[done.fact.id][0].slot
            assert list(slot_values(db)) == []
            is_moved = done.before is not None and done.before.slot != slot
            for known, (fact, instants) in before.items():
                lost = instants - after[known][1]
                if known == done.fact.id:
                    assert not lost or step.valid_to is not None or is_moved or slot is not None
                    continue
                in_slot = fact.slot == slot and slot is not None
                assert not lost or in_slot or (known in named and known in done.superseded)
            check_slots(after)
            for known in done.superseded:
                assert known in before


def check_slots(after):
    """No instant has two values of a slot."""
    for at in INSTANTS:
        held = [fact.slot for fact, instants in after.values() if fact.slot and at in instants]
        assert len(held) == len(set(held)), at


@settings(max_examples=60, deadline=None)
@given(st.lists(steps(), min_size=1, max_size=6), st.sampled_from(TEXTS),
       st.sampled_from((None, "a")))
@example([Step(0, TEXTS[0], None, None, None, None), Step(0, TEXTS[1], NOW + DAY, None, "a", None),
          Step(0, TEXTS[0], None, NOW + 2 * DAY, "a", None)], TEXTS[0], None)
@example([Step(0, TEXTS[1], NOW + DAY, None, "a", None),
          Step(0, TEXTS[0], NOW + DAY, None, "a", None)], TEXTS[0], None)
@example([Step(0, TEXTS[0], None, None, None, None), Step(0, TEXTS[0], None, None, "a", None),
          Step(0, TEXTS[1], None, None, None, None), Step(0, TEXTS[1], None, None, "a", None),
          Step(2, TEXTS[0], None, None, None, None)], TEXTS[1], None)
def test_saying_it_again_hides_nothing(program, text, slot):
    """Said again without times, a text holds now, and without end where no slot has a plan, and at
    all instants at which it has held."""
    now = NOW
    with fresh_store() as db:
        for number, step in enumerate(program):
            now += step.days * DAY
            take_place(db, step, number, now)
        before = held(db)
        new = NewFact(text, "knowledge", "owner_message", OWNER, slot=slot)
        done = remember(db, new, fact_id="AGAIN", now=now)
        after = held(db)
        then = {at for fact, instants in before.values() if fact.content == text for at in instants}
        later = {at for fact, instants in after.values() if fact.content == text for at in instants}
        if done.before is None or done.before.slot == done.fact.slot:  # else others held the slot
            assert then <= later
        until = {at for at in INSTANTS if at >= now}
        if done.fact.slot is None:
            assert until <= after[done.fact.id][1]
        else:
            assert min(until, default=now) in {*after[done.fact.id][1], now}
