"""undo: what stands in the way is named, uses are taken off, and many come back as one."""

from __future__ import annotations

import pytest

from tests.soundness import sound
from tests.support import DAY, NOW, PEER, fact, named_id, put, rows
from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.exchange import jsonl
from tideline_cli.exchange.importer.cells import STATED
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import amend, purge
from tideline_cli.memory.edit import Editor, edit
from tideline_cli.memory.remember import remember
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.memory.undo import redo, undo, undoable
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.store import facts, journal, links, score_bounds, uses, vector_counts, vectors
from tideline_cli.store.connection import writing


def say(db, content, fact_id, *, origin=OWNER, now=NOW, **more):
    new = NewFact(content, more.pop("segment", "knowledge"), "owner_message", origin, **more)
    return remember(db, new, fact_id=fact_id, now=now)


def exported(db):
    """Return all facts and edges, without when they were last stated: an undo states them anew."""
    return [
        {name: form[name] for name in form if name not in STATED}
        for form in jsonl.forms(db, viewer=EVERYONE)
    ]


def refusal(db, ordinal, viewer=OWNER):
    """Return the refusal of an undo, which changes nothing."""
    before = exported(db), rows(db, "batch"), rows(db, "change")
    with pytest.raises(WriteBlockedError) as caught:
        undo(db, ordinal, viewer=viewer, now=NOW)
    assert (exported(db), rows(db, "batch"), rows(db, "change")) == before
    assert caught.value.code == "undo_conflict"
    return caught.value.message, caught.value.hint


def use(db, fact_id):
    found = facts.find(db, fact_id, viewer=EVERYONE)
    return found.access_count, found.last_accessed_at


def test_a_later_change_of_a_fact_is_named(db):
    """A fact that was changed since is not reverted over that change."""
    say(db, "I deploy on Fridays", "A")
    amend.pin(db, ["A"], viewer=OWNER, now=NOW)
    assert refusal(db, 1) == (
        "batch 1 cannot be undone: batch 2 (pin) changed A", "undo batch 2 first"
    )


def test_a_later_link_is_named(db):
    """A fact that others have linked to since does not go."""
    say(db, "I deploy on Fridays", "A")
    say(db, "coffee at noon", "B")
    with journal.batch(db, verb="link", by=OWNER, now=NOW):
        links.add(db, links.Link("B", "supports", "A", created_at=NOW))
    assert refusal(db, 1)[0] == "batch 1 cannot be undone: batch 3 (link) linked A"
    assert refusal(db, 2)[0] == "batch 2 cannot be undone: batch 3 (link) linked B"


def test_a_slot_that_was_filled_since_is_named(db):
    """A fact does not become active beside one that came into its slot later."""
    say(db, "I deploy on Fridays", "A", slot="day")
    amend.forget(db, ["A"], viewer=OWNER, now=NOW)
    say(db, "I deploy on Mondays", "B", slot="day")
    assert refusal(db, 2) == (
        "batch 2 cannot be undone: batch 3 (remember) filled the slot of A", "undo batch 3 first"
    )
    undo(db, 3, viewer=OWNER, now=NOW)
    assert undo(db, 2, viewer=OWNER, now=NOW).restored == ("A",)


def test_a_slot_that_was_shared_before_is_no_obstacle(db):
    """A fact comes back beside one that was in its slot all the time."""
    say(db, "I deploy on Fridays", "A", slot="day")
    remember(
        db, NewFact("I deploy on Mondays", "knowledge", "extraction", OWNER, slot="day"),
        fact_id="B", now=NOW,
    )  # fmt: skip
    amend.forget(db, ["A"], viewer=OWNER, now=NOW)
    amend.pin(db, ["B"], viewer=OWNER, now=NOW)
    assert undo(db, 3, viewer=OWNER, now=NOW).restored == ("A",)


@pytest.mark.parametrize("kind", ["contradicts", "transition", "supersedes"])
def test_a_replacement_that_came_since_is_named(db, kind):
    """A fact that something active has replaced since does not become active again."""
    say(db, "I deploy on Fridays", "A")
    say(db, "coffee at noon", "B")
    amend.forget(db, ["A"], viewer=OWNER, now=NOW)
    with journal.batch(db, verb="link", by=OWNER, now=NOW):
        links.add(db, links.Link("B", kind, "A", created_at=NOW))
    assert refusal(db, 3)[0] == "batch 3 cannot be undone: batch 4 (link) replaced A"
    amend.forget(db, ["B"], viewer=OWNER, now=NOW)
    assert undo(db, 3, viewer=OWNER, now=NOW).restored == ("A",)


