"""purge: no byte of a fact is left in any file, whatever happened to it before."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import backends
from tests.soundness import sound
from tests.support import NOW, PEER, empty_store_at, named_id, often, rows
from tideline_cli.errors import NotFoundError
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import amend
from tideline_cli.memory import edit as editing
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.memory.purge import purge
from tideline_cli.memory.remember import remember
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import terms
from tideline_cli.store import facts, journal, links, listing, score_bounds, uses, writes
from tideline_cli.store.checks.texts import fact_texts
from tideline_cli.store.connection import purge_pending, writing
from tideline_cli.store.opening import open_for_reading, open_for_writing

PIECE = 6


def secret_words(rng, count, used):
    """Return words that occur nowhere else; no two share a piece, those in `used` neither."""
    made = []
    while len(made) < count:
        word = "".join(rng.choices("bcdfghjklmnpqvwxz", k=10))
        if used.isdisjoint(pieces(word.encode())):
            used |= pieces(word.encode())
            made.append(word)
    return made


def pieces(raw):
    return {raw[i : i + PIECE] for i in range(len(raw) - PIECE + 1)}


def traces(folder, wanted):
    """Return which of the pieces stand in any file under a folder, or in any value on a server."""
    sought = np.array(sorted(int.from_bytes(piece, "little") for piece in wanted), np.uint64)
    found = set()
    for held in contents(folder):
        raw = np.frombuffer(held, np.uint8).astype(np.uint64)
        if len(raw) >= PIECE:
            windows = np.zeros(len(raw) - PIECE + 1, np.uint64)
            for i in range(PIECE):
                windows |= raw[i : len(raw) - PIECE + 1 + i] << np.uint64(8 * i)
            places = np.searchsorted(sought, windows).clip(max=len(sought) - 1)
            found |= set(windows[sought[places] == windows].tolist())
    return {number.to_bytes(PIECE, "little") for number in found}


def contents(folder):
    """Yield the bytes of each file under a folder; on a server those of all values, as one."""
    if backends.is_server():
        yield b"\x00".join(backends.contents_under(str(folder)))
    for path, _, names in os.walk(folder):
        for name in names:
            yield Path(os.path.join(path, name)).read_bytes()


def of_words(words):
    """Return the pieces of words, as they stand in a text and as they stand in the index."""
    found = set()
    for word in words:
        for form in (word, *terms(word, analyzer="standard")):
            found |= pieces(form.encode())
    return found


def of_vectors(db, texts):
    """Return the pieces of packed vectors, those aside that any vector may have."""
    raw = embedder_of(db).embed_packed(texts)
    found = set()
    for code in raw:
        found |= {piece for piece in pieces(code.tobytes()) if len(set(piece)) > 3}
    return found


def tend(db):
    """Do what dreams and recalls do meanwhile: vectors, bounds."""
    with writing(db):
        embed_backlog(db, origin_number=1, limit=10_000)
        if score_bounds.missing_count(db, origin_number=1) > 0:  # an empty store always lacks one
            score_bounds.extend(db, limit=10_000, origin_number=None)


def fill(db, rng, count, *, long=0.02):
    """Import `count` facts of common words, some of them 8,000 characters long."""
    common = [f"word{n}" for n in range(300)]

    def text():
        length = 900 if rng.random() < long else rng.randint(3, 15)
        return " ".join(rng.choices(common, k=length))

    given = [{"content": text(), "id": named_id(f"F{rng.randrange(10**12)}")} for _ in range(count)]
    import_rows(db, enumerate(given, 1), ImportContext(OWNER, NOW, True), merge=False)


def live(db, rng, secret_id, texts):
    """Let a secret fact have a life that leaves traces wherever there can be some."""
    steps = [
        lambda: amend.pin(db, [secret_id], viewer=OWNER, now=NOW),
        lambda: amend.forget(db, [secret_id], viewer=OWNER, now=NOW),
        lambda: amend.restore(db, [secret_id], viewer=OWNER, now=NOW),
        lambda: remember(
            db, NewFact(texts[0], "knowledge", "owner_message", OWNER, tags=("again",)),
            fact_id=f"X{rng.random()}", now=NOW,
        ),
        lambda: undo(db, None, viewer=OWNER, now=NOW),
        lambda: undo(db, None, viewer=OWNER, now=NOW),
        lambda: uses.touch(db, facts.numbers_after(db, 0)[:2], now=NOW),
        lambda: tend(db),
        lambda: fill(db, rng, rng.choice((1, 20, 200))),
    ]  # fmt: skip
    for step in rng.choices(steps, k=rng.randint(0, 8)):
        try:
            step()
        except Exception as error:
            assert type(error).__module__ == "tideline_cli.errors"


def secrets_of(rng):
    """Return texts of secret words: few or many, short or of up to 7,000 characters."""
    count = rng.choice((1, 1, 2, 5, 40))
    size = rng.choice((2, 2, 8, 8, 40 if count > 2 else 600))
    used = set()
    return [" ".join(secret_words(rng, size, used)) for _ in range(count)]


@pytest.mark.slow
@settings(max_examples=often(3, 40))
@given(seed=st.integers(0, 2**32))
def test_no_trace_is_left(seed):
    """After a purge no file holds six bytes of the text, its terms or its vector, whatever
    happened to the fact and however many stand beside it."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        db = open_for_writing(str(empty_store_at(os.path.join(folder, "t.db"))))
        db.execute("PRAGMA synchronous = OFF")
        texts = secrets_of(rng)
        fill(db, rng, rng.choice((0, 1, 30, 300, 3000)))
        for i, text in enumerate(texts):
            if rng.random() < 0.1:
                fill(db, rng, 5)
            remember(
                db, NewFact(text, "knowledge", "owner_message", OWNER), fact_id=f"SECRET{i:02}",
                now=NOW,
            )  # fmt: skip
        if rng.random() < 0.7:
            tend(db)
        live(db, rng, f"SECRET{rng.randrange(len(texts)):02}", texts)
        stored = fact_texts(db, viewer=OWNER)
        there = {seq: text for seq, text in stored if text in set(texts)}
        if not there:
            return  # all of it is undone
        known = [word for text in there.values() for word in text.split()]
        wanted = of_words(known) | of_vectors(db, list(there.values()))
        assert traces(folder, wanted) >= of_words(known)
        gone = [one.id for one in facts.get(db, there, viewer=OWNER).values()]
        done = purge(db, gone, viewer=OWNER, now=NOW)
        assert not done.pending
        assert traces(folder, wanted) == set()
        sound(db)
        db.close()
        assert traces(folder, wanted) == set()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


