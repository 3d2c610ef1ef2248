"""Where nothing can be written: media, folders and files that are read-only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.support import ROOT, fact, put
from tideline_cli.store import connection
from tideline_cli.store.opening import open_for_reading, open_for_writing

pytestmark = pytest.mark.file_alone("media and folders where nothing can be written")

READS = (
    ("recall", "deploys"),
    ("recall", "person3 deploys on day3", "--mode", "semantic"),
    ("context", "deploys"), ("list",), ("status",), ("export",), ("show", f"F{3:025d}"),
    ("doctor",),
)  # fmt: skip
WRITES = (("remember", "one more"), ("forget", "F"), ("dream",), ("import", "-"))
NOBODY = 65534


@pytest.fixture
def store(tmp_path):
    """A store that was closed well, in a folder of its own whose name needs escaping."""
    folder = tmp_path / "a folder?#%é"
    folder.mkdir(mode=0o700)
    path = folder / "t.db"
    db = open_for_writing(str(path))
    put(db, [fact(f"person{n} deploys on day{n}", f"F{n:025d}") for n in range(6)])
    db.close()
    for beside in folder.iterdir():
        if beside != path:
            beside.unlink()
    assert os.listdir(folder) == ["t.db"]
    return path


@pytest.fixture
def medium(store):
    """The folder of the store as a read-only medium, which binds root as well."""
    folder = str(store.parent)
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount; other users have the test of rights")
    if subprocess.run(["mount", "--bind", folder, folder], check=False).returncode:
        pytest.skip("this system allows no mounts")
    try:
        options = "remount,bind,ro"
        if subprocess.run(["mount", "-o", options, folder], check=False).returncode:
            pytest.skip("this system allows no read-only mounts")
        yield store
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def reads_and_refuses(call, path):
    """Every reading command answers, every writing one ends with 73 and its reason."""
    before = path.read_bytes()
    for argv in READS:
        code, out, err = call(*argv, "--db", str(path))
        assert code == 0, (argv, err)
        assert out, argv
    code, out, _ = call("recall", "person3", "--json", "--db", str(path))
    assert (code, json.loads(out)["hits"][0]["content"]) == (0, "person3 deploys on day3")
    for argv in WRITES:
        code, _, err = call(*argv, "--db", str(path), "--json")
        assert code == 73, (argv, err)
        assert json.loads(err.split("\n")[-2])["error"]["code"] == "cannot_write", argv
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["t.db"]


def test_a_read_only_medium(run, medium):
    """A medium that cannot be written answers every reader; writers are told why."""

    def call(*argv):
        done = run(*argv, stdin='{"content": "a row"}\n')
        return done.code, done.out, done.err

    reads_and_refuses(call, medium)


def test_a_read_only_medium_is_examined(run, medium):
    """doctor finds a store on such a medium whole, and says what it could not check."""
    done = run("doctor", "--deep", "--json", "--db", str(medium))
    assert (done.code, done.json["ok"]) == (0, True)
    found = [(finding["check"], finding["severity"]) for finding in done.json["findings"]]
    assert found == [("room", "warning"), ("index", "warning")]


def test_a_backup_from_a_read_only_medium(run, medium, tmp_path):
    """A store on such a medium can be copied to another."""
    assert run("backup", str(tmp_path / "copy.db"), "--db", str(medium)).code == 0
    assert run("doctor", "--deep", "--db", str(tmp_path / "copy.db")).code == 0
    assert run("recall", "person3", "--db", str(tmp_path / "copy.db")).code == 0


_AS_NOBODY = """
import json, os, sys
path, mode, folder_mode = sys.argv[1], int(sys.argv[2], 8), int(sys.argv[3], 8)
from tests.conftest import run_main
import tests.store.test_read_only as here
import tideline_cli.cli.app, tideline_cli.exchange.importer.import_rows, tideline_cli.memory.doctor
for warm in (*here.READS, *here.WRITES):
    run_main(*warm, "--db", path + ".warm", stdin='{"content": "a row"}')
for name in os.listdir(os.path.dirname(path)):
    if name != "t.db":
        os.unlink(os.path.join(os.path.dirname(path), name))
if os.geteuid() == 0:
    os.chown(path, here.NOBODY, here.NOBODY)
    os.chown(os.path.dirname(path), here.NOBODY, here.NOBODY)
os.chmod(path, mode)
os.chmod(os.path.dirname(path), folder_mode)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(here.NOBODY)
    os.setuid(here.NOBODY)
def call(*argv):
    done = run_main(*argv, stdin='{"content": "a row"}')
    return done.code, done.out, done.err
getattr(here, sys.argv[4])(call, path)
"""


def as_nobody(tmp_path, store, mode, folder_mode, judge):
    """Judge a store as a user without rights beyond its modes."""
    if os.geteuid() == 0:
        for folder in (tmp_path, *tmp_path.parents[:-2]):
            folder.chmod(folder.stat().st_mode | 0o011)
    done = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(store), mode, folder_mode, judge],
        capture_output=True, text=True, cwd=ROOT, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TIDELINE_HOME": str(store.parent),
             "HOME": str(store.parent)},
    )  # fmt: skip
    store.parent.chmod(0o700)
    assert done.returncode == 0, done.stderr[-3000:]


def rights(call, path):
    from pathlib import Path

    reads_and_refuses(call, Path(path))


def test_a_read_only_folder_and_file(tmp_path, store):
    """Without the right to write folder and file, readers are answered, writers told why."""
    as_nobody(tmp_path, store, "400", "500", "rights")


def file_alone(call, path):
    for argv in READS:
        code, out, err = call(*argv, "--db", path)
        assert code == 0, (argv, err)
        assert out, argv
    for argv in WRITES:
        code, _, err = call(*argv, "--db", path, "--json")
        assert code == 73, (argv, err)


def test_a_read_only_file(tmp_path, store):
    """Without the right to write the file alone, the same."""
    as_nobody(tmp_path, store, "400", "700", "file_alone")


def test_a_log_that_cannot_be_read(run, store, medium, tmp_path):
    """Facts that are in a log alone are not left out in silence: the command says so."""
    subprocess.run(["mount", "-o", "remount,bind,rw", str(store.parent)], check=True)
    db = open_for_writing(str(store))
    put(db, [fact("in the log alone", "Z" * 26)])
    for name in ("t.db", "t.db-wal"):
        shutil.copyfile(store.parent / name, tmp_path / name)
    db.close()
    for name in ("t.db", "t.db-wal"):
        shutil.copyfile(tmp_path / name, store.parent / name)
    (store.parent / "t.db-shm").unlink(missing_ok=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", str(store.parent)], check=True)
    done = run("recall", "log", "--db", str(store), "--json")
    assert (done.code, done.error["code"]) == (73, "cannot_write")
    assert "its log" in done.error["message"]
    assert "copy both files" in done.error["hint"]
    assert run("doctor", "--db", str(store)).code == 5


def test_a_name_that_looks_like_an_address(store, monkeypatch):
    """A path is a path also where the file is opened as unchanging: nothing in it is a query."""
    db = connection.connect_unchanging(str(store))
    assert db.execute("SELECT count(*) FROM fact").get == 6
    assert db.filename == str(store)
    assert db.readonly("main")
    db.close()
    reader = open_for_reading(str(store))
    assert not reader.readonly("main")
    reader.close()
