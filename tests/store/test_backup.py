"""backup and restore --from: whole copies while others write, and the way back."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import apsw
import pytest

from tests.soundness import sound
from tests.support import PEER, ROOT, empty_store_at, fact, put
from tideline_cli.errors import TidelineError
from tideline_cli.store import backup, connection, files
from tideline_cli.store.opening import open_for_reading, open_for_writing

pytestmark = pytest.mark.file_alone("copies of a file, and putting them back")

KEPT = "before-restore-20251009T085320Z"


@pytest.fixture
def store(run, home):
    for n in range(5):
        run("remember", f"person{n} deploys on day{n}")
    run("remember", "peer has a cat", "--origin", PEER.key)
    return home / "tideline.db"


def contents(path):
    db = apsw.Connection(str(path))
    rows = db.execute("SELECT content FROM fact ORDER BY seq").fetchall()
    db.close()
    return [text for (text,) in rows]


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_backup(run, store, tmp_path):
    """A backup holds every fact of every origin, is private, and is a memory file of its own."""
    copy = tmp_path / "copy.db"
    kept = os.umask(0)
    try:
        done = run("backup", str(copy), "--json")
    finally:
        os.umask(kept)
    assert (done.code, done.json) == (
        0, {"file": str(copy), "facts": 6, "bytes": copy.stat().st_size},
    )  # fmt: skip
    assert mode(copy) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy.db", "home"]
    assert contents(copy) == contents(store)
    assert run("recall", "person3", "--db", str(copy)).code == 0
    assert run("doctor", "--deep", "--db", str(copy)).out.startswith("all is well")
    again = run("backup", "copy2.db")
    assert again.out == f"{tmp_path / 'copy2.db'}: 6 facts, {copy.stat().st_size:,} bytes\n"


def test_a_backup_replaces_nothing_unasked(run, store, tmp_path):
    """An existing file, a link or a folder is refused; --force replaces a file alone."""
    copy, link, folder = (tmp_path / name for name in ("copy.db", "link.db", "folder"))
    copy.write_text("precious")
    link.symlink_to(tmp_path / "nowhere")
    folder.mkdir()
    for path in (copy, link, folder):
        assert run("backup", str(path)).code == 2, path
    assert copy.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()
    assert run("backup", str(folder), "--force").code == 2
    assert run("backup", str(link), "--force").code == 2
    assert run("backup", str(copy), "--force").code == 0
    assert (len(contents(copy)), mode(copy)) == (6, 0o600)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy.db", "folder", "home", "link.db"]


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-lock", "-journal"])
def test_a_backup_is_not_the_store(run, store, end):
    """The store's own files are refused, forced or not, and by any name."""
    before = contents(store)
    own = str(store) + end
    for path in (own, str(store.parent / ".." / "home" / f"tideline.db{end}")):
        assert run("backup", path).code == 2
        assert run("backup", path, "--force").code == 2
    assert contents(store) == before
    assert run("remember", "one more").code == 0


def test_who_may_back_up(run, store, tmp_path):
    """Only the owner copies the store, for the copy holds every origin."""
    assert run("backup", str(tmp_path / "x.db"), "--origin", PEER.key).code == 2
    assert run("restore", "--from", str(store), "--yes", "--origin", PEER.key).code == 2
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize("words", [(), ("a.db", "b.db"), ("",), ("a\0b",), ("\udcff.db",)])
def test_bad_names(run, store, words):
    """What is no name of a file is a usage error."""
    done = run("backup", *words, "--json")
    assert (done.code, done.error["code"]) == (2, "usage")


def test_no_store_to_copy(run, home, tmp_path):
    """Without a store nothing is copied, and nothing is made."""
    assert run("backup", str(tmp_path / "x.db")).code == 2
    assert run("backup", str(tmp_path / "no" / "x.db")).code == 2
    assert os.listdir(home) == []
    assert not (tmp_path / "x.db").exists()


def test_no_folder_for_the_copy(run, store, tmp_path):
    """A folder that is not there is told as what cannot be written."""
    assert run("backup", str(tmp_path / "no" / "x.db")).code == 73


def test_a_failed_backup_leaves_nothing(store, tmp_path, monkeypatch):
    """A copy that is not whole is removed, and the one before stays."""
    db = open_for_reading(str(store))
    copy = tmp_path / "copy.db"
    backup.write(db, str(copy), force=False)
    before = copy.read_bytes()

    def broken(db, path):
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(backup, "verify", broken)
    for force, path in ((True, copy), (False, tmp_path / "other.db")):
        with pytest.raises(TidelineError) as caught:
            backup.write(db, str(path), force=force)
        assert caught.value.exit_code == 73
        assert str(tmp_path) in caught.value.message
    db.close()
    assert copy.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy.db", "home"]


