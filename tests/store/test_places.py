"""Network file systems are refused, and noticing them costs nothing."""

from __future__ import annotations

import os
import time

import pytest

from tideline_cli.errors import StoreError
from tideline_cli.store import mounts
from tideline_cli.store.opening import open_for_writing

pytestmark = pytest.mark.file_alone("file systems that a file lies on")

MOUNTS = """\
21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 21 0:40 / /home/ann rw,relatime shared:5 - nfs4 server:/home rw,vers=4.2
31 30 0:41 / /home/ann/local rw - tmpfs tmpfs rw
32 21 0:42 / /mnt/my\\040share rw master:1 propagate_from:2 - cifs //server/share rw
33 21 0:43 / /mnt/ssh rw - fuse.sshfs ann@host: rw
34 21 0:44 / /mnt/c rw - 9p C:\\134 rw
35 21 0:45 / /mnt/hidden rw - nfs server:/x rw
36 21 254:1 / /mnt/hidden rw - xfs /dev/vdb rw
37 21 0:46 / /mnt/usb rw - fuseblk /dev/sda1 rw
38 21 0:47 / /mnt/back\\134slash rw - nfs server:/y rw

not a mount
39 21 0:48
"""
KINDS = {
    "/": "ext4", "/home": "ext4", "/home/annika": "ext4", "/home/ann": "nfs4",
    "/home/ann/notes": "nfs4", "/home/ann/local/x": "tmpfs", "/home/ann/localized": "nfs4",
    "/mnt/my share/a": "cifs", "/mnt/ssh/a b": "fuse.sshfs", "/mnt/c/Users": "9p",
    "/mnt/hidden/x": "xfs", "/mnt/usb": "fuseblk", "/mnt/back\\slash": "nfs", "/mnt": "ext4",
}  # fmt: skip


@pytest.fixture
def listing(tmp_path):
    path = tmp_path / "mountinfo"
    path.write_text(MOUNTS)
    return str(path)


@pytest.mark.parametrize(("folder", "kind"), KINDS.items())
def test_the_deepest_mount_counts(listing, folder, kind):
    """A folder lies on the mount with the longest path above it, of equal ones on the last."""
    assert mounts.file_system_of(folder, listing=listing) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs"])
def test_a_network_file_system_is_refused(tmp_path, kind):
    """A store on a share ends with 5, names the kind, and says how to go on; nothing is made."""
    listing = tmp_path / "mountinfo"
    listing.write_text(f"1 0 0:40 / {tmp_path} rw - {kind} server:/x rw\n")
    with pytest.raises(StoreError) as caught:
        mounts.refuse_network(str(tmp_path / "deep" / "down" / "t.db"), listing=str(listing))
    assert (caught.value.exit_code, caught.value.code) == (5, "network_fs")
    assert f"({kind})" in caught.value.message
    assert "TIDELINE_ALLOW_NETWORK_FS" in caught.value.hint
    assert not (tmp_path / "deep").exists()


@pytest.mark.parametrize("kind", ["ext4", "tmpfs", "btrfs", "overlay", "zfs", "fuseblk", "fuse.x"])
def test_a_local_file_system_is_taken(tmp_path, kind):
    """What is no network file system, or not known as one, is taken."""
    listing = tmp_path / "mountinfo"
    listing.write_text(f"1 0 0:40 / {tmp_path} rw - {kind} x rw\n")
    mounts.refuse_network(str(tmp_path / "t.db"), listing=str(listing))


def test_a_linked_folder_counts_where_it_leads(tmp_path):
    """A folder of the home that is a link into a share is on the share."""
    listing = tmp_path / "mountinfo"
    listing.write_text(f"1 0 0:40 / {tmp_path}/share rw - nfs server:/x rw\n")
    (tmp_path / "share").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "share")
    with pytest.raises(StoreError):
        mounts.refuse_network(str(tmp_path / "here" / "t.db"), listing=str(listing))


def test_a_system_without_a_list_of_mounts_is_not_asked(tmp_path):
    """Where the mounts cannot be listed every place is taken."""
    mounts.refuse_network(str(tmp_path / "t.db"), listing=str(tmp_path / "missing"))


@pytest.fixture
def on_a_share(tmp_path, monkeypatch):
    """The tests' own folder, listed as a share."""
    listing = tmp_path / "mountinfo"
    listing.write_text(f"1 0 0:40 / {tmp_path} rw - nfs4 server:/x rw\n")
    check = mounts.refuse_network
    monkeypatch.setattr(mounts, "refuse_network", lambda path: check(path, listing=str(listing)))


@pytest.mark.usefixtures("on_a_share")
def test_the_command_line_refuses_a_share_and_can_be_told(run, home, monkeypatch):
    """Writing on a share ends with 5 and makes nothing, unless the environment allows it."""
    done = run("remember", "one text", "--json")
    assert (done.code, done.error["code"]) == (5, "network_fs")
    assert os.listdir(home) == []
    monkeypatch.setenv("TIDELINE_ALLOW_NETWORK_FS", "0")
    assert run("remember", "one text").code == 5
    monkeypatch.setenv("TIDELINE_ALLOW_NETWORK_FS", "1")
    assert run("remember", "one text").code == 0
    monkeypatch.delenv("TIDELINE_ALLOW_NETWORK_FS")
    assert run("recall", "text").code == 0, "reading makes nothing there"
    assert run("forget", "--query", "one text", "--yes").code == 5


def test_the_check_costs_next_to_nothing(tmp_path):
    """A look at where a store lies takes less than 0.2 ms, also when the mounts are read."""
    for path, listing in ((tmp_path, mounts.MOUNTS), ("/proc", "/proc/self/mountinfo")):
        best = min(_took(str(path) + "/t.db", listing) for _ in range(50))
        assert best < 0.0002, (path, best)


def _took(path, listing):
    start = time.thread_time()
    mounts.refuse_network(path, listing=listing)
    return time.thread_time() - start


def test_a_share_is_looked_for_before_anything_is_made(tmp_path, monkeypatch):
    """The folder and the file are made after the check."""

    def refuse(path):
        raise StoreError(f"{path} refused", code="network_fs")

    monkeypatch.setattr(mounts, "refuse_network", refuse)
    with pytest.raises(StoreError):
        open_for_writing(str(tmp_path / "a" / "t.db"))
    assert not (tmp_path / "a").exists()
