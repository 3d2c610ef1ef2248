"""The tables of options against help, manual, completions, README and behaviour."""

from __future__ import annotations

import pytest

from tests.contract import pairs, tables
from tideline_cli.cli import option_values
from tideline_cli.cli.commands import verb
from tideline_cli.cli.options import Option


@pytest.fixture(scope="module")
def world():
    """One world for all commands: each call renews it."""
    with pairs.surroundings() as made:
        yield made


@pytest.fixture(autouse=True)
def home():
    """The world has a home of its own."""


def test_what_is_told_is_so(world):
    """Flags, meanings, defaults, bounds, choices, variables and exit codes agree everywhere."""
    found = tables.complaints(world)
    assert not found, "\n".join(found)


def put(monkeypatch, name, *fresh, drop=""):
    """Put options into the table of a verb."""
    module = verb(name)
    kept = tuple(option for option in module.Options.ALL if option.name != drop)
    monkeypatch.setattr(module.Options, "ALL", (*kept, *fresh))


def option_of(name, wanted):
    """Return an option of a verb."""
    return next(option for option in verb(name).Options.ALL if option.name == wanted)


FAULTS = {
    "no help": ("has no help", {"help": ""}),
    "another default": ("told is 50, in force is 7", {"default": 7}),
    "a bound that only the table knows": ("--limit=7 is taken", {"most": 6}),
    "a flag that is new": ("--uppermost is not in _tideline", {"flags": ("--uppermost",)}),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_table_is_found(world, monkeypatch, fault):
    """An option that is changed behind the back of its documents is complained of."""
    says, change = FAULTS[fault]
    old = option_of("list", "limit")
    put(monkeypatch, "list", old.but(**change), drop="limit")
    if "most" in change:  # the check that would enforce it is taken away as well
        careless = lambda _, text: int(text) if text[0] != "-" else 0  # noqa: E731
        monkeypatch.setattr(option_values, "_count", careless)
    assert any(says in one for one in tables.of_command("list", world))


def test_a_choice_that_is_not_kept_is_found(world, monkeypatch):
    """A choice that the parser does not check is complained of."""
    monkeypatch.setattr(option_values, "chosen", lambda _, text, __: text)
    assert any("no choice" in one for one in tables.of_command("schedule", world)) is False
    assert any("no choice" in one for one in tables.of_command("list", world))


def test_a_clash_that_is_let_pass_is_found(world, monkeypatch):
    """Two options that the table keeps apart and the parser does not are complained of."""
    monkeypatch.setattr(option_values, "_check_alone", lambda *_: None)
    assert any("--remove goes with reason" in one for one in tables.of_command("link", world))


def test_a_flag_without_a_place_is_found(world, monkeypatch):
    """An option that stands in no committed completion is complained of."""
    fresh = Option("flag", "Look there.", name="sideways", flags=("--sideways",))
    put(monkeypatch, "pin", fresh)
    found = tables.of_command("pin", world)
    assert [one for one in found if "--sideways is not in tideline.fish" in one]
