"""The tour of `make demo` on a server: what it prints is what it prints of a file."""

from __future__ import annotations

import re

import pytest

from tests.docs.test_demo import played
from tests.postgres.people import psql

SCHEMAS = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tideline_demo_%'"


@pytest.fixture
def tour(tmp_path):
    """Return what plays the tour with a TIDELINE_DB of the caller, and returns what it prints with
    what differs from run to run taken out."""

    home = tmp_path / "tour"
    home.mkdir()

    def play(database):
        told, _, end = played(home, database).partition("# The whole memory is one ")
        return re.sub(r"\b[0-9A-Z]{26}\b|id=\"[0-9a-f]+\"", "ID", told), end

    return play


@pytest.mark.nightly
def test_the_tour_is_the_same_on_a_server(tour, run, address, server, monkeypatch, tmp_path):
    """It leaves the memory alone that the address names, and no schema of its own."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "what the caller knows").code == 0
    (of_file, file_end), (of_server, end) = tour(str(tmp_path / "own.db")), tour(place)
    assert of_server == of_file and of_file.count("$ tideline") > 30
    assert end.startswith("schema of a server.") and file_end.startswith("SQLite file.")
    assert "database   postgresql://" in end and "schema=tideline_demo_" in end
    assert run("list").out.count("\n") == 1
    assert psql(server, SCHEMAS).strip() == "0"
