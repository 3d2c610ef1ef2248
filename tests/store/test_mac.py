"""What is done on macOS alone, with its system calls put in by the tests: not run on a Mac."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tideline_cli.errors import StoreError, UsageError
from tideline_cli.store import files, mounts
from tideline_cli.store.opening import open_for_writing
from tideline_cli.system import durable, mac_volumes

pytestmark = pytest.mark.file_alone("files on macOS")


@pytest.fixture
def mac(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")


# Through a power cut.


def test_the_drive_itself_is_asked(tmp_path, monkeypatch):
    """On macOS F_FULLFSYNC brings a file to the disk, and fsync does where a file system does not
    know it; elsewhere fsync alone."""
    calls = []
    monkeypatch.setattr(os, "fsync", lambda handle: calls.append(("fsync", handle)))

    def control(handle, number):
        calls.append((number, handle))
        if handle == 4:
            raise OSError(45, "Operation not supported")

    for handle in (3, 4):
        durable.sync(handle, platform="darwin", control=control)
    durable.sync(5, platform="linux", control=control)
    assert calls == [(51, 3), (51, 4), ("fsync", 4), ("fsync", 5)]


def test_without_a_call_of_its_own_the_drive_is_asked_by_fcntl(tmp_path, monkeypatch):
    """The call is that of `fcntl`. A drive that fails is an error, and so is a failing fsync."""
    asked = []
    monkeypatch.setattr("fcntl.fcntl", lambda handle, number: asked.append((handle, number)))
    durable.sync(7, platform="darwin")
    assert asked == [(7, 51)]

    def failing(*_):
        raise OSError(5, "Input/output error")

    with open(tmp_path / "file", "wb") as file, pytest.raises(OSError, match="Input/output"):
        durable.sync(file.fileno(), platform="darwin", control=failing)

    def control(*_):
        raise OSError(25, "Inappropriate ioctl for device")

    with pytest.raises(OSError, match="Bad file descriptor"):
        durable.sync(999_999, platform="darwin", control=control)


def test_every_file_of_ours_goes_by_it(tmp_path, monkeypatch, run):
    """No module calls fsync past `durable`, and what makes files and settings calls that."""
    from tests.support import ROOT

    package = ROOT / "tideline_cli"
    calling = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "fsync(" in path.read_text() and path.name != "durable.py"
    ]
    assert calling == []
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), real(handle))[1])
    assert run("config", "set", "limit", "3").code == 0
    assert len(synced) >= 2  # the file and its folder
    run("remember", "one text")
    synced.clear()
    assert run("backup", str(tmp_path / "b.db")).code == 0
    assert len(synced) >= 2


_ON_A_MAC = """
import sys, apsw
sys.platform = "darwin"
from tideline_cli.store import connection
from tideline_cli.store.connection import (
    connect, connect_as_it_is, connect_for_reading, connect_unchanging
)
path = sys.argv[1]
for db in (connect(path, writes=True), connect_for_reading(path), connect_unchanging(path),
           connect_as_it_is(path, patience_ms=1)):
    print(*(db.pragma(name) for name in ("fullfsync", "checkpoint_fullfsync", "cell_size_check")))
    db.close()