def test_more_than_three_obstacles_are_counted(db):
    """A long list is cut: three are named, the rest is counted; the newest batch is the hint."""
    context = ImportContext(OWNER, NOW, True)
    given = [{"content": f"fact number {n}", "id": named_id(f"F{n}")} for n in range(5)]
    import_rows(db, enumerate(given, 1), context, merge=False)
    for n in range(5):
        amend.pin(db, [named_id(f"F{n}")], viewer=OWNER, now=NOW)
    assert refusal(db, 1) == (
        f"batch 1 cannot be undone: batch 2 (pin) changed {named_id('F0')}, batch 3 (pin) "
        f"changed {named_id('F1')}, batch 4 (pin) changed {named_id('F2')}, and 2 more",
        "undo batch 6 first",
    )


def test_changes_that_cancelled_out_are_no_obstacle(db):
    """What was changed and undone since does not stand in the way."""
    say(db, "I deploy on Fridays", "A")
    amend.pin(db, ["A"], viewer=OWNER, now=NOW)
    undo(db, 2, viewer=OWNER, now=NOW)
    assert undo(db, 1, viewer=OWNER, now=NOW).removed == ("A",)
    assert exported(db) == []


def test_a_change_from_outside_is_an_obstacle(db):
    """What another program changed is not lost either."""
    say(db, "I deploy on Fridays", "A")
    with writing(db):
        db.execute("UPDATE fact SET importance = 0.1")
    assert refusal(db, 1)[0] == (
        "batch 1 cannot be undone: a change from outside tideline changed A"
    )


def test_a_batch_is_taken_back_once(db):
    """A batch that was taken back is not taken back again, its uses neither."""
    say(db, "I deploy on Fridays", "A")
    say(db, "I deploy on Fridays", "B")
    undo(db, 2, viewer=OWNER, now=NOW)
    assert refusal(db, 2) == (
        "batch 2 was taken back already, by batch 3", "`tideline undo 3` brings it back"
    )
    undo(db, 3, viewer=OWNER, now=NOW)
    assert use(db, "A") == (1, NOW)
    undo(db, 2, viewer=OWNER, now=NOW)
    assert use(db, "A") == (0, NOW)


def test_uses_are_taken_off_and_recalls_kept(db):
    """Undo of a reinforcement subtracts it; what recall has counted before and since stays."""
    say(db, "I deploy on Fridays", "A")
    uses.touch(db, [1], now=NOW + 1)
    say(db, "I deploy on Fridays", "B", now=NOW + 2)
    undo(db, 2, viewer=OWNER, now=NOW + 3)
    assert use(db, "A") == (1, NOW + 1)
    redo(db, viewer=OWNER, now=NOW + 4)
    assert use(db, "A") == (2, NOW + 2)
    uses.touch(db, [1], now=NOW + 5)
    undo(db, None, viewer=OWNER, now=NOW + 6)
    assert use(db, "A") == (2, NOW + 5)


def test_the_first_use_leaves_no_row(db):
    """A fact whose only use is taken back is as if it had never been used."""
    say(db, "I deploy on Fridays", "A")
    say(db, "I deploy on Fridays", "B", now=NOW + DAY)
    undo(db, None, viewer=OWNER, now=NOW + DAY)
    assert (rows(db, "usage"), use(db, "A")) == ([], (0, NOW))


def test_an_id_that_was_given_again_is_named(db):
    """A fact does not come back beside one that has got its id."""
    rows = [{"content": "I deploy on Fridays", "id": named_id("A")}]
    for _ in range(2):
        import_rows(db, enumerate(rows, 1), ImportContext(OWNER, NOW, True), merge=False)
        if db.execute("SELECT count(*) FROM batch").get == 1:
            undo(db, None, viewer=OWNER, now=NOW)
    assert refusal(db, 2)[0] ==  (
        f"batch 2 cannot be undone: batch 3 (import) stored {named_id('A')}"
    )


