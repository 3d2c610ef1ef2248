"""What is a server's own: addresses, refusals, many writers, other origins."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import time

import apsw
import pytest

from tests.postgres.people import as_role, new_role, own
from tests.support import ROOT, fact, put
from tideline_cli import Memory
from tideline_cli.errors import StoreError
from tideline_cli.model.text import WITH_FORMS, index_terms
from tideline_cli.store import connection, locks, writes
from tideline_cli.store.opening import open_for_writing as opened
from tideline_cli.store.postgres import opening


def test_no_memory_is_made_to_look(run, address, monkeypatch):
    """Reading an address where nothing is makes nothing."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("recall", "deploy").code == 1
    assert opening.open_if_there(place) is None


def test_tables_that_are_made_while_somebody_looks(address):
    """Who finds none, and has them before it asks why, says that there were none."""
    place = address()
    db = opening.connected(place)

    def made_meanwhile():
        opened(place).close()
        error = apsw.SQLError('relation "setting" does not exist')
        error.state = "42P01"
        raise error

    db.ask_settings = made_meanwhile
    assert not opening.look(db)
    db.close()
    there = opening.open_if_there(place)
    assert there is not None
    there.close()


def test_a_type_that_is_no_text_is_not_read_as_one(address):
    """The number by which a server names a table is no text, whatever its bytes look like."""
    db = opened(address())
    with pytest.raises(TypeError, match="2205"):
        db.execute("SELECT to_regclass('setting')").fetchall()
    db.close()


def test_a_password_is_never_told(run, server, monkeypatch):
    """Neither status nor an error shows it."""
    plain = server.replace("tideline@", "tideline:hush@")
    monkeypatch.setenv("TIDELINE_DB", plain)
    done = run("status")
    assert "postgresql://tideline@" in done.out and "hush" not in done.out + done.err
    monkeypatch.setenv("TIDELINE_DB", "postgresql://someone:hush@localhost:1/nowhere")
    done = run("status", "--verbose")
    assert done.code == 5 and "no connection" in done.err and "hush" not in done.err
    assert run("schedule").out.count("hush") == 0


@pytest.mark.parametrize("password", ["hush/1", "hush?1", "hush@1", "1%hush", "%00hush"])
def test_a_password_that_is_not_encoded_is_never_told(run, monkeypatch, password):
    """The client library would repeat what it takes for a part of the address."""
    monkeypatch.setenv("TIDELINE_DB", f"postgresql://anna:{password}@localhost:1/nowhere")
    for argv in (("status",), ("recall", "x", "--verbose"), ("schedule",), ("doctor", "--json")):
        done = run(*argv)
        assert done.code == 2 and "cannot be read" in done.err and "%40" in done.err
        assert "hush" not in done.out + done.err


@pytest.mark.parametrize("place", ["address", "environment"])
def test_how_long_a_silent_server_is_waited_for(run, monkeypatch, place):
    """The address says it, or the client library's own variable; ten seconds are usual."""
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        address = f"postgresql://anna@127.0.0.1:{silent.getsockname()[1]}/memory"
        if place == "address":
            address += "?connect_timeout=2"
        else:
            monkeypatch.setenv("PGCONNECT_TIMEOUT", "2")
        monkeypatch.setenv("TIDELINE_DB", address)
        began = time.monotonic()
        done = run("recall", "x")
    assert done.code == 5 and "no connection" in done.err and time.monotonic() - began < 8


def test_another_kind_of_server_is_no_file(run, tmp_path, monkeypatch):
    """Nothing is made under such a name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDELINE_DB", "mysql://anna:hush@localhost/memory")
    done = run("remember", "x")
    assert done.code == 2 and "postgresql://" in done.err and "hush" not in done.err
    assert not (tmp_path / "mysql:").exists()


@pytest.mark.parametrize(
    "name", ["a-b", "x;y", "", "a" * 64, "Team", "pg_team", "information_schema"]
)
def test_a_schema_has_a_plain_name(run, server, monkeypatch, name):
    """A name of a schema is no way into a statement."""
    monkeypatch.setenv("TIDELINE_DB", f"{server}&schema={name}")
    done = run("remember", "x")
    assert done.code == 2 and "no name of a schema" in done.err


@pytest.mark.parametrize(
    "argv",
    [("backup", "x.db"), ("restore", "--from", "x.db", "--yes")],
)
def test_what_files_alone_have(run, address, monkeypatch, argv):
    """Such a command says so, and what does the same for a server."""
    monkeypatch.setenv("TIDELINE_DB", address())
    run("remember", "something")
    done = run(*argv)
    assert done.code == 2 and "is for memories in files" in done.err and "hint" in done.err


def test_an_evaluation_that_needs_a_copy(run, address, monkeypatch):
    """What works on a copy says that it copies files, and how to make one, which it takes."""
    monkeypatch.setenv("TIDELINE_DB", address())
    run("remember", "I deploy on Fridays")
    with open("gold.jsonl", "w") as file:
        file.write('{"query": "when do I deploy", "answers": ["I deploy on Fridays"]}\n')
    for argv in (("eval", "poison"), ("eval", "run", "gold.jsonl")):  # its vector is missing
        done = run(*argv, "--json")
        assert (done.code, done.error["code"]) == (2, "files_only")
        assert "tideline export --all-origins" in done.error["hint"]
    rows = run("export", "--all-origins").out
    assert run("--db", "one.db", "import", "-", "--trust", stdin=rows).code == 0
    assert run("--db", "one.db", "eval", "run", "gold.jsonl").code == 0
    run("recall", "when do I deploy")
    assert run("eval", "run", "gold.jsonl").code == 0


def test_a_purge_says_what_a_server_keeps(run, address, monkeypatch):
    """What its administrator keeps, nobody here can remove."""
    monkeypatch.setenv("TIDELINE_DB", address())
    made = run("remember", "the door code is 4711", "--json").json["id"]
    done = run("purge", made, "--yes")
    assert done.code == 0 and "its log, its replicas and its backups" in done.err
    assert "4711" not in run("export").out + run("history").out


def test_origins_do_not_meet(run, address, monkeypatch):
    """A channel finds nothing of the owner's, and the owner nothing of its."""
    monkeypatch.setenv("TIDELINE_DB", address())
    run("remember", "the lamp is of brass")
    other = ("--origin", "channel:chat/a/b")
    assert run(*other, "recall", "lamp").code == 1
    run(*other, "remember", "the lamp is of glass")
    assert "glass" not in run("recall", "lamp").out
    assert "brass" not in run(*other, "recall", "lamp").out