"""


def test_sqlite_asks_the_drive(tmp_path):
    """Every connection of the store has both settings on macOS; they are off elsewhere, where
    SQLite has no such call."""
    path = str(tmp_path / "t.db")
    db = open_for_writing(path)
    assert (db.pragma("fullfsync"), db.pragma("checkpoint_fullfsync")) == (0, 0)
    db.close()
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_MAC, path], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout.split()) == ("", ["1", "1", "1"] * 4)


# Where a memory may lie.


def answering(kind, flags, result=0):
    """Return a statfs that tells of one file system, as the kernel of macOS writes it."""

    def statfs(path, found):
        found[64:68] = flags.to_bytes(4, "little")
        found[72 : 72 + len(kind)] = kind
        return result

    return statfs


@pytest.mark.parametrize(("kind", "flags", "wanted"), [
    (b"apfs", 0x1000, ""), (b"hfs", 0x0480_1000, ""), (b"exfat", 0x1018, ""),
    (b"smbfs", 0, "smbfs"), (b"nfs", 0x18, "nfs"), (b"afpfs", 0, "afpfs"),
    (b"webdav", 0, "webdav"), (b"macfuse", 0, "macfuse"), (b"macfuse", 0x1000, ""),
    (b"smbfs", 0x1000, "smbfs"), (b"", 0, "unknown"),
])  # fmt: skip
def test_the_kind_of_a_volume(tmp_path, kind, flags, wanted):
    """What the system does not mark as local is on the network, and so is what is known for it."""
    found = mac_volumes.network_kind(
        str(tmp_path), 1, mounts.NETWORK, statfs=answering(kind, flags)
    )
    assert found == wanted


def test_a_volume_that_cannot_be_asked_is_taken(tmp_path):
    """As where Linux lists no mounts."""
    failing = answering(b"smbfs", 0, result=-1)
    assert mac_volumes.network_kind(str(tmp_path), 1, (), statfs=failing) == ""


def test_the_usual_volumes_are_not_asked(tmp_path, monkeypatch):
    """The volume of the system is local: one look; any other is asked."""
    asked = []
    monkeypatch.setattr(mac_volumes, "_statfs", lambda *_: asked.append(1) or -1)
    assert mac_volumes.network_kind(str(tmp_path), os.stat("/").st_dev, ()) == ""
    assert asked == []
    assert mac_volumes.network_kind(str(tmp_path), -7, ()) == ""
    assert asked == [1]


@pytest.mark.usefixtures("mac")
def test_a_share_of_a_mac_is_refused(tmp_path, monkeypatch):
    """As on Linux: code 5, named, before anything is made; the environment allows it."""
    monkeypatch.setattr(mac_volumes, "_statfs", answering(b"smbfs", 0))
    monkeypatch.setattr(mac_volumes, "_USUAL", ())
    path = str(tmp_path / "deep" / "t.db")
    with pytest.raises(StoreError, match=r"network file system \(smbfs\)") as caught:
        mounts.refuse_network(path)
    assert (caught.value.code, caught.value.exit_code) == ("network_fs", 5)
    assert "TIDELINE_ALLOW_NETWORK_FS" in caught.value.hint
    with pytest.raises(StoreError, match="smbfs"):
        open_for_writing(path)
    assert not (tmp_path / "deep").exists()


CLOUDS = {
    "Library/Mobile Documents/com~apple~CloudDocs/notes": "iCloud Drive",
    "Library/Mobile Documents/iCloud~md~obsidian": "iCloud Drive",
    "Library/CloudStorage/Dropbox/a/b": "Dropbox",
    "Library/CloudStorage/OneDrive-Personal": "OneDrive",
    "Library/CloudStorage/GoogleDrive-ann@example.com/My Drive": "GoogleDrive",
    "library/cloudstorage/box/a": "box", "LIBRARY/MOBILE DOCUMENTS/x": "iCloud Drive",
    "Library/Mobile Documents": "", "Library2/CloudStorage/Dropbox": "",
    "Library/CloudStorage": "", "Library/Application Support/tideline": "", "notes": "",
    "other/Library/CloudStorage/Dropbox": "",
}  # fmt: skip


@pytest.mark.usefixtures("mac")
@pytest.mark.parametrize(("folder", "service"), CLOUDS.items())
def test_a_folder_that_is_kept_in_the_cloud(tmp_path, monkeypatch, folder, service):
    """It is refused by the name of its service, also behind a link; other folders are taken."""
    monkeypatch.setattr(mac_volumes, "_statfs", answering(b"apfs", 0x1000))
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / folder)
    for path in (tmp_path / folder / "x" / "t.db", tmp_path / "link" / "t.db"):
        if not service:
            mounts.refuse_network(str(path))
            continue
        with pytest.raises(StoreError, match=rf"kept in the cloud \({service}\)"):
            mounts.refuse_network(str(path))


# Names.


def test_capitals_where_a_folder_ignores_them(tmp_path, monkeypatch):
    """In such a folder a name of the memory file in other capitals is refused, there or not, in
    whatever form its letters are; where capitals count, it is another file."""
    path = str(tmp_path / "T\u00efdeline.db")
    open_for_writing(path).close()
    names = ("T\u00cfDELINE.DB-WAL", "ti\u0308deline.db", "t\u00efdeline.db-Journal")
    for name in names:
        files.refuse_own(str(tmp_path / name), path)
    real = files.same
    monkeypatch.setattr(
        files, "same", lambda one, other: real(one, other) or one.lower() == other.lower()
    )
    for name in (*names, "T\u00efdeline.db-shm"):
        with pytest.raises(UsageError, match="belongs to the memory file"):
            files.refuse_own(str(tmp_path / name), path)
    files.refuse_own(str(tmp_path / "other.db"), path)
    files.refuse_own(str(tmp_path / "x" / "T\u00cfDELINE.DB-WAL"), path)


@pytest.mark.parametrize("end", ["", "-wal", "-journal", "-lock"])
def test_no_command_writes_over_the_memory(run, home, end):
    """export, backup and eval refuse the names of the memory file and of what belongs to it, there
    or not, and change nothing."""
    run("remember", "The crane lifts forty tonnes")
    db = home / "tideline.db"
    before = {path.name: path.read_bytes() for path in home.iterdir()}
    for argv in (
        ("export", "--output", f"{db}{end}"), ("export", "--format", "csv", "-o", f"{db}{end}"),
        ("export", "--format", "sqlite", "-o", f"{db}{end}"), ("backup", f"{db}{end}"),
        ("eval", "make", "--output", f"{db}{end}"),
    ):  # fmt: skip
        done = run(*argv)
        assert (done.code, "belongs to the memory" in done.err) == (2, True), (argv, done.err)
    of_sqlite = {"tideline.db-shm", "tideline.db-wal"}
    assert {path.name for path in home.iterdir()} <= {*before, *of_sqlite}
    assert db.read_bytes() == before["tideline.db"]


def test_a_name_of_our_own_behind_a_link(tmp_path):
    """A file that is not there yet is refused by its folder, whatever leads to it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    path = str(tmp_path / "real" / "t.db")
    open_for_writing(path).close()
    with pytest.raises(UsageError):
        files.refuse_own(str(tmp_path / "link" / "t.db-journal"), path)
