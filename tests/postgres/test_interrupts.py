"""Ctrl-C while a server works: the command ends at once, and what the server does for it too."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import psycopg
import pytest

from tideline_cli.cli.commands.import_ import source
from tideline_cli.exchange.importer.preparation import CHUNK
from tideline_cli.store.postgres import opening

COMMAND = (sys.executable, "-m", "tideline_cli")


@contextmanager
def closed_table(place, table="fact"):
    """Let nobody read a table of a memory for the time of the block."""
    db = opening.open_or_make(place)
    db.execute("BEGIN IMMEDIATE")
    db.as_it_is(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
    db.flush()
    yield db
    db.execute("ROLLBACK")
    db.close()


def started(place, *argv, words=COMMAND):
    return subprocess.Popen(
        [*words, *argv],
        env=os.environ | {"TIDELINE_DB": place},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def waiting(db):
    """How many statements of others wait for a lock on the server."""
    sql = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND pid <> pg_backend_pid() AND query LIKE ?"
    )
    return db.execute(sql, (f"%{db.schema}%",)).get or db.execute(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND (relation IS NULL OR relation IN"
        " (SELECT oid FROM pg_class WHERE relnamespace = CAST(? AS regnamespace)))",
        (db.schema,),
    ).get


def until(told, least=True, seconds=20):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while bool(told()) is not least:
        assert time.monotonic() < end, "it has not come to that"
        time.sleep(0.05)


@pytest.mark.parametrize("argv", [("recall", "lamp"), ("remember", "a lamp"), ("list",)])
def test_ctrl_c_while_the_server_works(run, address, monkeypatch, argv):
    """The command ends with 130 at once, and the server waits for the lock no more."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    monkeypatch.delenv("TIDELINE_NOW")
    with closed_table(place) as db:
        process = started(place, *argv)
        until(lambda: waiting(db))
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=20)
        assert time.monotonic() - start < 8  # else it waits for good
        assert (process.returncode, out, said) == (130, "", "")
        until(lambda: waiting(db), least=False)
    assert run("list").out.count("\n") == 1


def test_a_statement_that_sleeps_is_cancelled(address):
    """Also one that waits for nothing that the server could be woken by."""
    place = address()
    db = opening.open_or_make(place)
    script = (
        "import sys\nfrom tideline_cli.store.postgres import opening\n"
        "db = opening.open_if_there(sys.argv[1])\n"
        "try:\n    db.execute('SELECT pg_sleep(60)').fetchall()\n"
        "except KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    process = started(place, place, words=(sys.executable, "-c", script))
    sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    until(lambda: db.execute(sleeping).get)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert time.monotonic() - start < 8  # else it waits for good
    until(lambda: db.execute(sleeping).get, least=False, seconds=2)
    db.close()


def test_ctrl_c_while_a_server_does_not_answer():
    """One that takes the connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"postgresql://x@127.0.0.1:{silent.getsockname()[1]}/memory"
        process = started(place, "recall", "lamp")
        taken, _ = silent.accept()
        time.sleep(0.2)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        assert time.monotonic() - start < 8  # else it waits for good
        taken.close()
        assert (process.returncode, out) == (130, "")


def test_a_prompt_waits_five_seconds_for_its_facts(address):
    """`context --auto` ends with nothing where the server does not answer; its log is stderr, with
    --verbose."""
    place = address()
    with closed_table(place):
        began = time.monotonic()
        process = started(place, "context", "--auto", "--verbose", "where is the kettle")
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "") and "in time" in err
    assert 4.5 < time.monotonic() - began < 12


def test_a_request_to_cancel_is_not_waited_for(address):
    """A server that is out of reach keeps nobody who has pressed Ctrl-C."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        wire = opening.open_or_make(address())._wire

        def to_nowhere(*, timeout):
            with socket.create_connection(silent.getsockname()) as other:
                other.settimeout(timeout)
                try:
                    other.recv(1)
                except TimeoutError:
                    raise psycopg.errors.CancellationTimeout from None

        wire._connection.cancel_safe = to_nowhere
        began = time.monotonic()
        wire.cancel()
        assert time.monotonic() - began < 5
    wire.close()


@pytest.mark.parametrize("merge", [(), ("--merge",)])
def test_one_undo_takes_back_an_import_that_went_on(both, tmp_path, monkeypatch, merge):
    """In a file and on a server the second run joins the batch of the one that was stopped."""
    lines = (f'{{"content": "fact number {n} of {n % 97}"}}\n' for n in range(2 * CHUNK))
    (tmp_path / "big.jsonl").write_text("".join(lines))
    read = source.Source._read

    def stopped(self):
        for line, row in read(self):
            if line > CHUNK + 5:
                raise KeyboardInterrupt
            yield line, row

    both("remember", "something before")
    with monkeypatch.context() as patch:
        patch.setattr(source.Source, "_read", stopped)
        assert [done.code for done in both("import", "big.jsonl", *merge)] == [130, 130]
    for done in both("import", "big.jsonl", *merge, "--json"):
        assert (done.code, done.json["batch"]) == (0, 2), done.err
    assert [done.code for done in both("undo")] == [0, 0]
    for done in both("status", "--json"):
        assert done.json["facts"]["active"] == 1