def test_an_edge_whose_end_is_gone_does_not_come_back(db):
    """A link is not brought back without the facts it joins."""
    say(db, "I deploy on Fridays", "A")
    say(db, "coffee at noon", "B")
    with journal.batch(db, verb="link", by=OWNER, now=NOW):
        links.add(db, links.Link("B", "supports", "A", created_at=NOW))
    undo(db, 3, viewer=OWNER, now=NOW)
    undo(db, 2, viewer=OWNER, now=NOW)
    assert refusal(db, 4)[0] == "batch 4 cannot be undone: batch 5 (undo) removed B"


def test_an_edge_comes_back_though_another_has_its_number(db):
    """The number of an edge that is gone may serve another: both live."""
    for fact_id, text in (("A", "I deploy on Fridays"), ("B", "coffee at noon"), ("C", "blue")):
        say(db, text, fact_id)
    for target in ("A", "C"):
        with journal.batch(db, verb="link", by=OWNER, now=NOW):
            links.add(db, links.Link("B", "supports", target, created_at=NOW))
        if target == "A":
            undo(db, None, viewer=OWNER, now=NOW)
    undo(db, 5, viewer=OWNER, now=NOW)
    kept = links.leaving(db, "B", viewer=OWNER)
    assert sorted(link.target for link in kept) == ["A", "C"]
    sound(db)


def test_batches_of_others_do_not_exist(db):
    """A number that this origin has not given is unknown, whoever else has."""
    say(db, "peer deploys on Sundays", "P", origin=PEER)
    for viewer, ordinal in ((OWNER, 1), (OWNER, None), (PEER, 2)):
        with pytest.raises(NotFoundError):
            undo(db, ordinal, viewer=viewer, now=NOW)
    assert undo(db, None, viewer=PEER, now=NOW).removed == ("P",)


def test_what_cannot_be_undone_says_why(db):
    """A refused write changed nothing; a purge is final."""
    with pytest.raises(WriteBlockedError):
        remember(
            db, NewFact("a taste", "preference", "tool_output", OWNER), fact_id="A", now=NOW
        )
    with pytest.raises(UsageError, match="batch 1 was blocked: it changed nothing"):
        undo(db, 1, viewer=OWNER, now=NOW)
    say(db, "I deploy on Fridays", "A")
    purge.purge(db, ["A"], viewer=OWNER, now=NOW)
    assert refusal(db, 3)[0] == (
        "batch 3 (purge) cannot be undone: what it removed is gone for good"
    )
    with pytest.raises(WriteBlockedError, match="batch 2 changed nothing that is still there"):
        undo(db, 2, viewer=OWNER, now=NOW)
    with pytest.raises(WriteBlockedError, match=r"the last batch \(3, purge\) is final"):
        undo(db, None, viewer=OWNER, now=NOW)


def test_an_undo_that_would_change_nothing_is_none(db):
    """What other commands have taken back is not taken back once more."""
    say(db, "I deploy on Fridays", "A")
    amend.forget(db, ["A"], viewer=OWNER, now=NOW)
    amend.restore(db, ["A"], viewer=OWNER, now=NOW)
    with pytest.raises(WriteBlockedError, match="batch 2 has left nothing to take back"):
        undo(db, 2, viewer=OWNER, now=NOW)
    assert undo(db, None, viewer=OWNER, now=NOW).undone == 3


def test_an_import_of_several_origins_is_taken_back_whole(db):
    """One batch of the owner may hold the facts of many; all of them go and come."""
    rows = [
        {"content": "I deploy on Fridays", "id": named_id("A")},
        {"content": "peer deploys on Sundays", "id": named_id("P"), "origin": PEER.key,
         "links": [{"kind": "supports", "target": named_id("Q")}]},
        {"content": "coffee at noon", "id": named_id("Q"), "origin": PEER.key},
    ]  # fmt: skip
    import_rows(db, enumerate(rows, 1), ImportContext(OWNER, NOW, True), merge=False)
    before = exported(db)
    assert {form["origin"] for form in before} == {OWNER.key, PEER.key}
    assert undo(db, None, viewer=OWNER, now=NOW).removed == tuple(map(named_id, "APQ"))
    assert exported(db) == []
    redo(db, viewer=OWNER, now=NOW)
    assert exported(db) == before
    sound(db)


