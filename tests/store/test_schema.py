"""The schema as files have it: short, since every opening reads it, and the same as the one that
people read."""

from __future__ import annotations

import apsw
import pytest

from tests.store.test_counts import NOW, OWNER, PEER, say
from tideline_cli.memory import amend
from tideline_cli.memory.purge import purge
from tideline_cli.model import codec
from tideline_cli.store import images, schema
from tideline_cli.store.checks import structure
from tideline_cli.store.connection import writing

pytestmark = pytest.mark.file_alone("the schema as a file has it")


def made(script):
    db = apsw.Connection(":memory:")
    db.execute(script).fetchall()
    return db


def quoted(script):
    """Return the words in quotes, without those of comments."""
    lines = [line.partition("--")[0].split("'") for line in script.splitlines()]
    assert all(len(pieces) % 2 for pieces in lines)
    return [word for pieces in lines for word in pieces[1::2]]


def test_the_stored_schema_is_the_one_that_is_read():
    """Without comments and spaces the schema says the same, down to the spaces inside of quotes."""
    shown, stored = made(schema.script()), made(schema.stored_script())
    assert structure.schema_objects(stored) == structure.schema_objects(shown)
    assert quoted(schema.stored_script()) == quoted(schema.script())
    assert " " in quoted(schema.script())


def test_every_opening_reads_little():
    """A file has no comment and no indent in its schema, and no more text than an opening may
    read."""
    db = made(schema.stored_script())
    texts = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    assert not [sql for sql in texts if "--" in sql or "  " in sql or "\n " in sql]
    assert len(texts) <= 84
    assert sum(map(len, texts)) <= 21_700


VALUES = {
    "importance": 0.1 + 0.2, "confidence": None, "status": "confirmed", "slot": 'a "b" \\ é',
    "valid_to": NOW + 1, "pinned": 1, "tags": '["x", "y"]', "metadata": '{"seq": 1, "n": null}',
    "content": "other words\nof two lines", "title": "", "decay_rate": 1e-300, "source_turn": "0",
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_an_image_has_what_changes_and_no_more(db, name):
    """The journal keeps the value before an update, of every kind, also when it was none."""
    say(db, "one fact", "A")
    (before,) = db.execute(f"SELECT {name} FROM fact").fetchone()
    for value in (VALUES[name], before):
        (held,) = db.execute(f"SELECT {name} FROM fact").fetchone()
        with writing(db):
            db.execute(f"UPDATE fact SET {name} = ?, kind = kind", (value,))
        image = db.execute("SELECT before FROM change ORDER BY number DESC LIMIT 1").get
        assert codec.loads(image) == ({} if held == value else {name: held})
        assert images.is_part(image)


def test_no_term_of_a_purged_fact_is_counted(db):
    """A term that no archived and no lapsed fact holds any more goes with a purge, also that of a
    fact which was active again."""
    for origin, fact_id in ((OWNER, "A"), (PEER, "B")):
        say(db, "a word like zebra", fact_id, origin=origin)
        amend.forget(db, [fact_id], viewer=origin, now=NOW + 1)
        amend.restore(db, [fact_id], viewer=origin, now=NOW + 2)
        say(db, "a word like okapi", fact_id * 2, origin=origin, valid_to=NOW - 1)
    purge(db, ["A", "AA"], viewer=OWNER, now=NOW + 3)
    held = db.execute("SELECT origin FROM lapsed_term WHERE term LIKE 'okap%'").fetchall()
    assert [origin for (origin,) in held] == [2]
    assert not db.execute("SELECT term FROM archived_term WHERE facts = 0").fetchall()
