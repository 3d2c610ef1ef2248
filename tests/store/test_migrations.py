"""Older files: an upgrade is whole or has not begun, and a draft is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from tests.conftest import run_main
from tests.soundness import sound
from tests.support import ROOT, fresh_store, often
from tideline_cli.errors import CannotWriteError, StoreError
from tideline_cli.store import DRAFT_ID, backup, connection, schema, writes
from tideline_cli.store.checks import structure
from tideline_cli.store.opening import open_for_reading, open_for_writing

pytestmark = pytest.mark.file_alone("older files are upgraded")

POINTS = often(16, 50)
PROCESSES = often(5, 16)
AFTER = -1


def statement(beginning):
    """Return the statement of the schema that begins so."""
    return schema.SCHEMA[schema.SCHEMA.index(beginning) :].partition(";")[0]


def upgrade_0(db):
    """From an older schema that the tests invent: it lacks a table, an index and the digests."""
    db.execute(statement("CREATE TABLE cursor ("))
    db.execute(statement("CREATE INDEX fact_scope "))
    writes.put_digests(db, [seq for (seq,) in db.execute("SELECT seq FROM fact").fetchall()])


STEPS = {0: upgrade_0, **backup.STEPS}


def old_store(path):
    """Make a file of the invented version 0."""
    for argv in (
        ("remember", "Alice deploys on Fridays", "--slot", "deploy_day", "--tag", "work"),
        ("remember", "Alice deploys on Mondays", "--slot", "deploy_day", "--confidence", "0.9"),
        ("remember", "Bob drinks green tea every morning", "-s", "preference", "--pin"),
        ("remember", "a thought that passes"),
        ("undo",),
        ("remember", "the cat sleeps in the hall", "--origin", "channel:wa/c1/s1"),
        ("recall", "who deploys"),
    ):
        assert run_main(*argv, "--db", str(path)).code == 0
    db = raw(path)
    db.execute("UPDATE fact SET digest = NULL")
    db.execute("DROP INDEX fact_scope")
    db.execute("DROP TABLE cursor")
    db.execute("PRAGMA user_version = 0").fetchall()
    db.execute("PRAGMA journal_mode = DELETE").fetchall()
    db.close()
    return path


def raw(path):
    return apsw.Connection(str(path))


def state(path):
    """Return a file's version, its objects and its facts."""
    db = raw(path)
    try:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        rows = db.execute("SELECT seq, id, created_at, content, terms FROM fact").fetchall()
        return db.pragma("user_version"), structure.schema_objects(db), rows
    finally:
        db.close()


def fresh_objects():
    with fresh_store() as db:
        return structure.schema_objects(db)


@pytest.mark.parametrize("opened", [open_for_writing, open_for_reading])
def test_an_upgrade(tmp_path, monkeypatch, opened):
    """The first opening upgrades, and keeps the file as it was beside it, private."""
    monkeypatch.setattr(backup, "STEPS", STEPS)
    path = old_store(tmp_path / "t.db")
    version, objects, rows = state(path)
    assert (version, "cursor" in objects) == (0, False)
    assert rows
    kept = os.umask(0)
    try:
        opened(str(path)).close()
    finally:
        os.umask(kept)
    assert state(path) == (schema.VERSION, fresh_objects(), rows)
    copy = tmp_path / "t.db.v0"
    assert state(copy) == (0, objects, rows)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    db = open_for_writing(str(path))
    sound(db)
    assert list(writes.wrong_digests(db)) == []
    db.close()
    assert not (tmp_path / "t.db.v0.part").exists()


def test_a_step_that_fails_changes_nothing(tmp_path, monkeypatch):
    """A step that raises, or that breaks references, leaves the file as it was."""
    path = old_store(tmp_path / "t.db")
    before = state(path)

    def broken(db):
        upgrade_0(db)
        raise apsw.SQLError("no such column")

    def careless(db):
        upgrade_0(db)
        db.execute("INSERT INTO usage VALUES (999, 1, 1)")

    for step in (broken, careless):
        monkeypatch.setattr(backup, "STEPS", STEPS | {0: step})
        with pytest.raises(apsw.Error):
            open_for_writing(str(path))
        assert state(path) == before
    monkeypatch.setattr(backup, "STEPS", STEPS)
    open_for_writing(str(path)).close()
    assert state(path)[0] == schema.VERSION


def test_no_way(run, tmp_path):
    """A version that no step starts from is refused, and the file left as it is."""
    path = old_store(tmp_path / "t.db")
    before = state(path)
    for argv in (("recall", "x"), ("remember", "x y"), ("status",)):
        done = run(*argv, "--db", str(path), "--json")
        assert (done.code, done.error["code"]) == (5, "store_older")
    assert run("doctor", "--db", str(path), "--json").json["findings"][0]["check"] == "identity"
    assert state(path) == before
    assert not (tmp_path / "t.db.v0").exists()


def test_a_draft_is_refused(run, home):
    """A file of before the first release is left as it is, and the hint says how to export it."""
    run("remember", "x y")
    db = raw(home / "tideline.db")
    db.execute(f"PRAGMA application_id = {DRAFT_ID}").fetchall()
    db.execute("PRAGMA user_version = 3").fetchall()
    db.execute("PRAGMA journal_mode = DELETE").fetchall()
    db.close()
    before = (home / "tideline.db").read_bytes()
    for argv in (("recall", "x"), ("remember", "x y"), ("status",)):
        done = run(*argv, "--json")
        assert (done.code, done.error["code"]) == (5, "store_older")
        assert "export --all-origins" in done.error["hint"]
    (found,) = run("doctor", "--json").json["findings"]
    assert (found["check"], "export --all-origins" in found["remedy"]) == ("identity", True)
    assert (home / "tideline.db").read_bytes() == before


