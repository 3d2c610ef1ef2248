"""What a purge takes out of the full-text index leaves no piece of a term in any part of it."""

from __future__ import annotations

import random

import pytest

from tests.memory.test_purge import fill, of_words, secret_words
from tests.soundness import sound
from tests.support import NOW, rows
from tideline_cli.memory import amend
from tideline_cli.memory.purge import purge
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.store import fts, purging
from tideline_cli.store.connection import writing

pytestmark = pytest.mark.file_alone("the parts of the full-text index in a file")


def held(db):
    """Return all bytes of the index: its pages, and the borders between them."""
    pages = db.execute("SELECT block FROM fact_fts_data").fetchall()
    borders = db.execute("SELECT CAST(term AS BLOB) FROM fact_fts_idx").fetchall()
    return b"\n".join(part for (part,) in (*pages, *borders))


def say(db, text, fact_id):
    remember(db, NewFact(text, "knowledge", "owner_message", OWNER), fact_id=fact_id, now=NOW)


def version(db):
    return db.execute("SELECT v FROM fact_fts_config WHERE k = 'version'").get


def secret(db, rng, count=700):
    """Store facts, one of so many words of its own that many are the first of a page."""
    words = secret_words(rng, count, set())
    fill(db, rng, 300)
    say(db, " ".join(words), "SECRET")
    fill(db, rng, 30)
    return words


@pytest.mark.parametrize("archived", [False, True])
def test_no_piece_is_left_in_the_index(db, monkeypatch, archived):
    """Neither in its pages nor in the borders between them, before the file is written anew; the
    index finds what it found, and was not made anew."""
    words = secret(db, random.Random(archived))
    if archived:
        amend.forget(db, ["SECRET"], viewer=OWNER, now=NOW)
    assert any(piece in held(db) for piece in of_words(words))
    monkeypatch.setattr(fts, "rebuild", None)
    purge(db, ["SECRET"], viewer=OWNER, now=NOW)
    raw = held(db)
    assert not [piece for piece in of_words(words) if piece in raw]
    assert version(db) == 4
    sound(db)
    assert db.execute("SELECT count(DISTINCT segid) FROM fact_fts_idx").get == 1
    say(db, "a fact of later", "LATER")
    sound(db)


def test_after_a_deletion_row_by_row_the_index_is_made_anew(db):
    """An undo deletes row by row, and leaves borders of what it takes; a purge leaves none."""
    words = secret(db, random.Random(3))
    say(db, "another fact", "OTHER")
    undo(db, None, viewer=OWNER, now=NOW)
    assert version(db) == 5
    purge(db, ["SECRET"], viewer=OWNER, now=NOW)
    raw = held(db)
    assert not [piece for piece in of_words(words) if piece in raw]
    assert version(db) == 4
    sound(db)


def test_many_are_not_taken_out_one_by_one(db):
    """A number of facts for which the index is made anew, and one for which it is not."""
    fill(db, random.Random(1), 20)
    before = rows(db, "fact_fts_idx")
    with writing(db):
        assert not purging.take_out(db, "[1]", count=purging.MOST + 1)
    assert rows(db, "fact_fts_idx") == before


def test_an_index_is_kept_when_the_purge_fails(db, monkeypatch):
    """What is taken out comes back with the facts, and the next undo deletes as before."""
    fill(db, random.Random(1), 20)
    say(db, "the vault is behind the mirror", "SECRET")

    def fails(*_args):
        raise MemoryError

    with monkeypatch.context() as patched, pytest.raises(MemoryError):
        patched.setattr("tideline_cli.store.purging.common_postings.correct", fails)
        purge(db, ["SECRET"], viewer=OWNER, now=NOW)
    sound(db)
    undo(db, None, viewer=OWNER, now=NOW)
    assert version(db) == 5
    sound(db)
