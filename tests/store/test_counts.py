"""Counts beside the facts: exact after every kind of change, kept apart by origin, mended."""

from __future__ import annotations

import apsw
import pytest

from tests.soundness import sound
from tests.support import DAY, NOW
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import amend
from tideline_cli.memory.purge import purge
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.store import archivals, as_of, facts, history, images, journal, listing, stats
from tideline_cli.store.checks import derived
from tideline_cli.store.connection import writing
from tideline_cli.store.facts import Filter

PEER = channel("wa", "c", "s")


def say(db, content, fact_id, *, at=NOW, origin=OWNER, **more):
    new = NewFact(content, "knowledge", "owner_message", origin, **more)
    return remember(db, new, fact_id=fact_id, now=at)


def listed(db, viewer=OWNER, **wanted):
    return [f.id for f in listing.each(db, viewer=viewer, wanted=Filter(**wanted), limit=3)]


def test_what_a_batch_did_is_counted(db):
    """A batch has counts of what it did, and an origin sees its own."""
    say(db, "I deploy on Fridays", "A", slot="day")
    say(db, "I deploy on Mondays", "B", slot="day", at=NOW + 1)
    say(db, "another one's fact", "C", origin=PEER)
    newest, first = history.batches(db, viewer=OWNER)
    assert (newest.ordinal, first.ordinal) == (2, 1)
    did = newest.changes
    assert (did.added, did.changed, did.archived, did.linked) == (1, 1, 1, 2)
    assert did.total() == 4
    assert first.changes.total() == first.changes.added == 1
    (other,) = history.batches(db, viewer=PEER)
    assert other.changes.total() == 1
    sound(db)


def test_history_reads_what_it_shows(db):
    """Of a batch only the first changes are read, and the number of all is known."""
    with_many = [say(db, f"fact number {n}", f"F{n}").batch for n in range(3)]
    assert len(with_many) == 3
    (batch,) = list(history.batches(db, viewer=OWNER))[:1]
    assert len(list(history.entries_in(db, batch, viewer=OWNER, most=1))) == 1


def test_an_update_keeps_only_what_changes(db):
    """The journal keeps the values that an update changes; the whole row can be had, and an undo
    brings it back."""
    say(db, "I deploy on Fridays", "A", slot="day", tags=("work",))
    amend.pin(db, ["A"], viewer=OWNER, now=NOW + 1)
    say(db, "I deploy on Mondays", "B", slot="day", at=NOW + 2)
    kept = db.execute("SELECT before FROM change WHERE act = '~' ORDER BY number").fetchall()
    assert [len(image) < 60 for (image,) in kept] == [True, True]
    assert images.last_active(db, "A")["pinned"] == 1
    undo(db, None, viewer=OWNER, now=NOW + 3)
    undo(db, 2, viewer=OWNER, now=NOW + 4)
    back = facts.find(db, "A", viewer=OWNER)
    assert (back.lifecycle, back.valid_to, back.pinned, back.tags) == (
        "active", None, False, ("work",),
    )  # fmt: skip
    sound(db)


def test_a_purge_leaves_no_count(db):
    """What is purged is taken off every count, and a count of nothing is gone."""
    say(db, "I deploy on Fridays", "A", slot="day", at=NOW - 9 * DAY)
    say(db, "kept", "B")
    purge(db, ["A"], viewer=OWNER, now=NOW + 1)
    assert db.execute("SELECT count(*) FROM arrival").get == 1
    assert db.execute("SELECT sum(facts) FROM census").get == 1
    assert db.execute("SELECT count(*) FROM batch_count").get == 1
    sound(db)


def test_status_counts_one_origin(db):
    """Counts are those of one origin, by lifecycle and by time."""
    say(db, "old", "A", at=NOW - 8 * DAY)
    say(db, "new one", "B")
    say(db, "of another", "C", origin=PEER)
    amend.forget(db, ["B"], viewer=OWNER, now=NOW)
    counts = stats.counts(
        db, viewer=OWNER, since=NOW - 7 * DAY, now=NOW, default_embedder="hrr-256"
    )
    assert counts.groups["lifecycle"] == {"active": 1, "archived": 1}
    assert (counts.added, counts.groups["segment"]) == (0, {"knowledge": 1})
    other = stats.counts(
        db, viewer=PEER, since=NOW - 7 * DAY, now=NOW, default_embedder="hrr-256"
    )
    assert (other.added, other.groups["lifecycle"]) == (1, {"active": 1})


