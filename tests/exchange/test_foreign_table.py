"""SQLite files of others: tables are read, nothing in them runs, nothing beside them changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing

import pytest

from tideline_cli.errors import BusyError, TidelineError, UsageError
from tideline_cli.store import foreign_table
from tideline_cli.store.foreign_table import LONGEST_ROW, rows


def made(path, script, *values):
    """Make a SQLite file by a script; values fill the last statement."""
    with closing(sqlite3.connect(path)) as db:
        *first, last = [part for part in script.split(";") if part.strip()]
        for part in first:
            db.execute(part)
        db.execute(last, values)
        db.commit()
    return path


def rewritten(path, table, sql):
    """Let the schema of a file say something else of a table than what it is."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
        db.commit()


def beside(path):
    return {
        name: (os.stat(path.parent / name).st_mtime_ns, (path.parent / name).read_bytes())
        for name in os.listdir(path.parent)
    }


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "theirs ?#%"
    folder.mkdir()
    return folder / "in.db"


ENDLESS = """
CREATE TABLE note (content TEXT);
CREATE VIEW fact AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT 'row ' || i AS content FROM n
"""


def test_a_view_is_not_read(run, place, home):
    """A view is refused, with the names of the tables that there are, and nothing is stored."""
    made(place, ENDLESS)
    start = time.process_time()
    done = run("import", str(place), "--json")
    assert (done.code, done.error["code"], done.error["hint"]) == (2, "no_table", "it has note")
    assert "is a view" in done.error["message"]
    assert time.process_time() - start < 5
    assert run("list").out == ""


@pytest.mark.parametrize(
    "script",
    [
        "CREATE VIRTUAL TABLE fact USING fts5(content); INSERT INTO fact VALUES ('x')",
        "CREATE VIRTUAL TABLE fact USING rtree(id, a, b); INSERT INTO fact VALUES (1, 2, 3)",
    ],
    ids=["fts5", "rtree"],
)
def test_a_virtual_table_is_not_read(place, script):
    """A virtual table runs a module on what its author stored, so it is refused."""
    made(place, script)
    with pytest.raises(UsageError, match="is a virtual table"):
        list(rows(str(place), "fact"))


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW fact AS SELECT 'run' AS content",
        "CREATE VIRTUAL TABLE fact USING fts5(content)",
        "CREATE VIRTUAL TABLE fact USING json_each",
        "CREATE TABLE fact AS SELECT 'run' AS content",
        "CREATE TABLE other (content TEXT)",
        "CREATE TABLE fact (content TEXT, x AS (zeroblob(900000000)))",
        "CREATE TABLE fact (content TEXT COLLATE nope, y TEXT CHECK (load_extension('x')))",
        "not sql at all",
    ],
)
def test_a_schema_that_lies_runs_nothing(place, sql):
    """Whatever the schema says a table is, no row of a view or a module comes out of it."""
    made(place, "CREATE TABLE fact (content TEXT); INSERT INTO fact VALUES ('stored')")
    rewritten(place, "fact", sql)
    try:
        found = [row for row in rows(str(place), "fact") if not isinstance(row, TidelineError)]
    except UsageError:
        return
    for row in found:
        assert row == dict.fromkeys(row) | {"content": "stored"}


def test_views_upon_views(place):
    """Thirty views that each join the one before twice cost no time."""
    made(place, "CREATE TABLE fact (content TEXT); INSERT INTO fact VALUES ('stored')")
    with closing(sqlite3.connect(place)) as db:
        db.execute("CREATE VIEW v0 AS SELECT content FROM fact")
        for n in range(1, 30):
            db.execute(f"CREATE VIEW v{n} AS SELECT a.content FROM v{n - 1} a, v{n - 1} b")
    start = time.process_time()
    with pytest.raises(UsageError, match="is a view"):
        list(rows(str(place), "v29"))
    assert list(rows(str(place), "fact")) == [{"content": "stored"}]
    assert time.process_time() - start < 1


def test_tables_of_every_make(place):
    """Without row ids, strict, with triggers, with stored values: the rows come as they are."""
    with closing(sqlite3.connect(place)) as db:
        db.executescript(
            """
            CREATE TABLE "a ""b" (content TEXT PRIMARY KEY, n INT) WITHOUT ROWID, STRICT;
            INSERT INTO "a ""b" VALUES ('one', 1), ('two', NULL);
            CREATE TRIGGER t BEFORE INSERT ON "a ""b" BEGIN SELECT raise(ABORT, 'no'); END;
            CREATE TABLE c (content TEXT, up AS (upper(content)), kept AS (lower(content)) STORED);
            INSERT INTO c VALUES ('Three');
            CREATE TABLE empty (content TEXT);
            """
        )
    assert list(rows(str(place), 'a "b')) == [{"content": "one", "n": 1},
                                              {"content": "two", "n": None}]  # fmt: skip
    told = []
    assert list(rows(str(place), "c", tell=told.append)) == [{"content": "Three", "kept": "three"}]
    assert told == ["not read, for they are computed: up"]
    assert list(rows(str(place), "empty")) == []


