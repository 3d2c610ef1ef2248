"""What ends, has ended or begins later, in dream and in consolidate: nothing that holds is lost."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact, fresh_store, put
from tideline_cli.dream import consolidate, plan
from tideline_cli.dream.consolidate import ArchiveRequest
from tideline_cli.dream.consolidate import judge as judged
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.memory import amend
from tideline_cli.memory.edit import Editor, edit
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.model.text import terms
from tideline_cli.policy import prompt_lines
from tideline_cli.store import facts, labels, passes

WORDS = "the gate code is blue"
FILL = tuple(f"filler number {n} about {word}" for n, word in enumerate(
    ("tea", "trains", "Lisbon", "Rust", "dogs", "rain", "maps", "bread"), 1))  # fmt: skip


def merges(a, b, now=NOW + DAY):
    found = plan.merge([(a, b, 1.0)], {}, merge_at=0.95, now=now)
    return [(item.keeper.id, item.loser.id, item.after) for item in found]


@pytest.mark.parametrize(("one", "other"), [
    ({"valid_to": NOW + 9 * DAY}, {}),
    ({"valid_to": NOW + 9 * DAY}, {"valid_to": NOW + 8 * DAY}),
    ({"valid_from": NOW + 9 * DAY}, {}),
    ({"valid_from": NOW + 9 * DAY}, {"valid_from": NOW + 8 * DAY}),
    ({"valid_to": NOW}, {}),
])  # fmt: skip
def test_twins_of_different_times_are_two_facts(one, other):
    """Whichever is the richer, both ways."""
    for importance in (0.1, 0.9):
        a = fact(WORDS, "AAAA1", importance=importance, **one)
        b = fact(WORDS, "AAAA2", importance=0.5, **other)
        assert merges(a, b) == []


@pytest.mark.parametrize("times", [{"valid_to": NOW + 9 * DAY}, {"valid_from": NOW + 9 * DAY}, {}])
def test_twins_of_one_time_become_one(times):
    """What ends, or begins, together is merged as before."""
    found = merges(fact(WORDS, "AAAA1", importance=0.9, **times), fact(WORDS, "AAAA2", **times))
    assert [(kept, gone) for kept, gone, _ in found] == [("AAAA1", "AAAA2")]
    after = found[0][2]
    assert (after.valid_from, after.valid_to) == (times.get("valid_from"), times.get("valid_to"))


@pytest.mark.parametrize(("kept", "lost", "since"), [
    ({"valid_from": NOW - DAY}, {}, NOW - DAY),
    ({}, {"valid_from": NOW - DAY}, NOW - DAY),
])  # fmt: skip
def test_the_survivor_begins_when_the_first_of_the_two_did(kept, lost, since):
    """Merging never narrows; a beginning is stated where it is not that of its making."""
    a, b = fact(WORDS, "AAAA1", importance=0.9, **kept), fact(WORDS, "AAAA2", **lost)
    ((_, _, after),) = merges(a, b, now=NOW + 2 * DAY)
    assert after.valid_from == since


def test_a_trusted_survivor_takes_no_beginning_of_an_untrusted_twin():
    """What nobody vouches for says nothing about when."""
    a = fact(WORDS, "AAAA1")
    b = fact(WORDS, "AAAA2", source="tool_output", valid_from=NOW - 9 * DAY)
    ((_, _, after),) = merges(a, b)
    assert after == a


def verdict(listed, wish, now=NOW + DAY):
    held = {f.id: frozenset(terms(f.content, analyzer="standard")) for f in listed}
    return judged(
        listed, [wish], held, lambda a, b: 0.0, active=len(listed), max_loss=1.0, now=now
    )


@pytest.mark.parametrize(("loser", "survivor", "granted"), [
    ({}, {"valid_to": NOW}, False),  # has ended
    ({}, {"valid_from": NOW + 9 * DAY}, False),  # has not begun
    ({}, {"valid_to": NOW + 9 * DAY}, False),  # ends before it
    ({"valid_to": NOW + 9 * DAY}, {"valid_to": NOW + 8 * DAY}, False),
    ({"valid_from": NOW + 5 * DAY}, {"valid_from": NOW + 9 * DAY}, False),
    ({"valid_to": NOW + 9 * DAY}, {}, True),
    ({"valid_to": NOW + 8 * DAY}, {"valid_to": NOW + 9 * DAY}, True),
    ({"valid_from": NOW + 9 * DAY}, {"valid_from": NOW + 5 * DAY}, True),
    ({"valid_to": NOW}, {"valid_to": NOW - 5}, True),  # neither holds
    ({}, {}, True),
])  # fmt: skip
@pytest.mark.parametrize("text", ["the gate code is red now", WORDS])
def test_what_does_not_hold_stands_in_nothings_place(loser, survivor, granted, text):
    """A model's reply cannot have what holds archived for what has ended, has not begun or ends
    earlier, whether it says the same or not."""
    listed = [fact(WORDS, "AAAA1", **loser), fact(text, "AAAA2", **survivor),
              *(fact(line, f"FILL{n}") for n, line in enumerate(FILL))]  # fmt: skip
    found = verdict(listed, ArchiveRequest("AAAA1", "AAAA2", "red now"))
    assert bool(found.granted) == granted
    said = (("AAAA1", "what should stand in its place does not hold for all of its time"),)
    assert found.denied == (() if granted else said)


def test_the_model_is_told_when_facts_hold():
    """Dates stand in front of the text, where no text can forge them."""
    some = [fact("plain", "AAAA1"), fact("ends", "AAAA2", valid_to=1_769_904_000_000),
            fact("later", "AAAA3", valid_from=1_798_761_600_000, valid_to=1_798_761_660_123)]
    assert prompt_lines.lines(some).split("\n") == [
        "[1] plain", "[2] (until 2026-02-01) ends",
        "[3] (from 2027-01-01 until 2027-01-01T00:01Z) later",
    ]  # fmt: skip
    assert prompt_lines.weighed(some).split("\n") == [
        "[1] (knowledge, importance 0.60) plain",
        "[2] (knowledge, importance 0.60, until 2026-02-01) ends",
        "[3] (knowledge, importance 0.60, from 2027-01-01 until 2027-01-01T00:01Z) later",
    ]


def test_a_dream_keeps_the_copy_that_holds(db):
    """Two imported copies of one text, one with an end: both stay, and the endless is found."""
    put(db, [fact(WORDS, "AAAA1", importance=0.9, valid_to=NOW + 9 * DAY), fact(WORDS, "AAAA2"),
             *(fact(line, f"FILL{n}") for n, line in enumerate(FILL))])  # fmt: skip
    done = dream(db, Settings(), viewer=OWNER, now=NOW + DAY, dry_run=False)
    assert done.plan.merges == ()
    assert facts.find(db, "AAAA2", viewer=OWNER).lifecycle == "active"


def test_what_consolidate_archives_comes_back_as_it_was(db, monkeypatch):
    """restore drops the note about its removal; the archive is one change, so undo is exact."""
    put(db, [fact("the user is on Windows", "AAAA1", metadata={"a": 1}),
             fact("the user is on macOS now", "AAAA2"),
             *(fact(line, f"FILL{n}") for n, line in enumerate(FILL))])  # fmt: skip
    before = facts.find(db, "AAAA1", viewer=OWNER)
    reply = '{"archive": ["AAAA1"], "because": {"AAAA1": {"by": "AAAA2", "reason": "moved"}}}'
    monkeypatch.setattr(consolidate, "complete", lambda *_, **__: reply)
    bucket = consolidate.gather(db, viewer=OWNER)
    consolidate.consolidate(
        db, bucket, None, viewer=OWNER, now=NOW + DAY, max_loss=1.0, dry_run=False
    )
    assert facts.find(db, "AAAA1", viewer=OWNER).metadata == {
        "a": 1, "consolidated": {"replaced_by": "AAAA2"},
    }  # fmt: skip
    amend.forget(db, ["AAAA2"], viewer=OWNER, now=NOW + DAY)
    assert amend.restore(db, ["AAAA1"], viewer=OWNER, now=NOW + DAY).changed == (before,)


def test_corrections_are_changes_of_value():
    """Labels, vouching and copies of the same words correct nothing; another value does."""
    with fresh_store() as db:
        def say(text, fact_id, source="owner_message"):
            remember(db, NewFact(text, "knowledge", source, OWNER, slot="city"),
                     fact_id=fact_id, now=NOW)  # fmt: skip

        def revise(fact_id, changes, made, **who):
            editor = Editor("owner_message", typed=True, **who)
            edit(db, fact_id, changes, editor=editor, fact_id=made, viewer=OWNER, now=NOW)

        say("Rome", "AAAA1", source="tool_output")
        for n in range(3):
            revise("AAAA1", {"tags": (str(n),)}, "NONE")
        revise("AAAA1", {}, "AAAA2", vouched=True)
        assert passes.corrections(db, viewer=OWNER) == {}
        say("Oslo", "AAAA3")
        revise("AAAA3", {"content": "Bern"}, "AAAA4")
        assert passes.corrections(db, viewer=OWNER) == {("city", None): 2}


def test_a_copy_outside_of_a_slot_moves_no_beginning_in_it():
    """A value of a slot holds as its time line says, and takes the place of its loose copy."""
    b = fact(WORDS, "AAAA2", created_at=NOW - DAY)
    value = fact(WORDS, "AAAA1", slot="gate", created_at=NOW)
    [(kept, gone, after)] = merges(value, b)
    assert (kept, gone, after.valid_from) == ("AAAA1", "AAAA2", None)
    [(kept, gone, after)] = merges(value, replace(b, pinned=True))
    assert (kept, after.slot, after.valid_from) == ("AAAA2", "gate", NOW)
    assert after.statement == {"from": NOW, "at": NOW}


@pytest.mark.parametrize("tier", ["long", "short"])
def test_a_slot_of_which_a_stay_fades(tier):
    """What a pass archives leaves nothing behind it, and what is painted over stays so."""
    with fresh_store() as db:
        for n, (text, more) in enumerate(((WORDS, {}), ("the gate code is red", {"tier": tier}))):
            new = NewFact(text, "knowledge", "owner_message", OWNER, slot="gate", **more)
            remember(db, new, fact_id=f"AAAA{n}", now=NOW + n * DAY)
        settings = Settings(stages=("gc",), max_loss=1.0, evict_after_owner_ms=0)
        done = dream(db, settings, viewer=OWNER, now=NOW + 900 * DAY, dry_run=False, verb="gc")
        assert [item.fact.id for item in done.plan.swept] == ["AAAA1"]
        assert labels.active_values(db, "gate", scope=None, viewer=OWNER) == []
        new = NewFact("the gate code is grey", "knowledge", "owner_message", OWNER, slot="gate",
                      valid_to=NOW + 950 * DAY)  # fmt: skip
        remember(db, new, fact_id="AAAA9", now=NOW + 901 * DAY)
        held = labels.active_values(db, "gate", scope=None, viewer=OWNER)
        assert [one.id for one, _ in held] == ["AAAA9"]
