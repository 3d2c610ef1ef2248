"""A server whose standby is away: what is promised to somebody waits for it, nothing else does."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager

import pytest

from tests.postgres import cluster
from tests.postgres.people import psql
from tests.postgres.test_interrupts import started, until

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@pytest.fixture(scope="module")
def server():
    programs = cluster.programs()
    if programs is None:
        pytest.skip("NO POSTGRESQL SERVER IS INSTALLED: Debian: apt install postgresql")
    with cluster.Cluster(programs) as made:
        yield made.address


@contextmanager
def standby_away(place):
    """Have the server wait for a standby that nobody has started."""
    base = place.partition("&schema=")[0]
    psql(base, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
    try:
        yield
    finally:
        psql(base, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")


@pytest.fixture
def place(run, address, monkeypatch):
    """A memory with a fact of brass and a server whose standby is away."""
    made = address()
    monkeypatch.setenv("TIDELINE_DB", made)
    assert run("remember", "the lamp is of brass").code == 0
    monkeypatch.delenv("TIDELINE_NOW")
    with standby_away(made):
        yield made


@pytest.mark.sampled(2)
@pytest.mark.parametrize("argv", [
    ("recall", "lamp"), ("context", "lamp"), ("context", "--auto", "lamp"), ("list",), ("status",),
])  # fmt: skip
def test_who_reads_waits_for_no_standby(place, argv):
    """Also where uses are counted, or what was given out is noted."""
    began = time.monotonic()
    process = started(place, *argv)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0 and out and not err
    assert time.monotonic() - began < 10


def test_uses_are_counted(run, place):
    """They are stored though the standby has not got them."""
    process = started(place, "recall", "lamp")
    process.communicate(timeout=20)
    assert psql(place, "SELECT access_count FROM usage").strip() == "1"
    assert int(psql(place, WAITING)) == 0


@pytest.mark.parametrize("argv", [("remember", "a chair of oak"), ("forget", "--query", "lamp")])
def test_ctrl_c_while_the_server_waits_for_its_standby(run, place, argv):
    """It is stored already, and nobody can know: the command says so, and how to look."""
    if argv[0] == "forget":
        argv = ("forget", run("list").out.split()[0])
    process = started(place, *argv)
    until(lambda: int(psql(place, WAITING)))
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 8  # else it waits for good
    assert process.returncode == 130 and out == ""
    assert "stopped while the server was storing it: it may be stored" in err
    assert "look before you repeat it: `tideline history`" in err
    assert run("history").out.startswith("2\t")


def test_ctrl_c_before_it_is_stored_says_nothing(place):
    """What waits for another writer is not stored."""
    first = started(place, "remember", "a chair of oak")
    until(lambda: int(psql(place, WAITING)))
    second = started(place, "remember", "a table of ash")
    until(lambda: int(psql(place, "SELECT count(*) FROM pg_locks WHERE NOT granted")))
    second.send_signal(signal.SIGINT)
    out, err = second.communicate(timeout=20)
    assert (second.returncode, out, err) == (130, "", "")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=20)


def test_an_import_that_is_stopped_tells_what_may_be_in(place, tmp_path):
    """Beside what is in, the part that the server was storing."""
    (tmp_path / "rows.jsonl").write_text('{"content": "a chair"}\n')
    process = started(place, "import", str(tmp_path / "rows.jsonl"))
    until(lambda: int(psql(place, WAITING)))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "what was being stored may be in too" in err