def test_backups_while_others_write(store, tmp_path):
    """Every fact acknowledged before a backup began is in it, and each copy is whole."""
    script = (
        "import sys; from tests.support import fact, put;"
        "from tideline_cli.store.opening import open_for_writing;"
        "db = open_for_writing(sys.argv[1]);"
        "[(put(db, [fact(f'w{sys.argv[2]} n{i}', f'W{sys.argv[2]}{i:024d}')]),"
        " print(f'w{sys.argv[2]} n{i}', flush=True)) for i in range(120)]"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, str(store), str(n)],
                         stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for n in range(3)
    ]  # fmt: skip
    told: list[str] = []
    readers = [
        threading.Thread(target=lambda pipe=w.stdout: told.extend(map(str.strip, pipe)))
        for w in writers
    ]
    for reader in readers:
        reader.start()
    copies = []
    db = open_for_reading(str(store))
    while any(w.poll() is None for w in writers):
        acknowledged = list(told)
        path = tmp_path / f"copy{len(copies)}.db"
        backup.write(db, str(path), force=False)
        copies.append((path, acknowledged))
    db.close()
    for thread, writer in zip(readers, writers, strict=True):
        thread.join()
        writer.stdout.close()
        assert writer.wait() == 0
    assert len(told) == 360
    assert any(known for _, known in copies)
    for path, acknowledged in copies:
        assert set(acknowledged) <= set(contents(path))
        copied = open_for_writing(str(path))
        sound(copied)
        copied.close()


def test_a_backup_keeps_no_trace_of_what_was_purged(run, store, tmp_path):
    """What was purged before is in no byte of the copy."""
    listed = run("list", "--json").json["facts"]
    gone = next(row["id"] for row in listed if "person4" in row["content"])
    run("purge", gone, "--yes")
    assert run("backup", str(tmp_path / "copy.db")).code == 0
    assert b"person4" not in (tmp_path / "copy.db").read_bytes()


# restore


@pytest.mark.parametrize("form", [("--from", "copy.db"), ("copy.db",), ("./copy.db",)])
def test_a_restore(run, store, tmp_path, form):
    """A backup takes the place of the store, which is copied first."""
    run("backup", "copy.db")
    before = run("recall", "person3", "--no-touch", "--json").out
    run("forget", "--query", "person3 deploys on day3", "--yes")
    run("remember", "what came later")
    later = contents(store)
    done = run("restore", *form, "--yes", "--json")
    kept = store.parent / f"tideline.db.{KEPT}"
    assert (done.code, done.json) == (
        0, {"file": str(tmp_path / "copy.db"), "facts": 6, "copy": str(kept)},
    )  # fmt: skip
    assert len(contents(store)) == 6
    assert run("recall", "person3", "--no-touch", "--json").out == before
    assert (contents(kept), mode(kept), mode(store)) == (later, 0o600, 0o600)
    assert run("doctor", "--deep").out.startswith("all is well")
    db = open_for_writing(str(store))
    sound(db)
    db.close()
    assert run("remember", "life goes on").code == 0
    again = run("restore", "--from", str(kept), "--yes")
    assert again.out.startswith(f"restored 7 facts from {kept}\n")
    assert again.out.endswith(f"{kept}-2\n")
    assert contents(store) == later


def test_a_restore_asks(run, store):
    """Where nobody can be asked and nothing was said, nothing is restored."""
    run("backup", "copy.db")
    run("remember", "what came later")
    done = run("restore", "--from", "copy.db", "--json")
    assert (done.code, done.error["code"]) == (2, "usage")
    assert "--yes" in done.error["hint"]
    assert len(contents(store)) == 7
    assert run("restore", "--from", "copy.db", "01ABCDEF", "--yes").code == 2


def test_a_restore_into_nothing(run, store, tmp_path):
    """A backup becomes a store where there was none, and answers as the first one did."""
    run("backup", "copy.db")
    queries = [f"person{n}" for n in range(5)] + ["deploys", "cat"]
    wanted = [run("recall", query, "--no-touch", "--json").out for query in queries]
    fresh = tmp_path / "new" / "t.db"
    done = run("restore", "--from", "copy.db", "--yes", "--json", "--db", str(fresh))
    assert (done.code, done.json["copy"]) == (0, None)
    assert not [name for name in os.listdir(fresh.parent) if "before" in name]
    found = [run("recall", q, "--no-touch", "--json", "--db", str(fresh)).out for q in queries]
    assert found == wanted
    assert mode(fresh.parent) == 0o700


def test_readers_go_on(run, store):
    """Who reads while a backup is put back sees what was there until it begins anew."""
    run("backup", "copy.db")
    run("remember", "what came later")
    reader = open_for_reading(str(store))
    with connection.snapshot(reader):
        assert reader.execute("SELECT count(*) FROM fact").get == 7
        assert run("restore", "--from", "copy.db", "--yes").code == 0
        assert reader.execute("SELECT count(*) FROM fact").get == 7
    assert reader.execute("SELECT count(*) FROM fact").get == 6
    writer = open_for_writing(str(store))
    put(writer, [fact("after that", "Z" * 26)])
    assert reader.execute("SELECT count(*) FROM fact").get == 7
    writer.close()
    reader.close()


