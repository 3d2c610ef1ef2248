"""The index of labels has no way in by fact: its rows go and come with the labels of facts."""

from __future__ import annotations

from tests.soundness import sound
from tests.support import NOW
from tideline_cli.memory import amend
from tideline_cli.memory.purge import purge
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import redo, undo
from tideline_cli.model.fact import NewFact, birth
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.model.record import replace
from tideline_cli.model.text import IndexTerms
from tideline_cli.store import facts, fts, history, journal, labels, reads, undo_rows, writes
from tideline_cli.store.connection import writing

PEER = channel("wa", "c", "s")


def say(db, content, fact_id, *, origin=OWNER, now=NOW, **more):
    new = NewFact(content, "knowledge", "owner_message", origin, **more)
    return remember(db, new, fact_id=fact_id, now=now)


def held(db):
    rows = db.execute("SELECT term, fact, size FROM label_term ORDER BY term, fact").fetchall()
    return [(str(term), fact, size) for term, fact, size in rows]


def test_rows_say_how_many_terms_a_fact_has(db):
    """The terms of labels that the text lacks, and with each of them how many there are."""
    say(db, "the build is slow", "A", tags=("infra", "build", "laptop"))
    say(db, "the trains are slow", "B", tags=("infra",))
    assert held(db) == [("infra", 1, 2), ("infra", 2, 1), ("laptop", 1, 2)]
    found = reads.together(db, *(
        fts.label_holders(term, origin_number=1) for term in ("infra", "laptop", "train")
    ))  # fmt: skip
    assert found == [{2: 1, 1: 2}, {1: 2}, {}]
    sound(db)


def test_rows_go_and_come_with_a_fact(db):
    """An undo takes out what a fact has, of this fact alone, and a redo puts it back."""
    say(db, "the build is slow", "A", tags=("infra",))
    say(db, "the trains are slow", "B", tags=("infra", "travel"), now=NOW + 1)
    both = held(db)
    undo(db, None, viewer=OWNER, now=NOW + 2)
    assert held(db) == [("infra", 1, 1)]
    redo(db, viewer=OWNER, now=NOW + 3)
    assert held(db) == both
    sound(db)


def test_other_labels_replace_those_before(db):
    """An edit leaves no row of a label that is gone, nor does its undo."""
    say(db, "the build is slow", "A", tags=("infra",), slot="build")
    before = held(db)
    with journal.batch(db, verb="edit", by=OWNER, now=NOW + 1):
        fact = facts.find(db, "A", viewer=OWNER)
        writes.change(db, fact, replace(fact, tags=("laptop", "office"), slot=None))
    assert held(db) == [("laptop", 1, 2), ("offic", 1, 2)]
    undo(db, None, viewer=OWNER, now=NOW + 2)
    assert held(db) == before
    amend.forget(db, ["A"], viewer=OWNER, now=NOW + 3)
    assert held(db) == before
    sound(db)


def test_many_facts_at_once(db):
    """What is left of a bulk that is taken back is nothing, in every origin."""
    say(db, "the build is slow", "A", origin=PEER, tags=("infra",))
    with journal.batch(db, verb="import", by=OWNER, now=NOW):
        for number in range(labels._FEW + 1):
            new = NewFact(f"text {number}", "knowledge", "owner_message", OWNER, tags=("infra",))
            writes.insert(
                db, birth(new, fact_id=f"F{number}", now=NOW), origin_number=1,
                terms=IndexTerms(["sentenc"]),
            )  # fmt: skip
    assert len(held(db)) == labels._FEW + 2
    batch = history.find(db, 1, viewer=OWNER)
    assert undo_rows.fact_count(db, batch) > labels._FEW
    undo(db, 1, viewer=OWNER, now=NOW + 1)
    assert held(db) == [("infra", 1, 1)]


def test_a_purge_takes_rows_that_the_labels_do_not_tell_of(db):
    """Also where the index is wrong, nothing tells of a label that is purged."""
    say(db, "the build is slow", "A", tags=("infra",))
    with writing(db):
        db.execute("UPDATE label_term SET term = 'other'")
    purge(db, ["A"], viewer=OWNER, now=NOW + 1)
    assert held(db) == []
