"""A memory behind a pool of connections, which lends each for one transaction: pgbouncer."""

from __future__ import annotations

import os
import threading

import pytest

from tests.postgres import pooling
from tests.postgres.people import as_role, new_role, own
from tests.postgres.test_same import walk
from tests.support import often
from tideline_cli import Memory
from tideline_cli.store import locks
from tideline_cli.store.postgres import opening

_numbers = iter(range(1_000_000))


@pytest.fixture(scope="module")
def pool(server):
    """A pool before the server; without one the tests are skipped, and say so."""
    if pooling.program() is None:
        pytest.skip("NO POOL IS INSTALLED: none is tested; Debian: apt install pgbouncer")
    with pooling.Pool(server) as made:
        yield made


@pytest.fixture
def address(pool):
    """Return what makes the address of a memory that is not there yet, by way of the pool."""
    return lambda: f"{pool.address}&schema=p{os.getpid()}_{next(_numbers)}"


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 100 + often(1, 10)))
def test_a_random_walk_of_all_verbs(both, seed, monkeypatch):
    """As in a file, with another connection of the server for each transaction."""
    walk(both, seed, monkeypatch)


READING = (
    ("recall", "lamp"),
    ("recall", "lamp", "--no-touch"),
    ("recall", "nothingness"),
    ("context", "lamp"),
    ("context", "--auto", "lamp"),
    ("list",),
    ("status",),
    ("slots",),
    ("history",),
    ("contradictions",),
    ("export",),
    ("dream", "--dry-run"),
    ("dream",),
    ("doctor",),
    ("undo",),
    ("member", "list"),
    ("__complete", "slot:"),
    ("show", "00000000000000000000000000"),
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("argv", READING, ids=" ".join)
def test_a_command_leaves_its_connection_to_the_next(run, pool, address, monkeypatch, argv):
    """A pool throws away a connection whose client goes before its last answer, or in the midst of
    a transaction."""
    monkeypatch.setenv("TIDELINE_DB", address())
    assert run("remember", "the lamp is of brass").code == 0
    before = pool.thrown_away()
    run(*argv)
    assert run("status").code == 0
    assert pool.thrown_away() == before


def test_readers_of_two_origins_share_connections(address):
    """What a transaction is told of its origin ends with it."""
    place = address()
    origins = ("owner", "channel:test/a/notes", "channel:test/b/notes")
    memories = [Memory.open(place, origin=one) for one in origins]
    for number, memory in enumerate(memories):
        memory.remember(f"the lamp of {number} is of brass")
    for _ in range(4):
        for number, memory in enumerate(memories):
            found = [hit.fact.content for hit in memory.recall("brass lamp")]
            assert found == [f"the lamp of {number} is of brass"]
    for memory in memories:
        memory.close()


def test_each_role_has_its_own(run, server, pool, address, monkeypatch):
    """Two members and the owner, by turns: none sees what is not theirs."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    run("remember", "the lamp of the owner is of brass")
    people = [new_role(server) for _ in range(2)]
    for role in people:
        assert run("member", "add", role, own(role)).code == 0
    for _ in range(3):
        for role in people:
            monkeypatch.setenv("TIDELINE_DB", as_role(place, role))
            run("remember", f"the lamp of {role} is of brass", own(role))
            assert run("list", own(role)).out.count("\n") == 1
            assert run("recall", "lamp").code == 1
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("list").out.count("\n") == 1


def test_writers_wait_for_one_another(run, address, monkeypatch):
    """More writers than connections: each has its turn, and nothing is lost."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    run("remember", "the first lamp")
    refused = []

    def write(number):
        try:
            with Memory.open(place) as memory:
                for count in range(5):
                    memory.remember(f"lamp {number * 5 + count} is of brass")
        except Exception as error:
            refused.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not refused
    assert run("list", "--limit", "99").out.count("\n") == 31


def test_one_dream_at_a_time(address):
    """Its lock is held through the pool, and is free when it is given back."""
    place = address()
    opening.open_or_make(place).close()
    held = locks.attempt(place, locks.DREAM)
    assert held is not None and locks.attempt(place, locks.DREAM) is None
    for _ in range(20):
        locks.release(held)
        held = locks.attempt(place, locks.DREAM)
        assert held is not None
    locks.release(held)