def test_a_cell_that_is_too_large(place):
    """A cell of 64 MB makes a bad row of its row alone, without being loaded."""
    script = "CREATE TABLE fact (content TEXT, more); INSERT INTO fact VALUES ('a', 1), ('b', 2)"
    made(place, script)
    with closing(sqlite3.connect(place)) as db:
        db.execute("INSERT INTO fact VALUES ('c', zeroblob(64000000)), ('d', 4)")
        db.execute("INSERT INTO fact VALUES (zeroblob(700000), zeroblob(700000)), ('e', 5)")
        db.commit()
    found = list(rows(str(place), "fact"))
    assert [row["content"] for row in found if isinstance(row, dict)] == ["a", "b", "d", "e"]
    assert [row.message for row in found if isinstance(row, TidelineError)] == [
        f"more is longer than {LONGEST_ROW:,} bytes", "the row is longer than 1 MiB",
    ]  # fmt: skip


def test_two_thousand_columns(place):
    """As many columns as SQLite allows are read, each cell bounded so that a row fills nothing."""
    names = ", ".join(f"c{n}" for n in range(1999))
    made(place, f"CREATE TABLE fact (content, {names}); INSERT INTO fact (content) VALUES ('a')")
    (row,) = rows(str(place), "fact")
    assert (row["content"], len(row)) == ("a", 2000)
    made(place, "UPDATE fact SET c7 = zeroblob(100000)")
    (row,) = rows(str(place), "fact")
    assert isinstance(row, UsageError)


def test_what_text_may_not_be(run, place):
    """Bytes that are no text and NUL stop no import: the row is bad, and the next is taken."""
    made(
        place,
        "CREATE TABLE fact (content);"
        "INSERT INTO fact VALUES (CAST(x'61ff62' AS TEXT)), ('a' || char(0) || 'b'), ('good')",
    )
    done = run("import", str(place), "--json")
    assert done.code == 0
    assert "good" in run("export").out
    assert done.json["added"] + done.json["skipped"] == 3


@pytest.mark.parametrize("how", ["wal", "wal closed", "wal empty", "delete", "persist"])
def test_nothing_beside_the_file_changes(place, how):
    """No log, no shared memory and no journal is made, emptied or removed, whoever has it open."""
    db = sqlite3.connect(place)
    db.execute(f"PRAGMA journal_mode = {how.split()[0]}")
    db.execute("CREATE TABLE fact (content TEXT)")
    db.execute("INSERT INTO fact VALUES ('stored')")
    db.commit()
    if how == "wal empty":
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if how == "wal closed":
        db.close()
    before = beside(place)
    assert list(rows(str(place), "fact")) == [{"content": "stored"}]
    assert beside(place) == before
    db.close()


def test_a_log_that_was_left(place, tmp_path):
    """What stands in a log alone, with nobody there, is read, and stays there."""
    source = tmp_path / "live.db"
    db = sqlite3.connect(source)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE fact (content TEXT)")
    db.execute("INSERT INTO fact VALUES ('in the log')")
    db.commit()
    for end in ("", "-wal"):
        shutil.copyfile(f"{source}{end}", f"{place}{end}")
    db.close()
    before = beside(place)
    assert list(rows(str(place), "fact")) == [{"content": "in the log"}]
    assert beside(place) == before


