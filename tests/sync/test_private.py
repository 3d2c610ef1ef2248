"""In which folders only their owner can write: he vouches for those, and for no others."""

from __future__ import annotations

import os

import pytest

from tideline_cli.sync.places import open_place
from tideline_cli.sync.places.folder import FolderPlace, is_owners_alone

LOCAL = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"


@pytest.fixture
def listing(tmp_path):
    """A table of mounts where all is on a local disk."""
    path = tmp_path / "mounts"
    path.write_text(LOCAL)
    return path


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "mine" / "place"
    path.mkdir(parents=True, mode=0o700)
    return path


def test_a_private_folder(folder, listing):
    """Ours, 0700, on a local disk: private, also before it is there."""
    assert is_owners_alone(str(folder), listing=str(listing))
    folder.rmdir()
    assert is_owners_alone(str(folder), listing=str(listing))


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702, 0o720])
def test_a_folder_that_others_write(folder, listing, mode):
    """A right of a group or of others to write makes it one that is not the owner's alone."""
    folder.chmod(mode)
    assert not is_owners_alone(str(folder), listing=str(listing))


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o755])
def test_a_folder_that_others_read(folder, listing, mode):
    """It is the owner's alone, and not private."""
    folder.chmod(mode)
    assert is_owners_alone(str(folder), listing=str(listing))
    assert not FolderPlace("", str(folder)).is_private()


def test_a_folder_in_which_others_may_rename(folder, listing):
    """Who may write in a folder above can put another one in its place; in /tmp nobody can."""
    folder.parent.chmod(0o777)
    assert not is_owners_alone(str(folder), listing=str(listing))
    folder.parent.chmod(0o1777)
    assert is_owners_alone(str(folder), listing=str(listing))


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "fuse.rclone", "vfat", "new"])
def test_a_disk_of_others(folder, listing, kind):
    """On a network, and where rights do not hold, nothing is private."""
    listing.write_text(LOCAL + f"21 20 0:9 / {folder.parent} rw - {kind} x rw\n")
    assert not is_owners_alone(str(folder), listing=str(listing))


def test_a_system_without_a_table_of_mounts(folder, tmp_path):
    """Where nobody knows what kind of disk it is, it is not private."""
    assert not is_owners_alone(str(folder), listing=str(tmp_path / "none"))


@pytest.mark.parametrize("name", [".stfolder", ".git", ".dropbox.cache", ".sync_journal.db"])
def test_a_folder_that_a_program_copies(folder, listing, name):
    """Signs of programs that keep folders equal count, also in a folder above."""
    (folder.parent / name).mkdir()
    assert not is_owners_alone(str(folder), listing=str(listing))


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Firm", "Google Drive", "Nextcloud"])
def test_a_folder_with_the_name_of_a_cloud(tmp_path, listing, name):
    """Folders of clouds are known by their usual names."""
    folder = tmp_path / name / "place"
    folder.mkdir(parents=True, mode=0o700)
    assert not is_owners_alone(str(folder), listing=str(listing))


def test_a_link_is_judged_by_where_it_leads(folder, tmp_path, listing):
    """A private link to an open folder is not private."""
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    os.symlink(tmp_path / "open", tmp_path / "link")
    assert not is_owners_alone(str(tmp_path / "link"), listing=str(listing))


def test_only_folders_can_be_private(far, tmp_path):
    """Of a place that another program reaches nobody here knows who reads it."""
    place = open_place(far.address, mirror=str(tmp_path / "m"))
    assert not place.is_private()
    assert not place.is_owners_alone()
