"""Which facts hold common terms is kept as the facts are, whatever becomes of them."""

from __future__ import annotations

import random

import apsw
import pytest

from tests import backends
from tests.property.test_lexical import summed
from tests.support import NOW, PEER, fresh_store
from tideline_cli.memory import doctor
from tideline_cli.memory.purge import purge
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.store import common_postings, score_bounds
from tideline_cli.store.connection import writing

WORDS = "harbour bridge river tower market garden station museum".split()


@pytest.fixture
def db():
    with fresh_store() as made, summed():
        yield made


def remembered(db, count, *, start=0, origin=OWNER):
    chance = random.Random(start)
    for number in range(start, start + count):
        said = " ".join(chance.choices(WORDS, k=chance.randrange(2, 20)))
        new = NewFact(f"{said} w{number}", "knowledge", "owner_message", origin)
        remember(db, new, fact_id=f"{number:026}", now=NOW)


def settled(db):
    with writing(db):
        score_bounds.extend(db, limit=10**6, origin_number=None)
        common_postings.settle_all(db)


def held(db, term, origin_number=1):
    """Return (number, times) of the facts that hold a term, as it is kept."""
    kept = common_postings.posting(db, term, origin_number=origin_number)
    return {
        seq: 1 + sum((plane >> seq & 1) << place for place, plane in enumerate(kept.repeats))
        for seq in range(kept.upto)
        if kept.holders >> seq & 1
    }


def told(db, term, origin_number=1):
    """Return the same, read from the facts."""
    rows = db.execute("SELECT seq, terms FROM fact WHERE origin = ?", (origin_number,))
    counts = {seq: min(32, listed.split().count(term)) for seq, listed in rows}
    return {seq: n for seq, n in counts.items() if n}


def test_what_is_kept_is_what_the_facts_hold(db):
    """Holders and repeats are those of the facts of one origin, in every row, as it grows."""
    remembered(db, 70)
    remembered(db, 40, start=1000, origin=PEER)
    settled(db)
    remembered(db, 90, start=2000)
    assert held(db, "bridg") != told(db, "bridg")
    settled(db)
    assert len(held(db, "bridg")) > 60
    for number in (1, 2):
        for term in ("bridg", "harbour", "museum"):
            assert held(db, term, number) == told(db, term, number) != {}
    assert common_postings.wrong_count(db) == 0


def test_small_memories_keep_nothing():
    """Below a number of terms no list is kept; the full-text index is fast enough."""
    with fresh_store() as small:
        remembered(small, 20)
        settled(small)
        assert small.execute("SELECT count(*) FROM common_posting").get == 0


@pytest.mark.parametrize("many", [500, 1])
def test_undo_and_redo_are_followed(db, many, monkeypatch):
    """Facts that an undo takes out are held no more, and held again when they are back, few of them
    or many."""
    monkeypatch.setattr(common_postings, "_MANY", many)
    remembered(db, 100)
    settled(db)
    before = held(db, "tower")
    for _ in range(5):
        undo(db, None, viewer=OWNER, now=NOW)
    assert held(db, "tower") == told(db, "tower") != before
    for ordinal in range(105, 100, -1):
        undo(db, ordinal, viewer=OWNER, now=NOW)
    assert held(db, "tower") == told(db, "tower") == before
    assert common_postings.wrong_count(db) == 0


def test_a_purge_leaves_nothing(db):
    """A purged fact is in no row, and a term that only purged facts held is not named."""
    remembered(db, 70)
    for number in range(5):
        new = NewFact(f"zanzibar {number} harbour", "knowledge", "owner_message", OWNER)
        remember(db, new, fact_id=f"{9000 + number:026}", now=NOW)
    settled(db)
    assert len(held(db, "zanzibar")) == 5
    purge(db, [f"{9000 + number:026}" for number in range(5)], viewer=OWNER, now=NOW)
    assert db.execute("SELECT count(*) FROM common_posting WHERE term = 'zanzibar'").get == 0
    assert held(db, "harbour") == told(db, "harbour")


def test_damage_is_found(db):
    """A row that says something else than the facts is found, and one that lacks."""
    remembered(db, 100)
    settled(db)
    zeros = r"'\\000'::bytea" if backends.is_server() else "zeroblob(1)"
    for harm in (
        "UPDATE common_posting SET facts = facts + 1 WHERE term = 'tower'",
        "DELETE FROM common_posting WHERE term = 'tower' AND number = 0",
        f"UPDATE common_posting SET holders = {zeros} WHERE term = 'tower' AND number = 0",
    ):
        with writing(db):
            db.execute(harm)
        assert common_postings.wrong_count(db) == 1
        assert [finding.check for finding in dict(doctor._DEEP)["common"](db)] == ["common"]
        with writing(db):
            common_postings.clear(db)
            common_postings.settle_all(db)
        assert common_postings.wrong_count(db) == 0


def test_a_recall_keeps_what_many_writes_left(db):
    """After many writes a recall continues the rows, once its answer is out."""
    remembered(db, score_bounds.LAG + 10)
    answer = recall(db, Query("bridge"), viewer=OWNER, now=NOW)
    assert held(db, "bridg") == {}
    write_back(db, answer, touch=False, now=NOW)
    assert held(db, "bridg") == told(db, "bridg") != {}
    again = recall(db, Query("bridge"), viewer=OWNER, now=NOW)
    assert [hit.score for hit in again.hits] == [hit.score for hit in answer.hits]


@pytest.mark.parametrize("row", [b"\xff\xff", b"\x4b\x04\x00"])
def test_a_damaged_list_is_damage_and_is_made_anew(db, row):
    """What cannot be read is no internal error: doctor finds it, and a repair makes it again."""
    remembered(db, 70)
    settled(db)
    with writing(db):
        db.execute("UPDATE common_posting SET holders = ? WHERE term = 'bridg'", (row,))
    with pytest.raises(apsw.CorruptError):
        common_postings.posting(db, "bridg", origin_number=1)
    assert common_postings.wrong_count(db) == 1
    with writing(db):
        common_postings.clear(db)
    settled(db)
    assert held(db, "bridg") == told(db, "bridg")
