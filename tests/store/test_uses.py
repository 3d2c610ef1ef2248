"""Counts of use."""

from __future__ import annotations

from tests.support import NOW, empty_store_at
from tideline_cli.store import uses
from tideline_cli.store.connection import open_for_reading


def test_what_was_taken_out_meanwhile_is_not_counted(tmp_path):
    """A recall counts what it found; an undo or a purge may have been faster."""
    db = open_for_reading(str(empty_store_at(tmp_path / "t.db")))
    assert db is not None
    uses.touch(db, [1, 2], now=NOW)
    assert db.execute("SELECT count(*) FROM usage").get == 0
    db.close()
