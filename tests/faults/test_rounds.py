"""Pairs and triples of all commands at once, and controls in which a lock is missing."""

from __future__ import annotations

from random import Random

import pytest

from tests.faults import rounds
from tests.faults.round_commands import ALL
from tests.support import often, some

RACERS = ("remember", "remember --slot", "restore --from")


def named(names):
    return [one for one in ALL if one.name in names]


def test_rounds(nursery, tmp_path):
    """Whatever runs at once, the store is sound and nothing that was acknowledged is lost."""
    figures = rounds.rounds(
        nursery, tmp_path / "rounds", Random(11), count=400, seconds=often(4, 8)
    )
    assert figures.violations == []
    assert figures.counts["rounds"] >= 3


@pytest.mark.nightly
def test_every_command_alone(nursery, tmp_path):
    """Each kind of command does its work when it is alone, so a round tests something. `make test`
    tries every second kind."""
    world = rounds.template(nursery, tmp_path / "rounds")
    world.ids = world.ids[8:]  # active, and no twins
    random = Random(5)
    for command in ALL[:: often(2, 1)]:
        done = rounds.once(
            nursery, world, random, tmp_path / "rounds" / "home", [command], longest=0.0
        )
        assert rounds.flaws(nursery, done) == [], command.name
        one = done.ran[0]
        assert one.code == 0 or command.name == "undo N", one
        if command.name == "extract":
            assert len(command.said(one.out)) == 2, one
        if command.name == "consolidate":
            assert "0 archived" not in one.out and "archived" in one.out, one
        if command.name == "relink":
            assert one.out.startswith("2 new edges"), one


@pytest.mark.parametrize(
    ("control", "names"),
    some([("restore-unlocked", RACERS), ("no-write-lock", ())]),
)
def test_a_missing_lock_is_seen(nursery, tmp_path, control, names):
    """Where one lock is left out, the rounds find what goes wrong. That a look at the generation of
    the file is missed is rare: `make faults` has the rounds for it, tests/store/test_generation.py
    each case by itself."""
    figures = rounds.rounds(
        nursery, tmp_path / "rounds", Random(3), count=150, control=control, enough=1,
        commands=named(names) or ALL,
    )  # fmt: skip
    assert figures.violations != []
