"""What a command line meant that no parser takes."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests import backends
from tideline_cli.cli import mistyped
from tideline_cli.cli.commands import COMMANDS

POINTERS = {
    ("search", "my", "boiler"): "tideline recall 'my boiler'",
    ("find", "my", "x", "--limit", "3"): "tideline recall 'my x' --limit 3",
    ("query", "a; b"): "tideline recall 'a; b'",
    ("ask", "who", "am", "I"): "tideline recall 'who am I'",
    ("add", "buy milk"): "tideline remember 'buy milk'",
    ("save", "x"): "tideline remember x",
    ("note", "x"): "tideline remember x",
    ("rm", "@1", "@2"): "tideline forget @1 @2",
    ("delete", "old", "boiler"): "tideline forget --query 'old boiler'",
    ("remove", "01KDXYZ4"): "tideline forget 01KDXYZ4",
    ("get", "@3"): "tideline show @3",
    ("cat", "my", "boiler"): "tideline recall 'my boiler'",
    ("ls",): "tideline list",
    ("tag", "@1", "work", "home"): "tideline edit @1 --tag work --tag home",
    ("tag",): "tideline edit ID --tag TAG",
    ("version",): "tideline --version",
    ("--db", "x y", "SEARCH", "foo"): "tideline --db 'x y' recall foo",
}


@pytest.mark.parametrize("argv", POINTERS, ids=" ".join)
def test_expected_words_point_to_the_command(run, argv):
    """A word of other programs ends with 2 and one line: the command, what was typed quoted."""
    done = run(*argv)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    wanted = POINTERS[argv].replace("'x y'", shlex.quote(backends.place(Path("x y"))))
    assert done.err.endswith(f": try `{wanted}`\n")
    assert run(*argv, "--json").error["code"] == "usage"


def test_no_pointer_hides_a_command():
    """No word that points elsewhere is a command, and every word points to one."""
    assert not set(mistyped._MEANT) & set(COMMANDS)
    assert set(mistyped._WORDS) - set(COMMANDS) == {"--version"}


NEAR = {
    "recal": ["recall"], "rember": ["remember"], "lst": ["list"], "satus": ["status"],
    "conf": ["config"], "undoo": ["undo"], "histroy": ["history"], "con": [
        "context", "consolidate", "contradictions", "config"],
    "frobnicate": [], "xy": [], "dreams": ["dream"],
}  # fmt: skip


OF_OTHERS = {
    "serach": "recall", "fnid": "recall", "delte": "forget", "remvoe": "forget",
    "undlete": "restore", "histroy": "history", "upadte": "edit",
}  # fmt: skip


@pytest.mark.parametrize("typed", OF_OTHERS)
def test_a_slip_in_a_word_of_others(run, typed):
    """A misspelt word of other programs names the command that it stands for."""
    done = run(typed, "foo")
    assert (done.code, f"did you mean {OF_OTHERS[typed]}?" in done.err) == (2, True), done.err


@pytest.mark.parametrize("typed", NEAR)
def test_suggestions_are_the_nearest(run, typed):
    """A misspelt command names those that one or two slips away are, and no others."""
    assert mistyped.nearest(typed, COMMANDS) == NEAR[typed]
    done = run(typed)
    assert done.code == 2
    assert ("did you mean" in done.err) is bool(NEAR[typed])


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (("remember", "- buy milk"), "behind -- it is text: tideline remember -- '- buy milk'"),
        (("remember", "-5", "degrees"), "behind -- it is text: tideline remember -- -5 degrees"),
        (("remember", "- a", "--tag", "b"), "tideline remember --tag b -- '- a'"),
        (("recall", "-x"), "behind -- it is text: tideline recall -- -x"),
        (("--json", "recall", "-1°"), "tideline --json recall -- '-1°'"),
        (("list", "--limt", "3"), "did you mean --limit? `tideline list --help` lists the options"),
        (("list", "--zzz"), "`tideline list --help` lists the options"),
        (("list", "--limit"), "tideline list --help"),
        (("list", "--limit", "x"), "tideline list --help"),
        (("--limit", "3", "list"), "it is an option of list, and stands behind it: tideline list"),
        (("--colour", "never", "list"), "did you mean --color?"),
        (("pin", "--5"), "`tideline pin --help` lists the options"),
    ],
)  # fmt: skip
def test_hints_of_options(run, argv, hint):
    """What begins with a dash and is no option gets the nearest one, or the way to say it as text;
    the help that is named is that of the command."""
    done = run(*argv)
    assert (done.code, done.out) == (2, "")
    assert hint in (run(*argv).error["hint"] if "--json" in argv else done.err)


def test_the_offered_call_works(run):
    """What the hint offers stores the text as it was meant."""
    assert run("remember", "--tag", "b", "--", "- buy milk").code == 0
    assert run("list").out.endswith("[knowledge] - buy milk\n")
    assert run("remember", "--", "-5", "degrees").out.endswith("-5 degrees\n")


@pytest.mark.parametrize("argv", [("context", "--auto", "--zzz"), ("context", "--auto", "-5", "x")])
def test_doors_stay_silent(run, argv):
    """A door for programs that is called with a wrong option says nothing and ends with 0."""
    done = run(*argv)
    assert (done.code, done.out, done.err) == (0, "", "")
