"""What an edit does to the past, to labels, to a slot, and to a fact that says so already."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact, put
from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory import amend
from tideline_cli.memory.edit import Editor, edit
from tideline_cli.memory.undo import redo, undo
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, history, links, listing, writes
from tideline_cli.store.checks import texts

LATER = NOW + 30 * DAY


def read(db, fact_id):
    return facts.find(db, fact_id, viewer=OWNER)


def revise(db, reference, changes, *, now=LATER, since=None, typed=True, **who):
    made = f"NEW{len(texts.fact_texts(db, viewer=OWNER))}"
    editor = Editor("owner_message", typed=typed, **who)
    return edit(
        db, reference, changes, editor=editor, fact_id=made, viewer=OWNER, now=now, since=since
    )


def held(db, at):
    """Return the texts that hold at an instant, as `list --as-of` and `recall --as-of` see it."""
    wanted = facts.Filter(as_of=at)
    return sorted(one.content for one in listing.each(db, viewer=OWNER, wanted=wanted))


def edges(db, fact_id):
    return {(edge.kind, edge.target) for edge in links.leaving(db, fact_id, viewer=OWNER)}


LABELS = {"tags": ("x",), "title": "t", "kind": "note", "metadata": {"a": 1}, "importance": 0.9,
          "confidence": 0.4, "segment": "project", "tier": "short", "valid_to": LATER + DAY,
          "valid_from": NOW - DAY, "slot": "day"}  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_a_label_changes_in_place(db, name):
    """The id, the time, the use, the status and an own rate of fading stay; undo is exact."""
    put(db, [fact("we deploy on Fridays", "AAAA1", decay_rate=0.5, status="confirmed",
                  access_count=3, last_accessed_at=NOW + 1, derived_from=("X" * 26,))])  # fmt: skip
    before = read(db, "AAAA1")
    done = revise(db, "AAAA1", {name: LABELS[name]})
    after = read(db, "AAAA1")
    assert (done.action, done.fact, done.superseded) == ("changed", after, ())
    assert getattr(after, name) == LABELS[name]
    touched = {name: getattr(before, name), "heat": before.heat}
    if name == "slot":
        touched["statement"] = None
    if name == "segment":
        assert after.decay_rate != 0.5
        touched["decay_rate"] = 0.5
    assert replace(after, **touched) == before
    assert len(texts.fact_texts(db, viewer=OWNER)) == 1
    assert list(writes.wrong_digests(db)) == []
    undo(db, None, viewer=OWNER, now=LATER + 1)
    assert read(db, "AAAA1") == before
    redo(db, viewer=OWNER, now=LATER + 2)
    assert read(db, "AAAA1") == after
    assert list(writes.wrong_digests(db)) == []


def test_a_new_wording_corrects_the_past(db):
    """Asked about any time, the memory knows the new words alone; the old ones never held."""
    put(db, [fact("alpha beta gamma", "AAAA1", valid_from=NOW, decay_rate=0.5),
             fact("one two three", "AAAA2")])  # fmt: skip
    one = revise(db, "AAAA1", {"content": "alpha beta delta"}).fact
    two = revise(db, "AAAA2", {"content": "one two four"}).fact
    for at in (NOW, NOW + 15 * DAY, LATER, LATER + DAY):
        assert held(db, at) == ["alpha beta delta", "one two four"]
    assert (one.valid_from, two.valid_from, one.decay_rate) == (NOW, NOW, 0.5)
    old = read(db, "AAAA2")
    assert (old.lifecycle, old.valid_from, old.valid_to) == ("archived", None, NOW)
    again = revise(db, one.id, {"content": "alpha beta zeta"}, now=LATER + DAY).fact
    assert held(db, NOW) == ["alpha beta zeta", "one two four"]
    assert again.valid_from == NOW


@pytest.mark.parametrize("how", ["since", "valid_from"])
def test_the_old_words_may_have_held_until_a_time(db, how):
    """--from ends the old words there: in the past, now, or at a time to come."""
    put(db, [fact("alpha beta gamma", f"AAAA{n}") for n in (1, 2, 3)])
    for n, at in ((1, NOW + DAY), (2, LATER), (3, LATER + DAY)):
        more = {"content": f"alpha delta {n}"}
        since = at if how == "since" else None
        if since is None:
            more["valid_from"] = at
        done = revise(db, f"AAAA{n}", more, since=since)
        old = read(db, f"AAAA{n}")
        assert (done.fact.valid_from, old.valid_to) == (at, at)
        assert old.lifecycle == ("active" if n == 3 else "archived")
        assert done.superseded == (old.id,)
        assert done.later == (((old.id, at),) if n == 3 else ())
    assert held(db, NOW + DAY - 1) == ["alpha beta gamma"] * 3
    assert held(db, LATER) == ["alpha beta gamma", "alpha delta 1", "alpha delta 2"]
    assert held(db, LATER + DAY) == ["alpha delta 1", "alpha delta 2", "alpha delta 3"]


def test_from_is_about_words(db):
    """Without a new wording, or after the end of the fact, --from is refused."""
    put(db, [fact("alpha beta gamma", "AAAA1", valid_to=LATER)])
    with pytest.raises(UsageError, match="needs a new wording"):
        revise(db, "AAAA1", {"tags": ("x",)}, since=NOW + DAY)
    with pytest.raises(UsageError, match="valid-to is not after valid-from"):
        revise(db, "AAAA1", {"content": "other words"}, since=LATER)
    assert [e.outcome for e in history.entries(db, viewer=OWNER, limit=9)] == []


def test_an_end_is_corrected_in_place(db):
    """What ended earlier than thought is not known for the time after."""
    put(db, [fact("the office is closed", "AAAA1", valid_from=NOW - 50 * DAY)])
    revise(db, "AAAA1", {"valid_to": NOW - 20 * DAY})
    assert held(db, NOW - 30 * DAY) == ["the office is closed"]
    assert held(db, NOW - 10 * DAY) == []


def test_an_edit_to_the_words_of_another_fact(db):
    """That fact is reinforced, gets the labels that are stated and what it lacks, and supersedes
    the edited one; undo takes all of that back."""
    put(db, [fact("I deploy on Fridays", "AAAA1", pinned=True, heat="core", tags=("a",),
                  slot="day", title="mine", importance=0.7, derived_from=("X" * 26,)),
             fact("I deploy on Mondays", "AAAA2", tags=("b",), now=NOW + DAY, metadata={"k": 1},
                  last_accessed_at=LATER + DAY),
             fact("the mates of the slot", "AAAA3", slot="other")])  # fmt: skip
    before = [read(db, f"AAAA{n}") for n in (1, 2, 3)]
    done = revise(db, "AAAA1", {"content": "I deploy on Mondays", "confidence": 0.6,
                                "metadata": {"m": 2}})  # fmt: skip
    after = read(db, "AAAA2")
    assert (done.action, done.fact, done.superseded) == ("reinforced", after, ("AAAA1",))
    assert (after.slot, after.pinned, after.heat, after.tags, after.title) == (
        "day", True, "core", ("b", "a"), "mine"
    )  # fmt: skip
    assert (after.importance, after.confidence, after.metadata) == (0.7, 0.6, {"k": 1, "m": 2})
    assert (after.valid_from, after.valid_to, after.derived_from) == (NOW, None, ("X" * 26,))
    assert (after.access_count, after.last_accessed_at) == (1, LATER + DAY)
    assert edges(db, "AAAA2") == {("supersedes", "AAAA1"), ("transition", "AAAA1")}
    assert read(db, "AAAA1").valid_to == NOW
    assert held(db, NOW) == ["I deploy on Mondays", "the mates of the slot"]
    with pytest.raises(WriteBlockedError, match="superseded by AAAA2"):
        amend.restore(db, ["AAAA1"], viewer=OWNER, now=LATER)
    undo(db, None, viewer=OWNER, now=LATER)
    assert [read(db, f"AAAA{n}") for n in (1, 2, 3)] == before
    assert edges(db, "AAAA2") == set()


@pytest.mark.parametrize(("times", "action"), [
    ({"valid_to": LATER + DAY}, "superseded"), ({"valid_from": NOW + 9 * DAY}, "superseded"),
    ({"valid_from": LATER + DAY}, "superseded"), ({}, "reinforced"),
])  # fmt: skip
def test_an_edit_joins_what_holds_for_the_same_time_alone(db, times, action):
    """A fact with another end, or with another beginning that is stated, is another statement."""
    put(db, [fact("I deploy on Fridays", "AAAA1", now=NOW), fact("I deploy on Mondays", "AAAA2",
             now=NOW + 20 * DAY, **times)])  # fmt: skip
    before = read(db, "AAAA2")
    done = revise(db, "AAAA1", {"content": "I deploy on Mondays"})
    assert done.action == action
    if action == "superseded":
        assert read(db, "AAAA2") == before


@pytest.mark.parametrize("changes", [{"scope": "work"}, {"scope": "work", "content": "X2"}])
@pytest.mark.parametrize("name", ["AAAA1", "AAAA3"], ids=["lower id", "higher id"])
def test_what_is_moved_into_a_slot_wins_at_the_same_instant(db, name, changes):
    """The move is the later word, whatever the clock tells apart."""
    put(db, [fact("X1", name, slot="day"),
             fact("X0", "AAAA2", slot="day", scope="work", now=LATER)])  # fmt: skip
    done = revise(db, name, changes)
    assert done.fact.lifecycle == "active"
    assert read(db, "AAAA2").lifecycle == "archived"


def test_a_trusted_fact_takes_no_labels_of_an_untrusted_one(db):
    """Where the owner gives a document's fact the words of his own, what the edit states is all
    that his own one gets."""
    put(db, [fact("I deploy on Fridays", "AAAA1", source="tool_output", slot="day", tags=("a",),
                  importance=1.0, valid_from=NOW - 9 * DAY, metadata={"a": 1}, title="t"),
             fact("I deploy on Mondays", "AAAA2", tags=("b",))])  # fmt: skip
    before = read(db, "AAAA2")
    done = revise(db, "AAAA1", {"content": "I deploy on Mondays", "kind": "note"})
    assert (done.action, done.superseded) == ("reinforced", ("AAAA1",))
    assert done.fact == replace(before, kind="note", access_count=1, last_accessed_at=LATER)


def test_what_is_no_twin_stays_beside(db):
    """Another slot, another time, another trust, or a figure: the new words are a fact of their
    own."""
    put(db, [fact("I deploy on Fridays", "AAAA1", slot="day", valid_from=NOW),
             fact("I deploy on Mondays", "AAAA2", slot="other"),
             fact("I deploy on Mondays", "AAAA3", valid_from=NOW - 9 * DAY, valid_to=NOW),
             fact("I deploy on Mondays", "AAAA4", source="tool_output"),
             fact("I deploy on Mondays 5", "AAAA5")])  # fmt: skip
    done = revise(db, "AAAA1", {"content": "I deploy on Mondays"})
    assert (done.action, done.superseded) == ("superseded", ("AAAA1",))
    assert read(db, "AAAA2").lifecycle == "active"


def test_a_fact_that_moves_into_a_slot_ends_what_it_holds(db):
    """From now on, or from its own beginning; what holds longer holds again behind its end, and
    what holds at other times, or is trusted more, stays."""
    put(db, [fact("Rome", "AAAA1", slot="city", valid_to=LATER + 9 * DAY),
             fact("Oslo", "AAAA2", slot="city", valid_from=LATER + 9 * DAY),
             fact("Bern", "AAAA3", valid_to=LATER + 5 * DAY),
             fact("Paris", "AAAA4", source="tool_output")])  # fmt: skip
    assert revise(db, "AAAA4", {"slot": "city"}, now=LATER - 1).superseded == ()
    done = revise(db, "AAAA3", {"slot": "city"}, now=LATER)
    assert done.superseded == ()
    assert read(db, "AAAA1").valid_to == LATER + 9 * DAY
    assert read(db, "AAAA2").lifecycle == "active"
    longer = revise(db, "AAAA3", {"valid_to": LATER + 20 * DAY}, now=LATER + DAY)
    assert longer.superseded == ("AAAA1", "AAAA2", "AAAA4")
    assert read(db, "AAAA1").valid_to == LATER
    assert read(db, "AAAA2").valid_from == LATER + 20 * DAY


@pytest.mark.parametrize("changes", [{}, {"content": "Bern"}])
def test_a_value_that_becomes_the_owners_is_the_only_one(db, changes):
    """A document's value stands beside the owner's; vouched for, or in new words, it replaces
    that one."""
    put(db, [fact("Rome", "AAAA1", slot="city"),
             fact("Oslo", "AAAA2", slot="city", source="tool_output")])  # fmt: skip
    assert revise(db, "AAAA2", {"tags": ("x",)}).superseded == ()
    done = revise(db, "AAAA2", changes, vouched=not changes)
    assert done.superseded == ("AAAA2", "AAAA1")
    assert read(db, "AAAA1").valid_to == LATER


def test_a_move_to_a_time_to_come_leaves_the_slot_until_then(db):
    """What the slot holds ends where the moved fact begins."""
    put(db, [fact("Rome", "AAAA1", slot="city"), fact("Oslo", "AAAA2", valid_from=LATER + DAY)])
    done = revise(db, "AAAA2", {"slot": "city"})
    assert done.later == (("AAAA1", LATER + DAY),)
    assert (read(db, "AAAA1").lifecycle, read(db, "AAAA1").valid_to) == ("active", LATER + DAY)


def test_vouching_is_a_new_fact_for_all_of_the_time(db):
    """Who vouches changes the source: the fact is another, and holds since the first began."""
    put(db, [fact("the page says so", "AAAA1", source="tool_output", tags=("a",))])
    done = revise(db, "AAAA1", {}, vouched=True)
    assert (done.action, done.fact.source, done.fact.valid_from) == (
        "superseded", "owner_message", NOW
    )  # fmt: skip
    assert held(db, NOW) == ["the page says so"]


def test_a_fact_that_an_edit_joins_does_not_come_to_cite_itself(db):
    """What was derived from a fact, and gets its words, passes on the other facts that it cites."""
    put(db, [
        fact("we deploy on Fridays", "AAAA1"),
        fact("the train is late", "BBBB2", derived_from=("AAAA1", "CCCC3")),
    ])  # fmt: skip
    done = revise(db, "BBBB2", {"content": "we deploy on Fridays"})
    assert (done.action, done.fact.id) == ("reinforced", "AAAA1")
    assert read(db, "AAAA1").derived_from == ("CCCC3",)