def test_many_writers(address):
    """Processes that write at once lose nothing, and number their batches without gaps."""
    place = address()
    code = "import sys; from tideline_cli.__main__ import main; sys.exit(main(sys.argv[1:]))"
    given = os.environ | {"TIDELINE_DB": place}

    def write(*argv):
        return subprocess.Popen(
            [sys.executable, "-c", code, *argv],
            env=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    facts = [f"fact of writer {number} in row {number * 7}" for number in range(8)]
    running = [write("remember", fact) for fact in facts]
    for one in running:
        _, said = one.communicate(timeout=120)
        assert one.returncode == 0, said
    db = opening.open_if_there(place)
    assert db.execute("SELECT count(*) FROM fact").get == len(facts)
    assert db.execute("SELECT ordinal FROM batch ORDER BY 1").get == list(range(1, 9))
    db.close()


def test_a_killed_writer_leaves_nothing_half(address):
    """What was not committed is gone, and the next writer waits for nobody."""
    place = address()
    db = opening.open_or_make(place)
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO setting (name, value) VALUES ('half', 'done')")
    db.flush()
    db.close()  # the connection is gone, as when its process is killed
    other = opening.open_or_make(place)
    assert other.execute("SELECT count(*) FROM setting WHERE name = 'half'").get == 0
    other.close()


def test_the_commands_of_the_page(run, address, server, monkeypatch, tmp_path):
    """What docs/team.md says to type works, with an address of a server that is there. Databases of
    origins are set where no variable names one: tests/docs does."""
    page, *_ = (ROOT / "docs" / "team.md").read_text("utf-8").split("## An origin on a database")
    typed = [line for line in page.splitlines() if line.startswith("tideline ")]
    assert len(typed) == 7
    new_role(server, "lena")
    file = str(tmp_path / "was.db")
    run("--db", file, "remember", "what was in a file")
    monkeypatch.setenv("TIDELINE_DB", address())
    for line in typed:
        words = shlex.split(line.replace("~/.local/share/tideline/tideline.db", file))[1:]
        written = words.index(">") if ">" in words else len(words)
        done = run(*words[:written])
        assert done.code == 0, (line, done.err)
        if written < len(words):
            (tmp_path / words[-1]).write_text(done.out)
    assert run("list").out.count("\n") == 2


def noted(db):
    return db.execute("SELECT value FROM setting WHERE name LIKE 'test%' ORDER BY 1").get


def test_a_failed_statement_spoils_its_transaction(address):
    """Who goes on after a failure stores nothing: neither what was before it nor what follows."""
    db = opening.open_or_make(address())
    add = "INSERT INTO setting (name, value) VALUES (?, ?)"
    with pytest.raises(apsw.Error), connection.writing(db):
        db.execute(add, ("test 1", "one"))
        with pytest.raises(apsw.ConstraintError):
            db.execute(f"{add} RETURNING name", ("test 1", "again")).fetchone()
        with pytest.raises(apsw.SQLError, match="has failed"):
            db.execute(add, ("test 2", "two"))
    assert db.get_autocommit() and noted(db) is None
    with connection.writing(db):
        db.execute(add, ("test 3", "three"))
    assert noted(db) == "three"
    db.close()


def test_a_savepoint_takes_a_failure_back(address):
    """What was written before it stays, as `remember --batch` needs it."""
    db = opening.open_or_make(address())
    add = "INSERT INTO setting (name, value) VALUES (?, ?)"
    with connection.writing(db):
        db.execute(add, ("test 1", "one"))
        with pytest.raises(apsw.ConstraintError), db:
            db.execute(add, ("test 2", "two"))
            db.execute(f"{add} RETURNING name", ("test 1", "again")).fetchone()
        with db:
            db.execute(add, ("test 4", "four"))
    assert noted(db) == ["four", "one"]
    db.close()


def test_a_refused_fact_takes_no_number(address):
    """Facts that are stored in a row have numbers in a row, as in a file: bounds and runs of births
    rest on it."""
    db = opening.open_or_make(address())
    assert put(db, [fact("one", "A"), fact("two", "B")]) == [1, 2]
    with connection.writing(db):
        again = fact("three", "A")
        listed = index_terms(again.content, analyzer=WITH_FORMS)
        assert not writes.insert(db, again, origin_number=1, terms=listed)
    assert put(db, [fact("four", "D")]) == [3]
    db.close()


def test_many_statements_at_once(address):
    """Thousands of them, with long answers, do not fill what lies between both sides."""
    db = opening.open_or_make(address())
    with connection.writing(db):
        for number in range(3_000):
            db.execute("INSERT INTO setting (name, value) VALUES (?, ?)",
                       (f"test {number:04d}", "x" * 900))  # fmt: skip
        db.executemany("UPDATE setting SET value = 'y' WHERE name = ? RETURNING repeat('z', 2000)",
                       [(f"test {number:04d}",) for number in range(3_000)])  # fmt: skip
    assert db.execute("SELECT count(*) FROM setting WHERE value = 'y'").get == 3_000
    db.close()


def test_who_does_not_wait_goes_on_without_writing(address):
    """A writer whose patience is short is told that the memory is busy, and can read on."""
    place = address()
    first, second = opening.open_or_make(place), opening.open_or_make(place)
    second.set_busy_timeout(20)
    with connection.writing(first):
        first.execute("SELECT 1").fetchone()
        with pytest.raises(apsw.BusyError), connection.writing(second):
            pass
        assert second.get_autocommit() and noted(second) is None
    with connection.writing(second):
        second.execute("INSERT INTO setting (name, value) VALUES ('test', 'late')")
    assert noted(first) == "late"
    first.close()
    second.close()


def test_one_dream_at_a_time(address):
    """Also where nothing was remembered yet."""
    place = address()
    held = locks.attempt(place, locks.DREAM)
    assert held is not None
    assert locks.attempt(place, locks.DREAM) is None
    other = locks.attempt(place, locks.SYNC)
    assert other is not None
    locks.release(other)
    locks.release(held)
    again = locks.attempt(place, locks.DREAM)
    assert again is not None
    locks.release(again)


@pytest.mark.parametrize(
    ("setting", "argv", "code", "words"),
    [
        ("default_transaction_read_only=on", ("remember", "b"), 73, "can only be read"),
        ("default_transaction_read_only=on", ("gc",), 73, "target_session_attrs"),
        ("statement_timeout=1", ("dream",), 75, "statement_timeout"),
    ],
)
def test_what_a_server_forbids_is_told(run, address, monkeypatch, setting, argv, code, words):
    """No message speaks of a file, its permissions or damage."""
    monkeypatch.setenv("TIDELINE_DB", address())
    run("remember", "a")
    monkeypatch.setenv("PGOPTIONS", f"-c {setting}")
    done = run(*argv)
    assert done.code == code and words in done.err
    assert not any(word in done.err for word in ("folder", "file", "refused"))


def test_row_security_that_is_off(run, server, address, monkeypatch):
    """Each transaction has it on, whatever the session of a member says."""
    place, role = address(), new_role(server)
    monkeypatch.setenv("TIDELINE_DB", place)
    run("remember", "what the owner said of a lamp")
    run("member", "add", role, own(role))
    monkeypatch.setenv("TIDELINE_DB", as_role(place, role))
    monkeypatch.setenv("PGOPTIONS", "-c row_security=off")
    assert run("remember", "what the member said of a lamp", own(role)).code == 0
    done = run("recall", "lamp", own(role))
    assert done.code == 0 and "the member" in done.out and "the owner" not in done.out


def test_a_connection_that_is_lost(address):
    """The code is that of a server which is not there, and the hint says how to go on."""
    place = address()
    with Memory.open(place) as memory, Memory.open(place) as other:
        memory.remember("a kettle")
        other.recall("kettle", touch=False)
        process = other._db.execute("SELECT pg_backend_pid()").get
        memory._db.execute(f"SELECT pg_terminate_backend({process}, 5000)").fetchall()
        with pytest.raises(StoreError, match="was lost") as lost:
            other.recall("kettle")
    assert (lost.value.exit_code, lost.value.code) == (5, "no_server")
    assert "history" in lost.value.hint


def test_an_import_of_who_is_no_member(run, server, address, monkeypatch, tmp_path):
    """The refusal is told, and no statement of ours."""
    place, role = address(), new_role(server)
    monkeypatch.setenv("TIDELINE_DB", place)
    run("remember", "a")
    run("member", "add", role, own(role))
    monkeypatch.setenv("TIDELINE_DB", as_role(place, role))
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "b"}\n')
    done = run("import", str(rows))
    assert done.code == 73 and "no member of this origin" in done.err and "INSERT" not in done.err
