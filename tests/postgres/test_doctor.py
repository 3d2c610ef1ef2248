"""doctor on a server: what it finds, what it mends, and the copy that it makes before."""

from __future__ import annotations

import pytest

from tests.support import some
from tideline_cli.store.postgres import opening

DAMAGE = (
    ("index", "DELETE FROM posting WHERE term = 'brass'", False),
    ("index", "INSERT INTO posting VALUES (1, 'other', 1)", False),
    ("counts", "UPDATE tally SET facts = facts + 1", False),
    ("counts", "INSERT INTO archived_term VALUES (1, 'brass', 7)", False),
    ("census", "UPDATE census SET facts = facts + 1", False),
    ("census", "DELETE FROM arrival", False),
    ("batch_counts", "UPDATE batch_count SET added = added + 3", False),
    ("labels", "DELETE FROM label_term", False),
    ("exact_bounds", "UPDATE score_bound SET codes = set_byte(codes, 1, 200)", False),
    ("bounds", "UPDATE score_bound SET number = number + 4", False),
    ("exact_vectors", "UPDATE vector_chunk SET codes = set_byte(codes, 3,"
     " (get_byte(codes, 3) + 99) % 256)", False),
    ("vectors", "UPDATE vector_chunk SET facts = set_byte(facts, 0, 77)", False),
    ("terms", "UPDATE fact SET terms = 'other words' WHERE seq = 1", True),
    ("digests", "UPDATE fact SET content = 'the lamp is of glass' WHERE seq = 1", True),
    ("journal", "DELETE FROM change WHERE entity = 'fact' AND row = 2", True),
    ("journal", "DELETE FROM batch WHERE number = 2", True),
    ("batches", "UPDATE batch SET open = 1 WHERE number = 3", False),
    ("links", "INSERT INTO link (number, from_fact, to_fact, kind, created_at, tenant)"
     " VALUES (99, 1, 4, 'supports', 1, 1)", True),
    ("walls", "UPDATE link SET tenant = 2", False),
    ("walls", "UPDATE change SET tenant = 2 WHERE row = 1", False),
    ("index", "UPDATE posting SET origin = 2 WHERE term = 'brass'", False),
    ("counts", "UPDATE turn_tally SET octets = octets + 5", False),
    ("index", "DELETE FROM turn_posting WHERE term = 'harbour'", False),
    ("references", "INSERT INTO usage VALUES (99, 1, 1, 1)", True),
)  # fmt: skip
"""The check that finds it, the SQL of a damage, whether a copy is made before it is mended."""
_FIRST = {one[0]: one for one in reversed(DAMAGE)}  # of each check
_CHECKS = len(_FIRST)


def _is_again(damage):
    return _FIRST[damage[0]] is not damage


@pytest.fixture
def place(run, address, monkeypatch):
    """A memory on a server with facts, links, uses and vectors."""
    made = address()
    monkeypatch.setenv("TIDELINE_DB", made)
    first = run("remember", "the lamp is of brass", "--tag", "home", "--json").json["id"]
    second = run("remember", "Lena likes green tea", "--slot", "drink", "--json").json["id"]
    assert run("link", first, second, "--kind", "supports").code == 0
    run("import", "-", "--trust", stdin='{"content": "a key hangs behind the brass lamp"}')
    run("recall", "what does Lena drink", "--mode", "semantic")
    run("--origin", "channel:chat/a/b", "remember", "the lamp is of glass")
    run("sessions", "add", "-", stdin='{"role": "user", "content": "the harbour lamp is red"}')
    assert run("doctor", "--deep").code == 0
    return made


def harm(place, sql, *, silent=True):
    """Run SQL as a superuser may: keys and triggers do not act."""
    db = opening.connected(place)
    db.execute("BEGIN IMMEDIATE")
    if silent:
        db.as_it_is("SET LOCAL session_replication_role = replica")
    db.as_it_is(sql)
    db.execute("COMMIT")
    db.close()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("check", "sql", "is_copied"), some(sorted(DAMAGE, key=_is_again), _CHECKS // 2)
)
def test_what_is_damaged_is_found_and_mended(run, place, check, sql, is_copied):
    """Each damage is found by its check, and mended; all is well after it, and the copy is a memory
    that can be read."""
    harm(place, sql)
    found = run("doctor", "--deep", "--json")
    assert found.code == 5 and check in {one["check"] for one in found.json["findings"]}, found
    mended = run("doctor", "--deep", "--repair", "--yes", "--json")
    assert mended.code == 0, mended
    assert run("doctor", "--deep").code == 0
    assert ("copy" in mended.json) == is_copied
    if is_copied:
        kept = mended.json["copy"]
        assert "_before_repair_" in kept
        assert run("--db", kept, "recall", "--mode", "keyword", "tea").code == 0
        assert run("--db", kept, "doctor", "--deep", "--json").json["findings"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sql", [
    "DROP INDEX fact_slot", "ALTER TABLE fact DISABLE TRIGGER fact_updated",
    "DROP TRIGGER fact_inserted ON fact", "ALTER TABLE fact RENAME COLUMN title TO heading",
    "CREATE OR REPLACE FUNCTION open_batch() RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'",
    "CREATE RULE quiet AS ON DELETE TO fact DO INSTEAD NOTHING",
    "ALTER FUNCTION fact_inserted SET search_path = public",
    "ALTER FUNCTION taken_ids RESET search_path", "ALTER FUNCTION fact_inserted SECURITY INVOKER",
    "DROP TABLE tally CASCADE",
])  # fmt: skip
def test_a_changed_schema_is_told_and_left(run, place, sql):
    """What is not of this version is named; then nothing else is asked, and nothing is mended."""
    harm(place, sql, silent=False)
    found = run("doctor", "--json")
    assert found.code == 5
    assert [one["check"] for one in found.json["findings"]] == ["tables"], found.out
    mended = run("doctor", "--repair", "--yes", "--json")
    assert mended.code == 5 and "nothing in the store is repaired" in mended.err


def test_an_older_and_a_newer_schema_are_told(run, place):
    """The version decides before anything else is read."""
    for version, word in ((0, "older than"), (9999, "this program knows")):
        harm(place, f"UPDATE setting SET value = '{version}' WHERE name = 'schema_version'")
        (found,) = run("doctor", "--json").json["findings"]
        assert found["check"] == "identity" and word in found["message"]


def test_the_words_are_those_of_a_server(run, place):
    """No remedy names a file, or a command for files alone."""
    harm(place, "UPDATE fact SET segment = 'nonsense' WHERE seq = 1")
    harm(place, "DELETE FROM fact WHERE seq = 2")
    found = run("doctor", "--deep", "--json")
    told = " ".join(one["remedy"] for one in found.json["findings"])
    assert "pg_restore" in told and "restore --from" not in told and "copy the file" not in told
    assert "pg_amcheck" in found.err


def test_nothing_is_there(run, address, monkeypatch):
    """A schema without a memory is told, and nothing is made."""
    monkeypatch.setenv("TIDELINE_DB", address())
    done = run("doctor")
    assert done.code == 2 and "there is no memory" in done.err
