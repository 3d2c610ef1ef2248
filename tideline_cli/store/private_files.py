"""What is made for a memory, for its owner alone: the file, the folders above it, and its reserve.

The reserve is a file without content beside the store. It is removed for a while when the disk is
full, so that facts can be forgotten where nothing else can be written.
"""

from __future__ import annotations

import os

from tideline_cli.errors import CannotWriteError
from tideline_cli.system import (
    BINARY,
    DIRECTORY,
    NOFOLLOW,
    durable,
    is_root,
    machine,
    set_mode,
    set_owner,
)


def create_file(path: str) -> None:
    """Create the empty file with mode 0600, and the folders above it with 0700, durably."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        make_folder(folder)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | NOFOLLOW
        handle = os.open(path, flags, 0o600)
    except FileExistsError:
        return  # another process was first
    except OSError as error:
        raise CannotWriteError(
            f"cannot create {path}: {error.strerror}", hint="choose another place with --db"
        ) from error
    keep_private(handle, path, like=folder)
    os.close(handle)


def keep_private(handle: int, path: str, *, like: str) -> None:
    """Give a new file its mode, whatever the umask, and what root has made its owner."""
    set_mode(handle, 0o600)
    hand_over(handle, path, like=like)


def hand_over(handle: int, path: str, *, like: str) -> None:
    """Give what root has made at `path` to the owner of `like`, if that user owns the folder: after
    root has used the memory of a user once, the user must still be able to use it.

    In the folder of somebody else it stays root's, because that user may not read it.
    """
    if not is_root():
        return
    try:
        owner = os.stat(like)
        above = os.stat(os.path.dirname(os.path.abspath(path)))
        if owner.st_uid and owner.st_uid == above.st_uid:
            set_owner(handle, owner.st_uid, owner.st_gid)
    except OSError:
        return  # as where the file system does not accept this root as its own


def make_folder(folder: str) -> None:
    """Create `folder` and what is missing above it, each 0700 and synced into its parent."""
    missing: list[str] = []
    while not os.path.isdir(folder):  # no recursion: a path may have thousands of parts
        missing.append(folder)
        folder = os.path.dirname(folder)
    for name in reversed(missing):
        _make(name)


def _make(folder: str) -> None:
    parent = os.path.dirname(folder)
    try:
        os.mkdir(folder, 0o700)
        os.chmod(folder, 0o700)  # mkdir obeys the umask, which may take our own rights away
    except FileExistsError:
        return
    if is_root():
        made = os.open(folder, os.O_RDONLY | DIRECTORY | NOFOLLOW)
        hand_over(made, folder, like=parent)
        os.close(made)
    durable.sync_folder(parent)


RESERVE = 512 * 1024  # forgetting takes 64 KiB in a small store, 96 KiB in one of 10,000 facts
_PLENTY = 3 * RESERVE  # with less free than this, other programs need the room more
_LEAST = RESERVE // 4
_ENDING = "-reserve"


def make_reserve(path: str) -> None:
    """Make the reserve of a store if there is none and the disk has plenty; best effort."""
    if not os.path.lexists(path + _ENDING) and _room(path) >= _PLENTY:
        _fill(path, RESERVE)


def spend_reserve(path: str) -> bool:
    """Remove the reserve if the disk is nearly full, and say whether there was one."""
    if _room(path) >= RESERVE:
        return False
    try:
        os.unlink(path + _ENDING)
    except OSError:
        return False
    return True


def take_reserve_back(path: str) -> None:
    """Make a reserve again of the room that is left, for the next process that wants to forget."""
    size = min(RESERVE, _room(path))
    if size >= _LEAST and os.path.lexists(path):
        _fill(path, size)


def _fill(path: str, size: int) -> None:
    name = path + _ENDING
    try:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o600)
    except OSError:
        return
    try:
        set_mode(handle, 0o600)
        hand_over(handle, name, like=path)
        if os.write(handle, bytes(size)) < size:  # a sparse file would keep nothing
            os.unlink(name)
    except OSError:
        os.unlink(name)
    finally:
        os.close(handle)


def _room(path: str) -> int:
    try:
        return machine.free_bytes(os.path.dirname(path))
    except OSError:
        return 0
