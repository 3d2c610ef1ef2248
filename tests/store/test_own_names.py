"""Temporary names are one's own, and what root makes in a user's folder is the user's."""

from __future__ import annotations

import os

import pytest

from tideline_cli.config import saving
from tideline_cli.store import backup
from tideline_cli.store.opening import open_for_reading

pytestmark = pytest.mark.file_alone("temporary names beside a file")

NOBODY = 54_321


@pytest.fixture
def store(run, home):
    run("remember", "I deploy on Fridays")
    return home / "tideline.db"


def test_two_backups_to_one_file(run, store, tmp_path, monkeypatch):
    """A backup that is made while another one is finished takes nothing away from it."""
    copy = str(tmp_path / "copy.db")
    assert run("backup", copy).code == 0
    filled = backup._filled
    held = []

    def slowly(db, path):
        made = filled(db, path)
        if not held:
            held.append(path)
            other = open_for_reading(str(store))
            assert backup.write_over(other, copy).facts == 1
            other.close()
        return made

    monkeypatch.setattr(backup, "_filled", slowly)
    assert run("backup", "--force", copy).code == 0
    assert run("export", "--db", copy).out.count("\n") == 1
    assert run("doctor", "--deep", "--db", copy).code == 0
    assert [name for name in os.listdir(tmp_path) if "part" in name] == []


def test_a_part_that_was_left(run, store, tmp_path):
    """What a killed backup has left is removed by the next; what another one is making is not."""
    left = tmp_path / "copy.db.part-1-dead"
    left.write_bytes(b"half a copy")
    (tmp_path / "copy.db.part-1-dead-journal").write_bytes(b"its journal")
    assert run("backup", "copy.db").code == 0
    with backup.files.part(str(tmp_path / "copy.db")) as mine:
        assert run("backup", "--force", "copy.db").code == 0
        assert os.path.exists(mine)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "home"]


def test_settings_that_two_processes_write(tmp_path):
    """A settings file that is written anew needs no name that another process may have made."""
    path = str(tmp_path / "config.toml")
    (tmp_path / "config.toml.new").mkdir()
    with pytest.raises(OSError, match="irectory"):
        saving.replace_file(path, "limit = 3\n")
    (tmp_path / "config.toml.new").rmdir()
    (tmp_path / "config.toml.new-1-dead").write_text("left")
    saving.replace_file(path, "limit = 4\n")
    assert os.listdir(tmp_path) == ["config.toml"] or sorted(os.listdir(tmp_path)) == [
        "config.toml", "home",
    ]  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone makes files for others")
def test_root_on_the_store_of_a_user(run, home, tmp_path, monkeypatch):
    """Whatever root does with a user's memory, every file in the folders stays the user's."""
    config = tmp_path / "settings"
    config.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    assert run("remember", "I deploy on Fridays").code == 0
    for name in os.listdir(home):
        if "-lock" in name or "-reserve" in name:
            (home / name).unlink()
    for path in (home, config, home / "tideline.db"):
        os.chown(path, NOBODY, NOBODY)
    copy = str(home / "copy.db")
    talk = b"USER: I live in Lund.\nASSISTANT: Noted.\n"
    assert run("extract", "-", "--llm", "none", stdin=talk).code == 0
    for argv in (
        ("dream",), ("gc",), ("remember", "more of it"), ("backup", copy),
        ("backup", "--force", copy), ("restore", "--from", copy, "--yes"),
        ("config", "set", "limit", "5"), ("recall", "deploy"), ("doctor",),
    ):  # fmt: skip
        assert run(*argv).code == 0, argv
    found = {path: path.lstat().st_uid for top in (home, config) for path in top.rglob("*")}
    assert {"tideline.db-lock", "tideline.db-lock-dream", "tideline.db-reserve", "copy.db",
            "config.toml"} <= {path.name for path in found}  # fmt: skip
    assert {str(path) for path, owner in found.items() if owner != NOBODY} == set()


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone makes files for others")
def test_root_in_the_folder_of_somebody_else(run, home, tmp_path):
    """A copy of one user's memory does not become another user's by the folder that it lies in."""
    assert run("remember", "I deploy on Fridays").code == 0
    for path in (home, home / "tideline.db"):
        os.chown(path, NOBODY, NOBODY)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, NOBODY + 1, NOBODY + 1)
    assert run("backup", str(theirs / "copy.db")).code == 0
    assert (theirs / "copy.db").lstat().st_uid == 0
