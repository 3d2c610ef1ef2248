"""One server for all tests of this folder, a schema for each memory."""

from __future__ import annotations

import os

import pytest

from tests import backends
from tests.postgres import cluster


@pytest.fixture(autouse=True)
def _files_too(monkeypatch):
    """Here a path is a file, also where other tests have their memories on a server."""
    monkeypatch.setattr(backends, "is_mapped", False)


@pytest.fixture(scope="session")
def server():
    """The address of a server; without one the tests are skipped, and say so."""
    given = os.environ.get("TIDELINE_TEST_SERVER")
    if given:
        yield given
        return
    programs = cluster.programs()
    if programs is None:
        pytest.skip(
            "NO POSTGRESQL SERVER IS INSTALLED: nothing of --db postgresql:// is tested; "
            "Debian: apt install postgresql"
        )
    with cluster.Cluster(programs) as made:
        yield made.address


_numbers = iter(range(1_000_000))


@pytest.fixture
def address(server):
    """Return what makes the address of a memory that is not there yet."""
    return lambda: f"{server}&schema=t{os.getpid()}_{next(_numbers)}"


@pytest.fixture
def both(run, address, tmp_path, monkeypatch):
    """Return what runs a command in a file and on a server, and says both results. Ids are made of
    the same chance, so that they are equal."""
    places = (str(tmp_path / "file.db"), address())
    counts = [0, 0]

    def call(*argv, **given):
        results = []
        for place, database in enumerate(places):

            def chance(size, place=place):
                counts[place] += 1
                return counts[place].to_bytes(size, "big")

            with monkeypatch.context() as patch:
                patch.setattr(os, "urandom", chance)
                patch.setenv("TIDELINE_DB", database)
                results.append(run(*argv, **given))
        return results

    return call
