"""doctor --deep folds the log of a place, and compares it with what the memory shows."""

from __future__ import annotations

from contextlib import closing

import apsw
import pytest

from tests.conftest import run_main

CALL = ("doctor", "--deep", "--json")


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """Return a function that runs a command on one of two machines, which share a place."""

    def on(name, *argv, **given):
        folder = tmp_path / name
        folder.mkdir(mode=0o700, exist_ok=True)
        monkeypatch.setenv("TIDELINE_HOME", str(folder))
        return run_main(*argv, **given)

    place = str(tmp_path / "place")
    on("ash", "remember", "The boiler is in the cellar", "--slot", "boiler")
    on("ash", "remember", "The tent is in the attic")
    assert on("ash", "sync", place, "--name", "ash", "--plain").code == 0
    on("birch", "remember", "The boiler is in the attic", "--slot", "boiler")
    assert on("birch", "sync", place, "--name", "birch", "--plain", "--trust").code == 0
    assert on("ash", "sync", "--trust").code == 0
    return on


def found(done):
    return [one for one in done.json["findings"] if one["check"] == "sync_log"]


def test_a_memory_that_does_not_sync_is_not_asked(run):
    """A memory that does not sync is not asked."""
    assert run("remember", "The tent is in the attic").code == 0
    assert "sync_log" not in run(*CALL).json["checks"]


@pytest.mark.parametrize("name", ["ash", "birch"])
def test_a_memory_that_is_as_the_log_says_is_well(pair, name):
    """A memory that is as the log says is well."""
    done = pair(name, *CALL)
    assert (done.code, done.json["findings"]) == (0, [])
    assert "sync_log" in done.json["checks"]
    assert "sync_log" not in pair(name, "doctor", "--json").json["checks"]


def plant(path, statement):
    """Change a memory file behind the back of its journal."""
    with closing(apsw.Connection(str(path))) as db:
        every = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        triggers = db.execute(every).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute(statement)
        assert db.changes() == 1
        for _, sql in triggers:
            db.execute(sql)


@pytest.mark.parametrize("statement", [
    "UPDATE fact SET importance = importance / 2 WHERE content LIKE 'The tent%'",
    "UPDATE fact SET lifecycle = 'active' WHERE lifecycle = 'archived'",
    "DELETE FROM link WHERE kind = 'contradicts'",
])  # fmt: skip
def test_a_difference_is_found_and_a_backup_is_the_way_back(pair, tmp_path, statement):
    """A difference is found and a backup is the way back."""
    assert pair("ash", "backup", str(tmp_path / "ash.backup")).code == 0
    plant(tmp_path / "ash" / "tideline.db", statement)
    done = pair("ash", *CALL)
    (finding,) = found(done)
    assert done.code == 5 and finding["severity"] == "error"
    assert "differ" in finding["message"] and "restore --from" in finding["remedy"]
    assert "sync_log: " in pair("ash", "doctor", "--deep").out
    assert pair("ash", "restore", "--from", str(tmp_path / "ash.backup"), "--yes").code == 0
    assert pair("ash", "sync").code == 0
    assert found(pair("ash", *CALL)) == []


def test_what_was_said_since_the_last_sync_is_no_difference(pair):
    """What was said since the last sync is no difference."""
    said = pair("ash", "remember", "The boiler is in the garden", "--slot", "boiler", "--json").json
    assert pair("ash", "recall", "tent").code == 0
    (tent,) = pair("ash", "recall", "tent", "--json").json["hits"][:1]
    assert pair("ash", "link", said["id"], tent["id"]).code == 0
    assert found(pair("ash", *CALL)) == []


def test_news_in_the_place_wait_for_a_sync(pair):
    """News in the place wait for a sync."""
    pair("birch", "remember", "The skis are in the garage")
    assert pair("birch", "sync").code == 0
    done = pair("ash", *CALL)
    assert found(done) == [] and any("has news" in note for note in done.notes)


def test_a_damaged_log_is_found(pair, tmp_path):
    """A damaged log is found."""
    segment = next(one for one in (tmp_path / "place").glob("*/*.seg")
                   if b"The tent" not in one.read_bytes())  # fmt: skip
    segment.write_bytes(segment.read_bytes()[:-40])
    (finding,) = found(pair("ash", *CALL))
    assert finding["severity"] == "warning" and "cannot be read on" in finding["message"]
    assert pair("birch", "sync").code == 0  # it leaves its part anew
    assert pair("ash", "sync").code == 0
    assert found(pair("ash", *CALL)) == []
