"""Servers, databases and roles with settings of their own, and what others may do in a schema."""

from __future__ import annotations

import json
import os
import random
import string
import time
from urllib.parse import quote

import apsw
import pytest

from tests.postgres.people import as_role, new_role, own, psql
from tideline_cli.errors import StoreError
from tideline_cli.store import locks, remote
from tideline_cli.store.postgres import opening

MEANING = (
    "array_nulls=off", "standard_conforming_strings=off", "transform_null_equals=on",
    "extra_float_digits=-10", "bytea_output=escape", "datestyle=German", "timezone=Asia/Kolkata",
    "default_transaction_isolation=serializable", "row_security=off",
)  # fmt: skip


def with_settings(place, *settings):
    """Return an address whose connections begin with these settings, as `ALTER ROLE … SET` does."""
    return f"{place}&options={quote(' '.join(f'-c {one}' for one in settings))}"


def test_settings_of_a_role_change_no_answer(run, address, tmp_path, monkeypatch):
    """How texts, lists and figures are read and written is the memory's to say."""
    rows = [{"content": f"lamp number {one} is of brass", "importance": one / 30,
             "tags": ["a\\1b"] * (one % 2)} for one in range(30)]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = []
    for settings in ((), MEANING):
        place = with_settings(address(), *settings)
        monkeypatch.setenv("TIDELINE_DB", place)
        assert run("import", str(tmp_path / "rows.jsonl"), "--trust").code == 0
        found = run("recall", "lamp number 7", "--json").json
        db = opening.connected(place)
        matching = "SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?"
        both = db.execute(matching, ('("lamp" AND "brass")',)).fetchall()
        images = db.execute("SELECT count(*) FROM fact WHERE (to_json(fact) ->> 'importance')::"
                            "float8 <> importance").get  # fmt: skip
        db.close()
        shown = [(hit["content"], hit["score"]) for hit in found["hits"]]
        told.append((shown, len(both), images))
    assert told[0] == told[1] and told[0][1] == 30 and told[0][2] == 0


def test_a_lock_outlives_the_patience_of_a_server(run, address, monkeypatch):
    """A dream holds its lock in a transaction that does nothing meanwhile."""
    place = with_settings(address(), "idle_in_transaction_session_timeout=1s")
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    held = locks.attempt(place, locks.DREAM)
    time.sleep(1.8)
    assert locks.attempt(place, locks.DREAM) is None
    locks.release(held)
    again = locks.attempt(place, locks.DREAM)
    assert again is not None
    locks.release(again)


