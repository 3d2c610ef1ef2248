"""What forget, restore, pin, feedback, link and edit do to a store, and what they refuse."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, PEER, fact, put
from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory import amend, contradictions, link
from tideline_cli.memory.edit import Editor, edit
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.edge import FACTUAL, INVERSE, KINDS, SYMMETRIC
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, history, links
from tideline_cli.store.checks import texts
from tideline_cli.store.connection import writing

WHO = {"viewer": OWNER, "now": NOW}


def read(db, fact_id, viewer=OWNER):
    return facts.find(db, fact_id, viewer=viewer)


def batches(db):
    return [(e.batch, e.verb, e.outcome) for e in history.entries(db, viewer=OWNER, limit=9)]


def edges(db, fact_id):
    leaving = links.leaving(db, fact_id, viewer=OWNER)
    return [(edge.kind, edge.target, edge.reason, edge.strength) for edge in leaving]


def test_forget_is_all_or_nothing(db):
    """Several facts go in one batch; one that is missing or foreign keeps all."""
    put(db, [fact("first text", "AAAA1"), fact("second matter", "AAAA2"),
             fact("peer text", "AAAA3", origin=PEER)])  # fmt: skip
    for wrong in ("AAAA3", "AAAA9"):
        with pytest.raises(NotFoundError):
            amend.forget(db, ["AAAA1", wrong], **WHO)
    assert read(db, "AAAA1").lifecycle == "active"
    assert batches(db) == []
    done = amend.forget(db, ["AAAA1", "AAAA2", "AAAA1"], **WHO)
    assert [one.id for one in done.changed] == ["AAAA1", "AAAA2"]
    assert list(done.changed) == [read(db, "AAAA1"), read(db, "AAAA2")]
    assert (done.changed[0].lifecycle, done.changed[0].valid_to) == ("archived", NOW)
    assert batches(db) == [(1, "forget", "done")] * 2


def test_forgetting_again_changes_nothing(db):
    """A fact that is archived stays as it is, and no batch is recorded."""
    put(db, [fact("first text", "AAAA1", valid_to=NOW - DAY)])
    amend.forget(db, ["AAAA1"], **WHO)
    before = read(db, "AAAA1")
    assert before.valid_to == NOW - DAY
    done = amend.forget(db, ["AAAA1"], viewer=OWNER, now=NOW + DAY)
    assert (done.changed, done.kept, done.batch) == ((), (before,), None)
    assert batches(db) == [(1, "forget", "done")]


def test_forget_names_a_successor(db):
    """--superseded-by leaves the edges by which restore refuses; they are never doubled."""
    put(db, [fact("old text", "AAAA1"), fact("new text", "AAAA2")])
    amend.forget(db, ["AAAA1"], superseded_by="AAAA2", **WHO)
    wanted = [("contradicts", "AAAA1", None, None), ("transition", "AAAA1", None, None)]
    assert edges(db, "AAAA2") == wanted
    with pytest.raises(WriteBlockedError, match="AAAA2") as refused:
        amend.restore(db, ["AAAA1"], **WHO)
    assert refused.value.code == "superseded"
    with writing(db):
        amend.archive_fact(db, read(db, "AAAA1"), by=read(db, "AAAA2"), now=NOW)
    assert edges(db, "AAAA2") == wanted
    wrong = {"AAAA2": UsageError, "AAAA9": NotFoundError, "AAAA1": WriteBlockedError}
    for bad, error in wrong.items():
        with pytest.raises(error):
            amend.forget(db, ["AAAA2"], superseded_by=bad, **WHO)


def test_restore_refuses_by_slot_and_by_edge(db):
    """What stands in the place of a fact is an active fact of its slot or one that replaced it."""
    put(db, [fact("on Fridays", "AAAA1", slot="day", lifecycle="archived", valid_to=NOW),
             fact("on Mondays", "AAAA2", slot="day"),
             fact("peers too", "AAAA3", slot="day", origin=PEER)])  # fmt: skip
    old = read(db, "AAAA1")
    back = replace(old, lifecycle="active", valid_to=None)
    assert amend.filled_by(db, back, viewer=OWNER, now=NOW) == read(db, "AAAA2")
    amend.forget(db, ["AAAA2"], **WHO)
    assert amend.filled_by(db, back, viewer=OWNER, now=NOW) is None
    done = amend.restore(db, ["AAAA1"], **WHO)
    assert done.changed == (replace(back, statement=done.changed[0].statement),)
    with pytest.raises(WriteBlockedError):
        amend.restore(db, ["AAAA2"], **WHO)


@pytest.mark.parametrize("order", [["AAAA1", "AAAA2"], ["AAAA2", "AAAA1"]])
def test_restore_looks_at_what_is_named_together(db, order):
    """A fact and its successor are not restored together, whichever is named first."""
    put(db, [fact("on Fridays", "AAAA1", slot="day", lifecycle="archived"),
             fact("on Mondays", "AAAA2", slot="day", lifecycle="pruned")])  # fmt: skip
    with pytest.raises(WriteBlockedError):
        amend.restore(db, order, **WHO)
    assert [read(db, name).lifecycle for name in order] != ["active", "active"]
    assert amend.restore(db, ["AAAA2"], **WHO).changed[0].lifecycle == "active"


def test_pins(db):
    """A pin makes a fact core; without it the fact is as warm as if it were new."""
    put(db, [fact("first text", "AAAA1"), fact("gone text", "AAAA2", lifecycle="archived"),
             fact("I am Ann", "AAAA3", segment="identity")])  # fmt: skip
    done = amend.pin(db, ["AAAA1", "AAAA3"], **WHO)
    assert [(one.pinned, one.heat) for one in done.changed] == [(True, "core")] * 2
    assert amend.pin(db, ["AAAA1"], **WHO).batch is None
    done = amend.unpin(db, ["AAAA1", "AAAA3"], **WHO)
    assert [(one.pinned, one.heat) for one in done.changed] == [(False, "working"), (False, "core")]
    assert amend.unpin(db, ["AAAA1"], **WHO).batch is None
    with pytest.raises(WriteBlockedError, match="archived") as refused:
        amend.pin(db, ["AAAA1", "AAAA2"], **WHO)
    assert (refused.value.code, read(db, "AAAA1").pinned) == ("not_active", False)


def test_feedback_reorders_recall(db):
    """Of two equal hits the one that was blamed falls behind, and comes back by praise."""
    put(db, [fact("deploy on fridays", "AAAA1"), fact("deploy on mondays", "AAAA2")])
    later = NOW + DAY

    def first():
        return recall(db, Query("deploy"), viewer=OWNER, now=later).hits[0].fact.id

    one, other = (first(), "AAAA2") if first() == "AAAA1" else (first(), "AAAA1")
    amend.feedback(db, one, delta=-0.1, viewer=OWNER, now=later)
    assert first() == other
    for _ in range(3):
        amend.feedback(db, one, delta=0.05, viewer=OWNER, now=later)
    assert first() == one


def test_feedback_is_clamped_and_recorded(db):
    """Values stay within 0..1; what stays the same leaves no batch."""
    put(db, [fact("first text", "AAAA1", importance=0.05, confidence=0.02)])
    done = amend.feedback(db, "AAAA1", delta=-0.3, **WHO)
    assert (done.changed[0].importance, done.changed[0].confidence) == (0.0, 0.0)
    assert amend.feedback(db, "AAAA1", delta=-0.3, **WHO).batch is None
    up = amend.feedback(db, "AAAA1", delta=0.05, viewer=OWNER, now=NOW + DAY).changed[0]
    assert (up.access_count, up.last_accessed_at) == (1, NOW + DAY)
    assert up == read(db, "AAAA1")
    told = [(e.batch, e.verb, e.entity) for e in history.entries(db, viewer=OWNER, limit=9)]
    assert told == [(2, "feedback", "fact"), (2, "feedback", "usage"), (1, "feedback", "fact")]


def test_kinds_of_edges():
    """There are 22 kinds, 13 of them factual, and the inverse of an inverse is the kind itself."""
    assert (len(set(KINDS)), len(set(FACTUAL))) == (22, 13)
    assert set(FACTUAL) < set(KINDS)
    assert all(INVERSE[INVERSE[kind]] == kind for kind in INVERSE)
    assert set(SYMMETRIC) < set(KINDS) and not set(SYMMETRIC) & set(INVERSE)


def test_relate(db):
    """A symmetric edge comes from both ends, a directed one from its own, each once, up to a limit,
    between active facts of one origin; where one end is full nothing comes."""
    put(db, [fact("hub text", "HUB1"), fact("gone text", "GONE", lifecycle="archived"),
             fact("peer text", "PEER", origin=PEER),
             *(fact(f"spoke text {n}", f"S{n:03}") for n in range(14))])  # fmt: skip

    def relate(*ends, kind="relates", reason=None, strength=None):
        with writing(db):
            return links.relate(db, ends[0], kind, ends[1], reason=reason, strength=strength,
                                now=NOW)  # fmt: skip

    assert [relate("HUB1", end) for end in ("GONE", "PEER", "HUB1", "NONE")] == [0, 0, 0, 0]
    assert [relate("HUB1", f"S{n:03}") for n in range(14)] == [2] * 12 + [0, 0]
    assert relate("HUB1", "S000") == 0
    assert relate("HUB1", "S001", kind="causes", reason="because") == 1
    assert relate("S001", "HUB1", kind="caused_by", strength=4) == 0
    assert edges(db, "HUB1")[-1] == ("causes", "S001", "because", 4)
    assert [relate("S001", "HUB1", kind="uses"), relate("HUB1", "S001", kind="uses")] == [1, 1]
    assert [kind for kind, *_ in edges(db, "S001")] == ["relates", "uses"]
    assert relate("S000", "HUB1", reason="later") == 0
    assert (edges(db, "HUB1")[0], edges(db, "S000")) == (
        ("relates", "S000", "later", None), [("relates", "HUB1", "later", None)]
    )  # fmt: skip
    with writing(db):
        assert links.remove(db, "S001", "uses", "HUB1") == 1
        assert links.remove(db, "S001", "caused_by", "HUB1") == 1
        assert links.remove(db, "S001", "caused_by", "HUB1") == 0


def test_link(db):
    """A link by hand is one batch; it needs two active facts, and leaves none when all is so."""
    put(db, [fact("first text", "AAAA1"), fact("second matter", "AAAA2"),
             fact("gone text", "AAAA3", lifecycle="archived")])  # fmt: skip
    done = link.link(db, "AAAA1", "causes", "AAAA2", reason=" why ", strength=2, **WHO)
    assert (done.count, done.batch) == (1, 1)
    assert [(e.source, e.kind, e.target, e.reason) for e in done.links] == [
        ("AAAA1", "causes", "AAAA2", "why")
    ]  # fmt: skip
    again = link.link(db, "AAAA2", "caused_by", "AAAA1", reason="else", strength=None, **WHO)
    assert (again.count, again.links, again.batch) == (0, done.links, None)
    with pytest.raises(WriteBlockedError):
        link.link(db, "AAAA1", "causes", "AAAA3", reason=None, strength=None, **WHO)
    with pytest.raises(UsageError):
        link.link(db, "AAAA1", "causes", "AAAA1", reason=None, strength=None, **WHO)
    gone = link.unlink(db, "AAAA2", "caused_by", "AAAA1", **WHO)
    assert (gone.count, gone.links, gone.batch) == (1, (), 2)
    assert link.unlink(db, "AAAA2", "caused_by", "AAAA1", **WHO).batch is None


def revise(db, reference, changes, source="owner_message", viewer=OWNER):
    fact_id = f"NEW{len(texts.fact_texts(db, viewer=viewer))}"
    return edit(db, reference, changes, editor=Editor(source, typed=True), fact_id=fact_id,
                viewer=viewer, now=NOW + DAY)  # fmt: skip


def test_edit_carries_over(db):
    """A new wording keeps every label, is said by the editor, and replaces the old fact."""
    old = fact(
        "I deploy on Fridays", "AAAA1", segment="preference", source="tool_output",
        tier="permanent", kind="lesson", title="day", tags=("a", "b"), importance=0.33,
        confidence=0.4, slot="day", valid_from=NOW - DAY, valid_to=NOW + 9 * DAY, pinned=True,
        heat="core", source_turn="t1", derived_from=("X",), metadata={"a": 1}, access_count=4,
        progress="blocked",
    )  # fmt: skip
    put(db, [old])
    done = revise(db, "AAAA1", {"content": " I deploy on Mondays "})
    wanted = replace(old, id=done.fact.id, content="I deploy on Mondays", source="owner_message",
                     access_count=0, created_at=NOW + DAY, last_accessed_at=NOW + DAY,
                     statement={"from": NOW - DAY, "to": NOW + 9 * DAY, "at": NOW + DAY,
                                "moved": NOW + DAY})  # fmt: skip
    assert done.fact == wanted == read(db, done.fact.id)
    assert (done.action, done.superseded, done.batch) == ("superseded", ("AAAA1",), 1)
    assert read(db, "AAAA1").lifecycle == "archived"
    assert {verb for _, verb, _ in batches(db)} == {"edit"}
    with pytest.raises(WriteBlockedError, match="archived"):
        revise(db, "AAAA1", {"content": "again"})


def test_edit_of_labels(db):
    """Labels change as told; metadata is added to; a new slot replaces what it held."""
    put(db, [fact("first text", "AAAA1", metadata={"a": "1"}, title="t", slot="old"),
             fact("slot text", "AAAA2", slot="day")])  # fmt: skip
    changes = {"metadata": {"b": "2"}, "title": "", "slot": "Day", "importance": 7.0}
    done = revise(db, "AAAA1", changes)
    now = done.fact
    assert (now.content, now.metadata, now.title, now.slot, now.importance) == (
        "first text", {"a": "1", "b": "2"}, None, "day", 1.0
    )  # fmt: skip
    assert (done.action, now.id, done.superseded) == ("changed", "AAAA1", ("AAAA2",))
    assert read(db, "AAAA2").lifecycle == "archived"
    assert revise(db, now.id, {"content": "first text ", "slot": "DAY"}).action == "unchanged"
    ended = revise(db, now.id, {"valid_to": NOW, "valid_from": NOW - 5}).fact
    assert (ended.valid_from, ended.valid_to) == (NOW - 5, NOW)
    for bad in ({"valid_from": NOW + 1}, {"content": "..."}, {"title": "a\0b"}):
        with pytest.raises(UsageError):
            revise(db, ended.id, bad)
    assert {ordinal for ordinal, _, _ in batches(db)} == {1, 2}


def test_a_blocked_edit_is_recorded(db):
    """The gate holds for edits: nothing is stored but the reason."""
    put(db, [fact("I keep a diet", "AAAA1", segment="preference")])
    with pytest.raises(WriteBlockedError):
        revise(db, "AAAA1", {"content": "I eat anything"}, source="tool_output")
    assert read(db, "AAAA1").lifecycle == "active"
    assert batches(db) == [(1, "edit", "blocked")]


def test_contradictions_are_of_one_origin_and_of_now(db):
    """Only active facts of the viewer that have not ended are compared, the newest if many."""
    put(db, [fact("I deploy on Fridays", "AAAA1"), fact("I deploy on Mondays", "AAAA2"),
             fact("I deploy on Sundays", "AAAA3", origin=PEER),
             fact("I deploy on Tuesdays", "AAAA4", lifecycle="archived"),
             fact("I deploy on Wednesdays", "AAAA5", valid_to=NOW)])  # fmt: skip
    found = contradictions.contradictions(db, limit=9, min_score=0.0, **WHO)
    assert [(pair.a.id, pair.b.id) for pair in found.found] == [("AAAA2", "AAAA1")]
    assert (found.compared, found.is_partial) == (2, False)
    part = contradictions.contradictions(db, limit=9, newest=1, **WHO)
    assert (part.found, part.compared, part.is_partial) == ((), 1, True)
    other = contradictions.contradictions(db, limit=9, segments=["context"], **WHO)
    assert (other.found, other.compared) == ((), 0)
