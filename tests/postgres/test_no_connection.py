"""A connection that is not made: the hint is about what is missing."""

from __future__ import annotations

import pytest

from tests.postgres.people import as_role, new_role, psql
from tideline_cli.store.postgres import refusals

PLACE = "postgresql://anna@db1/memory"
USUAL = refusals.what_failed("", PLACE).hint


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
    assert "not permitted to log in" in said and "ALTER ROLE NAME LOGIN" in said


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


@pytest.mark.parametrize(("said", "code", "word"), [
    ('FATAL: password authentication failed for user "anna"', 5, "~/.pgpass"),
    ("fe_sendauth: no password supplied", 5, "~/.pgpass"),
    ('FATAL: no pg_hba.conf entry for host "10.0.0.7", user "anna", database "memory", no '
     "encryption", 5, "lets this role in"),
    ('server certificate for "db1" does not match host name "db2"', 5, "hostaddr="),
    ("SSL error: certificate verify failed", 5, "sslrootcert="),
    ("server does not support SSL, but SSL was required", 5, "ssl = on"),
    ('root certificate file "~/root.crt" does not exist', 5, "whole path"),
    ('could not translate host name "db9" to address: Name or service not known', 5, "name of the"),
    ("FATAL: sorry, too many clients already", 75, "pool"),
    ('FATAL: too many connections for role "anna"', 75, "pool"),
    ('FATAL: too many connections for database "memory"', 75, "pool"),
    ("FATAL: remaining connection slots are reserved for roles with the SUPERUSER", 75, "pool"),
    ("FATAL: no more connections allowed (max_client_conn)", 75, "pool"),
    ("FATAL: the database system is starting up", 75, "in a moment"),
    ("session is read-only", 5, "target_session_attrs"),
    ('FATAL: database "memory" is not currently accepting connections', 5, "ALLOW_CONNECTIONS"),
    ('invalid sslmode value: "on"', 2, "verify-full"),
    ('invalid URI query parameter: "colour"', 2, "client library"),
    ('invalid port number: "99999"', 2, "HOST:PORT"),
])  # fmt: skip
def test_what_cannot_be_had_here(said, code, word):
    """Words of libpq 15 and of PostgreSQL 15."""
    told = refusals.what_failed(said, PLACE)
    assert told.exit_code == code and said in told.message
    assert told.hint != USUAL and word in told.hint


@pytest.mark.parametrize("part", ["port=99999", "sslmode=on", "colour=red", "port=x"])
def test_an_address_that_the_library_cannot_read(run, monkeypatch, server, part):
    """The user has to change it: a usage error."""
    monkeypatch.setenv("TIDELINE_DB", f"{server}&{part}")
    done = run("recall", "lamp")
    assert (done.code, done.out) == (2, "") and "address of the server cannot be used" in done.err


def test_a_role_with_as_many_connections_as_it_may_have(run, monkeypatch, server, address):
    """It passes: the command ends as busy."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "a lamp").code == 0
    role = new_role(server)
    psql(server, f"ALTER ROLE {role} CONNECTION LIMIT 0")
    monkeypatch.setenv("TIDELINE_DB", as_role(place, role))
    done = run("recall", "lamp")
    assert done.code == 75 and "too many connections for role" in done.err and "pool" in done.err


def test_a_wrong_password_in_the_address():
    """It counts before all other places, so the hint does not name those first."""
    said = 'FATAL: password authentication failed for user "anna"'
    told = refusals.what_failed(said, "postgresql://anna:secret@db1/memory")
    assert "password in the address is wrong" in told.hint and "secret" not in told.message


def test_what_is_said_of_a_host_twice_is_told_once(tell, server):
    """The library tries with encryption and without."""
    said = tell(as_role(server, "nobody_at_all") + "&sslmode=prefer")
    assert said.count("does not exist") == 1


@pytest.mark.parametrize(("said", "word"), [
    ('connection to server on socket "/tmp/recovery/.s.PGSQL.5432" failed: No such file or '
     "directory", "server running there"),
    ('FATAL: database "too many clients" does not exist', "createdb"),
    ('FATAL: role "password" does not exist', "createuser"),
    ('connection to server at "the database system is" (10.0.0.1), port 5432 failed: Connection '
     "refused", "server running there"),
    ('could not translate host name "SSL" to address: Name or service not known', "name of the"),
])  # fmt: skip
def test_names_are_no_reasons(said, word):
    """Hosts, roles and databases may be called anything."""
    told = refusals.what_failed(said, PLACE)
    assert told.exit_code == 5 and word in told.hint


def test_words_of_another_language():
    """The usual hint is better than none."""
    assert refusals.what_failed("FATAL: Anmeldung nicht möglich", PLACE).hint == USUAL
