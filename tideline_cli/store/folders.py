"""Making the memory file and the folders above it, for its owner alone."""

from __future__ import annotations

import os

from tideline_cli.errors import CannotWriteError
from tideline_cli.system import DIRECTORY, NOFOLLOW, is_root, set_mode, set_owner


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
    set_mode(handle, 0o600)
    hand_over(handle, path, like=folder)
    os.close(handle)


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
    from tideline_cli.system import durable  # noqa: PLC0415  once for a folder

    durable.sync_folder(parent)
