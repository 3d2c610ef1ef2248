"""Opening the memory file: its modes, what is not ours, and who else is there."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from typing import Any

import apsw
import pytest

from tests.support import NOW, empty_store_at, fact, put
from tideline_cli.errors import BusyError, CannotWriteError, StoreError
from tideline_cli.store import connection, database_errors, schema
from tideline_cli.store.opening import open_for_reading, open_for_writing

pytestmark = pytest.mark.file_alone("modes, locks and names of a file")

COMMANDS = (
    ("remember", "one text"), ("recall", "text"), ("context", "text"), ("list",), ("status",),
    ("show", "ABCD"), ("history",), ("export",), ("import", "-"),
    ("config", "set", "analyzer", "reference"),
)  # fmt: skip


def foreign_database(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE note (content TEXT)")
        db.execute("INSERT INTO note VALUES ('theirs')")
    db.close()


def with_application_id(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA application_id = 1234")
        db.execute("CREATE TABLE note (content TEXT)")
    db.close()


def newer(path):
    empty_store_at(path)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()


def random_bytes(path):
    path.write_bytes(bytes(range(256)) * 64)


def cut_short(path):
    empty_store_at(path)
    path.write_bytes(path.read_bytes()[:100])


def text_file(path):
    path.write_text("my notes, not a database\n")


FOREIGN = [foreign_database, with_application_id, newer, random_bytes, text_file, cut_short]


@pytest.mark.parametrize("make", FOREIGN, ids=lambda make: make.__name__)
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_what_is_not_ours_is_left_as_it_is(run, tmp_path, make, argv):
    """A foreign, random or newer file ends every command with 5; its bytes and mode stay."""
    folder = tmp_path / "there"
    folder.mkdir()
    path = folder / "file.db"
    make(path)
    path.chmod(0o644)
    before = path.read_bytes()
    done = run(*argv, "--db", str(path), "--json")
    assert done.code == 5, done.err
    assert done.error["code"] in ("not_a_store", "store_newer", "store_damaged")
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    companions = {"file.db-wal", "file.db-shm"} if make in (newer, cut_short) else set()
    assert set(os.listdir(folder)) - companions == {"file.db"}


def test_a_newer_file_says_so(run, tmp_path):
    """A store of a later version has a code of its own."""
    newer(tmp_path / "file.db")
    done = run("list", "--db", str(tmp_path / "file.db"), "--json")
    assert (done.code, done.error["code"]) == (5, "store_newer")


def modes(folder):
    return {name: stat.S_IMODE(os.stat(folder / name).st_mode) for name in os.listdir(folder)}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777], ids=oct)
def test_modes_do_not_depend_on_the_umask(tmp_path, umask):
    """Folders that are made are 0700, the file and its companions 0600, whatever the umask."""
    kept = os.umask(umask)
    try:
        db = open_for_writing(str(tmp_path / "a" / "b" / "t.db"))
        put(db, [fact("one text", "A")])
        found = modes(tmp_path / "a" / "b")
        db.close()
    finally:
        os.umask(kept)
    assert modes(tmp_path) | modes(tmp_path / "a") | found == {
        **modes(tmp_path), "a": 0o700, "b": 0o700, "t.db": 0o600, "t.db-wal": 0o600,
        "t.db-shm": 0o600, "t.db-lock": 0o600, "t.db-reserve": 0o600,
    }  # fmt: skip


def test_a_file_open_to_others_is_closed_to_them(tmp_path):
    """A store of ours that others may read loses that right when it is opened for writing."""
    path = empty_store_at(tmp_path / "t.db")
    path.chmod(0o666)
    open_for_writing(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("argv", [("remember", "one text"), ("recall", "text"), ("list",)])
def test_a_link_is_no_store(run, tmp_path, argv):
    """A symbolic link in place of the file is refused, whether it leads anywhere or not."""
    target = empty_store_at(tmp_path / "target.db")
    before = target.read_bytes()
    for name, to in (("link.db", target), ("dangling.db", tmp_path / "nowhere")):
        (tmp_path / name).symlink_to(to)
        done = run(*argv, "--db", str(tmp_path / name))
        assert done.code in (5, 73), done.err
    assert target.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()


def test_a_linked_folder_is_followed(run, tmp_path):
    """Links above the file are the user's own arrangement."""
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    assert run("remember", "one text", "--db", str(tmp_path / "linked" / "t.db")).code == 0
    assert run("recall", "text", "--db", str(tmp_path / "real" / "t.db")).code == 0


