"""CSV and SQLite: a quote is taken off where an export has put it on, and nowhere else."""

from __future__ import annotations

import csv
import json
import sqlite3

import pytest

from tideline_cli.exchange.foreign import FIRST_COLUMNS

TEXTS = ("'=1+1 is two", "''=1+1 is two", "'''quoted'''", "=1+1 is two", "'tis the season",
         "-5 degrees", "'-5 degrees", "@alice said", "+31 6 1234", "\tindented")  # fmt: skip


def contents(run, *more):
    listed = run("list", "--json", "--limit", "0", *more).json["facts"]
    return sorted(fact["content"] for fact in listed)


@pytest.fixture
def filled(run):
    rows = [{"content": text, "title": text, "tags": [text]} for text in TEXTS]
    run("import", "-", "--trust", stdin="".join(json.dumps(row) + "\n" for row in rows))
    return run("export").out


@pytest.mark.parametrize("form", ["jsonl", "csv", "sqlite"])
def test_texts_that_begin_with_quotes_come_back(run, filled, form):
    """Through every format texts come back with as many quotes as they had, and no cell of a CSV
    starts a formula."""
    assert run("export", "--format", form, "-o", f"out.{form}").code == 0
    assert run("import", f"out.{form}", "--trust", "--db", "other.db").code == 0
    assert run("export", "--db", "other.db").out == filled
    if form == "csv":
        with open("out.csv", encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]


def test_an_export_of_the_first_release_comes_back(run, filled):
    """A CSV with the columns of the first release alone has its formulas without quotes again."""
    run("export", "--format", "csv", "-o", "new.csv")
    with open("new.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open("old.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, FIRST_COLUMNS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    run("import", "old.csv", "--trust", "--db", "other.db")
    # It did not tell a quote of its own from one of the text.
    its = {text.removeprefix("'") if text[:2] in ("'=", "'-") else text for text in TEXTS}
    assert set(contents(run, "--db", "other.db")) == {text.strip() for text in its}


def test_columns_may_be_moved_and_left_out(run, filled):
    """A table of ours that somebody has worked on still says which of its cells are quoted."""
    run("export", "--format", "csv", "-o", "new.csv")
    with open("new.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open("work.tsv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["quoted_cells", "content"], delimiter="\t",
                               extrasaction="ignore")  # fmt: skip
        table.writeheader()
        table.writerows(rows)
    run("import", "work.tsv", "--trust", "--db", "other.db")
    assert contents(run, "--db", "other.db") == contents(run)


def test_tables_of_others_keep_their_quotes(run):
    """A quote in a CSV or a SQLite file that we have not written is part of the text, and a column
    of theirs that is named like ours is kept."""
    with open("in.csv", "w") as file:
        file.write("content,quoted_cells\n'=1+1 is two,\n''=x is y,content\nno quote,content\n"
                   "a word,by Goethe\n")  # fmt: skip
    with sqlite3.connect("in.db") as db:
        db.execute("CREATE TABLE fact (content TEXT)")
        db.executemany("INSERT INTO fact VALUES (?)", [("'=2+2 is four",), ("=3 is three",)])
    db.close()
    for name in ("in.csv", "in.db"):
        assert run("import", name).code == 0
    assert contents(run) == sorted(
        ("'=1+1 is two", "'=x is y", "no quote", "a word", "'=2+2 is four", "=3 is three")
    )
    kept = {fact["content"]: fact["metadata"] for fact in run("list", "--json").json["facts"]}
    assert kept["a word"] == {"quoted_cells": "by Goethe"}
    assert kept["no quote"] == {"quoted_cells": "content"}


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_times_that_count_seconds(run, tmp_path, name):
    """Times that would lie before 1990 are told, with the way back; --seconds reads them."""
    path = tmp_path / name
    at = 1_755_000_000
    path.write_text(
        f"content,created_at\ntea is green,{at}\n" if name.endswith("csv")
        else json.dumps({"content": "tea is green", "created_at": at}) + "\n"
    )  # fmt: skip
    tried = run("import", str(path), "--dry-run")
    assert "2025-08-12 in seconds" in tried.err and "--seconds" in tried.err
    done = run("import", str(path), "--json")
    assert done.json["before_1990"] == 1
    assert "1970-01-21" in done.err and f"tideline undo {done.json['batch']}" in done.err
    assert run("undo").code == 0
    again = run("import", str(path), "--seconds", "--json")
    assert (again.json["added"], again.json["before_1990"], again.err) == (1, 0, "")
    (fact,) = run("list", "--json").json["facts"]
    assert fact["created_at"] == "2025-08-12T12:00:00.000Z"


def test_seconds_leave_other_times_alone(run, tmp_path):
    """With --seconds a time in words stays, parts of seconds count, and a bad time is a bad row."""
    rows = [{"content": "one fact", "created_at": "2024-05-01"},
            {"content": "two facts", "created_at": 1_755_000_000.25},
            {"content": "five facts", "created_at": "20240501"},
            {"content": "three facts", "created_at": "some day"},
            {"content": "four facts", "created_at": True}]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("import", str(path), "--seconds", "--json")
    assert (done.json["added"], done.json["skipped"], done.json["before_1990"]) == (3, 2, 0)
    made = {one["content"]: one["created_at"] for one in run("list", "--json").json["facts"]}
    assert made["one fact"] == made["five facts"] == "2024-05-01T00:00:00.000Z"
    assert made["two facts"] == "2025-08-12T12:00:00.250Z"