def test_a_lock_keeps_no_snapshot(run, address, server, monkeypatch):
    """One that is kept for as long as a dream takes would let no dead row of any database be
    removed."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    held = locks.attempt(place, locks.DREAM)
    key = f"hashtext('{place.partition('&schema=')[2]}')::bigint & 4294967295"
    told = psql(server, "SELECT state, backend_xmin IS NULL FROM pg_stat_activity"
                        " JOIN pg_locks USING (pid)"
                        f" WHERE locktype = 'advisory' AND objid::bigint = {key}")  # fmt: skip
    locks.release(held)
    assert told.strip() == "idle in transaction|t"


def test_a_failure_leaves_no_connection(run, address, monkeypatch):
    """A process that stays would gather those of locks and of memories that it does not get."""
    place = address()
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    psql(place, "UPDATE setting SET value = '99' WHERE name = 'schema_version'")
    monkeypatch.setattr("tideline_cli.store.postgres.opening._LASTING", "SELECT 1 / 0")
    failures, before = [], len(os.listdir("/dev/fd"))
    for use in (opening.open_or_make, opening.open_if_there,
                lambda given: locks.attempt(given, locks.DREAM)):  # fmt: skip
        with pytest.raises((apsw.Error, StoreError)) as failure:
            use(place)
        failures.append(failure)  # with all that their frames hold
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_every_text(run, server, monkeypatch, encoding):
    """No memory is made there, and the hint says where one can be."""
    name = f"other_{encoding.lower()}"
    psql(server, f"DROP DATABASE IF EXISTS {name}",
         f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")  # fmt: skip
    try:
        monkeypatch.setenv("TIDELINE_DB", server.replace("/postgres?", f"/{name}?"))
        done = run("remember", "the lamp is of brass")
        assert done.code == 5 and encoding in done.err and "UTF8" in done.err
    finally:
        psql(server, f"DROP DATABASE {name}")


def test_a_member_makes_nothing_in_the_schema(run, address, server, monkeypatch):
    """A function of theirs would run with the rights of whoever asks next."""
    place, role = address(), new_role(server)
    schema = place.partition("&schema=")[2]
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    psql(server, f"GRANT CREATE ON SCHEMA {schema} TO PUBLIC")
    done = run("member", "add", role, own(role))
    assert done.code == 73 and "may make functions" in done.err and "REVOKE CREATE" in done.err
    psql(server, f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC")
    assert run("member", "add", role, own(role)).code == 0
    assert "tables" not in run("doctor").out
    psql(server, f"GRANT CREATE ON SCHEMA {schema} TO {role}")
    psql(as_role(place, role), "CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql"
         " AS 'SELECT $1'")  # fmt: skip
    assert "max() (not made by tideline)" in run("doctor").out


def test_a_member_leaves_the_index_of_others_alone(run, address, server, monkeypatch):
    """The functions that keep it run as the owner, and are anybody's to call."""
    place, role = address(), new_role(server)
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the lamp is of brass").code == 0
    assert run("member", "add", role, own(role)).code == 0
    assert run(own(role), "remember", "the bridge spans a river").code == 0
    assert run("dream").code == 0
    assert run("remember", "the lamp hangs from a hook").code == 0
    whole = "SELECT term, count(*) FROM indexed_term WHERE origin = 1 GROUP BY 1 ORDER BY 1"
    before = psql(place, whole)
    assert "lamp|2" in before
    for call in (
        "index_of(0, NULL)", "index_of(-1, ARRAY[1])", "index_of(1, NULL)", "index_after(0)",
        "fold_of(ARRAY[1])", "put_between(1, 'lamp', ARRAY[9])",
    ):  # fmt: skip
        psql(as_role(place, role), f"SELECT {call}", fails=call.startswith("put"))
        assert psql(place, whole) == before, call
    assert run("doctor").code == 0


def test_a_word_that_is_too_long_for_an_index(run, address, tmp_path, monkeypatch):
    """The rest of an import is stored, and each refusal says what is too long."""
    monkeypatch.setenv("TIDELINE_DB", address())
    chance = random.Random(1)
    word = "".join(chance.choices(string.ascii_lowercase + string.digits, k=6000))
    slot = "".join(chr(chance.randrange(0x4E00, 0x9FA5)) for _ in range(1000))
    rows = [{"content": f"row {one} of lamps"} for one in range(10)]
    rows[4]["content"] += f" {word}"
    rows[6]["slot"] = slot
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("import", str(tmp_path / "rows.jsonl"), "--trust")
    assert "line 5: the text has a word of more than 2,600 bytes" in done.err
    assert "line 7: slot is a text of more than 2,600 bytes" in done.err
    assert run("list").out.count("lamps") == 8
    for argv in ((f"a key {word}",), ("a lamp", "--slot", slot)):
        done = run("remember", *argv)
        assert done.code == 2 and "of more than 2,600 bytes, which a server" in done.err
    assert run("remember", "split: " + " ".join([word[:2000], word[2000:4000]])).code == 0


