"""How often a command waits for the server, with the same answers as in a file."""

from __future__ import annotations

import json
import random
import re

import apsw
import pytest

from tests.postgres.test_same import rows, same
from tests.support import DAY, NOW, named_id
from tideline_cli.store import connection
from tideline_cli.store.connection import put_setting, setting
from tideline_cli.store.postgres import opening, server

# Round trips of each command at most.
MOST = {"context": 9, "recall": 8, "remember": 8, "undo": 13, "redo": 19, "forget": 8, "list": 4,
        "show": 7, "slots": 5, "status": 5}  # fmt: skip
LATER = str(NOW + 1_000)


@pytest.fixture
def waited(monkeypatch):
    """Return what says how often all connections have waited since it was asked last."""
    made = []
    first = server.ServerConnection.__init__

    def noted(self, *given):
        made.append(self)
        first(self, *given)

    monkeypatch.setattr(server.ServerConnection, "__init__", noted)

    def count():
        trips = sum(one.trips for one in made)
        made.clear()
        return trips

    return count


@pytest.fixture
def filled(both, tmp_path, monkeypatch):
    """Return what runs a command on two memories of the same 60 facts, with sessions, slots, tags
    and ends."""
    monkeypatch.setenv("TIDELINE_NOW", LATER)
    (tmp_path / "rows.jsonl").write_text("\n".join(rows(random.Random(3), 60)))
    same(both("import", "rows.jsonl", "--trust"))
    return both


QUESTION = "redis cache of the brass lamp"
COMMON = [
    ("recall", QUESTION),
    ("recall", QUESTION, "--mode", "keyword"),
    ("recall", QUESTION, "--mode", "semantic"),
    ("recall", QUESTION, "--json", "--explain", "--limit", "3"),
    ("recall", QUESTION, "--no-touch"),
    ("recall", "nothingness"),
    ("recall", "the who"),
    ("recall", "?"),
    ("context", QUESTION),
    ("context", QUESTION, "--no-touch"),
    ("remember", "the tea is in the blue tin"),
    ("remember", "the tea is in the blue tin at night", "--tag", "ops"),
    ("remember", "the port is 9090 now", "--slot", "new slot"),
    ("list",),
    ("list", "--limit", "2"),
    ("show", named_id("R0004")),
    ("slots",),
    ("slots", "--json"),
    ("forget", named_id("R0007")),
]


@pytest.mark.parametrize("argv", COMMON, ids=" ".join)
def test_a_common_command_waits_a_few_times(filled, waited, argv):
    """Once the tables are there and no heat moves; what it prints is the same as of a file."""
    if argv[0] == "recall":
        same(filled(*argv))
    waited()
    same(filled(*argv))
    assert 0 < waited() <= MOST[argv[0]]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_status_waits_a_few_times(filled, waited, more):
    """What it counts is the same; where it lies is not."""
    waited()
    mine, theirs = filled("status", *more)
    assert 0 < waited() <= MOST["status"]
    assert (mine.code, len(mine.out.splitlines())) == (theirs.code, len(theirs.out.splitlines()))


def test_an_unknown_word_and_moved_heat_cost_some_trips(filled, waited):
    """Stored words stand in for the word, and the facts that were used warm up; 12 are aimed at."""
    waited()
    same(filled("recall", "backup redisses"))
    assert waited() <= 15


def test_a_slot_changes_hands_in_few_trips(filled, waited):
    """What held the slot is read, ended and linked on the way."""
    same(filled("remember", "the host is called quill", "--slot", "host"))
    waited()
    same(filled("remember", "the host is called feather", "--slot", "host"))
    assert waited() <= MOST["remember"] + 1  # when each value of the slot was said
    for verb in ("undo", "redo", "undo"):
        waited()
        same(filled(verb))
        assert waited() <= MOST[verb]
    same(filled("redo"))
    assert len(same(filled("list", "--slot", "host", "--json")).json["facts"]) == 1


@pytest.mark.parametrize(
    "step", [("forget", named_id("R0007")), ("remember", "the kite is of green paper")],
    ids=" ".join,
)  # fmt: skip
def test_an_undo_waits_a_few_times(filled, waited, step):
    """What the batch did, what has become of it and what stands in the way is asked at once."""
    same(filled(*step))
    waited()
    for verb in ("undo", "redo"):
        same(filled(verb))
        assert waited() <= MOST[verb]
        same(filled("export"))
        waited()


def test_a_fact_is_reinforced_once_it_is_known(filled, waited):
    """The twin is found with what is asked ahead."""
    same(filled("remember", "the kettle stands beside the window of the kitchen"))
    waited()
    said = same(filled("remember", "The kettle stands beside the window of the kitchen", "--json"))
    assert said.json["action"] == "reinforced"
    assert waited() <= MOST["remember"]


def test_another_analyser_changes_no_answer(filled):
    """The answer is that of the settings of the memory."""
    same(filled("config", "set", "analyzer", "reference"))
    assert same(filled("recall", QUESTION, "--json")).lines


