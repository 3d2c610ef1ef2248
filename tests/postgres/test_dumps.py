"""A memory that pg_dump has copied and psql puts back, as the page of servers says."""

from __future__ import annotations

import subprocess

import pytest

from tests.postgres import cluster
from tests.postgres.people import as_role, new_role, own, psql

ASKED = (
    ("export", "--all-origins"),
    ("recall", "lamp", "--json"),
    ("recall", "Lena likes tea", "--mode", "semantic", "--json"),
    ("history", "--json"),
    ("status", "--json"),
)


def dumped(address):
    """Return all of a database as SQL."""
    base = address.partition("&schema=")[0]
    schema = address.partition("&schema=")[2]
    argv = [cluster.program("pg_dump"), "-d", base, "--schema", schema]
    return subprocess.run(argv, check=True, capture_output=True, timeout=60).stdout


def put_back(base, sql):
    """Run what pg_dump has written."""
    argv = [cluster.program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", base]
    subprocess.run(argv, input=sql, check=True, capture_output=True, timeout=60)


@pytest.fixture
def place(run, address, monkeypatch):
    """A memory with facts of two origins, tags, a link, a slot, vectors and a past."""
    made = address()
    monkeypatch.setenv("TIDELINE_DB", made)
    first = run("remember", "the lamp is of brass", "--tag", "home", "--json").json["id"]
    second = run("remember", "Lena likes green tea", "--slot", "drink", "--json").json["id"]
    run("link", first, second, "--kind", "supports")
    run("remember", "Lena likes black tea", "--slot", "drink")
    run("recall", "what does Lena drink", "--mode", "semantic")
    run("--origin", "channel:chat/a/b", "remember", "the lamp is of glass")
    run("dream")
    return made


def answers(run):
    """Return what a memory answers; `status` without its size on the disk."""
    told = [run(*argv, "--no-touch" if argv[0] == "recall" else "-q") for argv in ASKED]
    assert [one.code for one in told] == [0] * len(ASKED), told
    *others, status = told
    kept = {key: value for key, value in status.json.items() if "size" not in key}
    return [one.out for one in others] + [kept]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["again", "elsewhere"])
def test_a_dump_put_back(run, place, server, monkeypatch, elsewhere):
    """It answers as before, keeps the wall, and is written as before: in the database that it was
    in, and in another one."""
    role = new_role(server)
    assert run("member", "add", role, own(role)).code == 0
    assert run("--db", as_role(place, role), own(role), "remember", "a key of the member").code == 0
    before, sql = answers(run), dumped(place)
    schema = place.partition("&schema=")[2]
    psql(server, f"DROP SCHEMA {schema} CASCADE")
    base = server
    if elsewhere:
        base = server.replace("/postgres?", f"/other_{role}?")
        psql(server, f"CREATE DATABASE other_{role} TEMPLATE template0 ENCODING 'UTF8'")
    put_back(base, sql)
    monkeypatch.setenv("TIDELINE_DB", f"{base}&schema={schema}")
    shown = answers(run)
    assert shown[:-1] == before[:-1]
    assert run("doctor", "--deep").code == 0
    inside = run("--db", as_role(f"{base}&schema={schema}", role), own(role), "export")
    assert "a key of the member" in inside.out and "brass" not in inside.out
    assert run("undo").code == 0 and run("redo").code == 0
    assert run("remember", "a bridge spans the river").code == 0
    assert "bridge" in run("recall", "river").out
    assert run("doctor", "--deep").code == 0
    if elsewhere:
        psql(server, f"DROP DATABASE other_{role} WITH (FORCE)")


def test_a_schema_with_another_name(run, place, server, monkeypatch):
    """Its functions name the schema of before, where another memory lies now: nothing is read or
    written, `doctor` says so too, and with its name back all is well."""
    before, sql = answers(run), dumped(place)
    schema = place.partition("&schema=")[2]
    psql(server, f"ALTER SCHEMA {schema} RENAME TO renamed_{schema}")
    put_back(server, sql)
    monkeypatch.setenv("TIDELINE_DB", f"{server}&schema=renamed_{schema}")
    for argv in (("remember", "a bridge spans the river"), ("recall", "lamp"), ("undo",)):
        done = run(*argv)
        assert done.code == 5 and f"RENAME TO {schema}" in done.err, argv
    looked = run("doctor", "--json")
    assert looked.code == 5
    assert [one["check"] for one in looked.json["findings"]] == ["tables"], looked
    assert "the schema was renamed" in looked.json["findings"][0]["message"]
    monkeypatch.setenv("TIDELINE_DB", place)
    assert answers(run) == before
    psql(server, f"DROP SCHEMA {schema} CASCADE",
         f"ALTER SCHEMA renamed_{schema} RENAME TO {schema}")  # fmt: skip
    assert answers(run) == before and run("doctor", "--deep").code == 0
