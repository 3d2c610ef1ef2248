"""Ctrl-C in the middle of an import or a dream: what is in stays, and the user is told."""

from __future__ import annotations

import json

import pytest

from tideline_cli.cli.commands.import_ import source
from tideline_cli.dream.run import Pass
from tideline_cli.exchange.importer.preparation import CHUNK

LINES = "".join(json.dumps({"content": f"fact number {n} of {n % 97}"}) + "\n"
                for n in range(3 * CHUNK))  # fmt: skip


@pytest.fixture
def stopping(monkeypatch):
    """Stop the reading of a file in its third chunk."""
    read = source.Source._read

    def stopped(self):
        for line, row in read(self):
            if line > 2 * CHUNK + 5:
                raise KeyboardInterrupt
            yield line, row

    monkeypatch.setattr(source.Source, "_read", stopped)
    return lambda: monkeypatch.setattr(source.Source, "_read", read)


def test_an_import_says_how_many_rows_are_in(run, tmp_path, stopping):
    """The count is that of committed rows; a second run goes on, and all is one file's worth."""
    (tmp_path / "big.jsonl").write_text(LINES)
    done = run("import", "big.jsonl")
    assert done.code == 130
    assert done.err == (
        f"tideline: interrupted; {CHUNK:,} of {3 * CHUNK:,} are in; run it again to go on\n"
    )
    assert run("status", "--json").json["facts"]["active"] == CHUNK
    again = run("import", "big.jsonl", "--json")
    told = json.loads(again.err)["error"]
    assert (again.code, told["code"], again.out) == (130, "interrupted", "")
    stopping()
    assert run("import", "big.jsonl", "--json").json["present"] >= CHUNK
    assert run("status", "--json").json["facts"]["active"] == 3 * CHUNK


def test_a_folder_goes_on_and_is_taken_back(run, tmp_path, stopping):
    """Of notes of a program the count is known; all runs are one batch, which undo takes back."""
    notes = tmp_path / "vault"
    (notes / ".obsidian").mkdir(parents=True)
    for number in range(6):
        items = (f"- fact number {n} of note {number}\n" for n in range(CHUNK // 2))
        (notes / f"{number}.md").write_text("# Note\n" + "".join(items) + "- one more\n")
    done = run("import", "vault")
    assert done.code == 130
    assert f"interrupted; {CHUNK:,} of {3 * CHUNK + 6:,} are in; run it again to go on" in done.err
    assert run("import", "vault", "--dry-run").code == 130
    stopping()
    assert run("import", "vault", "--json").json["added"] == 2 * CHUNK + 6
    assert run("undo").code == 0
    assert run("status", "--json").json["facts"]["active"] == 0


def test_another_file_begins_another_batch(run, tmp_path, stopping):
    """What is not at its end is told by history, goes on after other commands, and is joined by no
    import of another file, nor by the same one again once it is whole."""
    (tmp_path / "big.jsonl").write_text(LINES)
    (tmp_path / "small.jsonl").write_text('{"content": "one fact of another file"}\n')
    run("import", "big.jsonl")
    assert f"not at its end: {tmp_path}/big.jsonl" in run("history", "--json").out
    run("remember", "something between")
    stopping()
    assert run("import", "big.jsonl", "--json").json["batch"] == 1
    assert "not at its end" not in run("history", "--json").out
    assert run("import", "small.jsonl", "--json").json["batch"] == 3
    assert run("import", "big.jsonl", "--json").json["batch"] == 4
    assert run("undo", "1").code == 0
    assert run("status", "--json").json["facts"]["active"] == 2


def test_a_pipe_has_no_total(run, stopping):
    """Of a pipe nobody knows how much was to come."""
    done = run("import", "-", stdin=LINES)
    assert (done.code, done.err) == (
        130, f"tideline: interrupted; {CHUNK:,} rows are in; run it again to go on\n"
    )  # fmt: skip


def test_a_dream_says_what_is_changed(run, monkeypatch):
    """A dream that is stopped says how many of its changes are made; another goes on."""
    for number in range(3):
        run("remember", f"the {'old ' * number}boiler needs water", "--now", "2024-01-01")

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Pass, "_apply_some", stopped)
    done = run("dream")
    assert done.code == 130
    assert "interrupted; 0 of 3 changes are made; run it again to go on" in done.err
