"""Two names of one file have two logs: nothing is written by either, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from tests.support import empty_store_at
from tideline_cli.errors import BusyError, CannotWriteError
from tideline_cli.store import connection, file_kind, files, mounts, opening
from tideline_cli.store.opening import open_for_reading, open_for_writing

pytestmark = pytest.mark.file_alone("two names of one file")

WRITES = (
    ("remember", "one more"), ("remember", "--batch"), ("import", "-"), ("dream",), ("gc",),
    ("undo",), ("forget", "A"), ("pin", "A"), ("edit", "A", "other words"), ("feedback", "A", "up"),
    ("link", "A", "B", "--kind", "supports"), ("purge", "A", "--yes"),
    ("config", "set", "analyzer", "reference"), ("doctor", "--repair", "--yes"),
)  # fmt: skip
READS = (("recall", "deploy"), ("context", "deploy"), ("list",), ("status",), ("export",),
         ("history",))  # fmt: skip


@pytest.fixture
def linked(run, home):
    """A store with two facts, and a second name of it in the same folder."""
    run("remember", "I deploy on Fridays")
    run("remember", "the cat is grey")
    os.link(home / "tideline.db", home / "other.db")
    return home / "tideline.db"


@pytest.fixture
def mounted(run, home, tmp_path):
    """A store with a fact, and another name of it that is a mount of the file alone."""
    run("remember", "I deploy on Fridays")
    (tmp_path / "here").mkdir(mode=0o700)
    place = tmp_path / "here" / "my memory.db"
    place.touch(0o600)
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount")
    if subprocess.run(["mount", "--bind", home / "tideline.db", place], check=False).returncode:
        pytest.skip("this system allows no mounts")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def test_what_was_acknowledged_is_there_whatever_the_name(process, home, tmp_path):
    """Of facts written by two names of a file, each that was acknowledged is found afterwards."""
    assert process("remember", "the first fact").code == 0
    os.link(home / "tideline.db", home / "other.db")
    held = [open_for_reading(str(home / name)) for name in ("tideline.db", "other.db")]
    for db in held:  # somebody reads all the while, so that the logs stay
        db.execute("SELECT count(*) FROM fact").fetchall()
    said = ["the first fact"]
    for n in range(24):
        text = f"person{n} deploys on day{n}"
        name = home / ("tideline.db" if n % 3 else "other.db")
        if process("remember", text, "--db", str(name)).code == 0:
            said.append(text)
    for db in held:
        db.close()
    found = {row["content"] for row in process("export").lines}
    assert set(said) - found == set()


@pytest.mark.parametrize("argv", WRITES, ids=lambda argv: " ".join(argv[:2]))
def test_writing_by_one_of_two_names_is_refused(run, linked, argv):
    """Every command that writes ends with 73 and the way out; the file stays as it is."""
    before = linked.read_bytes()
    ids = dict(zip("AB", (row["id"] for row in run("export").lines), strict=True))
    named = [ids.get(word, word) for word in argv]
    done = run(*named, "--json", stdin='{"content": "a row"}\n')
    if argv[0] == "doctor":
        assert done.code == 5
    else:
        error = json.loads(done.err.splitlines()[-1])["error"]
        assert (done.code, error["code"]) == (73, "two_names")
        assert "backup" in error["hint"]
    assert linked.read_bytes() == before
    linked.with_name("other.db").unlink()
    assert run(*named, stdin='{"content": "a row"}\n').code == 0


@pytest.mark.parametrize("argv", READS, ids=" ".join)
def test_reading_warns_and_writes_nothing(run, linked, argv):
    """A reader answers, says once that something may be missing, and counts no use."""
    log = f"{linked}-wal"
    before, logged = linked.read_bytes(), os.path.getsize(log) if os.path.exists(log) else 0
    done = run(*argv, "--quiet")
    assert done.code == 0
    assert "deploy" in done.out or argv[0] in ("status", "history")
    assert done.err.count("has 2 names (hard links)") == 1
    warned = json.loads(run(*argv, "--json").err)["warning"]
    assert (warned["code"], bool(warned["hint"])) == ("two_names", True)
    assert linked.read_bytes() == before
    assert (os.path.getsize(log) if os.path.exists(log) else 0) == logged


def test_a_door_says_nothing_of_names(run, linked):
    """A door for programs answers all the same, and warns with --verbose alone."""
    done = run("context", "deploy", "--auto")
    assert (done.code, "deploy" in done.out, done.err) == (0, True, "")
    assert "has 2 names" in run("context", "deploy", "--auto", "--verbose").err


def test_a_reader_brings_no_log_back(linked):
    """A reader of a file with two names can neither write nor write the log back."""
    db = open_for_reading(str(linked))
    assert db.readonly("main")
    with pytest.raises(connection.DatabaseError):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        db.execute("DELETE FROM fact")
    db.close()


def test_what_stands_in_the_log_is_read(linked):
    """What the log of this name holds is read, though it cannot be written back."""
    linked.with_name("other.db").unlink()
    db = open_for_writing(str(linked))
    db.execute("INSERT INTO setting (name, value) VALUES ('mark', 'in the log')")
    os.link(linked, linked.with_name("other.db"))
    reader = open_for_reading(str(linked))
    assert connection.setting(reader, "mark", "") == "in the log"
    reader.close()
    db.close()


def test_doctor_names_the_other_name(run, linked):
    """doctor ends with 5, names the other name, warns of its log, and repairs nothing."""
    linked.with_name("other.db-wal").write_bytes(b"x")
    linked.chmod(0o644)
    done = run("doctor", "--json", "--repair", "--yes")
    found = {row["check"]: row for row in done.json["findings"]}
    assert (done.code, found["names"]["severity"]) == (5, "error")
    assert str(linked.with_name("other.db")) in found["names"]["message"]
    assert "tideline backup" in found["names"]["remedy"]
    assert f"tideline --db {linked.with_name('other.db')} export" in found["names"]["remedy"]
    assert found["modes"]["repaired"]
    linked.with_name("other.db").unlink()
    linked.with_name("other.db-wal").unlink()
    assert run("doctor").code == 0


def test_a_name_in_another_folder(run, linked, tmp_path):
    """Where the other name is not near, doctor says how to find it."""
    linked.with_name("other.db").rename(tmp_path / "far.db")
    done = run("doctor", "--json")
    assert f"find / -samefile {linked}" in done.json["findings"][0]["remedy"]


def test_a_backup_and_a_restore(run, linked, tmp_path):
    """A store with two names can be copied, not replaced; neither name is taken for a backup."""
    assert run("backup", str(tmp_path / "copy.db")).code == 0
    assert run("doctor", "--db", str(tmp_path / "copy.db")).code == 0
    for argv in (("backup", "--force", str(linked.with_name("other.db"))),
                 ("restore", "--yes", "--from", str(linked.with_name("other.db")))):  # fmt: skip
        assert run(*argv).code == 2
    before = linked.read_bytes()
    assert run("restore", "--yes", "--from", str(tmp_path / "copy.db")).code == 73
    assert linked.read_bytes() == before


def test_a_backup_with_two_names_is_put_back(run, home, tmp_path):
    """Copies are often linked by what rotates them: a backup that is gets restored."""
    run("remember", "I deploy on Fridays")
    run("backup", str(tmp_path / "copy.db"))
    os.link(tmp_path / "copy.db", tmp_path / "copy.1.db")
    run("forget", "--query", "deploy", "--yes")
    assert run("restore", "--yes", "--from", str(tmp_path / "copy.db")).code == 0
    assert run("recall", "deploy").code == 0


def test_a_mount_of_the_file_alone(run, home, mounted):
    """By the name that is a mount nothing is written; the other one is free to."""
    done = run("remember", "one more", "--db", str(mounted), "--json")
    assert (done.code, done.error["code"]) == (73, "two_names")
    assert "mount the folder" in done.error["hint"]
    done = run("recall", "deploy", "--db", str(mounted))
    assert (done.code, done.err.count("mount of a single file")) == (0, 1)
    assert run("remember", "one more").code == 0
    found = run("doctor", "--db", str(mounted), "--json").json["findings"][0]
    assert (found["check"], found["severity"]) == ("names", "error")
    assert str(home / "tideline.db") in found["message"]
    here = run("doctor", "--json")
    assert here.code == 0
    assert here.json["findings"][0]["severity"] == "warning"
    assert str(mounted) in here.json["findings"][0]["message"]


def test_a_mount_of_the_file_alone_without_proc(run, home, mounted, monkeypatch):
    """Where the system has no /proc, as in some containers, the kernel itself is asked."""
    monkeypatch.setattr(file_kind, "_HANDLES", "/nonexistent")
    done = run("remember", "one more", "--db", str(mounted), "--json")
    assert (done.code, done.error["code"]) == (73, "two_names")
    done = run("recall", "deploy", "--db", str(mounted))
    assert (done.code, done.err.count("mount of a single file")) == (0, 1)
    assert run("remember", "one more").code == 0


def test_a_mounted_folder_is_one_name(run, home, tmp_path):
    """A folder that is mounted takes its log and its locks along."""
    (tmp_path / "there").mkdir()
    if os.geteuid() != 0 or subprocess.run(
        ["mount", "--bind", home, tmp_path / "there"], check=False
    ).returncode:
        pytest.skip("this system allows no mounts")
    try:
        path = str(tmp_path / "there" / "tideline.db")
        assert run("remember", "I deploy on Fridays", "--db", path).err == ""
        assert run("remember", "one more").err == ""
        assert run("doctor", "--db", path).code == 0
    finally:
        subprocess.run(["umount", "--lazy", tmp_path / "there"], check=True)


TABLE = """\
21 1 254:0 / / rw - ext4 /dev/vda rw
30 21 254:1 / /home rw - ext4 /dev/vdb rw
31 21 254:1 /ann/m.db /data/my\\040m.db rw - ext4 /dev/vdb rw
32 21 254:1 /ann /srv/ann rw - ext4 /dev/vdb rw
33 21 254:0 /ann/m.db /else/m.db rw - ext4 /dev/vda rw
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/ann/m.db", {"/data/my m.db"}),
        ("/srv/ann/m.db", {"/data/my m.db"}),
        ("/data/my m.db", {"/home/ann/m.db", "/srv/ann/m.db"}),
        ("/home/ann/other.db", set()),
    ],
)
def test_where_a_file_is_mounted(tmp_path, monkeypatch, path, found):
    """The table of mounts tells where else a file is seen, by device and place."""
    (tmp_path / "mounts").write_text(TABLE)
    monkeypatch.setattr(files, "same", lambda *_: True)
    assert set(files.mounted_names(path, listing=str(tmp_path / "mounts"))) == found
    assert files.mounted_names(path, listing=str(tmp_path / "missing")) == []
    assert mounts.unescaped(mounts.escaped("/a\\040 b\nc")) == b"/a\\040 b\nc"


