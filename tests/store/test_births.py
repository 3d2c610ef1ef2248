"""Births that the journal keeps in runs: how few rows there are, what stands in them, what cuts
them, and what doctor finds."""

from __future__ import annotations

import json

import pytest

from tests.soundness import sound
from tests.support import NOW, PEER, named_id
from tideline_cli.errors import WriteBlockedError
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import amend
from tideline_cli.memory.purge import purge
from tideline_cli.memory.undo import redo, undo
from tideline_cli.model.origin import OWNER
from tideline_cli.store import history, images, reads
from tideline_cli.store.opening import open_for_writing

WORDS = ("tea", "coffee", "bus", "train", "dog", "cat", "park", "lake", "sun", "rain")


def row(n, **more):
    word = WORDS[n % len(WORDS)]
    return {"id": named_id(f"F{n:04}"), "content": f"the {word} number {n}", **more}


def load(db, rows):
    import_rows(db, enumerate(rows, 1), ImportContext(OWNER, NOW, trusted=True), merge=False)


def runs(db):
    return db.execute(
        "SELECT number, row, after + 0 FROM change WHERE entity = 'facts' ORDER BY number"
    ).fetchall()


def test_a_load_tells_its_births_in_runs(db):
    """A chunk of facts is one row of the journal, under the number of the last birth."""
    load(db, [row(n) for n in range(1000)])
    assert runs(db) == [(498, 498, 1), (996, 996, 499), (1000, 1000, 997)]
    assert db.execute("SELECT count(*) FROM change").get == 3
    (batch,) = history.batches(db, viewer=OWNER)
    assert (batch.first, batch.last, batch.changes.added) == (1, 1000, 1000)
    entries = list(history.entries_in(db, batch, viewer=OWNER))
    assert [(e.change, e.row, e.act) for e in entries] == [(n, n, "+") for n in range(1, 1001)]
    assert reads.alone(db, images.told_births([0, 1, 498, 499, 1000, 1001])) == {
        seq: images.Birth(seq, batch.number) for seq in (1, 498, 499, 1000)
    }
    sound(db)


def test_a_run_has_one_origin_and_no_gap(db):
    """Where the origin changes, or a row stands apart, a run ends."""
    mine, its = [row(n) for n in range(5)], [row(n, origin=PEER.key) for n in range(5, 9)]
    load(db, [*mine, *its, row(9), row(10, slot="day"), *(row(n) for n in range(11, 15))])
    assert runs(db) == [(5, 5, 1), (9, 9, 6), (15, 15, 12)]
    alone = "SELECT number, row FROM change WHERE entity = 'fact' ORDER BY number"
    assert db.execute(alone).fetchall() == [(10, 10), (11, 11)]
    (batch,) = history.batches(db, viewer=OWNER)
    seen = {entry.row for entry in history.entries_in(db, batch, viewer=OWNER)}
    assert seen == {*range(1, 16)} - {6, 7, 8, 9}
    assert [e.batch for e in history.entries_of(db, 7, viewer=PEER)] == [None]
    assert list(history.entries_of(db, 7, viewer=OWNER)) == []
    sound(db)


def test_a_purge_cuts_a_run(db):
    """Nothing is left of a purged fact but its number; its neighbours keep theirs."""
    load(db, [row(n) for n in range(9)])
    purge(db, [named_id("F0003"), named_id("F0008")], viewer=OWNER, now=NOW + 1)
    assert runs(db) == [(3, 3, 1), (8, 8, 5)]
    assert db.execute("SELECT count(*) FROM change").get == 2
    assert reads.alone(db, images.told_births(range(12))).keys() == {1, 2, 3, 5, 6, 7, 8}
    undo(db, 1, viewer=OWNER, now=NOW + 2)
    assert db.execute("SELECT count(*) FROM fact").get == 0
    purge(db, [named_id("F0000")], viewer=OWNER, now=NOW + 3)
    assert reads.alone(db, images.told_births(range(12))).keys() == {2, 3, 5, 6, 7, 8}
    redo(db, viewer=OWNER, now=NOW + 4)
    sound(db)


def test_an_import_goes_and_comes_back(db):
    """An undo removes all facts of the runs, a redo brings each back under its number; what was
    done to one since stands in the way."""
    load(db, [row(n) for n in range(600)])
    amend.pin(db, [named_id("F0007")], viewer=OWNER, now=NOW + 1)
    with pytest.raises(WriteBlockedError, match="batch 1 cannot be undone: batch 2 "):
        undo(db, 1, viewer=OWNER, now=NOW + 2)
    undo(db, 2, viewer=OWNER, now=NOW + 2)
    before = db.execute("SELECT * FROM fact ORDER BY seq").fetchall()
    assert len(undo(db, 1, viewer=OWNER, now=NOW + 3).removed) == 600
    assert db.execute("SELECT count(*) FROM fact").get == 0
    redo(db, viewer=OWNER, now=NOW + 4)
    assert db.execute("SELECT * FROM fact ORDER BY seq").fetchall() == before
    sound(db)


def test_a_fact_that_came_again_stands_in_the_way(db):
    """The batch that stored a fact under the id of one that would come back is named."""
    load(db, [row(n) for n in range(5)])
    done = undo(db, 1, viewer=OWNER, now=NOW + 1)
    load(db, [row(n) for n in range(5)])
    with pytest.raises(WriteBlockedError, match=r"batch 3 \(import\) stored "):
        undo(db, done.batch, viewer=OWNER, now=NOW + 2)


DAMAGE = (
    "DELETE FROM change WHERE entity = 'facts'",
    "UPDATE change SET after = '9' WHERE entity = 'facts'",
    "UPDATE change SET after = NULL WHERE entity = 'facts'",
    "INSERT INTO change VALUES (20, 1, 'facts', 6, '+', NULL, '4')",
    "UPDATE change SET batch = 7 WHERE entity = 'facts'",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("damage", DAMAGE)
def test_doctor_mends_runs(run, home, tmp_path, damage):
    """A run that is lost, has no facts, crosses another or has no batch is found and mended."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(json.dumps(row(n)) for n in range(8)))
    assert run("import", str(rows), "--trust").code == 0
    assert run("doctor", "--deep").code == 0
    db = open_for_writing(str(home / "tideline.db"))
    db.execute(damage)
    db.close()
    done = run("doctor", "--deep", "--json")
    assert done.code == 5
    assert "journal" in {found["check"] for found in done.json["findings"]}
    assert run("doctor", "--deep", "--repair", "--yes").code == 0
    assert run("doctor", "--deep", "--json").json["findings"] == []
    db = open_for_writing(str(home / "tideline.db"))
    sound(db)
    db.close()


def test_doctor_tells_of_facts_that_vanished_from_a_run(run, home, tmp_path):
    """A fact that went without a trace is told, one that an undo removed is not."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(json.dumps(row(n)) for n in range(8)))
    run("import", str(rows), "--trust")
    db = open_for_writing(str(home / "tideline.db"))
    db.execute("DELETE FROM fact WHERE seq IN (2, 5)")
    db.execute("DELETE FROM change WHERE act = '-' AND row = 5")
    db.close()
    said = [found["message"] for found in run("doctor", "--json").json["findings"]]
    assert "1 fact went without a trace in the journal" in said
