"""A text of several lines comes back as it was, and where it is one line the fold is marked."""

from __future__ import annotations

import pytest

CODE = "def deploy(day):\n    if day == 'Friday':\n        return None\n\n\treturn day"


@pytest.fixture
def code(run):
    """Store a piece of code and return its id."""
    return run("remember", CODE, "--json").json["id"]


def test_raw_is_what_was_stored(run, process, code):
    """show --raw prints the text and not one byte more, in any locale."""
    assert run("show", code, "--raw").out == CODE
    other = run("remember", "naïve 🇨🇭\n日本", "--json").json["id"]
    assert run("show", other, "--raw").out == "naïve 🇨🇭\n日本"
    assert run("show", code, "--raw", "--json").json == {"content": CODE}
    assert run("show", "nothing", "--raw").code == 3


def test_show_keeps_the_lines(run, code):
    """show prints the lines as an indented block, so that no line of a text looks like a field."""
    lines = run("show", code).out.split("\n")
    assert lines[:6] == [f"  {line}" if line else "" for line in CODE.split("\n")] + [""]
    forged = run("remember", "x is y\nid                01AAAA", "--json").json["id"]
    shown = run("show", forged).out.split("\n")
    assert sum(line.startswith("id ") for line in shown) == 1
    plain = run("remember", "one line", "--json").json["id"]
    assert run("show", plain).out.startswith("one line\n\n")


def test_one_line_forms_mark_the_fold(run, code):
    """What remember, recall, list, edit and purge print of it is one line, with a mark."""
    folded = "def deploy(day): ⏎ if day == 'Friday': ⏎ return None ⏎ return day"
    for words in (("recall", "deploy"), ("list",), ("edit", code, "--tag", "t"),
                  ("purge", code, "--dry-run"), ("remember", CODE)):  # fmt: skip
        done = run(*words)
        assert f"[knowledge] {folded}\n" in done.out, (words, done)
        assert done.out.count("\n") == 1, words


def test_messages_mark_the_fold(run, code, monkeypatch):
    """So do the messages of what was done, of what was archived, and of what can be undone."""
    start = "def deploy(day): ⏎ if day == 'Friday': ⏎ return None ⏎ r"
    for words in (("pin", code), ("unpin", code), ("forget", code), ("restore", code)):
        assert start in run(*words).out, words
    assert all(start in line for line in run("undo", "--list").out.splitlines())
    assert start in run("forget", "--query", "def deploy", "--dry-run").out
    monkeypatch.setenv("TIDELINE_EVICT_AFTER_OWNER", "reference")
    assert start in run("dream", "--now", "2027-12-01", "--max-loss", "1").out
    assert start in run("recall", "deploy").err


def test_the_mark_is_ascii_where_it_must_be(process_in_c, code):
    """In a locale without the sign the mark is an escape."""
    out = process_in_c("list")
    assert b"def deploy(day): \\n if day" in out
    assert process_in_c("show", code, "--raw") == CODE.encode()


@pytest.fixture
def process_in_c(home):
    """Run a command as a process in the locale C, and return what it prints, as bytes."""
    import os
    import subprocess
    import sys

    def call(*argv):
        environ = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
                                "TIDELINE_HOME": str(home)}  # fmt: skip
        return subprocess.run(
            [sys.executable, "-m", "tideline_cli", *argv], env=environ, capture_output=True,
            check=True, timeout=60,
        ).stdout  # fmt: skip

    return call


def test_a_terminal_shows_the_lines(run, monkeypatch, code):
    """recall on a terminal keeps the lines, indented; list marks the fold; nothing in them acts."""
    monkeypatch.setenv("COLUMNS", "120")
    shown = run("--color", "always", "recall", "deploy").out
    lines = shown.split("\n")
    column = next(line.index("  def deploy(day):") for line in lines if "deploy(day)" in line)
    assert any(line.rstrip().endswith("      if day == 'Friday':") for line in lines)
    assert column > 0 and "⏎" not in shown
    assert "⏎" in run("--color", "always", "list").out
    run("remember", "evil \x1b[31m\nline")
    assert "\x1b[31m" not in run("--color", "always", "recall", "evil").out