def test_a_folder_is_no_store(run, tmp_path):
    """A folder in place of the file is refused by every command."""
    for argv in COMMANDS:
        assert run(*argv, "--db", str(tmp_path)).code == 5


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(run, tmp_path):
    """Where nothing can be made, the command ends with 73."""
    (tmp_path / "closed").mkdir(mode=0o500)
    assert run("remember", "x y", "--db", str(tmp_path / "closed" / "t.db")).code == 73


@pytest.mark.parametrize(
    "path",
    ["/dev/null/t.db", "/proc/nope/t.db", "file.txt/t.db", "/proc/nope/" + "d/" * 3000 + "t.db"],
    ids=["device", "proc", "file", "deep"],
)
def test_a_path_that_cannot_be(run, tmp_path, path):
    """A path through something that is no folder, or that is too long, ends with 73 when writing,
    and is nothing to a reader."""
    (tmp_path / "file.txt").write_text("x")
    done = run("remember", "one text", "--db", path)
    assert done.code == 73, done.err
    assert run("list", "--db", path).code == 0


def test_reading_makes_nothing(run, home):
    """Commands that only read neither make a file nor a folder."""
    for argv in COMMANDS[1:8]:
        run(*argv, "--db", str(home / "deep" / "t.db"))
    assert os.listdir(home) == []


def test_an_empty_file_becomes_a_store(run, tmp_path):
    """A file of no bytes reads as an empty store and is made one by the first write."""
    path = tmp_path / "t.db"
    path.touch()
    assert run("list", "--db", str(path)).code == 0
    assert path.stat().st_size == 0
    assert run("remember", "one text", "--db", str(path)).code == 0
    assert run("recall", "text", "--db", str(path)).code == 0


READS = (
    ("recall", "text"), ("context", "text"), ("list",), ("status",), ("export",),
    ("history",), ("dream",), ("doctor", "--deep"), ("doctor", "--repair", "--yes"),
)  # fmt: skip


@pytest.mark.parametrize("argv", READS, ids=lambda argv: argv[0])
def test_a_store_whose_making_was_cut_short(run, home, tmp_path, argv):
    """A file with a log and without tables, as a first writer leaves it that is killed, and as
    others see it while it works, reads as an empty store; the next write makes it one."""
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode = WAL")
    db.close()
    assert path.stat().st_size > 0
    empty, usual = run(*argv), str(home / "tideline.db")
    found = run(*argv, "--db", str(path))
    assert (found.code, found.err) == (empty.code, empty.err.replace(usual, str(path)))
    assert found.code in (0, 1)
    assert run("remember", "one text", "--db", str(path)).code == 0
    assert run("doctor", "--deep", "--db", str(path)).code == 0


def test_a_busy_store(tmp_path, monkeypatch):
    """A writer that waits in vain gets an error that reads as busy."""
    monkeypatch.setattr(connection, "BUSY_MS", 10)
    path = str(empty_store_at(tmp_path / "t.db"))
    first, second = open_for_writing(path), open_for_writing(path)
    first.execute("BEGIN IMMEDIATE")
    with pytest.raises(connection.DatabaseError) as caught, connection.writing(second):
        pass
    assert isinstance(database_errors.translated(caught.value, path), BusyError)
    first.execute("ROLLBACK")
    first.close()
    second.close()


@pytest.mark.parametrize("late", [0.0, 4.0, 25.0])
def test_two_waits_do_not_add_up(tmp_path, monkeypatch, late):
    """What a writer has waited for its turn is gone from its patience with SQLite's own lock."""
    db = open_for_writing(str(empty_store_at(tmp_path / "t.db")))
    clock, left = [100.0], []

    def wait(*_: object, seconds: float) -> None:
        assert seconds == connection.BUSY_MS / 1000
        clock[0] += late

    def seen(cursor: Any, statement: str, _: object) -> bool:
        if statement == "BEGIN IMMEDIATE":
            left.append(cursor.connection.pragma("busy_timeout"))
        return True

    monkeypatch.setattr(connection, "monotonic", lambda: clock[0])
    monkeypatch.setattr(connection.locks, "wait", wait)
    db.exec_trace = seen
    with connection.writing(db):
        pass
    with connection.in_turn(db):
        left.append(db.pragma("busy_timeout"))
    rest = max(0, connection.BUSY_MS - int(late * 1000))
    assert (left, db.pragma("busy_timeout")) == ([rest, rest], connection.BUSY_MS)
    db.close()


def test_a_log_is_switched_on_in_turn(tmp_path):
    """Whoever opens a backup that was put in place waits for the one that writes to it."""
    path = str(empty_store_at(tmp_path / "t.db"))
    first = open_for_writing(path)
    assert first.pragma("journal_mode", "delete") == "delete"
    begun = threading.Event()

    def write() -> None:
        with connection.writing(first):
            begun.set()
            time.sleep(0.3)

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(10)
    second = open_for_writing(path)
    assert second.pragma("journal_mode") == "wal"
    writer.join()
    second.close()
    first.close()


