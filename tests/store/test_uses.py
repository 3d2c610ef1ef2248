"""Counts of use."""

from __future__ import annotations

from tests.support import DAY, NOW, empty_store_at, fact, named_id, put
from tideline_cli.store import uses
from tideline_cli.store.opening import open_for_reading


def test_what_was_taken_out_meanwhile_is_not_counted(tmp_path):
    """A recall counts what it found; an undo or a purge may have been faster."""
    db = open_for_reading(str(empty_store_at(tmp_path / "t.db")))
    assert db is not None
    uses.touch(db, [1, 2], now=NOW)
    assert db.execute("SELECT count(*) FROM usage").get == 0
    db.close()


def test_a_clock_that_is_behind_sets_no_first_use_before_the_fact(db):
    """A fact that is found by an earlier clock was last used when it was made."""
    seqs = put(db, [fact("I deploy on Mondays", named_id("A"))])
    uses.touch(db, seqs, now=NOW - DAY)
    assert db.execute("SELECT access_count, last_accessed_at FROM usage").fetchall() == [(1, NOW)]