@pytest.mark.parametrize("few", [0, 1, 2000])
@pytest.mark.parametrize("at", [NOW - 9 * DAY, NOW - 1, NOW, NOW + 1, NOW + 2 * DAY, -5, 0])
@pytest.mark.parametrize("passed", [16, 1 << 40])
def test_what_held_is_counted_as_it_is_read(db, at, few, passed, monkeypatch):
    """The counts of what held at an instant, and of its terms, are those of reading every fact."""
    monkeypatch.setattr(as_of, "_FEW", few)
    monkeypatch.setattr(as_of, "_PASSED", passed)
    say(db, "made before", "A", at=NOW - 8 * DAY)
    say(db, "ends soon", "B", valid_to=NOW + DAY)
    say(db, "held long ago", "C", valid_from=NOW - 20 * DAY)
    say(db, "holds later", "D", valid_from=NOW + DAY)
    say(db, "replaced", "E", slot="s", at=NOW - 1)
    say(db, "by this one", "F", slot="s", at=NOW + 1)
    say(db, "forgotten", "G")
    amend.forget(db, ["G"], viewer=OWNER, now=NOW + DAY)
    plain = db.execute(
        "SELECT count(*), ifnull(sum(length), 0) FROM fact"
        " WHERE ifnull(valid_from, created_at) <= ? AND (valid_to IS NULL OR valid_to > ?)",
        (at, at),
    ).fetchone()
    assert as_of.held_at(db, at, origin_number=1) == plain
    asked = ["made", "held", "by", "replac", "soon", "nothing"]
    texts = [
        set(terms.split()) for (terms,) in db.execute(
            "SELECT terms FROM fact WHERE origin = 1 AND ifnull(valid_from, created_at) <= ?"
            " AND (valid_to IS NULL OR valid_to > ?) AND lifecycle <> 'pruned'", (at, at),
        )
    ]  # fmt: skip
    held = {term: sum(term in text for text in texts) for term in asked}
    then = as_of.at(db, asked, origin_number=1, instant=at)
    assert ((then.facts, then.tokens), then.holders) == (plain, held)
    wanted = Filter(as_of=at)
    everything = [f.id for f in listing.each(db, viewer=OWNER, wanted=wanted)]
    assert listed(db, as_of=at) == everything[:3]


def test_the_newest_of_one_instant_come_by_id(db):
    """Facts of one instant are listed by id, however many there are."""
    for name in ("C", "A", "E", "B", "D"):
        say(db, f"fact {name * 3}", name)
    say(db, "the newest", "Z", at=NOW + 1)
    assert listed(db) == ["Z", "A", "B"]
    assert listed(db, lifecycle=None) == ["Z", "A", "B"]
    assert listed(db, viewer=PEER) == []


@pytest.mark.parametrize("table", ["census", "arrival", "batch_count"])
def test_wrong_counts_are_found_and_mended(db, table):
    """A count that is not that of the facts is found, and counted anew."""
    say(db, "one", "A")
    column = "added" if table == "batch_count" else "facts"
    with writing(db):
        db.execute(f"UPDATE {table} SET {column} = {column} + 1")
    assert list(derived.status_counts(db)) or journal.counts_are_wrong(db)
    with writing(db):
        derived.enrol_anew(db)
        journal.count_batches_anew(db)
    sound(db)


_NOTED = """
CREATE TEMP TABLE noted (name TEXT);
CREATE TEMP TRIGGER census_begun AFTER INSERT ON census BEGIN
  INSERT INTO noted VALUES ('census'); END;
CREATE TEMP TRIGGER census_raised AFTER UPDATE ON census BEGIN
  INSERT INTO noted VALUES ('census'); END;
CREATE TEMP TRIGGER arrival_raised AFTER UPDATE ON arrival BEGIN
  INSERT INTO noted VALUES ('arrival'); END;
CREATE TEMP TRIGGER tally_raised AFTER UPDATE ON tally BEGIN
  INSERT INTO noted VALUES ('tally'); END;
"""


@pytest.mark.file_alone("it watches what a connection to a file runs")
def test_an_import_counts_its_facts_at_once(db):
    """The counts of many facts are raised once a chunk, and are those of the facts, archived ones
    and those of other origins, slots and hours included; an undo takes them back."""
    rows = [
        {"content": f"text number {n} of many", "created_at": NOW - n * 60_000,
         "origin": PEER.key if n % 5 == 0 else OWNER.key,
         "lifecycle": "archived" if n % 7 == 0 else "active",
         "slot": f"slot {n // 2}" if n % 3 == 0 else None}
        for n in range(200)
    ]  # fmt: skip
    say(db, "one is there before", "A")
    db.execute(_NOTED)
    context = ImportContext(OWNER, NOW, trusted=True)
    assert import_rows(db, enumerate(rows, 1), context, merge=False).added == 200
    raised = [name for (name,) in db.execute("SELECT name FROM noted")]
    assert 0 < raised.count("census") <= 12
    assert 0 < raised.count("arrival") <= 8
    assert 0 < raised.count("tally") <= 4
    sound(db)
    undo(db, None, viewer=OWNER, now=NOW + 1)
    assert facts.last_number(db) == 1
    sound(db)


@pytest.mark.file_alone("it watches what a connection to a file runs")
def test_a_list_with_room_reads_no_other_origin(db):
    """What looks among archived facts reads those of its origin alone."""
    for n in range(30):
        say(db, f"person{n} deploys on day{n}", f"A{n}")
    say(db, "a peer says this", "B", origin=PEER)
    asked = []
    db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    wanted = Filter(lifecycle="archived")
    assert archivals.newest(db, viewer=PEER, wanted=wanted, limit=5) == []
    db.trace_v2(0, None)
    plans = [
        step[3]
        for sql in asked
        if "FROM fact" in sql
        for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    ]
    assert plans
    assert not [step for step in plans if step.startswith("SCAN fact")]
