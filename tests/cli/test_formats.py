"""The format of a result: `--format`, and its short forms."""

from __future__ import annotations

import csv
import io
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
    """Two facts that share words, and may contradict each other."""
    for hour in ("noon", "ten"):
        run("remember", f"Ada deploys the server on Fridays at {hour}")


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


@pytest.mark.parametrize("command", ["list", "recall", "history"])
def test_a_table_can_be_had_in_a_pipe_and_lines_on_a_terminal(run, facts, command):
    """A format that is named wins over what the terminal suggests."""
    argv, _ = ROWS[command]
    assert run(*argv, "--format", "table").out.split()[:1] in (["fact"], ["score"], ["batch"])
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
    assert "--batch cannot go with --format" in done.err


@pytest.mark.parametrize("argv", [("recall", "zebra"), ("list", "--tag", "none")])
def test_an_object_tells_by_itself_that_nothing_was_found(run, facts, argv):
    """No note stands beside an object without rows, whichever way it was asked for."""
    whole = run(*argv, "--json")
    assert (whole.code, whole.err) == (1, "")
    done = run(*argv, "--format", "json")
    assert (done.code, done.out, done.err) == (1, whole.out, "")
    assert run(*argv, "--format", "table").out == ""


FORMED = ("list", "recall", "history")


@pytest.mark.parametrize("command", FORMED)
def test_csv_and_tsv(run, facts, command):
    """CSV and TSV have a header and a line a row, by a short form or by --format."""
    argv, key = ROWS[command]
    wanted = run(*argv, "--json").json[key]
    for name, delimiter in (("csv", ","), ("tsv", "\t")):
        done = run(*argv, f"--{name}")
        assert run(*argv, "--format", name).out == done.out
        rows = list(csv.DictReader(io.StringIO(done.out), delimiter=delimiter))
        assert [row["id"] for row in rows] == [row["id"] or "" for row in wanted] != []
        assert set(wanted[0]) <= set(rows[0])
    assert run(*argv, "--nl").out == run(*argv, "--jsonl").out


def test_tables_of_tabulate_mark_folds(run):
    """A line break of a text is marked in a table, as in every other form of one line."""
    run("remember", "first line\nsecond line")
    assert "first line ⏎ second line" in run("list", "--fmt", "github").out
    assert "first line ⏎ second line" in run("export", "--format", "table").out


@pytest.mark.parametrize("command", FORMED)
def test_tables_of_tabulate(run, facts, command):
    """--fmt names a form of tabulate; --format markdown is the one of GitHub."""
    argv, key = ROWS[command]
    count = len(run(*argv, "--json").json[key])
    lines = run(*argv, "--fmt", "github").out.splitlines()
    assert len(lines) == count + 2 and all(line.startswith("|") for line in lines)
    assert run(*argv, "--format", "markdown").out.splitlines() == lines
    assert run(*argv, "--table").code == 0
    wrong = run(*argv, "--fmt", "nosuch")
    assert (wrong.code, wrong.out) == (2, "") and "github" in wrong.err


@pytest.mark.parametrize("command", [*FORMED, "export"])
def test_short_forms_that_clash_are_refused(run, facts, command):
    """Two short forms of different formats go with no command."""
    argv, _ = ROWS.get(command, (("export",), ""))
    for pair in (("--csv", "--tsv"), ("--csv", "--nl"), ("--table", "--jsonl"),
                 ("--fmt", "grid", "--csv"), ("--json", "--csv"), ("--tsv", "--json")):
        assert (run(*argv, *pair).code, run(*argv, *pair).out) == (2, "")


def test_a_listed_table_can_be_imported(run):
    """What list prints as CSV is what import takes: texts that a spreadsheet would run, tags,
    lines; numbers stand as they are written."""
    text = "=1+1 is a formula,\nand a line"
    fact = run("remember", text, "--tag", "a", "--importance", "0.9", "--json").json["id"]
    run("feedback", fact, "up")
    printed = run("list", "--csv").out
    assert ",0.95," in printed
    run("import", "-", "--trust", "--format", "csv", "--db", "other.db", stdin=printed)
    here, there = (run("list", "--json", *more).json["facts"] for more in ((), ("--db",
                                                                               "other.db")))
    assert here == there and here[0]["content"] == text


def test_export_has_the_same_short_forms(run, facts):
    """--csv, --tsv and --nl of export are its formats; a table is for reading."""
    assert run("export", "--csv").out == run("export", "--format", "csv").out
    assert run("export", "--nl").out == run("export").out
    assert "\t" in run("export", "--tsv").out.splitlines()[0]
    assert run("export", "--fmt", "grid").out.startswith("+--")
    tsv = run("export", "--tsv").out
    run("import", "-", "--trust", "--format", "tsv", "--db", "other.db", stdin=tsv)
    assert run("export", "--db", "other.db").out == run("export").out