def test_a_copy_has_no_name_while_it_is_read(place, tmp_path, monkeypatch):
    """Whoever is killed while a file with a log is read leaves no copy of it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    source = tmp_path / "live.db"
    db = sqlite3.connect(source)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE fact (content TEXT)")
    wanted = [{"content": f"row {n}" + " more" * 100} for n in range(2000)]
    db.executemany("INSERT INTO fact VALUES (:content)", wanted)
    db.commit()
    found = rows(str(source), "fact")
    read = [next(found)]
    assert os.listdir(tmp_path / "temporary") == []
    assert read + list(found) == wanted
    db.close()


@pytest.mark.parametrize("end", ["-journal", "-wal"])
def test_a_fifo_beside_a_file_is_waited_for_by_nobody(process, place, end):
    """A folder that came from elsewhere may hold one."""
    db = sqlite3.connect(place)
    db.execute("CREATE TABLE fact (content TEXT)")
    db.close()
    os.mkfifo(f"{place}{end}")
    assert process("import", str(place)).code == (2 if end == "-journal" else 0)


def test_half_a_change(place):
    """A journal that was left is not rolled back: it may name any file, to be deleted."""
    made(place, "CREATE TABLE fact (content TEXT); INSERT INTO fact VALUES ('stored')")
    journal = place.with_name("in.db-journal")
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504))
    before = beside(place)
    with pytest.raises(UsageError, match="half a change"):
        list(rows(str(place), "fact"))
    assert beside(place) == before


def test_a_file_that_is_written_all_the_while(place, monkeypatch):
    """A copy that is not of one time is not used."""
    made(place, "CREATE TABLE fact (content TEXT); INSERT INTO fact VALUES ('stored')")
    place.with_name("in.db-wal").write_bytes(b"x" * 100)
    seen = iter(range(100))
    monkeypatch.setattr(foreign_table, "_states", lambda path: next(seen))
    with pytest.raises(BusyError):
        list(rows(str(place), "fact"))


def test_time_without_a_row(place, monkeypatch):
    """Where no row comes for too long, reading stops; what takes long between rows is not it."""
    made(place, "CREATE TABLE fact (content TEXT); INSERT INTO fact VALUES ('stored')")
    with closing(sqlite3.connect(place)) as db:
        db.executemany("INSERT INTO fact VALUES (?)", ((f"row {n}",) for n in range(5000)))
        db.commit()
    monkeypatch.setattr(foreign_table, "_STEPS", 1)
    with pytest.raises(UsageError, match="no row has come") as caught:
        list(rows(str(place), "fact", patience=-1))
    assert caught.value.code == "no_progress"
    assert len(list(rows(str(place), "fact", patience=5))) == 5001


# the ceiling, for every form of import


def filled(folder, form, count):
    """Make an import file of `count` rows."""
    path = folder / f"in.{form}"
    texts = [f"person{n} deploys on day{n}" for n in range(count)]
    if form == "db":
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE fact (content TEXT)")
            db.executemany("INSERT INTO fact VALUES (?)", ((text,) for text in texts))
            db.commit()
    elif form == "jsonl":
        path.write_text("".join(f'{{"content": "{text}"}}\n' for text in texts))
    else:
        path.write_text("content\n" + "".join(f"{text}\n" for text in texts))
    return str(path)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("merge", [(), ("--merge",)], ids=["plain", "merge"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv", "db"])
def test_a_ceiling_on_rows(run, tmp_path, form, merge):
    """Above --max-rows an import stops with 2, says what it took, and one undo takes it back."""
    run("remember", "mine from before")
    path = filled(tmp_path, form, 1200)
    done = run("import", path, "--max-rows", "1100", "--json", *merge)
    assert (done.code, done.error["code"]) == (2, "too_many_rows")
    assert "1,100 rows were taken or skipped" in done.error["message"]
    assert f"tideline undo {done.json['batch']}" in done.error["hint"]
    assert "--max-rows" in done.error["hint"]
    assert (done.json["added"], done.json["stopped"]) == (1100, "too_many_rows")
    assert run("doctor").code == 0
    assert run("undo", str(done.json["batch"])).code == 0
    assert [row["content"] for row in run("export").lines] == ["mine from before"]
    done = run("import", path, "--max-rows", "1200", "--json", *merge)
    assert (done.code, done.json["added"], done.json["stopped"]) == (0, 1200, None)


@pytest.mark.parametrize("form", ["jsonl", "db"])
def test_a_ceiling_of_a_strict_import(run, tmp_path, form):
    """With --strict too many rows mean that nothing is taken."""
    done = run("import", filled(tmp_path, form, 20), "--max-rows", "10", "--strict", "--json")
    assert (done.code, done.error["code"]) == (2, "too_many_rows")
    assert done.error["hint"] == "nothing was imported"
    assert run("list").out == ""


def test_bad_rows_count_too(run, tmp_path):
    """A file of nothing but bad lines ends as well."""
    (tmp_path / "bad.jsonl").write_text("x\n" * 50)
    done = run("import", "bad.jsonl", "--max-rows", "10", "--json")
    assert (done.code, done.json["skipped"], done.json["batch"]) == (2, 10, None)
    assert "undo" not in done.err
    for value in ("0", "-1", "many"):
        assert run("import", "bad.jsonl", "--max-rows", value).code == 2


def test_a_file_that_breaks_off(run, tmp_path):
    """What came before the place where a file cannot be read on is stored, and told."""
    rows = "".join(f"person{n} déploie\n" for n in range(600)).encode()
    (tmp_path / "in.csv").write_bytes(b"content\n" + rows + b"bad \xff\n")
    done = run("import", "in.csv", "--json")
    assert (done.code, done.json["stopped"]) == (2, "usage")
    assert done.json["added"] > 0
    assert f"{done.json['added']:,} rows were taken" in done.error["message"]
    assert run("doctor").code == 0
    assert run("undo").code == 0
    assert run("list").out == ""


@pytest.mark.parametrize("form", ["jsonl", "csv", "sqlite"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "device", "missing", "link to nothing"])
def test_what_is_no_file(run, tmp_path, kind, form):
    """A FIFO, a folder, a device: refused at once, whatever the form."""
    path = tmp_path / "in"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = "/dev/zero"
    elif kind == "link to nothing":
        path.symlink_to("nowhere")
    start = time.monotonic()
    assert run("import", str(path), "--format", form).code == 2
    assert time.monotonic() - start < 5
