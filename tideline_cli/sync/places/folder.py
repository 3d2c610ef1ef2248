"""A folder as a place: replicas write into it, other programs may carry it elsewhere."""

from __future__ import annotations

import os
import shlex
import stat

from tideline_cli.errors import UsageError
from tideline_cli.store import mounts
from tideline_cli.store.private_files import make_folder
from tideline_cli.sync import folders, layout
from tideline_cli.system import is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class FolderPlace:
    """A folder of this machine, or of a disk or network that is mounted here."""

    kind = "folder"

    def __init__(self, address: str, path: str) -> None:
        self.address = address
        self._path = os.path.abspath(os.path.expanduser(path))

    def is_owners_alone(self) -> bool:
        """Say whether only its owner can write in it, as far as this machine can tell."""
        return is_owners_alone(self._path)

    def is_private(self) -> bool:
        """Say whether only its owner can read it, too."""
        return is_read_by_owner_alone(self._path)

    def fetch(self) -> str:
        """Return the folder, which is made (0700) where only it is missing. Raises UsageError."""
        if os.path.isdir(self._path):
            return self._path
        above = os.path.dirname(self._path)
        if os.path.lexists(self._path):
            raise UsageError(f"{self._path} is no folder", hint="name another one", code="place")
        if not os.path.isdir(above):
            raise UsageError(
                f"the folder of {self._path} is not there: {above}",
                hint=f"is its disk there? Else: mkdir -p {shlex.quote(above)}", code="place",
            )  # fmt: skip
        try:
            make_folder(self._path)
        except OSError as error:
            raise layout.cannot_write(self._path, error) from error
        return self._path

    def send(self, own_replica: str) -> None:
        """Do nothing: what is written in the folder is there, and durable."""


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
    """Say whether nobody else writes in a folder: it and all of a place in it is ours, without
    write rights for others, on a local disk, below folders that nobody else may rename things in,
    and with no sign that a program copies it elsewhere. Of one that is not there yet, what is above
    it is looked at."""
    real = os.path.realpath(folder)
    try:
        if os.path.lexists(real):
            if any(map(_is_anothers, _parts(real))):
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


def _parts(folder: str) -> Iterator[str]:
    """Yield a folder and what is read in it as a place: each folder before its files."""
    for inside in ("", layout.KEYS, *folders.replicas(folder)):
        yield os.path.join(folder, inside)
        for name in layout.names(folder, inside):
            if layout.is_ours(f"{inside}/{name}" if inside else name):
                yield os.path.join(folder, inside, name)


def _is_anothers(path: str) -> bool:
    """Say whether a file or folder is of somebody else, or others may write it."""
    try:
        state = os.lstat(path)
    except FileNotFoundError:
        return False
    return not is_own(state) or bool(state.st_mode & 0o022)


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
