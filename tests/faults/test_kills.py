"""kill -9 of commands that work at once."""

from __future__ import annotations

from tests.faults import kills


def test_what_was_said_survives_kills(nursery, tmp_path, random):
    """Whenever commands are killed, every fact that was acknowledged is there, none that was
    forgotten is back, and the next dream ends what another one began."""
    figures = kills.kill(nursery, tmp_path, random, kills=40)
    assert figures.violations == []
    assert figures.counts["kills"] >= 40
    assert figures.counts["kills on the id"] >= 10


def test_a_fact_said_too_early_is_missed(nursery, tmp_path, random):
    """Control: where the id is printed before the commit, kills lose facts."""
    figures = kills.kill(nursery, tmp_path, random, kills=40, control="ack-early")
    assert any(found.startswith("lost") for found in figures.violations)