def test_settings_are_those_of_the_transaction(address):
    """They come with its first round trip; what it stores itself it reads."""
    db = opening.open_or_make(address())
    with connection.writing(db):
        assert setting(db, "test", "none") == "none" and db.trips == (before := db.trips)
        put_setting(db, "test", "own")
        assert setting(db, "test", "none") == "own" and db.trips == before + 1
    with connection.snapshot(db):
        assert setting(db, "test", "none") == "own"
    assert db.settings is None
    db.close()


def test_a_snapshot_stays_one_instant(address):
    """What is asked late is of the instant at which the reader began."""
    place = address()
    reader, writer = opening.open_or_make(place), opening.open_or_make(place)
    count = "SELECT count(*) FROM setting"
    with connection.snapshot(reader):
        before = reader.execute(count).get
        with connection.writing(writer):
            writer.execute("INSERT INTO setting (name, value) VALUES ('test', 'late')")
        assert reader.execute(f"{count} WHERE true").get == before
    assert reader.execute(count).get == before + 1
    reader.close()
    writer.close()


def test_a_statement_after_a_failure_is_refused(address):
    """Also one of which the answer is known."""
    db = opening.open_or_make(address())
    add = "INSERT INTO setting (name, value) VALUES (?, ?)"
    with pytest.raises(apsw.Error), connection.writing(db):
        db.execute(add, ("test", "one"))
        with pytest.raises(apsw.ConstraintError):
            db.execute(f"{add} RETURNING name", ("test", "again")).fetchone()
        db.execute("SELECT value FROM setting WHERE name = ?", ("test",)).fetchone()
    db.close()


def test_a_lost_connection_ends_its_snapshot(address):
    """What is lost was rolled back; the next statement says that the connection is gone."""
    place = address()
    db, other = opening.open_or_make(place), opening.open_or_make(place)
    with connection.snapshot(db):
        own = db.execute("SELECT pg_backend_pid()").get
        other.execute("SELECT pg_terminate_backend(?::integer)", (own,)).fetchall()
        for _ in range(50):
            if not other.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = ?", (own,)).get:
                break
    assert db.get_autocommit()
    with pytest.raises(apsw.Error):
        db.execute("SELECT 1").fetchone()
    other.close()


def test_figures_come_with_all_their_digits(address, run, monkeypatch):
    """Whatever the settings of the database are."""
    monkeypatch.setenv("TIDELINE_DB", address())
    monkeypatch.setenv("PGOPTIONS", "-c extra_float_digits=-15")
    run("remember", "the lamp is of brass", "--importance", "0.1234567890123456")
    (listed,) = run("list", "--json").json["facts"]
    assert listed["importance"] == 0.1234567890123456


MANY = ("dream", "undo", "redo", "gc", "undo", "redo", "export")


def test_an_undo_of_many_facts_waits_as_often(run, address, waited, monkeypatch, tmp_path):
    """An import of facts with tags, slots and uses is taken back, and brought back, in the same few
    round trips, however many they are."""
    monkeypatch.setenv("TIDELINE_NOW", LATER)
    for count in (20, 200, 1_200):
        monkeypatch.setenv("TIDELINE_DB", address())
        lines = rows(random.Random(5), count)
        (tmp_path / "rows.jsonl").write_text("\n".join(lines))
        assert run("import", "rows.jsonl", "--trust").code == 0
        run("recall", "lamp")
        before = run("export").out
        for verb in ("undo", "redo"):
            waited()
            assert run(verb).code == 0
            assert waited() <= MOST[verb]
        assert run("export").out == before


def test_long_commands_wait_for_many_facts_at_once(run, address, waited, monkeypatch, tmp_path):
    """A pass, an undo, a redo and an export wait for a server once for some ten of the facts that
    they link, archive, bring back or write out, and not for each of them."""
    monkeypatch.setenv("TIDELINE_NOW", LATER)

    def trips(count):
        """Return how often each waited, and what it said, with so many facts that are almost alike
        and as many that have faded."""
        monkeypatch.setenv("TIDELINE_DB", address())
        alike = [{"content": f"the brass lamp stands in room {number}"} for number in range(count)]
        faded = [
            {"content": f"kite {number} flew far", "created_at": NOW - 900 * DAY, "importance": 0.1}
            for number in range(count)
        ]
        (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, alike + faded)))
        assert run("import", "rows.jsonl", "--trust").code == 0
        assert run("config", "set", "evict_after_owner", "30d").code == 0
        found = []
        for verb in MANY:
            waited()
            done = run(verb)
            assert done.code == 0
            found.append((waited(), done.out))
        return found

    few, many = trips(30), trips(120)
    linked = (re.search(r"([\d,]+) linked", dream)[1] for (_, dream), *_ in (few, many))
    edges = [int(number.replace(",", "")) for number in linked]
    for place, verb in enumerate(MANY):
        (less, _), (more, told) = few[place], many[place]
        assert more <= MOST.get(verb, more)
        about = edges[1] - edges[0] if place < 3 else 120 - 30
        assert more - less <= about / 6, (verb, less, more, told[:80])
    assert edges[1] > 500 and "120 archived" in many[3][1]
    assert len(many[-1][1].splitlines()) == 240
