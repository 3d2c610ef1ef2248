"""Crowds of writers and readers."""

from __future__ import annotations

from tests.faults import crowd


def test_writers_at_once(nursery, tmp_path):
    """Sixteen writers all get their turn: every row is there, without an error."""
    figures = crowd.writers(nursery, tmp_path / "crowd", crowd=16, each=25)
    assert figures.violations == []
    assert figures.counts["rows"] == 400


def test_writers_beside_dreams_and_readers(nursery, tmp_path):
    """Dreams in a loop and readers stop no writer."""
    figures = crowd.writers(
        nursery, tmp_path / "crowd", crowd=6, each=20, pause=0.03, dreaming=True, readers=2
    )
    assert figures.violations == []
    assert figures.counts["dreams"] > 0


def test_writers_beside_a_slow_model(nursery, tmp_path):
    """While a model thinks nobody waits for it, and its answer meets what was written meanwhile."""
    assert crowd.slow_model(nursery, tmp_path / "crowd", seconds=1.5).violations == []


def test_readers_never_wait(nursery, tmp_path):
    """While a process keeps the write lock, recall, context, status, list and export answer."""
    assert crowd.held_up(nursery, tmp_path / "crowd", seconds=1.5).violations == []


def test_the_log_stays_short(nursery, tmp_path):
    """The write-ahead log is bounded beside readers, and shrinks after a kept snapshot."""
    assert crowd.log_growth(nursery, tmp_path / "crowd", count=400).violations == []


def test_hooks_leave_nothing_behind(nursery, tmp_path):
    """After many short calls there is the store, and its lock file."""
    assert crowd.leftovers(nursery, tmp_path / "crowd", calls=60).violations == []
