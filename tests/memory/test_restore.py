"""What restore gives back, and what stands in its way."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact, put
from tideline_cli.errors import WriteBlockedError
from tideline_cli.memory import amend
from tideline_cli.memory.edit import Editor, edit
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, links
from tideline_cli.store.connection import writing

LATER = NOW + 30 * DAY


def read(db, fact_id):
    return facts.find(db, fact_id, viewer=OWNER)


def say(db, text, fact_id, now=NOW, **given):
    new = NewFact(text, "knowledge", "owner_message", OWNER, **given)
    return remember(db, new, fact_id=fact_id, now=now)


def revise(db, reference, text, fact_id, *, now=NOW + DAY, since=None):
    who = Editor("owner_message", typed=True)
    return edit(
        db, reference, {"content": text}, editor=who, fact_id=fact_id, viewer=OWNER, now=now,
        since=since,
    )  # fmt: skip


def restore(db, *ids, now=LATER):
    return amend.restore(db, ids, viewer=OWNER, now=now)


def test_the_first_of_a_chain_is_not_restored(db):
    """What replaced its successor stands in its place as well, however long the chain."""
    for n, text in enumerate(("alpha one", "beta two", "gamma three", "delta four"), 1):
        say(db, text, "AAAA1") if n == 1 else revise(db, f"AAAA{n - 1}", text, f"AAAA{n}")
    for n in (1, 2, 3):
        with pytest.raises(WriteBlockedError, match=f"AAAA{n} is superseded by AAAA4"):
            restore(db, f"AAAA{n}")
    amend.forget(db, ["AAAA4"], viewer=OWNER, now=LATER)
    assert restore(db, "AAAA1").changed[0].lifecycle == "active"
    with pytest.raises(WriteBlockedError, match="AAAA2 is superseded by AAAA4"):
        restore(db, "AAAA2", "AAAA4")


def test_a_circle_of_replacements_ends(db):
    """Facts that have replaced one another in turn stop no search."""
    put(db, [fact(text, f"AAAA{n}", lifecycle="archived")
             for n, text in enumerate(("alpha", "beta", "gamma"), 1)])  # fmt: skip
    with writing(db):
        for one, other in (("AAAA1", "AAAA2"), ("AAAA2", "AAAA3"), ("AAAA3", "AAAA1")):
            links.add(db, links.Link(one, "supersedes", other))
    assert restore(db, "AAAA1").changed[0].id == "AAAA1"
    with pytest.raises(WriteBlockedError, match="AAAA3 is superseded by AAAA1"):
        restore(db, "AAAA3")


def test_an_untrusted_fact_in_between_stands_in_nobodys_way(db):
    """What may not replace a trusted fact does not lead to what does."""
    put(db, [fact("alpha", "AAAA1"), fact("beta", "AAAA2", source="tool_output"),
             fact("gamma", "AAAA3")])  # fmt: skip
    amend.forget(db, ["AAAA1"], superseded_by="AAAA2", viewer=OWNER, now=NOW)
    amend.forget(db, ["AAAA2"], superseded_by="AAAA3", viewer=OWNER, now=NOW)
    assert restore(db, "AAAA1").changed[0].lifecycle == "active"


def test_what_holds_at_other_times_stands_in_nobodys_way(db):
    """A value that begins where the restored one ends is no rival of it."""
    say(db, "Rome", "AAAA1", slot="city")
    revise(db, "AAAA1", "Oslo", "AAAA2", since=LATER + 9 * DAY)
    before = read(db, "AAAA1")
    amend.forget(db, ["AAAA1"], viewer=OWNER, now=NOW + 2 * DAY)
    done = restore(db, "AAAA1")
    known = {**before.statement, "back": LATER}
    assert (done.changed, done.ends) == ((replace(before, statement=known),), ())
    amend.forget(db, ["AAAA1"], viewer=OWNER, now=LATER + 8 * DAY)
    with pytest.raises(WriteBlockedError, match="superseded by AAAA2"):
        restore(db, "AAAA1", now=LATER + 9 * DAY)


def test_a_stay_takes_no_present_value_away(db):
    """A cancelled stay is restored before it would begin, and not while another value holds."""
    stay = {"slot": "city", "valid_from": LATER, "valid_to": LATER + DAY}
    say(db, "Rome", "AAAA1", slot="city")
    say(db, "Oslo", "AAAA2", NOW + DAY, **stay)
    amend.forget(db, ["AAAA2"], viewer=OWNER, now=NOW + 2 * DAY)
    with pytest.raises(WriteBlockedError, match="AAAA2 is superseded by AAAA1"):
        restore(db, "AAAA2", now=LATER)
    assert restore(db, "AAAA2", now=LATER - 1).changed[0].valid_to == LATER + DAY


def test_an_end_to_come_comes_back(db):
    """The end that a fact had before it was archived is kept when it is still ahead; one that has
    passed is dropped, which is told."""
    say(db, "the gate is open", "AAAA1", valid_to=LATER)
    amend.forget(db, ["AAAA1"], viewer=OWNER, now=NOW + DAY)
    done = restore(db, "AAAA1", now=LATER - 1)
    assert (done.changed[0].valid_to, done.ends) == (LATER, ())
    amend.forget(db, ["AAAA1"], viewer=OWNER, now=LATER - 1)
    done = restore(db, "AAAA1", now=LATER)
    assert (done.changed[0].valid_to, done.ends) == (None, (("AAAA1", LATER),))
    say(db, "tea at four", "AAAA2")
    amend.forget(db, ["AAAA2"], viewer=OWNER, now=NOW + DAY)
    assert restore(db, "AAAA2").ends == ()


def test_what_is_forgotten_before_it_begins_never_held(db):
    """Its end is its beginning, and it comes back as it was."""
    say(db, "the gate is open", "AAAA1", valid_from=LATER, valid_to=LATER + DAY)
    before = read(db, "AAAA1")
    amend.forget(db, ["AAAA1"], viewer=OWNER, now=NOW + DAY)
    assert (read(db, "AAAA1").valid_from, read(db, "AAAA1").valid_to) == (LATER, LATER)
    assert restore(db, "AAAA1", now=NOW + 2 * DAY).changed == (before,)


@pytest.mark.parametrize(("had", "has"), [
    ({"consolidated": {"replaced_by": "X"}}, None),
    ({"consolidated": {"reason": "old"}, "a": 1}, {"a": 1}),
    ({"consolidated": "by hand"}, {"consolidated": "by hand"}),
    ({"consolidated": {"more": 1}}, {"consolidated": {"more": 1}}),
    ({"a": 1}, {"a": 1}), (None, None),
])  # fmt: skip
def test_what_a_pass_noted_of_the_removal_goes(db, had, has):
    """Metadata of anybody else stay; undo brings the note back."""
    put(db, [fact("tea at four", "AAAA1", lifecycle="archived", metadata=had)])
    before = read(db, "AAAA1")
    assert restore(db, "AAAA1").changed == (
        replace(before, lifecycle="active", valid_to=None, metadata=has),
    )
    undo(db, None, viewer=OWNER, now=LATER)
    assert read(db, "AAAA1") == before


def test_praise_by_a_clock_that_is_behind(db):
    """The last use never moves backwards."""
    put(db, [fact("tea at four", "AAAA1", access_count=1, last_accessed_at=LATER)])
    amend.feedback(db, "AAAA1", delta=0.05, viewer=OWNER, now=NOW)
    after = read(db, "AAAA1")
    assert (after.access_count, after.last_accessed_at) == (2, LATER)


def test_a_restatement_by_a_clock_that_is_behind(db):
    """It is a use, and the last use stays."""
    put(db, [fact("tea at four", "AAAA1", access_count=1, last_accessed_at=LATER)])
    done = say(db, "tea at four", "AAAA2", now=NOW + 1)
    assert (done.fact.access_count, done.fact.last_accessed_at) == (2, LATER)
    assert read(db, "AAAA1") == done.fact
