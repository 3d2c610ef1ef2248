"""Two edges that are made together: one row of the store, and two edges to everybody who asks."""

from __future__ import annotations

import pytest

from tests.soundness import sound
from tests.support import NOW
from tideline_cli.errors import WriteBlockedError
from tideline_cli.memory import amend
from tideline_cli.memory import link as by_hand
from tideline_cli.memory.purge import purge
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import redo, undo
from tideline_cli.model import codec
from tideline_cli.model.edge import KINDS, SUCCEEDS, SUPERSEDES, TWOFOLD, kinds_under, words_for
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.store import archivals, history, journal, links, passes, reads
from tideline_cli.store.connection import writing


def say(db, content, fact_id, at, **more):
    new = NewFact(content, "knowledge", "owner_message", OWNER, **more)
    return remember(db, new, fact_id=fact_id, now=at)


@pytest.fixture
def replaced(db):
    """A value of a slot and the one that took its place."""
    say(db, "I deploy on Fridays", "A", NOW, slot="day")
    say(db, "I deploy on Mondays", "B", NOW + 1, slot="day")
    return db


def rows(db):
    return [kind for (kind,) in db.execute("SELECT kind FROM link ORDER BY number")]


def edges(db):
    return [(link.source, link.kind, link.target) for link in links.each(db, viewer=OWNER)]


BOTH = [("B", kind, "A") for kind in SUCCEEDS]


def test_words_are_no_kinds():
    """No user can name a word that stands for two edges, and each kind is found under its words."""
    assert not set(KINDS) & set(TWOFOLD)
    assert kinds_under("succeeds") == SUCCEEDS
    assert kinds_under("replaces") == SUPERSEDES
    assert kinds_under("uses") == ("uses",)
    assert words_for("transition") == ("transition", "succeeds", "replaces")
    assert words_for("contradicts") == ("contradicts", "succeeds")
    assert words_for("uses") == ("uses",)


def test_a_replacement_is_one_row_and_two_edges(replaced):
    """Every reader of edges gets both."""
    assert rows(replaced) == ["succeeds"]
    assert edges(replaced) == BOTH
    (seq,) = replaced.execute("SELECT seq FROM fact WHERE id = 'B'").fetchone()
    told_of = passes.edges(replaced, [seq], viewer=OWNER)["B"]
    assert told_of == [(kind, "A", None, None) for kind in SUCCEEDS]
    for found in (
        links.leaving(replaced, "B", viewer=OWNER), links.arriving(replaced, "A", viewer=OWNER),
        links.between(replaced, "A", "B", viewer=OWNER),
    ):  # fmt: skip
        assert [one.kind for one in found] == list(SUCCEEDS)
    assert links.is_stated(replaced, "B", "contradicts", "A")
    assert links.is_stated(replaced, "B", "transition", "A")
    assert not links.is_stated(replaced, "B", "supersedes", "A")
    assert reads.alone(replaced, archivals.successors([1])) == {1: [("B", NOW + 1)]}


def test_a_named_replacement_is_one_row(db):
    """What a writer names as superseded has edges of its own."""
    say(db, "I deploy on Fridays", "A", NOW)
    say(db, "I deploy on Mondays", "B", NOW + 1, supersedes=("A",))
    assert rows(db) == ["replaces"]
    assert edges(db) == [("B", kind, "A") for kind in SUPERSEDES]
    sound(db)


def test_history_and_undo_count_edges(replaced):
    """A row counts as the two edges that it is, when it comes, goes, and comes back."""
    (newest, _) = history.batches(replaced, viewer=OWNER)
    assert newest.changes.linked == 2
    (kept,) = replaced.execute("SELECT number FROM change WHERE entity = 'link'").fetchall()
    shown = [e for e in history.entries_in(replaced, newest, viewer=OWNER) if e.entity == "link"]
    assert [(e.change, e.edge, e.kind) for e in shown] == [
        (kept[0], f"{kind} → A", kind) for kind in SUCCEEDS
    ]
    assert len(list(history.entries_in(replaced, newest, viewer=OWNER, most=3))) == 3
    done = undo(replaced, None, viewer=OWNER, now=NOW + 2)
    assert (done.links_removed, done.links_restored) == (2, 0)
    gone = next(iter(history.batches(replaced, viewer=OWNER)))
    assert gone.changes.unlinked == 2
    done = redo(replaced, viewer=OWNER, now=NOW + 3).done
    assert (done.links_removed, done.links_restored) == (0, 2)
    assert edges(replaced) == BOTH
    assert not journal.counts_are_wrong(replaced)
    sound(replaced)


