"""A store has an identity: what began in another one stops, and loses and harms nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.faults.figures import text
from tests.soundness import sound
from tideline_cli.dream import comparison
from tideline_cli.errors import BusyError, ReplacedError
from tideline_cli.exchange.importer import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import doctor
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.store import connection
from tideline_cli.store.connection import setting, writing
from tideline_cli.store.opening import open_for_reading, open_for_writing

pytestmark = pytest.mark.file_alone("the content of a file is replaced by a backup")


@pytest.fixture
def store(run, home, tmp_path):
    """A store of one fact, a backup of it, and another fact since."""
    assert run("remember", "I deploy on Fridays").code == 0
    assert run("backup", "old.db").code == 0
    assert run("remember", "what came later").code == 0
    return home / "tideline.db"


def put_back(store, tmp_path, progress=lambda _: None):
    return doctor.restore_from(
        str(tmp_path / "old.db"), str(store), now=0, network_allowed=True, progress=progress
    )


def rows(count, between=lambda: None):
    """Yield rows of an import, and do something after two chunks of them."""
    for number in range(count):
        if number == 2 * import_rows.CHUNK + 10:
            between()
        yield number + 1, {"content": f"{text(number)} of running foxes"}


def taken(store, given):
    db = open_for_writing(str(store))
    try:
        return import_rows.import_rows(db, given, ImportContext(OWNER, 0, True), merge=False)
    finally:
        db.close()


def checked(store):
    """Check everything that is derived, and return the texts of the facts."""
    db = open_for_writing(str(store))
    sound(db)
    strays = "SELECT count(*) FROM change WHERE batch NOT IN (SELECT number FROM batch)"
    assert db.execute(strays).get == 0
    found = [content for (content,) in db.execute("SELECT content FROM fact ORDER BY seq")]
    db.close()
    return found


def test_nobody_writes_between_the_copy_and_the_restore(store, tmp_path):
    """Who writes while a backup is put back waits, and what they were told is stored is there."""
    running = []

    def between(name):
        if name == "restore":
            argv = [sys.executable, "-m", "tideline_cli", "remember", "said meanwhile", "--json"]
            running.append(subprocess.Popen(argv, stdout=subprocess.PIPE))
            with pytest.raises(subprocess.TimeoutExpired):
                running[0].wait(1.0)

    done = put_back(store, tmp_path, between)
    out, _ = running[0].communicate(timeout=30)
    assert (running[0].returncode, json.loads(out)["action"]) == (0, "created")
    assert checked(store) == ["I deploy on Fridays", "said meanwhile"]
    assert done.kept is not None


def test_an_import_beside_a_restore(store, tmp_path):
    """An import whose store is replaced stops with 75, tells how far it came, and leaves nothing
    in the other store."""
    with pytest.raises(ReplacedError) as caught:
        taken(store, rows(4 * import_rows.CHUNK, lambda: put_back(store, tmp_path)))
    assert (caught.value.exit_code, caught.value.code) == (75, "store_replaced")
    stored = 2 * import_rows.CHUNK - import_rows.CHUNK
    assert f"{stored:,} rows had been stored" in caught.value.message
    assert checked(store) == ["I deploy on Fridays"]


def test_nothing_joins_another_batch(store, tmp_path, run):
    """The batch that has the number of the import is another's, and its undo takes back its own."""

    def between():
        put_back(store, tmp_path)
        assert run("remember", "mine").code == 0

    with pytest.raises(ReplacedError):
        taken(store, rows(4 * import_rows.CHUNK, between))
    assert "1 fact removed" in run("undo").out
    assert checked(store) == ["I deploy on Fridays"]