def test_a_file_that_is_replaced_while_it_is_opened(tmp_path, monkeypatch):
    """What was opened is what was looked at, or nothing is written."""
    path = empty_store_at(tmp_path / "t.db")
    other = empty_store_at(tmp_path / "other.db")
    configured = connection._configured

    def swap(name, mode):
        db = configured(name, mode)
        if other.exists():
            os.replace(other, path)
        return db

    monkeypatch.setattr(connection, "_configured", swap)
    with pytest.raises(BusyError):
        open_for_writing(str(path))
    open_for_writing(str(path)).close()


def test_a_link_that_comes_while_it_is_opened(tmp_path, monkeypatch):
    """A name that is added between the look and the opening is seen."""
    path = empty_store_at(tmp_path / "t.db")
    configured = connection._configured

    def link(name, mode):
        os.link(path, tmp_path / "other.db")
        return configured(name, mode)

    monkeypatch.setattr(connection, "_configured", link)
    with pytest.raises(CannotWriteError):
        open_for_writing(str(path))


def test_a_link_that_leads_elsewhere_meanwhile(tmp_path, monkeypatch):
    """A folder's link is followed once: file, log and locks are of one folder."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        empty_store_at(tmp_path / name / "t.db")
    (tmp_path / "here").symlink_to("one")
    verify = opening._verify

    def turn(db, path):
        (tmp_path / "here").unlink()
        (tmp_path / "here").symlink_to("two")
        return verify(db, path)

    monkeypatch.setattr(opening, "_verify", turn)
    db = open_for_writing(str(tmp_path / "here" / "t.db"))
    with connection.writing(db):
        pass
    db.close()
    assert sorted(os.listdir(tmp_path / "two")) == ["t.db"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["tideline.db-lock", "tideline.db-lock-dream"])
@pytest.mark.parametrize("kind", ["fifo", "link", "hard link", "folder"])
def test_a_lock_file_that_is_none(process, home, tmp_path, name, kind):
    """What stands in the place of a lock file stops nobody, and is not written to."""
    assert process("remember", "I deploy on Fridays").code == 0
    place, victim = home / name, tmp_path / "victim"
    place.unlink(missing_ok=True)
    victim.write_text("mine")
    make = {"fifo": lambda: os.mkfifo(place), "link": lambda: place.symlink_to(victim),
            "hard link": lambda: os.link(victim, place), "folder": place.mkdir}  # fmt: skip
    make[kind]()
    assert process("remember", "one more thing").code == 0
    assert process("dream").code in (0, 73)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize(
    "argv", [("recall", "fact"), ("remember", "more"), ("doctor",), ("restore", "--from", "FILE")],
    ids=lambda argv: argv[0],
)  # fmt: skip
def test_a_journal_that_is_a_fifo(process, home, tmp_path, argv):
    """A file without a log, such as a backup, is not waited for because of what lies beside it."""
    assert process("remember", "the first fact").code == 0
    assert process("backup", str(tmp_path / "copy.db")).code == 0
    os.mkfifo(tmp_path / "copy.db-journal")
    copy = str(tmp_path / "copy.db")
    named = [copy if word == "FILE" else word for word in argv]
    where = ("--yes",) if "FILE" in argv else ("--db", copy)
    done = process(*named, *where)
    assert done.code == 5
    assert "copy.db-journal is not a regular file" in done.out + done.err


def test_looking_costs_next_to_nothing(tmp_path):
    """Whether a file has two names is known in less than 0.1 ms."""
    from time import thread_time

    path = str(empty_store_at(tmp_path / "t.db"))
    took = []
    for _ in range(50):
        start = thread_time()
        assert not file_kind.has_two_names(path, os.lstat(path))
        took.append(thread_time() - start)
    assert min(took) < 0.0001