def foreign(path):
    db = apsw.Connection(str(path))
    db.execute("PRAGMA application_id = 7; CREATE TABLE note (x)").fetchall()
    db.close()


def newer(path):
    empty_store_at(path)
    db = apsw.Connection(str(path))
    db.execute("PRAGMA user_version = 99").fetchall()
    db.close()


def torn(path):
    empty_store_at(path)
    path.write_bytes(path.read_bytes()[: 20 * 4096])


def text(path):
    path.write_text("not a database " * 500)


def nothing(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("make", [foreign, newer, torn, text, nothing])
def test_what_is_no_backup(run, store, tmp_path, make):
    """A file that is not ours, not whole or too new is refused; the store stays as it is."""
    make(tmp_path / "copy.db")
    before, bytes_ = contents(store), (tmp_path / "copy.db").read_bytes()
    done = run("restore", "--from", "copy.db", "--yes", "--json")
    assert (done.code, contents(store)) == (5, before)
    assert "cannot be restored" in done.error["message"]
    assert (tmp_path / "copy.db").read_bytes() == bytes_
    assert [name for name in os.listdir(store.parent) if "before" in name] == []


def test_a_backup_that_is_not_there(run, store):
    """A missing file, a folder, and the store itself are usage errors."""
    for path in ("nowhere.db", str(store.parent), str(store), str(store) + "-wal"):
        assert run("restore", "--from", path, "--yes").code == 2, path
    assert run("restore", "nowhere.db").code == 3


@pytest.mark.parametrize("make", [foreign, newer, text])
def test_what_is_not_ours_is_not_replaced(run, store, tmp_path, make):
    """A backup is not put in the place of a file that is not a store of this version."""
    run("backup", "copy.db")
    make(tmp_path / "theirs.db")
    before = (tmp_path / "theirs.db").read_bytes()
    done = run("restore", "--from", "copy.db", "--yes", "--db", str(tmp_path / "theirs.db"))
    assert done.code == 5
    assert (tmp_path / "theirs.db").read_bytes() == before


def test_a_damaged_store_is_restored(run, store):
    """A store whose pages are broken is kept as it is, byte for byte, and made whole."""
    run("backup", "copy.db")
    db = apsw.Connection(str(store))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()
    broken = bytearray(store.read_bytes())
    broken[4096 : 12 * 4096] = b"\xff" * (11 * 4096)
    store.write_bytes(broken)
    assert run("doctor").code == 5
    assert run("restore", "--from", "copy.db", "--yes").code == 0
    assert run("doctor", "--deep").out.startswith("all is well")
    assert (store.parent / f"tideline.db.{KEPT}").read_bytes()[4096:] == bytes(broken[4096:])


def test_a_raw_copy_keeps_the_log(store, monkeypatch):
    """Where pages cannot be copied, the file and its log are, as they lie on the disk."""
    db = open_for_writing(str(store))
    put(db, [fact("in the log", "L" * 26)])
    log = (store.parent / "tideline.db-wal").read_bytes()
    raw = store.read_bytes()

    def failing(database, target):
        raise apsw.IOError("disk I/O error")

    monkeypatch.setattr(backup, "_copy_pages", failing)
    path = backup.copy_before(str(store), "test", now=0)
    with open(path, "rb") as file, open(path + "-wal", "rb") as beside:
        assert (file.read(), beside.read()) == (raw, log)
    assert contents(path)[-1] == "in the log"
    assert mode(path) == 0o600
    db.close()


def test_private_files_are_made_once(tmp_path):
    """A file beside the store gets a name that nothing has."""
    first, second = (files.made_afresh(str(tmp_path / "x")) for _ in range(2))
    assert (first, second) == (str(tmp_path / "x"), str(tmp_path / "x-2"))
    assert (mode(first), mode(second)) == (0o600, 0o600)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER evil AFTER INSERT ON fact BEGIN"
        " UPDATE fact SET source = 'owner_message' WHERE source = 'tool_output'; END",
        "CREATE VIEW evil AS SELECT * FROM fact",
        "CREATE UNIQUE INDEX evil ON fact (source)",
    ],
)
def test_what_acts_on_facts_is_not_restored(run, store, sql):
    """A trigger, view or index that tideline has not made is named; a backup with one is refused,
    and the store stays as it was."""
    before = contents(store)
    run("backup", "copy.db")
    db = apsw.Connection("copy.db")
    db.execute("DELETE FROM fact WHERE seq > 1" if "UNIQUE" in sql else "SELECT 1").fetchall()
    db.execute(sql)
    db.close()
    done = run("restore", "--from", "copy.db", "--yes")
    assert done.code == 5
    assert "the schema was changed: evil (not made by tideline)" in done.err
    assert contents(store) == before
    found = run("doctor", "--db", "copy.db", "--json")
    assert found.code == 5
    assert "tables" in {finding["check"] for finding in found.json["findings"]}
