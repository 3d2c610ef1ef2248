"""Origins with schemas of their own on a server, beside a file that is the owner's."""

from __future__ import annotations

import json

import pytest

from tests.postgres.people import as_role, new_role, own
from tideline_cli import Memory
from tideline_cli.config.settings import TABLE
from tideline_cli.store import remote

OPS, TEAM = "channel:chat/ops/board", "channel:chat/team/board"


@pytest.fixture(autouse=True)
def _no_database_for_all(home, monkeypatch):
    """Where all tests have their memories on a server, a variable names one for all."""
    monkeypatch.delenv("TIDELINE_DB", raising=False)


@pytest.fixture
def places(run, address, home):
    """Two schemas, each that of an origin; the file of the owner is as usual."""
    found = {OPS: address(), TEAM: address()}
    for origin, place in found.items():
        with_password = place.replace("tideline@", "tideline:hush@")
        assert run("config", "set", "database", with_password, "--origin", origin).code == 0
    assert "hush" in (home / "config.toml").read_text()
    return found


def texts(done):
    return [line.partition("] ")[2] for line in done.out.splitlines()]


def test_two_schemas_beside_a_file(run, places, home):
    """Each origin writes and reads its own; the owner's is a file, and no password is told."""
    run("remember", "mine")
    for origin in places:
        run("remember", f"said by {origin}", "--origin", origin)
    for origin, place in places.items():
        done = run("list", "--origin", origin)
        assert texts(done) == texts(run("list", "--db", place, "--origin", origin))
        assert texts(done) == [f"said by {origin}"]
        status = run("status", "--json", "--origin", origin).json
        assert status["database"] == remote.kept(place)
        assert status["database_from"] == f"{TABLE} in {home / 'config.toml'}"
        with Memory.open(origin=origin) as memory:
            assert [hit.fact.content for hit in memory.recall("said")] == [f"said by {origin}"]
    assert texts(run("list")) == ["mine"]
    for argv in (("status",), ("config", "list"), ("config", "get", TABLE), ("dream",), ("doctor",),
                 ("-v", "list", "--origin", OPS), ("backup", "x.db")):  # fmt: skip
        done = run(*argv)
        assert done.code == 0 and "hush" not in done.out + done.err, done


def test_passes_go_over_all(run, places):
    """A dream tends each; one server that is away stops neither the file nor the other."""
    for whose in ("owner", *places):
        run("remember", "the river is high", "--origin", whose)
    run("remember", "not of the table", "--db", places[OPS])
    done = run("dream", "--json").json
    assert [one["origin"] for one in done["origins"]] == ["owner"]
    found = {
        one["database"]: [row["origin"] for row in one["origins"]] for one in done["databases"]
    }
    assert found == {remote.kept(place): [origin] for origin, place in places.items()}
    assert run("doctor").out.count("all is well") == 3
    away = "postgresql://someone:hush@localhost:1/nowhere"
    run("config", "set", "database", away, "--origin", OPS)
    done = run("dream", "--json")
    assert done.code == 5 and "hush" not in done.out + done.err
    assert ["error" in one for one in done.json["databases"]] == [True, False]
    assert run("dream", "--quiet").out == ""


def test_what_stays_in_another_schema(run, address):
    """Facts that an origin has where it wrote before are told, and brought over by the hint."""
    before, after = address(), address()
    run("config", "set", "database", before)
    run("remember", "ops said one", "--origin", OPS)
    done = run("config", "set", "database", after, "--origin", OPS)
    assert "1 fact that is in" in done.err and remote.kept(before) in done.err
    run("remember", "in the other schema", "--origin", OPS)
    assert "1 fact that is in" in run("doctor", "--json").err
    rows = run("export", "--db", before, "--origin", OPS).out
    assert json.loads(rows)["content"] == "ops said one"
    assert run("import", "-", "--trust", "--origin", OPS, stdin=rows.encode()).code == 0
    assert run("status", "--origin", OPS).err == ""
    assert len(texts(run("list", "--origin", OPS))) == 2


def test_a_member_of_a_server(run, server, address, home):
    """A table may name a server on which one is a member: it is tended as far as one sees."""
    place = address()
    lena = new_role(server)
    run("remember", "the owner of the server", "--db", place)
    run("member", "add", lena, own(lena), "--db", place)
    run("remember", "of somebody else", "--db", place, "--origin", OPS)
    origin = own(lena).partition("=")[2]
    run("config", "set", "database", as_role(place, lena), "--origin", origin)
    run("remember", "mine")
    run("remember", "lena's", "--origin", origin)
    (one,) = run("dream", "--json").json["databases"]
    assert [row["origin"] for row in one["origins"]] == [origin]
    done = run("doctor", "--json", "--db", as_role(place, lena))
    assert (done.code, done.error["code"]) == (2, "not_the_owner")
    done = run("doctor", "--json")
    assert (done.code, done.json["ok"], done.json["databases"][0]["ok"]) == (0, True, None)
    assert "owns its tables" in done.err
    assert texts(run("list", "--origin", origin)) == ["lena's"]
    assert run("member", "list", "--origin", origin).out.startswith(f"{lena}\t{origin}")