def test_an_edge_is_not_stored_again(replaced):
    """Neither edge of a row is stored beside it."""
    with writing(replaced):
        for kind in SUCCEEDS:
            assert not links.add(replaced, links.Link("B", kind, "A", created_at=NOW))
        links.add_all(replaced, "B", SUCCEEDS, "A", now=NOW)
        assert edges(replaced) == BOTH
        links.add_all(replaced, "B", SUPERSEDES, "A", now=NOW)
    assert rows(replaced) == ["succeeds", "supersedes"]


def test_what_is_there_is_added_to(db):
    """Where one of two edges is there, the other is stored beside it."""
    say(db, "I deploy on Fridays", "A", NOW)
    say(db, "Mondays are for meetings", "B", NOW + 1)
    with writing(db):
        assert links.add(db, links.Link("B", "contradicts", "A", "by hand", None, NOW))
        links.add_all(db, "B", SUCCEEDS, "A", now=NOW, reason="by a pass")
    assert rows(db) == list(SUCCEEDS)
    found = links.leaving(db, "B", viewer=OWNER)
    assert [one.reason for one in found] == ["by hand", "by a pass"]


def two_active(db):
    """Two active facts with the edges of a replacement: the later was restored by hand."""
    say(db, "I deploy on Fridays", "A", NOW)
    say(db, "Mondays are for meetings", "B", NOW + 1)
    with writing(db):
        links.add_all(db, "B", SUCCEEDS, "A", now=NOW)


def test_one_of_two_edges_can_go(db):
    """An edge that is removed by hand leaves the other, and an undo brings it back."""
    two_active(db)
    done = by_hand.unlink(db, "B", "contradicts", "A", viewer=OWNER, now=NOW + 2)
    assert done.count == 1
    assert edges(db) == [("B", "transition", "A")]
    (newest, *_) = history.batches(db, viewer=OWNER)
    told = [(e.act, e.kind) for e in history.entries_in(db, newest, viewer=OWNER)]
    assert told == [("-", "contradicts"), ("-", "transition"), ("+", "transition")]
    assert not journal.counts_are_wrong(db)
    undo(db, None, viewer=OWNER, now=NOW + 3)
    assert edges(db) == BOTH
    assert not journal.counts_are_wrong(db)
    sound(db)


def test_one_of_two_edges_can_get_a_reason(db):
    """A reason that is given by hand is that of the edge that was named, and of no other."""
    two_active(db)
    by_hand.link(db, "B", "contradicts", "A", reason="Mondays", strength=None, viewer=OWNER,
                 now=NOW + 2)  # fmt: skip
    found = links.leaving(db, "B", viewer=OWNER)
    assert {one.kind: one.reason for one in found} == {"contradicts": "Mondays", "transition": None}
    undo(db, None, viewer=OWNER, now=NOW + 3)
    assert {one.reason for one in links.each(db, viewer=EVERYONE)} == {None}
    assert edges(db) == BOTH


def test_an_edge_in_the_way_of_a_redo(db):
    """Edges do not come back beside one that says the same."""
    say(db, "I deploy on Fridays", "A", NOW)
    say(db, "Mondays are for meetings", "B", NOW + 1)
    amend.forget(db, ["A"], superseded_by="B", viewer=OWNER, now=NOW + 2)
    undo(db, None, viewer=OWNER, now=NOW + 3)
    (newest, *_) = history.batches(db, viewer=OWNER)
    gone = [e for e in history.entries_in(db, newest, viewer=OWNER) if e.entity == "link"]
    assert [codec.loads(e.before or "{}")["kind"] for e in gone] == list(SUCCEEDS)
    by_hand.link(db, "B", "contradicts", "A", reason=None, strength=None, viewer=OWNER,
                 now=NOW + 4)  # fmt: skip
    with pytest.raises(WriteBlockedError, match="linked"):
        redo(db, viewer=OWNER, now=NOW + 5)
    assert edges(db) == [("B", "contradicts", "A")]


def test_a_purge_takes_both(replaced):
    """Nothing tells of an edge whose fact is purged, and the counts follow."""
    purge(replaced, ["B"], viewer=OWNER, now=NOW + 2)
    assert edges(replaced) == []
    assert replaced.execute("SELECT count(*) FROM change WHERE entity = 'link'").get == 0
    assert not journal.counts_are_wrong(replaced)
