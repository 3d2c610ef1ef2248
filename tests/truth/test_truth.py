"""Whatever happens to a memory, index, vectors, journal and facts agree after every step."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.support import often, some
from tests.truth import machine
from tideline_cli.memory.recall import recall
from tideline_cli.store import facts, listing


def test_a_memory_stays_true():
    """Terms, index, statistics, vectors and bounds are those of the facts after every step; each
    word finds what is active, and nothing else but what was said next to that; what was purged is
    nowhere."""
    run_state_machine_as_test(
        machine.Memory,
        settings=settings(
            max_examples=often(12, 25), stateful_step_count=20,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip


def misses_one(db, query, **given):
    return SimpleNamespace(hits=recall(db, query, **given).hits[1:])


def finds_the_forgotten(db, query, *, viewer, now):
    hits = recall(db, query, viewer=viewer, now=now).hits
    gone = listing.each(db, viewer=viewer, wanted=facts.Filter(lifecycle="archived"))
    words = query.text.split()
    why = SimpleNamespace(matched_terms=())
    also = [
        SimpleNamespace(fact=one, why=why)
        for one in gone if set(words) & set(one.content.split())
    ]  # fmt: skip
    return SimpleNamespace(hits=[*hits, *also])


LIES = (misses_one, finds_the_forgotten)


@pytest.mark.parametrize("lie", some(LIES), ids=lambda lie: lie.__name__)
def test_a_recall_that_lies_is_noticed(monkeypatch, lie):
    """The check is no formality: a recall that finds one too few or one too many fails it."""
    monkeypatch.setattr(machine, "recall", lie)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(
            machine.Memory,
            settings=settings(
                max_examples=50, stateful_step_count=20, phases=(Phase.generate,),
                report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
            ),
        )  # fmt: skip
