"""The format of a result: `--format`, and its short forms."""

from __future__ import annotations

import json

import pytest

ROWS = {
    "list": (("list",), "facts"),
    "recall": (("recall", "deploys", "--no-touch"), "hits"),
    "history": (("history",), "changes"),
    "contradictions": (("contradictions", "--min-score", "0"), "contradictions"),
}


@pytest.fixture
def facts(run):
    """Two facts that share words."""
    for name in ("Ada", "Bob"):
        run("remember", f"{name} deploys the server on Fridays at noon")


@pytest.mark.parametrize("command", ROWS)
def test_json_and_jsonl_have_a_short_and_a_long_form(run, facts, command):
    """`--format json` prints what `--json` prints, `--jsonl` and `--format jsonl` its rows."""
    argv, key = ROWS[command]
    whole = run(*argv, "--json").out
    lines = run(*argv, "--jsonl").out
    assert run(*argv, "--format", "json").out == whole
    assert run(*argv, "--format=jsonl").out == lines
    assert [json.loads(line) for line in lines.splitlines()] == json.loads(whole)[key] != []


@pytest.mark.parametrize("command", ROWS)
def test_lines_are_the_usual_form_in_a_pipe(run, facts, command):
    """`--format lines` says aloud what a pipe gets."""
    argv, _ = ROWS[command]
    assert run(*argv, "--format", "lines").out == run(*argv).out


@pytest.mark.parametrize("command", ["list", "recall"])
def test_a_table_can_be_had_in_a_pipe_and_lines_on_a_terminal(run, facts, command):
    """A format that is named wins over what the terminal suggests."""
    argv, _ = ROWS[command]
    assert run(*argv, "--format", "table").out.split()[:1] in (["made"], ["score"])
    assert run(*argv, "--format", "lines", "--color", "always").out == run(*argv).out


@pytest.mark.parametrize("command", [*ROWS, "export"])
def test_formats_that_clash_are_refused(run, facts, command):
    """A short form beside another format is refused before anything is done."""
    argv, _ = ROWS.get(command, (("export",), ""))
    other = "csv" if command == "export" else "lines"
    for short in ("--json", "--jsonl"):
        done = run(*argv, short, "--format", other)
        assert (done.code, done.out) == (2, "")
        assert f"{short} cannot go with --format {other}" in done.err
    assert run(*argv, "--jsonl", "--format", "jsonl").code == 0


def test_json_goes_with_json_lines(run, facts):
    """Beside JSON lines, --json is about stderr alone."""
    assert run("list", "--jsonl", "--json").out == run("list", "--jsonl").out
    assert run("list", "--format", "jsonl", "--json").out == run("list", "--jsonl").out
    assert run("export", "--jsonl", "--json").out == run("export").out


def test_a_batch_has_its_own_format(run, facts):
    """The answers of a batch are JSON lines, whatever else would be asked."""
    done = run("recall", "--batch", "--format", "lines", stdin="deploys\n")
    assert done.code == 2
    assert "--format cannot go with --batch" in done.err


@pytest.mark.parametrize("argv", [("recall", "zebra"), ("list", "--tag", "none")])
def test_an_object_tells_by_itself_that_nothing_was_found(run, facts, argv):
    """No note stands beside an object without rows, whichever way it was asked for."""
    whole = run(*argv, "--json")
    assert (whole.code, whole.err) == (1, "")
    done = run(*argv, "--format", "json")
    assert (done.code, done.out, done.err) == (1, whole.out, "")
    assert run(*argv, "--format", "table").out == ""
