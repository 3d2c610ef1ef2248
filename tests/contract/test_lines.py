"""Random command lines of every command: as text, as JSON, in the other order, by both parsers."""

from __future__ import annotations

import json
from random import Random

import pytest

from tests.contract import lines, pairs, said
from tests.contract.lines import Line
from tests.support import often
from tideline_cli.cli import app, fast, messages, output
from tideline_cli.cli.commands import COMMANDS, verb

LINES = often(200, 320)


@pytest.fixture(autouse=True)
def home():
    """The world has a home of its own."""


@pytest.mark.slow
def test_text_and_json_say_the_same():
    """No line differs between its forms, and every command is done more than once."""
    figures = pairs.compared(LINES, seed=7)
    assert figures.found == (), pairs.told(figures)
    assert set(pairs.ENDING) == set(said.SAYS), "tests/contract/said.py, SAYS"
    missing = set(pairs.ENDING) - set(figures.commands)
    assert not missing, f"tests/contract/lines.py never does {missing}"
    assert {0, 1, 2, 3, 4} <= set(figures.codes)


def found_in(*all_lines, plant=lambda: None):
    """Return what is found in some lines over a fresh world, once a fault is planted."""
    found = []
    with pairs.surroundings() as world:
        plant()
        for line in all_lines:
            one = pairs._Comparison(world, line(world) if callable(line) else line)
            one.run(moved=True)
            found += one.found
    return found


RECALL = Line("recall", ("--now", "2025-11-01"), ("--explain",), ("deploy",), b"")
DREAM = Line("dream", (), ("--dry-run",), (), b"")
LIST = Line("list", (), (), (), b"")


def test_lines_without_a_fault():
    """The lines that the faults below are tried with show nothing by themselves."""
    assert found_in(
        RECALL, DREAM, LIST, Line("list", ("-v",), ("-n", "2"), (), b""),
        lambda world: Line("pin", (), (), world.ids[1:2], b""),
    ) == []  # fmt: skip


def test_text_beside_json_is_found(monkeypatch):
    """A verb that prints lines although JSON is asked for is found."""
    real = verb("list").run

    def chatty(session, words, options):
        output.emit_lines(["here they are"])
        return real(session, words, options)

    found = found_in(LIST, plant=lambda: monkeypatch.setattr(verb("list"), "run", chatty))
    assert any("not one object" in one for one in found)


def test_a_note_that_is_no_json_is_found(monkeypatch):
    """A note that is printed as text beside JSON is found."""
    real = messages.note

    def plain(text, *, as_json=False):
        real(text)

    found = found_in(DREAM, plant=lambda: monkeypatch.setattr(messages, "note", plain))
    assert any("no JSON line" in one for one in found)


def test_a_fact_that_json_leaves_out_is_found(monkeypatch):
    """JSON that has a fact less than the text is found."""
    real = output.emit_json

    def short(form):
        real(form | {"facts": form["facts"][1:]} if "facts" in form else form)

    found = found_in(LIST, plant=lambda: monkeypatch.setattr(output, "emit_json", short))
    assert any(one.startswith("facts: JSON has") for one in found)


def test_another_exit_code_is_found(monkeypatch):
    """A command that ends otherwise with --json is found."""
    real = verb("recall").run

    def worse(session, words, options):
        return real(session, words, options) or int(session.json)

    found = found_in(RECALL, plant=lambda: monkeypatch.setattr(verb("recall"), "run", worse))
    assert any("exit code 0, with --json 1" in one for one in found)


def test_another_deed_is_found(monkeypatch):
    """A command that does less with --json is found by what it leaves behind."""
    real = verb("pin").run

    def idle(session, words, options):
        if session.json:
            output.emit_json({"pinned": [], "batch": None})
            return 0
        return real(session, words, options)

    found = found_in(
        lambda world: Line("pin", (), (), world.ids[1:2], b""),
        plant=lambda: monkeypatch.setattr(verb("pin"), "run", idle),
    )
    assert "--json leaves another memory behind" in found


def test_options_that_are_lost_in_front_are_found(monkeypatch):
    """A parser that forgets what stands before the command is found, by behaviour and by what the
    other parser reads."""

    def forget():
        monkeypatch.setattr(app, "_keep_globals", lambda context, given: None)

    line = Line("recall", ("--quiet",), (), ("nothing like it zebra",), b"")
    assert any("the parsers differ" in one for one in found_in(line, plant=forget))
    monkeypatch.setattr(fast, "parse", lambda argv: None)
    line = Line("list", ("--quiet",), ("--tag", "none-such"), (), b"")
    assert any("in front" in one for one in found_in(line, plant=forget))


def test_lines_reach_every_option():
    """Lines are drawn until each option of each command was used."""
    rng = Random(1)
    with pairs.surroundings() as world:
        for command in COMMANDS:
            left = {flag for option in verb(command).Options.ALL for flag in option.flags}
            for _ in range(600):
                if not left:
                    break
                own = lines.drawn(rng, world, command).own
                left -= {part.partition("=")[0] for part in own}
            assert left == set(), (command, left)


def test_equal_calls_are_equal():
    """Two calls with equal arguments in the world say and do the same, fresh ids included."""
    with pairs.surroundings() as world:
        argv = ("remember", "a new text", "--json")
        one = world.call(argv, b"")
        state = world.state()
        assert (world.call(argv, b""), world.state()) == (one, state)
        assert json.loads(one.out)["action"] == "created"
