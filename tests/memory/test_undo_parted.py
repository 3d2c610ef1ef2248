"""undo: two edges that are made together are one row, and are still taken back one by one."""

from __future__ import annotations

import pytest

from tests.memory.test_undo import say
from tests.soundness import sound
from tests.support import DAY, NOW
from tideline_cli.errors import WriteBlockedError
from tideline_cli.memory import amend
from tideline_cli.memory.link import link, unlink
from tideline_cli.memory.undo import undo
from tideline_cli.model.origin import OWNER
from tideline_cli.store import facts, links


@pytest.fixture
def replaced(db):
    """Two facts, of which batch 3 has replaced one: by edges contradicts and transition."""
    say(db, "I live in Rome", "A")
    say(db, "The deadline is 2026-03-04", "B")
    amend.forget(db, ["A"], superseded_by="B", viewer=OWNER, now=NOW)
    return db


def kinds(db):
    return sorted(edge.kind for edge in links.between(db, "B", "A", viewer=OWNER))


def remove(db, kind, *, now=NOW + DAY):
    unlink(db, "B", kind, "A", viewer=OWNER, now=now)


def back(db, ordinal, *, now=NOW + 2 * DAY):
    return undo(db, ordinal, viewer=OWNER, now=now)


@pytest.mark.parametrize("kind", ["contradicts", "transition"])
def test_the_edge_that_is_left_goes_with_its_batch(replaced, kind):
    """When one of the two was removed, the batch that made both takes the other with it; and undo
    of that undo, and of the removal, bring back what each took."""
    remove(replaced, kind)
    done = back(replaced, 3)
    assert (done.restored, done.links_removed) == (("A",), 1)
    assert kinds(replaced) == []
    assert facts.find(replaced, "A", viewer=OWNER).lifecycle == "active"
    assert not sound(replaced)
    back(replaced, 5)
    assert kinds(replaced) == [{"contradicts": "transition"}.get(kind, "contradicts")]
    back(replaced, 4)
    assert kinds(replaced) == ["contradicts", "transition"]
    assert back(replaced, 3).links_removed == 2
    assert kinds(replaced) == []


def test_an_undo_of_a_removal_brings_back_that_edge_alone(replaced):
    """Each removal is taken back by itself, in any order; then the batch that made both."""
    remove(replaced, "contradicts")
    remove(replaced, "transition", now=NOW + DAY + 1)
    assert kinds(replaced) == []
    back(replaced, 4)
    assert kinds(replaced) == ["contradicts"]
    back(replaced, 5)
    assert kinds(replaced) == ["contradicts", "transition"]
    assert back(replaced, 3).links_removed == 2
    assert kinds(replaced) == []
    assert not sound(replaced)


@pytest.fixture
def to_come(db):
    """Two values of a slot, the second from tomorrow on: batch 2 has made both edges of one row."""
    say(db, "I live in Rome", "A", slot="town")
    say(db, "I live in Oslo", "B", slot="town", valid_from=NOW + DAY)
    link(db, "B", "contradicts", "A", reason="so", strength=None, viewer=OWNER, now=NOW)
    return db


def test_a_reason_that_was_given_since_is_not_lost(to_come):
    """An edge that somebody has said more of stands in the way, as any later change does."""
    assert kinds(to_come) == ["contradicts", "transition"]
    with pytest.raises(WriteBlockedError, match=r"batch 3 .link. linked B"):
        back(to_come, 2)
    back(to_come, 3)
    assert back(to_come, 2).removed == ("B",)
    assert facts.find(to_come, "A", viewer=OWNER).valid_to is None
    assert not sound(to_come)


def test_a_reason_is_taken_back_beside_an_edge_that_is_gone(to_come):
    """The edge that was removed since stays so, the other loses the reason that the batch gave."""
    remove(to_come, "transition")
    assert back(to_come, 3).links_restored == 0
    assert [(edge.kind, edge.reason) for edge in links.between(to_come, "B", "A", viewer=OWNER)] \
        == [("contradicts", None)]
    assert back(to_come, 2).links_removed == 1
    assert not sound(to_come)


def test_a_reason_of_an_edge_that_is_gone_stands_in_the_way(to_come):
    """What the batch has changed and another has removed cannot be what it was."""
    remove(to_come, "contradicts")
    with pytest.raises(WriteBlockedError, match=r"batch 4 .link. linked B"):
        back(to_come, 3)
    assert kinds(to_come) == ["transition"]