def test_every_verb_has_one_rule_for_what_is_too_long(run, address, tmp_path, monkeypatch):
    """A server takes longer words where it can compress them: what one verb stores, no other
    refuses, so that an export goes into another memory whole."""
    monkeypatch.setenv("TIDELINE_DB", address())
    word, longest = "x" * 2601, "x" * 2600
    letters = "".join(chr(0x10D0 + one % 33) for one in range(900))  # three bytes each
    for argv in (
        (f"a key {word}",), ("a lamp", "--slot", "字" * 867),
        ("a lamp", "--title", letters), ("a lamp", "--tag", letters),
    ):  # fmt: skip
        done = run("remember", *argv)
        assert done.code == 2 and "of more than 2,600 bytes, which a server" in done.err
    assert run("list").code == 0 and run("list").out == ""
    known = run("remember", f"a key {longest}").out.split()[0]
    for argv in ((known, f"another key {word}"), (known, "--slot", "字" * 867)):
        assert run("edit", *argv).code == 2
    assert run("edit", known, "--slot", "字" * 866).code == 0
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "long.md").write_text(f"# Keys\n\n{'y' * 3900}\n")
    (notes / "short.md").write_text("# Lamps\n\nA lamp of brass.\n")
    foretold = run("ingest", str(notes), "--chunk-size", "4000", "--dry-run")
    assert "long.md" in foretold.err and "a server cannot index" in foretold.err
    done = run("ingest", str(notes), "--chunk-size", "4000")
    assert "short.md\t1 chunk" in done.out
    assert "long.md" in done.err and "a server cannot index" in done.err
    (tmp_path / "all.jsonl").write_text(run("export").out)
    monkeypatch.setenv("TIDELINE_DB", address())
    done = run("import", str(tmp_path / "all.jsonl"), "--trust")
    assert "skipped" not in done.out and done.code == 0
    assert run("export").out == (tmp_path / "all.jsonl").read_text()


def test_an_import_foretells_what_is_too_long(run, address, tmp_path, monkeypatch):
    """A dry run and --strict say of a server what they do not say of a file."""
    (tmp_path / "rows.jsonl").write_text(json.dumps({"content": f"a key {'x' * 2601}"}) + "\n")
    for place, taken in ((str(tmp_path / "a.db"), True), (address(), False)):
        monkeypatch.setenv("TIDELINE_DB", place)
        tried = run("import", str(tmp_path / "rows.jsonl"), "--dry-run")
        strict = run("import", str(tmp_path / "rows.jsonl"), "--strict")
        assert (f"{int(taken)} of 1 rows" in tried.out) and (strict.code == 0) is taken
        assert ("a server cannot index" in tried.err) is not taken


def test_what_a_server_has_taken_before_stays_usable(run, address, monkeypatch):
    """A word that the rule of today refuses can be labelled, archived and brought back."""
    monkeypatch.setenv("TIDELINE_DB", address())
    with monkeypatch.context() as before:
        before.setattr(remote, "LONGEST_KEY", 10**6)
        known = run("remember", f"a key {'x' * 3000}").out.split()[0]
    assert run("edit", known, "--tag", "secret", "--title", "a title").code == 0
    for verb in ("forget", "restore", "pin", "dream", "undo"):
        assert run(verb, *([known] if verb not in ("dream", "undo") else [])).code == 0
    assert run("edit", known, "--slot", "字" * 867).code == 2
    assert run("doctor", "--deep").code == 0


def test_a_sync_takes_what_the_server_takes(run, address, tmp_path, monkeypatch):
    """The other machine has it already: one word must not hold back all facts."""
    place = str(tmp_path / "place")
    monkeypatch.setenv("TIDELINE_DB", str(tmp_path / "a.db"))
    for text in (f"a key {'x' * 3000}", "the lamp is of brass"):
        assert run("remember", text).code == 0
    assert run("sync", place, "--name", "laptop", "--plain").code == 0
    monkeypatch.setenv("TIDELINE_DB", address())
    done = run("sync", place, "--name", "server", "--plain")
    assert done.code == 0, done.err
    assert run("list").out.count("\n") == 2