@pytest.mark.parametrize(
    ("verb", "reply"),
    [
        (("consolidate", "--force", "--min-facts", "2"), '{"archive": []}'),
        (("relink",), '{"relationships": [{"a": "A", "b": "B", "type": "same_topic",'
         ' "reason": "both", "strength": 4}]}'),
        (("extract", "talk.txt", "--all-now"), '{"facts": [{"content": "The user lives in Lund.",'
         ' "segment": "identity"}], "relationships": []}'),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)  # fmt: skip
def test_a_model_that_thinks_meanwhile(store, tmp_path, process, run, verb, reply):
    """What was asked about one store is not written into another."""
    first, second = (one["id"] for one in run("list", "--json").json["facts"])
    reply = reply.replace('"A"', f'"{first}"').replace('"B"', f'"{second}"')
    (tmp_path / "talk.txt").write_text("USER: I live in Lund.\nASSISTANT: Noted.\n")
    model = tmp_path / "model"
    model.write_text(
        f"#!/bin/sh\ncat >/dev/null\n{sys.executable} -m tideline_cli restore --from "
        f"{tmp_path}/old.db --yes >/dev/null\necho '{reply}'\n"
    )
    model.chmod(0o700)
    done = process(*verb, "--llm", str(model), "--json")
    assert (done.code, done.error["code"]) == (75, "store_replaced"), done.err
    assert checked(store) == ["I deploy on Fridays"]
    assert verb[0] not in run("history").out


def test_late_uses_and_vectors(store, tmp_path, now):
    """What a recall counts and embeds after a restore is not given to other facts."""
    db = open_for_reading(str(store))
    answer = recall(db, Query("later", mode="hybrid"), viewer=OWNER, now=now)
    assert answer.seqs and answer.backlog is not None
    put_back(store, tmp_path)
    other = open_for_writing(str(store))
    new = NewFact("pears and plums", "knowledge", "owner_message", OWNER)
    remember(other, new, fact_id="01ARZ3NDEKTSV4RRFFQ69G5FA0", now=now)
    write_back(db, answer, touch=True, now=now)
    db.close()
    counted = other.execute("SELECT count(*) FROM usage").get
    held = other.execute("SELECT count(*) FROM vector_chunk").get
    other.close()
    assert (counted, held) == (0, 0)
    assert checked(store) == ["I deploy on Fridays", "pears and plums"]


def test_numbers_of_other_facts(db, now):
    """A use and a vector are kept for the id that they were made for, not for its number alone."""
    new = NewFact("pears and plums", "knowledge", "owner_message", OWNER)
    remember(db, new, fact_id="01ARZ3NDEKTSV4RRFFQ69G5FA0", now=now)
    answer = recall(db, Query("pears", mode="hybrid"), viewer=OWNER, now=now)
    db.execute("UPDATE fact SET id = '01ARZ3NDEKTSV4RRFFQ69G5FA1'")
    write_back(db, answer, touch=True, now=now)
    assert db.execute("SELECT count(*) FROM usage").get == 0
    assert db.execute("SELECT count(*) FROM vector_chunk").get == 0


def test_another_analyser_during_an_import(store, run):
    """A chunk is indexed by the analyser that the file has when the chunk is stored."""
    summary = taken(
        store, rows(4 * import_rows.CHUNK, lambda: run("config", "set", "analyzer", "reference"))
    )
    assert summary.added == 4 * import_rows.CHUNK
    assert len(checked(store)) == 4 * import_rows.CHUNK + 2
    assert run("doctor", "--deep").out.startswith("all is well")


def test_another_embedder_during_an_import(store):
    """A vector is stored by the embedder that the file has when the chunk is stored."""

    def change():
        db = open_for_writing(str(store))
        connection.put_setting(db, "embedder", "hash-256")
        db.close()

    taken(store, rows(6 * import_rows.CHUNK, change))
    db = open_for_writing(str(store))
    late = "SELECT max(seq) FROM vector_progress WHERE embedder = ?"
    assert db.execute(late, ("hrr-256",)).get < 3 * import_rows.CHUNK
    assert db.execute(late, ("hash-256",)).get > 4 * import_rows.CHUNK
    db.close()


def test_another_rule_during_a_dream(run, home, monkeypatch):
    """What was planned by one rule of sameness is not merged under another."""
    for said in ("the blue cat sat on the old mat", "the cat sat on the old mat not blue"):
        assert run("remember", said, "--json").json["action"] == "created"
    run("config", "set", "sameness", "reference")
    store_pairs = comparison.store_pairs

    def changed(db, compared, **given):
        store_pairs(db, compared, **given)
        with writing(db):
            connection.put_setting(db, "sameness", "strict")

    argv = ("dream", "--stage", "consolidate", "--merge-at", "0.5", "--max-loss", "1")
    assert "1 merged" in run(*argv, "--dry-run").out
    monkeypatch.setattr(comparison, "store_pairs", changed)
    assert "nothing to do" in run(*argv).out
    assert run("status", "--json").json["facts"]["archived"] == 0


def test_one_patience_for_both_locks(store, monkeypatch):
    """A writer waits for the queue and the lock together no longer than for one of them."""
    monkeypatch.setattr(connection, "BUSY_MS", 1500)
    first, second = open_for_writing(str(store)), open_for_writing(str(store))
    connection.begin(first)
    start = time.monotonic()
    with pytest.raises(connection.DatabaseError), writing(second):
        pass
    assert time.monotonic() - start < 2.4
    assert second.pragma("busy_timeout") == 1500
    connection.rollback(first)
    with writing(second):
        assert setting(second, "generation", "") != ""
    first.close()
    second.close()


def test_a_store_of_an_older_program(store, tmp_path):
    """A file without a generation gets one from its next writer, and keeps it."""
    db = open_for_writing(str(store))
    db.execute("DELETE FROM setting WHERE name = 'generation'")
    db.close()
    given = []
    for _ in range(2):
        db = open_for_writing(str(store))
        given.append(setting(db, "generation", ""))
        db.close()
    assert given[0] and given[0] == given[1]
    put_back(store, tmp_path)
    db = open_for_writing(str(store))
    assert setting(db, "generation", "") not in ("", given[0])
    db.close()


def test_a_transaction_in_another_store(store, tmp_path):
    """A connection that was opened before a restore begins no transaction after it, unless it has
    read nothing."""
    db, late = open_for_writing(str(store)), open_for_writing(str(store))
    connection.follow(late)
    put_back(store, tmp_path)
    with pytest.raises(BusyError), writing(db):
        pass
    assert db.get_autocommit()
    with writing(late):
        pass
    db.close()
    late.close()


# A log that another file has left behind.


@pytest.fixture
def logged(store, process):
    """A store whose log holds what a recall has counted."""
    assert process("recall", "deploy").code == 0
    assert (store.parent / "tideline.db-wal").stat().st_size > 0
    return store


def by_rename(copy, store):
    os.replace(copy, store)


def by_copying(copy, store):
    shutil.copyfile(copy, store)


def by_a_fresh_file(copy, store):
    store.unlink()
    shutil.copy2(copy, store)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", [by_rename, by_copying, by_a_fresh_file])
@pytest.mark.parametrize("argv", [("recall", "deploy"), ("remember", "more"), ("doctor",)])
def test_a_backup_beside_the_log_of_another_file(logged, tmp_path, process, place, argv):
    """The log of the file that was there is not played into a backup put there by hand."""
    place(tmp_path / "old.db", logged)
    before = logged.read_bytes()
    done = process(*argv)
    assert done.code == (5 if argv == ("doctor",) else 73)
    assert "log of another file" in done.out + done.err
    assert logged.read_bytes() == before
    os.rename(f"{logged}-wal", f"{logged}-wal.old")
    assert process(*argv).code == 0
    assert process("doctor", "--deep").code == 0


def test_a_folder_that_is_copied_with_its_log(logged, tmp_path, process):
    """A store that moves with its log keeps what the log holds."""
    shutil.copytree(logged.parent, tmp_path / "moved")
    at = ("--db", str(tmp_path / "moved" / "tideline.db"))
    assert process("recall", "later", *at).code == 0
    assert process("remember", "more", *at).code == 0
    assert process("export", *at).out.count("\n") == 3
    assert '"access_count": 1' in process("export", *at).out
    assert process("doctor", "--deep", *at).code == 0


def test_a_backup_that_was_read(store, tmp_path, process):
    """A backup that replaces one whose log a recall has left is whole."""
    for argv in (("remember", "one more"), ("recall", "deploy")):
        assert process(*argv, "--db", str(tmp_path / "old.db")).code == 0
    assert (tmp_path / "old.db-wal").stat().st_size > 0
    assert process("backup", "--force", str(tmp_path / "old.db")).code == 0
    assert not (tmp_path / "old.db-wal").exists()
    assert process("doctor", "--deep", "--db", str(tmp_path / "old.db")).code == 0
    assert process("export", "--db", str(tmp_path / "old.db")).out.count("\n") == 2