def test_a_busy_store_ends_with_75(run, home, monkeypatch):
    """remember and import on a store that stays locked end with 75 and say so."""
    db = open_for_writing(str(home / "tideline.db"))
    monkeypatch.setattr(connection, "BUSY_MS", 10)
    db.execute("BEGIN IMMEDIATE")
    for argv in (("remember", "one text"), ("import", "-")):
        done = run(*argv, "--json", stdin=b'{"content": "a row"}\n')
        assert (done.code, done.error["code"]) == (75, "busy")
    db.execute("ROLLBACK")
    db.close()


def test_a_read_only_store_answers(run, home):
    """A file that cannot be written still answers; writing to it ends with 73."""
    run("remember", "one text")
    path = home / "tideline.db"
    if os.geteuid() == 0:
        pytest.skip("root may write anything")
    path.chmod(0o400)
    home.chmod(0o500)
    try:
        assert run("recall", "text").code == 0
        assert run("remember", "more of it").code == 73
    finally:
        home.chmod(0o700)


def test_a_damaged_page_is_reported(run, home):
    """Bytes overwritten in the middle end in 5 or in an answer, never in a traceback."""
    for n in range(40):
        run("remember", f"fact number{n} about deploys {'word ' * n}")
    path = home / "tideline.db"
    raw = bytearray(path.read_bytes())
    raw[8192 : len(raw) // 2] = b"\xff" * (len(raw) // 2 - 8192)
    path.write_bytes(raw)
    for argv in (("recall", "deploys"), ("list",), ("remember", "one more"), ("status",)):
        done = run(*argv)
        assert done.code in (0, 1, 5), (argv, done.err)
        assert "internal" not in done.err


def test_the_errors_of_a_full_disk_and_a_read_only_file():
    """The library's errors read as what a user can act on."""
    import apsw

    cases = [(apsw.FullError, 73), (apsw.ReadOnlyError, 73), (apsw.CantOpenError, 73),
             (apsw.IOError, 73), (apsw.CorruptError, 5), (apsw.NotADBError, 5),
             (apsw.BusyError, 75), (apsw.LockedError, 75), (apsw.SQLError, 5)]  # fmt: skip
    assert [database_errors.translated(kind("why"), "t.db").exit_code for kind, _ in cases] == [
        code for _, code in cases
    ]
    assert {StoreError.exit_code, CannotWriteError.exit_code} == {5, 73}


def test_pragmas(db):
    """The connection is durable and careful: WAL, full sync, secure delete, foreign keys."""
    found = {name: db.pragma(name) for name in ("journal_mode", "synchronous", "secure_delete",
             "foreign_keys", "trusted_schema", "application_id", "user_version")}  # fmt: skip
    assert found == {
        "journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1,
        "trusted_schema": 0, "application_id": schema.APPLICATION_ID,
        "user_version": schema.VERSION,
    }  # fmt: skip


def test_the_file_opens_with_any_sqlite(tmp_path):
    """The standard library's SQLite reads the facts and queries the index."""
    db = open_for_writing(str(empty_store_at(tmp_path / "t.db")))
    put(db, [fact("I deploy on Fridays", "A", now=NOW)])
    db.close()
    assert open_for_reading(str(tmp_path / "nope.db")) is None
    other = sqlite3.connect(tmp_path / "t.db")
    found = other.execute(
        "SELECT content FROM fact_fts JOIN fact ON fact.seq = fact_fts.rowid"
        " WHERE fact_fts MATCH 'friday'"
    ).fetchall()
    other.close()
    assert found == [("I deploy on Fridays",)]


def test_other_words_prepare_no_statement_anew(run):
    """A statement of the index of words is prepared once, whatever values it is asked with."""
    run("remember", "the harbour crane is yellow")
    run("remember", "the tram stops at the museum")
    db = open_for_writing(os.path.join(os.environ["TIDELINE_HOME"], "tideline.db"))
    told: list[Any] = []
    db.trace_v2(apsw.SQLITE_TRACE_PROFILE, told.append)
    asked = "SELECT count(*) FROM fact_fts WHERE fact_fts MATCH ?"
    counts = [db.execute(asked, (f'"{term}"',)).get for term in ("crane", "tram", "crane")]
    db.close()
    assert counts == [1, 1, 1]
    inner = [one for one in told if "fact_fts_idx" in one["sql"]]
    assert len(inner) >= len(counts)
    assert {one["stmt_status"]["SQLITE_STMTSTATUS_REPREPARE"] for one in inner} == {0}
