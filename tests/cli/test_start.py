"""The start page, and the ways to help."""

from __future__ import annotations

import pytest

from tideline_cli import __version__
from tideline_cli.cli.commands import COMMANDS


@pytest.mark.file_alone("the page names or misses a file")
def test_the_page_of_an_empty_memory(run, home):
    """The first thing that anybody types says what this is and how to begin, and makes nothing."""
    done = run()
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:2] == [f"tideline {__version__}", "Long-term memory of the command line."]
    assert [line.split()[0] for line in lines[3:8]] == [
        "remember", "recall", "list", "context", "undo",
    ]  # fmt: skip
    assert lines[9] == "memory  ~/home/tideline.db"
    assert lines[10] == 'facts   none yet: begin with tideline remember "…"'
    assert max(map(len, lines)) <= 52
    assert not list(home.iterdir())


def test_the_page_counts(run):
    """It tells how many facts an origin holds: its own alone."""
    run("remember", "the boiler needs 1.5 bar")
    run("remember", "the landlord is Bob")
    run("forget", "--query", "the landlord is Bob", "--yes")
    assert "\nfacts   1\n" in run().out
    assert run("--json").json["facts"] == 1
    assert set(run("--json").json) == {"version", "database", "origin", "facts"}
    peer = run("--origin", "channel:wa/c/s")
    assert "none yet" in peer.out
    assert "channel:wa/c/s" in peer.out


@pytest.mark.file_alone("the page names or misses a file")
def test_the_page_of_a_damaged_memory(run, home):
    """A file that is no memory does not take the page away; it says what to do."""
    (home / "tideline.db").write_bytes(b"not a database" * 99)
    done = run()
    assert done.code == 0
    assert "cannot be counted" in done.out
    assert "tideline doctor" in done.out


@pytest.mark.parametrize(("argv", "colored"), [(("--color", "always"), True), ((), False)])
def test_the_page_is_plain_in_a_pipe(run, argv, colored):
    """Bold and dim are for those who see them."""
    assert ("\x1b[" in run(*argv).out) is colored


def test_help_in_all_words(run):
    """`help`, `help COMMAND`, -h and --help are one; -V is the version."""
    assert run("help").out == run("--help").out == run("-h").out != ""
    assert run("help", "recall").out == run("recall", "--help").out
    assert run("help").code == run("help", "recall").code == 0
    assert run("-V").out == run("--version").out == f"tideline {__version__}\n"
    assert run("help", "recal").code == 2
    assert "did you mean recall?" in run("help", "recal").err


def test_help_as_json(run):
    """With --json help is one object: the commands, or what one command takes."""
    for argv in (("help", "--json"), ("--help", "--json"), ("--json", "-h")):
        form = run(*argv).json
        assert [one["name"] for one in form["commands"]] == list(COMMANDS)
        assert ["--db"] in [one["flags"] for one in form["options"]]
    for argv in (("help", "recall", "--json"), ("recall", "--json", "--help")):
        done = run(*argv)
        form = done.json
        assert (done.code, form["command"]) == (0, "recall")
        assert form["help"].startswith("Find")
        assert {"flags", "metavar", "choices", "repeatable", "help"} == form["options"][0].keys()
        modes = next(one for one in form["options"] if one["flags"] == ["--mode"])
        assert "keyword" in modes["choices"]
        assert all(line.startswith("tideline recall") for line in form["examples"])
    assert run("help", "recal", "--json").error["code"] == "usage"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_the_own_options_first(run, name):
    """What a command has of its own stands before what all commands have; examples are whole."""
    lines = run(name, "--help").out.splitlines()
    shared = lines.index("Options of all commands:")
    assert [line.split()[0] for line in lines[shared + 1 : shared + 2]] == ["--db"]
    if "Options:" in lines:
        assert lines.index("Options:") < shared
    for line in lines[lines.index("Examples:") + 1 :] if "Examples:" in lines else ():
        assert line.startswith(f"  tideline {name}")
