"""Labels of a stored fact that change in place, and what a digest makes of that."""

from __future__ import annotations

import pytest

from tests.support import NOW, fresh_store
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, journal, writes

LABELS = {"kind": "decision", "title": "Friday", "tags": ("a", "b"), "derived_from": ("X" * 26,)}


@pytest.mark.parametrize("name", LABELS)
def test_a_label_changes_in_place_and_comes_back_by_undo(name):
    """Its digest follows it both ways."""
    with fresh_store() as db:
        new = NewFact("we deploy on Fridays", "knowledge", "owner_message", OWNER)
        before = remember(db, new, fact_id="A" * 26, now=NOW).fact
        with journal.batch(db, verb="edit", by=OWNER, now=before.created_at + 1) as batch:
            writes.change(db, before, replace(before, **{name: LABELS[name]}))
        after = facts.find(db, before.id, viewer=OWNER)
        assert getattr(after, name) == LABELS[name]
        assert list(writes.wrong_digests(db)) == []
        undo(db, batch.ordinal, viewer=OWNER, now=before.created_at + 2)
        assert facts.find(db, before.id, viewer=OWNER) == before
        assert list(writes.wrong_digests(db)) == []
