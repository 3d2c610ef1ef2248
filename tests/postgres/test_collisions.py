"""Two transactions that stand in each other's way: the server ends one, and its verb runs again."""

from __future__ import annotations

import sys
import time

import apsw
import pytest

from tests.postgres.test_interrupts import started, until, waiting
from tideline_cli.cli import asides
from tideline_cli.store.postgres import opening
from tideline_cli.store.postgres.server import ServerConnection

REFUSES = (
    "CREATE SEQUENCE refusals",
    "CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF nextval('refusals') <= {0} THEN RAISE serialization_failure; END IF;"
    " RETURN new; END $$",
    "CREATE TRIGGER refused BEFORE INSERT ON {1} FOR EACH ROW EXECUTE FUNCTION refused()",
)


def refuse(place, times, table="batch_count"):
    """Let a server refuse the first writes to a table, as it does where two collide."""
    db = opening.open_or_make(place)
    db.execute("BEGIN IMMEDIATE")
    for one in REFUSES:
        db.as_it_is(one.format(times, table))
    db.execute("COMMIT")
    db.close()


def test_a_deadlock(run, address, monkeypatch):
    """A remember that is the victim of one stores its fact all the same, once."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    monkeypatch.delenv("TIDELINE_NOW")
    db = opening.open_or_make(place)
    db, other = opening.open_or_make(place), db
    # A transaction that waits for no other writer, as one by psql.
    for one in ("BEGIN", f'LOCK TABLE "{db.schema}".batch_count IN ACCESS EXCLUSIVE MODE'):
        db.as_it_is(one)
    db.flush()
    process = started(place, "remember", "the bridge spans a river", "-v")
    until(lambda: waiting(other))
    db.as_it_is(f'LOCK TABLE "{db.schema}".fact IN ACCESS EXCLUSIVE MODE')
    db.flush()  # returns when the other one has been ended: it has waited longer
    db.close()
    other.close()
    out, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "run again" in said and out.count("\n") == 1
    assert run("list").out.count("bridge") == 1


def test_a_collision_is_tried_some_times(run, address, monkeypatch):
    """With a growing pause; then the memory is busy, as it is for who waits in vain."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    refuse(place, 3)
    start = time.monotonic()
    assert run("remember", "the bridge spans a river").code == 0
    assert time.monotonic() - start > 0.35
    assert run("list").out.count("bridge") == 1


def test_it_gives_up(run, address, monkeypatch):
    """Nothing is half stored then."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    refuse(place, 1_000)
    done = run("remember", "the bridge spans a river")
    assert done.code == 75 and "busy" in done.err
    assert run("list").out.count("\n") == 1


def test_what_was_read_from_stdin_is_not_lost(run, address, monkeypatch):
    """A verb that has read its text is not run again without it."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    refuse(place, 1)
    lines = '{"content": "a bridge"}\n{"content": "a river"}\n'
    done = run("remember", "--batch", stdin=lines)
    assert done.code == 75, done.err
    done = run("remember", "--batch", stdin=lines)
    assert done.code == 0 and run("list").out.count("\n") == 3


class Once:
    """A session, and a verb that does something and collides the first time."""

    verbose = False

    def __init__(self, acts):
        self.acts = acts
        self.runs = 0

    def close(self):
        self.closed = True

    def __call__(self):
        self.runs += 1
        self.acts()
        if self.runs == 1:
            error = apsw.BusyError("deadlock detected")
            error.state = "40P01"
            raise error
        return 7


def store():
    ServerConnection.commits += 1


def test_a_verb_that_has_done_nothing_is_run_again():
    """By the same session, whose connections are closed before."""
    verb = Once(lambda: None)
    assert asides.run_until_done(verb, verb) == 7 and verb.runs == 2 and verb.closed


@pytest.mark.parametrize(
    "acts", [store, lambda: sys.stdout.write("a fact\n"), lambda: sys.stdin.buffer, lambda: print()]
)
def test_a_verb_that_has_done_something_is_not(acts):
    """What it has stored or said would be there twice."""
    verb = Once(acts)
    kept = sys.stdin, sys.stdout
    with pytest.raises(apsw.BusyError):
        asides.run_until_done(verb, verb)
    assert verb.runs == 1 and (sys.stdin, sys.stdout) == kept
