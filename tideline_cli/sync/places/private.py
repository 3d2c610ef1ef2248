"""Whether only its owner can write in a folder, or read it, as far as this machine can tell."""

from __future__ import annotations

import os
import stat

from tideline_cli.store import mounts
from tideline_cli.sync import layout
from tideline_cli.system import is_own

# File systems of local disks with owners and rights. All others, unknown ones too, are not.
_LOCAL = frozenset((
    "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "tmpfs",
    "overlay", "ecryptfs",
))  # fmt: skip
_CARRIED = ("/media/", "/run/media/", "/Volumes/")  # where disks are that people carry away
# What programs that copy a folder to other machines leave in it, or how they call it.
_MARKS = frozenset((
    ".stfolder", ".stignore", ".dropbox.cache", ".owncloudsync.log", ".nextcloudsync.log", ".sync",
    ".sync_journal.db", ".tmp.drivedownload", ".git", ".hg", ".megaignore", ".seafile-data",
    ".SynologyWorkingDirectory",
))  # fmt: skip
_NAMES = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents",
          "cloudstorage", "nextcloud", "owncloud", "pcloud", "mega", "box", "box sync", "seafile",
          "synologydrive", "syncthing", "resilio", "yandex.disk", "tresorit",
          "spideroak")  # fmt: skip


def is_owners_alone(folder: str, *, listing: str = mounts.MOUNTS) -> bool:
    """Say whether nobody else writes in a folder: it is ours, without write rights for others, on a
    local disk, below folders that nobody else may rename things in, and with no sign that a program
    copies it elsewhere. Of one that is not there yet, what is above it is looked at."""
    real = os.path.realpath(folder)
    try:
        if os.path.lexists(real):
            state = os.stat(real)
            if not is_own(state) or state.st_mode & 0o022:
                return False
        else:
            real = os.path.dirname(real)
        if (real + "/").startswith(_CARRIED):
            return False
        if mounts.file_system_of(real, listing=listing) not in _LOCAL:
            return False
        return not any(_is_shared(above) for above in _with_parents(real))
    except OSError as error:
        if layout.is_out_of_files(error):
            raise
        return False


def is_read_by_owner_alone(folder: str) -> bool:
    """Say whether nobody else reads a folder either: then its mode is 0700, or it is not there."""
    try:
        return is_owners_alone(folder) and not os.stat(folder).st_mode & 0o077
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _with_parents(folder: str) -> list[str]:
    found = [folder]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def _is_shared(folder: str) -> bool:
    state = os.stat(folder)
    open_to_all = stat.S_IMODE(state.st_mode) & 0o022 and not state.st_mode & stat.S_ISVTX
    if open_to_all or not (is_own(state) or state.st_uid == 0):
        return True
    name = os.path.basename(folder).lower()
    if any(name == one or name.startswith((f"{one} ", f"{one}-")) for one in _NAMES):
        return True
    try:
        return not _MARKS.isdisjoint(os.listdir(folder))
    except PermissionError:
        return False  # others may pass through it, and list nothing