def test_a_read_only_file_is_not_upgraded(tmp_path, monkeypatch):
    """A file that cannot be written says that it must be upgraded first."""
    monkeypatch.setattr(backup, "STEPS", STEPS)
    path = old_store(tmp_path / "t.db")
    db = connection._configured(str(path), apsw.SQLITE_OPEN_READONLY)
    with pytest.raises(StoreError) as caught:
        backup.upgrade(db, str(path))
    assert caught.value.code == "store_older"
    db.close()


@pytest.mark.parametrize("opened", [open_for_reading, open_for_writing])
def test_an_older_file_with_two_names_is_not_upgraded(tmp_path, monkeypatch, opened):
    """An upgrade writes, so it is refused by either name, and nothing is copied."""
    monkeypatch.setattr(backup, "STEPS", STEPS)
    path = old_store(tmp_path / "t.db")
    os.link(path, tmp_path / "other.db")
    before = path.read_bytes()
    with pytest.raises(CannotWriteError) as caught:
        opened(str(path))
    assert caught.value.code == "two_names"
    assert path.read_bytes() == before
    assert not (tmp_path / "t.db.v0").exists()


def test_an_older_backup_is_upgraded_when_it_is_put_back(run, tmp_path, monkeypatch):
    """restore --from takes a backup of an older version, and upgrades it in place."""
    monkeypatch.setattr(backup, "STEPS", STEPS)
    copy = old_store(tmp_path / "old.db")
    run("remember", "something else")
    done = run("restore", "--from", str(copy), "--yes", "--json")
    assert (done.code, done.json["facts"]) == (0, 4)
    assert run("doctor", "--deep").out.startswith("all is well")
    assert state(copy)[0] == 0


def test_a_copy_that_is_behind_is_made_again(tmp_path, monkeypatch):
    """What another program writes between the copy and the upgrade is in a second copy."""
    monkeypatch.setattr(backup, "STEPS", STEPS)
    path = old_store(tmp_path / "t.db")
    real, calls = backup.write_over, []

    def meanwhile(db, target):
        made = real(db, target)
        calls.append(target)
        if len(calls) == 1:
            other = raw(path)
            other.execute("INSERT INTO setting VALUES ('theirs', '1')")
            other.close()
        return made

    monkeypatch.setattr(backup, "write_over", meanwhile)
    open_for_writing(str(path)).close()
    assert len(calls) == 2
    copy = raw(tmp_path / "t.db.v0")
    assert copy.execute("SELECT count(*) FROM setting WHERE name = 'theirs'").get == 1
    copy.close()
    assert state(path)[0] == schema.VERSION


def killed_children(folder, points):
    """In a process of its own: kill an upgrade at so many points; print what was left of each."""
    backup.STEPS = STEPS
    source = old_store(Path(folder) / "old.db")
    total = _child(source, Path(folder) / "count.db", 0)
    for n in range(points):
        path = Path(folder) / f"t{n}.db"
        _child(source, path, 1 + total * n // points if n < points - 1 else AFTER)
        left = state(path)
        open_for_writing(str(path)).close()
        after, copy = state(path), state(f"{path}.v0")
        names = [left[0], left[1] == state(source)[1], left[1] == after[1], left[2] == after[2],
                 after[0], copy[0], copy[2] == after[2]]  # fmt: skip
        print(json.dumps(names), flush=True)


def _child(source, path, at):
    """Upgrade a copy in a child that dies after `at` steps of SQLite's machine, or right AFTER the
    upgrade; 0: count them."""
    shutil.copyfile(source, path)
    done, count = os.pipe()
    pid = os.fork()
    if pid == 0:
        steps = [0]

        def tick():
            steps[0] += 1
            if steps[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return False

        apsw.connection_hooks.append(lambda db: db.set_progress_handler(tick, 40))
        db = open_for_writing(str(path))
        if at == AFTER:
            os.kill(os.getpid(), signal.SIGKILL)
        db.close()
        os.write(count, str(steps[0]).encode())
        os._exit(0)
    os.close(count)
    _, status = os.waitpid(pid, 0)
    told = os.read(done, 20)
    os.close(done)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    return int(told or 0)


def script(call):
    return (
        "import sys; from tests.store import test_migrations as t; "
        f"from tideline_cli.store import backup; {call}"
    )


def test_an_upgrade_killed_at_any_point(tmp_path):
    """Killed at many points, the file is of the old version or the new one, and whole."""
    done = subprocess.run(
        [sys.executable, "-c", script(f"t.killed_children(sys.argv[1], {POINTS})"), str(tmp_path)],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(rows) == POINTS
    for version, is_old, is_new, same_facts, *after in rows:
        assert (is_old, is_new) == (version == 0, version == schema.VERSION)
        assert [same_facts, *after] == [True, schema.VERSION, 0, True]
    assert {row[0] for row in rows} == {0, schema.VERSION}


def test_many_processes_and_one_upgrade(tmp_path):
    """Of many processes that open an older file at once, one upgrades it; none fails."""
    path = old_store(tmp_path / "t.db")
    rows = state(path)[2]
    call = (
        "ran = []; backup.STEPS = t.STEPS | {0: lambda db: (ran.append(1), t.upgrade_0(db))}; "
        "t.open_for_writing(sys.argv[1]).close(); print(len(ran))"
    )
    argv = [sys.executable, "-c", script(call), str(path)]
    children = [
        subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(PROCESSES)
    ]
    told = [child.communicate() for child in children]
    assert [err for _, err in told if err] == []
    assert sum(int(out) for out, _ in told) == 1
    assert state(path) == (schema.VERSION, fresh_objects(), rows)