def test_many_facts_go_and_come_back(db):
    """A large import is taken back and brought back as one, index, vectors and bounds included,
    beside facts that stay."""
    say(db, "I deploy on Fridays", "A")
    with writing(db):
        embed_backlog(db, origin_number=1, limit=10)
    rows = [
        {"content": f"fact number {n} of {n % 7}", "id": named_id(f"F{n:04}"),
         "access_count": n % 3}
        for n in range(1200)
    ]
    import_rows(db, enumerate(rows, 1), ImportContext(OWNER, NOW, True), merge=False)
    say(db, "coffee at noon", "B")
    before = exported(db)
    assert len(undo(db, 2, viewer=OWNER, now=NOW).removed) == 1200
    assert [form["id"] for form in exported(db)] == ["A", "B"]
    sound(db)
    assert len(redo(db, viewer=OWNER, now=NOW).done.restored) == 1200
    assert exported(db) == before
    sound(db)
    assert vector_counts.embedded_up_to(db, origin_number=1, embedder="hrr-256") == 1202


@pytest.mark.parametrize("count", [3, 100])
def test_vectors_come_back_in_order(db, count):
    """Vectors of facts that come back stand among the others, few in place and many anew."""
    numbers = put(db, [fact(f"fact number {n}", f"F{n}") for n in range(700)])
    with writing(db):
        embed_backlog(db, origin_number=1, limit=1000)
        score_bounds.extend(db, limit=5000, origin_number=None)
    sound(db)
    gone = set(numbers[:1] + numbers[200 : 200 + count - 2] + numbers[600:601])
    held = dict(vectors_by_number(db))
    with writing(db):
        vectors.remove(db, gone)
        assert set(vectors_by_number(db)) == set(numbers) - gone
        vectors.insert(
            db, {n: held[n] for n in gone}, origin_number=1, embedder="hrr-256"
        )
    assert vectors_by_number(db) == held
    sound(db)


