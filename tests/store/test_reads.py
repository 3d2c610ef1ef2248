"""Reads that go together, step by step."""

from __future__ import annotations

import pytest

from tideline_cli.store import reads
from tideline_cli.store.connection import snapshot


def doubled(times):
    """Read a number, doubled so often, one statement a step."""
    number = 1
    for _ in range(times):
        rows = yield "SELECT ? * 2", (number,)
        number = rows[0][0]
    return number


def test_each_read_says_its_own(db):
    """Reads of several lengths go side by side, and none takes the rows of another."""
    with snapshot(db):
        assert reads.together(db, doubled(3), doubled(0), doubled(1)) == [8, 1, 2]
        assert reads.alone(db, doubled(5)) == 32
        assert reads.together(db) == []


def test_a_read_that_fails_fails(db):
    """An error of one read is the caller's."""

    def wrong():
        yield "SELECT 1", ()
        raise ValueError("no number")

    with snapshot(db), pytest.raises(ValueError, match="no number"):
        reads.together(db, doubled(3), wrong())
