"""Settings and schedules of a memory on a server, and what a night would not know of it."""

from __future__ import annotations

import pytest

GONE = "postgresql://anna@127.0.0.1:1/memory"


def test_settings_are_listed_where_the_server_is_gone(run, monkeypatch):
    """Who looks for a wrong address finds where it stands; the rest is told as not known."""
    monkeypatch.setenv("TIDELINE_DB", GONE)
    done = run("config")
    assert done.code == 0 and f"database\t{GONE}\t(TIDELINE_DB)" in done.out
    assert "analyzer\t\t(not known)" in done.out and "no connection" in done.err
    done = run("config", "list", "--json")
    assert done.json["database"] == GONE and done.json["sameness"] is None
    assert run("config", "get", "analyzer").code == 5
    monkeypatch.setenv("TIDELINE_DB", "postgresql://anna:hu@sh@h/m")
    done = run("config", "list")
    assert done.code == 0 and "(TIDELINE_DB)" in done.out and "cannot be read" in done.err


def test_settings_of_a_memory_on_a_server_are_of_no_file(run, address, monkeypatch):
    """A list says where each stands."""
    monkeypatch.setenv("TIDELINE_DB", address())
    run("remember", "a")
    out = run("config").out
    assert "analyzer\tstandard\t(memory)" in out and "memory file" not in out


@pytest.mark.parametrize(
    ("address", "variable", "told"),
    [
        ("postgresql://anna:hush@h/m", None, "without the password"),
        ("postgresql:///m", "PGHOST", "without PGHOST"),
        ("postgresql:///m", "PGSERVICE", "without PGSERVICE"),
        ("postgresql://anna@h/m", "PGPASSWORD", "without PGPASSWORD"),
    ],
)
def test_what_an_entry_does_not_have_is_told(run, monkeypatch, address, variable, told):
    """A night knows no variable of a shell, and an entry holds no password."""
    monkeypatch.setenv("TIDELINE_DB", address)
    if variable:
        monkeypatch.setenv(variable, "hush")
    done = run("schedule", "--cron")
    assert done.code == 0 and told in done.err and "hush" not in done.out + done.err
    monkeypatch.delenv(variable or "PGHOST", raising=False)
    monkeypatch.setenv("TIDELINE_DB", "postgresql://anna@h/m")
    assert "without" not in run("schedule", "--cron").err