def vectors_by_number(db):
    found = {}
    for facts_, codes in vectors.chunks(db, origin_number=1, embedder="hrr-256"):
        for i in range(len(facts_) // 4):
            number = int.from_bytes(facts_[i * 4 : i * 4 + 4], "little")
            found[number] = codes[i * 128 : (i + 1) * 128]
    return found


def test_a_dry_run_says_the_same_and_writes_nothing(db):
    """--dry-run plans what the undo then does."""
    say(db, "I deploy on Fridays", "A", slot="day")
    say(db, "I deploy on Mondays", "B", slot="day")
    before = exported(db), rows(db, "batch"), rows(db, "change")
    planned = undo(db, None, viewer=OWNER, now=NOW, dry_run=True)
    assert (exported(db), rows(db, "batch"), rows(db, "change")) == before
    done = undo(db, None, viewer=OWNER, now=NOW)
    assert (planned.batch, done.batch) == (0, 3)
    assert (done.removed, done.restored, done.changed) == (("B",), ("A",), ())
    assert (done.links_removed, done.links_restored) == (2, 0)
    assert (planned.removed, planned.restored, planned.links_removed) == (("B",), ("A",), 2)


def test_an_undo_that_has_nothing_to_do_makes_no_batch(db):
    """Uses of facts that are gone, and praise that was taken back, are nothing to take back."""
    say(db, "I deploy on Fridays", "A")
    say(db, "I deploy on Fridays", "B")
    say(db, "coffee at noon", "C", importance=1.0)
    amend.feedback(db, "C", delta=0.1, viewer=OWNER, now=NOW)
    for ordinal in (1, 3):
        undo(db, ordinal, viewer=OWNER, now=NOW)
    for ordinal in (2, 4):
        said = f"batch {ordinal} has left nothing to take back"
        assert refusal(db, ordinal)[0] == said
        with pytest.raises(WriteBlockedError, match=said):
            undo(db, ordinal, viewer=OWNER, now=NOW, dry_run=True)
    with pytest.raises(NotFoundError, match="there is nothing to undo"):
        undo(db, None, viewer=OWNER, now=NOW)


def test_an_undo_names_what_it_changes(db):
    """No fact without a name is counted, whatever was used and is gone."""
    row = {"content": "I deploy on Fridays", "id": named_id("A"), "access_count": 2}
    import_rows(db, enumerate([row], 1), ImportContext(OWNER, NOW, True), merge=False)
    assert undo(db, None, viewer=OWNER, now=NOW).removed == (named_id("A"),)
    assert undo(db, 2, viewer=OWNER, now=NOW).restored == (named_id("A"),)
    assert use(db, named_id("A"))[0] == 2
    again = undo(db, 1, viewer=OWNER, now=NOW)
    assert (again.removed, again.changed) == ((named_id("A"),), ())
    assert refusal(db, 3)[0] == "batch 3 has left nothing to take back"


def revise(db, reference, changes, fact_id, *, now, since=None):
    who = Editor("owner_message", typed=True)
    return edit(db, reference, changes, editor=who, fact_id=fact_id, viewer=OWNER, now=now,
                since=since)  # fmt: skip


def test_what_replaced_a_successor_since_is_named(db):
    """A fact does not come back where its successor was replaced in turn."""
    say(db, "alpha", "A")
    say(db, "beta", "B")
    say(db, "gamma", "C")
    amend.forget(db, ["A"], viewer=OWNER, now=NOW + 1)
    with journal.batch(db, verb="link", by=OWNER, now=NOW + 2):
        links.add(db, links.Link("B", "supersedes", "A"))
    amend.forget(db, ["B"], superseded_by="C", viewer=OWNER, now=NOW + 3)
    assert refusal(db, 4)[0] == "batch 4 cannot be undone: batch 5 (link) replaced A"
    amend.forget(db, ["C"], viewer=OWNER, now=NOW + 4)
    assert undo(db, 4, viewer=OWNER, now=NOW + 5).restored == ("A",)


def test_a_successor_that_came_back_since_is_named(db):
    """What stood in the place of a fact before it was active is no obstacle; what came back is."""
    say(db, "alpha", "A")
    say(db, "beta", "B")
    amend.forget(db, ["A"], superseded_by="B", viewer=OWNER, now=NOW + 1)
    amend.forget(db, ["B"], viewer=OWNER, now=NOW + 1)
    amend.restore(db, ["A"], viewer=OWNER, now=NOW + 2)
    amend.forget(db, ["A"], viewer=OWNER, now=NOW + 3)
    amend.restore(db, ["B"], viewer=OWNER, now=NOW + 4)
    assert refusal(db, 6)[0] == "batch 6 cannot be undone: batch 7 (restore) replaced A"


def test_a_value_that_would_hold_for_longer_meets_what_came_since(db):
    """Where a value ends because another begins, taking that back would meet a third one; values at
    other times are no obstacle."""
    say(db, "Rome", "A", slot="city")
    say(db, "tea", "X", valid_from=NOW + 9 * DAY)
    revise(db, "A", {"valid_to": NOW + DAY}, "N", now=NOW + 1)
    amend.forget(db, ["X"], viewer=OWNER, now=NOW + 2)
    amend.restore(db, ["X"], viewer=OWNER, now=NOW + 3)
    revise(db, "X", {"slot": "city"}, "N", now=NOW + 4)
    assert facts.find(db, "A", viewer=OWNER).lifecycle == "active"
    assert refusal(db, 3)[0] == "batch 3 cannot be undone: batch 6 (edit) filled the slot of A"
    amend.forget(db, ["A"], viewer=OWNER, now=NOW + 5)
    assert undo(db, 7, viewer=OWNER, now=NOW + 6).restored == ("A",)


def steps(db):
    return [batch.ordinal for batch in undoable(db, viewer=OWNER, limit=9)]


def test_undo_steps_back_and_redo_forward(db):
    """Each undo takes back the newest batch that stands; each redo brings the last one back. What
    is written in between is a step like any other."""
    for fact_id, text in (("A", "I deploy on Fridays"), ("B", "coffee at noon"), ("C", "blue")):
        say(db, text, fact_id)
    assert steps(db) == [3, 2, 1]
    assert [undo(db, None, viewer=OWNER, now=NOW).undone for _ in range(2)] == [3, 2]
    assert steps(db) == [1]
    assert redo(db, viewer=OWNER, now=NOW).back.ordinal == 2
    say(db, "the landlord is Bob", "D")
    assert steps(db) == [7, 2, 1]
    assert [undo(db, None, viewer=OWNER, now=NOW).undone for _ in range(3)] == [7, 2, 1]
    with pytest.raises(NotFoundError, match="there is nothing to undo"):
        undo(db, None, viewer=OWNER, now=NOW)
    assert [redo(db, viewer=OWNER, now=NOW).back.ordinal for _ in range(4)] == [1, 2, 7, 3]
    with pytest.raises(NotFoundError, match="there is nothing to redo"):
        redo(db, viewer=OWNER, now=NOW)
    assert len(exported(db)) == 4
    sound(db)


def test_an_undo_takes_back_the_redo_before_it(db):
    """What a redo brought back is the next step, whatever was written in between; after it come the
    others in the order in which they came to stand."""
    for fact_id, text in (("A", "I deploy on Fridays"), ("B", "coffee at noon")):
        say(db, text, fact_id)
    assert [undo(db, None, viewer=OWNER, now=NOW).undone for _ in range(2)] == [2, 1]
    say(db, "the landlord is Bob", "C")
    assert [redo(db, viewer=OWNER, now=NOW).back.ordinal for _ in range(2)] == [1, 2]
    assert steps(db) == [2, 1, 5]
    assert [undo(db, None, viewer=OWNER, now=NOW).undone for _ in range(3)] == [2, 1, 5]
    assert [redo(db, viewer=OWNER, now=NOW).back.ordinal for _ in range(3)] == [5, 1, 2]
    sound(db)


def test_an_undo_takes_back_a_redo_that_follows_a_purge(db):
    """A purge before the redo is not in its way; it is before what is older, and the hint makes no
    call of that."""
    for fact_id, text in (("A", "I deploy on Fridays"), ("B", "coffee at noon")):
        say(db, text, fact_id)
    undo(db, None, viewer=OWNER, now=NOW)
    say(db, "the code of the safe is 4711", "S")
    purge.purge(db, ["S"], viewer=OWNER, now=NOW)
    assert redo(db, viewer=OWNER, now=NOW).back.ordinal == 2
    done = undo(db, None, viewer=OWNER, now=NOW)
    assert (done.undone, done.removed) == (2, ("B",))
    with pytest.raises(WriteBlockedError, match="purge\\) is final") as refused:
        undo(db, None, viewer=OWNER, now=NOW)
    assert "undo --list" in refused.value.hint and "undo 1`" not in refused.value.hint


def test_a_redo_passes_what_something_stands_against(db):
    """Where what an undo took cannot come back, it is told why, and the undo before it is taken
    back; where none can, that is a conflict."""
    say(db, "coffee at noon", "B")
    say(db, "I deploy on Fridays", "A", slot="day")
    for _ in range(2):
        undo(db, None, viewer=OWNER, now=NOW)
    redo(db, viewer=OWNER, now=NOW)
    say(db, "I deploy on Mondays", "C", slot="day")
    with pytest.raises(WriteBlockedError, match="batch 3 cannot be undone: batch 6"):
        redo(db, viewer=OWNER, now=NOW)
    undo(db, 1, viewer=OWNER, now=NOW)
    undo(db, 6, viewer=OWNER, now=NOW)
    say(db, "I deploy on Sundays", "D", slot="day")
    done = redo(db, viewer=OWNER, now=NOW, dry_run=True)
    assert (done.back.ordinal, done.done.undone, len(done.passed)) == (1, 7, 1)
    assert done.passed[0].startswith("batch 8 cannot be undone: batch 9")


def test_an_undo_by_number_counts_as_a_step(db):
    """What undoing an undo by its number brought back is a step again, to any depth."""
    say(db, "I deploy on Fridays", "A")
    for ordinal in (1, 2, 3):  # 2 takes 1 back, 3 brings it back, 4 takes it away again
        undo(db, ordinal, viewer=OWNER, now=NOW)
        assert steps(db) == ([1] if ordinal == 2 else [])
    assert redo(db, viewer=OWNER, now=NOW).back.ordinal == 1
    assert steps(db) == [1]


def test_steps_are_those_of_one_origin(db):
    """Neither undo nor redo reaches a batch of another origin."""
    say(db, "peer deploys on Sundays", "P", origin=PEER)
    undo(db, None, viewer=PEER, now=NOW)
    for step in (lambda: undo(db, None, viewer=OWNER, now=NOW), lambda: redo(
        db, viewer=OWNER, now=NOW)):
        with pytest.raises(NotFoundError):
            step()
    assert redo(db, viewer=PEER, now=NOW).done.restored == ("P",)


def test_a_long_history_is_read_in_pieces(db):
    """A step that lies hundreds of batches back is found."""
    say(db, "I deploy on Fridays", "A")
    for _ in range(450):
        with journal.batch(db, verb="dream", by=OWNER, now=NOW):
            pass
    assert steps(db) == [1]
