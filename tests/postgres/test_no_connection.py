"""A connection that is not made: the hint is about what is missing."""

from __future__ import annotations

import pytest

from tests.postgres.people import as_role, new_role, psql
from tideline_cli.store.postgres import no_connection

USUAL = no_connection.hint("")


@pytest.fixture
def tell(run, monkeypatch):
    """Return what tells the error of a command that uses an address."""

    def told(place):
        monkeypatch.setenv("TIDELINE_DB", place)
        done = run("recall", "lamp")
        assert (done.code, done.out) == (5, "") and "Traceback" not in done.err
        return done.err

    return told


def test_a_role_that_is_not_there(tell, server):
    """The hint says who makes one."""
    said = tell(as_role(server, "nobody_at_all"))
    assert 'role "nobody_at_all" does not exist' in said and "createuser" in said


def test_a_role_that_may_not_log_in(tell, server):
    """The same."""
    role = new_role(server)
    psql(server, f"ALTER ROLE {role} NOLOGIN")
    said = tell(as_role(server, role))
    assert "not permitted to log in" in said and "administrator makes the role" in said


def test_a_database_that_is_not_there(tell, server):
    """The hint says how one is made."""
    said = tell(server.replace("/postgres?", "/nowhere?"))
    assert 'database "nowhere" does not exist' in said and "createdb" in said


def test_a_database_that_lets_nobody_in(tell, server):
    """The hint says what lets a role in."""
    role = new_role(server)
    psql(server, f"DROP DATABASE IF EXISTS of_{role}", f"CREATE DATABASE of_{role}",
         f"REVOKE CONNECT ON DATABASE of_{role} FROM PUBLIC")  # fmt: skip
    said = tell(as_role(server, role).replace("/postgres?", f"/of_{role}?"))
    psql(server, f"DROP DATABASE of_{role}")
    assert "permission denied for database" in said and "GRANT CONNECT" in said


def test_every_host_of_an_address_is_told(tell, tmp_path):
    """None of two is there: both are named."""
    said = tell(f"postgresql://anna@/memory?host={tmp_path}/one,{tmp_path}/two")
    assert f"{tmp_path}/one" in said and f"{tmp_path}/two" in said
    assert "is the server running there" in said


@pytest.mark.parametrize(("said", "word"), [
    ('FATAL: password authentication failed for user "anna"', "~/.pgpass"),
    ("fe_sendauth: no password supplied", "~/.pgpass"),
    ('FATAL: no pg_hba.conf entry for host "10.0.0.7", user "anna", database "memory", no '
     "encryption", "lets this role in"),
    ("server certificate for \"db1\" does not match host name \"db2\"", "sslrootcert="),
    ("server does not support SSL, but SSL was required", "sslmode="),
    ('could not translate host name "db9" to address: Name or service not known', "name of the"),
    ("FATAL: sorry, too many clients already", "pool"),
    ("FATAL: the database system is starting up", "in a moment"),
    ("session is read-only", "target_session_attrs"),
])  # fmt: skip
def test_what_cannot_be_had_here(said, word):
    """Words of libpq 15 and of PostgreSQL 15."""
    told = no_connection.hint(said)
    assert told != USUAL and word in told


def test_words_of_another_language():
    """The usual hint is better than none."""
    assert no_connection.hint("FATAL: Anmeldung nicht möglich") == USUAL