@pytest.fixture
def here(folder):
    """An empty store in a folder of its own."""
    db = open_for_writing(str(empty_store_at(folder / "t.db")))
    yield db
    db.close()


def say(db, content, fact_id, *, origin=OWNER, **more):
    new = NewFact(content, "knowledge", "owner_message", origin, **more)
    return remember(db, new, fact_id=fact_id, now=NOW)


SECRET = "the zqvwxkqjhbgd of zqpplmnbvcxf"
SECRET_PIECES = of_words(["zqvwxkqjhbgd", "zqpplmnbvcxf"])


def test_edits_and_merges_leave_nothing(here, folder):
    """What replaced a fact, and what a fact replaced, go separately and leave nothing."""
    say(here, SECRET, "A", slot="thing")
    edited = editing.edit(
        here, "A", {"content": SECRET + " zqrrttyyuuii"}, fact_id="B",
        editor=editing.Editor("owner_message", typed=True), viewer=OWNER, now=NOW,
    )  # fmt: skip
    say(here, "a harmless thing", "C", slot="thing")
    assert edited.superseded == ("A",)
    purge(here, ["A", "B"], viewer=OWNER, now=NOW)
    assert traces(folder, SECRET_PIECES | of_words(["zqrrttyyuuii"])) == set()
    assert [c.id for c in listing.each(here, viewer=OWNER, wanted=facts.Filter(None))] == ["C"]
    assert rows(here, "link") == []
    assert here.execute("SELECT count(*) FROM change WHERE entity = 'link'").get == 0
    sound(here)


def test_reasons_of_links_long_gone_leave_nothing(here, folder):
    """The journal's memory of an edge that was removed goes with the fact it led to."""
    say(here, "coffee at noon", "A")
    say(here, SECRET, "B")
    with journal.batch(here, verb="link", by=OWNER, now=NOW):
        links.add(here, links.Link("A", "supports", "B", "zqbbcvnnmkhgfdww", created_at=NOW))
    undo(here, None, viewer=OWNER, now=NOW)
    wanted = SECRET_PIECES | of_words(["zqbbcvnnmkhgfdww"])
    assert traces(folder, wanted) == wanted
    purge(here, ["B"], viewer=OWNER, now=NOW)
    assert traces(folder, wanted) == set()
    entries = here.execute("SELECT entity, act, batch FROM change").fetchall()
    assert entries == [("fact", "+", 1)]


@pytest.mark.file_alone("it looks at pages of a file")
def test_terms_that_moved_between_pages_leave_nothing(here, folder):
    """Pages that were split keep pieces of what moved on; the file is written anew without."""
    rng = random.Random(4)
    texts = [" ".join(secret_words(rng, 40, set())) for _ in range(10)]
    for i, text in enumerate(texts):
        say(here, text, f"SECRET{i:02}")
        amend.forget(here, [f"SECRET{i:02}"], viewer=OWNER, now=NOW)
        for n in range(5):
            say(here, " ".join("".join(rng.choices("aeiou", k=9)) for _ in range(60)), f"F{i}{n}")
            amend.forget(here, [f"F{i}{n}"], viewer=OWNER, now=NOW)
    wanted = of_words(" ".join(texts).split())
    assert traces(folder, wanted) == wanted
    purge(here, [f"SECRET{i:02}" for i in range(10)], viewer=OWNER, now=NOW)
    assert traces(folder, wanted) == set()
    sound(here)


def test_what_was_undone_can_be_purged(here, folder):
    """A fact that an undo took out is in the journal still, and goes from there: by its id, and
    with a fact of the same text or what it derives from."""
    say(here, SECRET, "AAAA1")
    undo(here, None, viewer=OWNER, now=NOW)
    assert traces(folder, SECRET_PIECES) == SECRET_PIECES
    with pytest.raises(NotFoundError):
        purge(here, ["AAAA1"], viewer=PEER, now=NOW)
    assert purge(here, ["aaaa"], viewer=OWNER, now=NOW).ids == ("AAAA1",)
    assert traces(folder, SECRET_PIECES) == set()
    say(here, SECRET, "B")
    undo(here, None, viewer=OWNER, now=NOW)
    say(here, "coffee at noon", "C")
    say(here, SECRET + " zqrrttyyuuii", "D", derived_from=("C",))
    undo(here, None, viewer=OWNER, now=NOW)
    say(here, SECRET, "E", derived_from=("C",))
    assert purge(here, ["C"], viewer=OWNER, now=NOW).ids == ("B", "C", "D", "E")
    assert traces(folder, SECRET_PIECES | of_words(["zqrrttyyuuii"])) == set()


def test_the_journal_keeps_the_batch_and_no_text(here):
    """A purge is a batch that says how many; batches left without changes stay."""
    say(here, SECRET, "A")
    say(here, "coffee at noon", "B", derived_from=("A",))
    done = purge(here, ["A"], viewer=OWNER, now=NOW)
    assert (done.ids, done.batch) == (("A", "B"), 3)
    assert here.execute("SELECT ordinal, verb, reason FROM batch").fetchall() == [
        (1, "remember", None), (2, "remember", None), (3, "purge", "2 facts"),
    ]  # fmt: skip
    assert rows(here, "change") == []
    say(here, "tea at noon", "C")
    assert undo(here, None, viewer=OWNER, now=NOW).removed == ("C",)


def test_a_batch_that_goes_on_finds_its_changes_after_a_purge(here):
    """The numbers of purged changes are given again; a batch of many transactions, purged into,
    is undone whole."""
    say(here, SECRET, "A")
    with journal.batch(here, verb="dream", by=OWNER, now=NOW) as batch:
        pass
    purge(here, ["A"], viewer=OWNER, now=NOW)
    say(here, "coffee at noon", "B")
    with journal.batch(here, verb="dream", by=OWNER, now=NOW, resume=batch.number):
        writes.archive(here, "B", now=NOW)
    assert undo(here, 2, viewer=OWNER, now=NOW).restored == ("B",)


def test_all_or_none(here):
    """One id that is not there, or is another origin's, and nothing goes."""
    say(here, "coffee at noon", "A")
    say(here, "peer drinks tea", "P", origin=PEER)
    before = rows(here, "fact"), rows(here, "batch"), rows(here, "change")
    for other in ("NOTHERE", "P"):
        with pytest.raises(NotFoundError):
            purge(here, ["A", other], viewer=OWNER, now=NOW)
    assert (rows(here, "fact"), rows(here, "batch"), rows(here, "change")) == before


def test_another_origin_cannot_reach_the_owner(here):
    """What the owner derived from a peer's fact stays when the peer purges it, and goes when the
    owner purges what it derives from."""
    say(here, "peer drinks tea", "P1", origin=PEER)
    say(here, "peer drinks it green", "P2", origin=PEER, derived_from=("P1", "A"))
    say(here, "somebody drinks tea", "A", derived_from=("P1",))
    assert purge(here, ["P1"], viewer=PEER, now=NOW).ids == ("P1", "P2")
    say(here, "peer drinks it black", "P3", origin=PEER, derived_from=("A",))
    assert purge(here, ["A"], viewer=OWNER, now=NOW).ids == ("A", "P3")


@pytest.mark.file_alone("a server has no purge that waits")
def test_a_reader_makes_it_pending(here, folder):
    """While another connection reads, traces stay and that is said; the next command that finds
    no reader takes them out."""
    say(here, SECRET, "A")
    path = str(folder / "t.db")
    reader = apsw.Connection(path)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM fact").get == 1
    done = purge(here, ["A"], viewer=OWNER, now=NOW)
    assert done.pending
    assert purge_pending(here) == "log"
    open_for_reading(path).close()
    assert purge_pending(here) == "log"
    assert traces(folder, SECRET_PIECES)
    reader.execute("COMMIT")
    open_for_reading(path).close()
    assert purge_pending(here) == ""
    assert traces(folder, SECRET_PIECES) == set()
    reader.close()


@pytest.mark.file_alone("a server has no purge that waits")
def test_a_crash_before_the_file_is_rewritten_is_made_good(here, folder):
    """A purge that ended with its transaction is finished by the next command that writes."""
    say(here, SECRET, "A")
    with journal.batch(here, verb="purge", by=OWNER, now=NOW, bulk=True):
        from tideline_cli.store import purging

        purging.remove(here, [1])
    assert purge_pending(here) == "file"
    path = str(folder / "t.db")
    open_for_reading(path).close()
    assert purge_pending(here) == "file"
    open_for_writing(path).close()
    assert purge_pending(here) == ""
    assert traces(folder, SECRET_PIECES) == set()
    assert {oct(os.stat(folder / name).st_mode & 0o777) for name in os.listdir(folder)} == {"0o600"}
