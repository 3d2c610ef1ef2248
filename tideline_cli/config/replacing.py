"""Replacing a file of settings: whole or not at all, one writer at a time."""

from __future__ import annotations

import os
from contextlib import suppress

from tideline_cli.system import LOCK_EX, NOFOLLOW, durable, flock, is_root, set_mode, set_owner

_MODE = 0o600
_FRESH = ".new"


class FolderLock:
    """The right to change the files of a folder; other processes wait for it. Best effort: some
    file systems have no locks."""

    def __init__(self, path: str) -> None:
        folder = os.path.dirname(os.path.abspath(path))
        self._handle = durable.open_folder_lock(folder)

    def __enter__(self) -> None:
        with suppress(OSError):
            flock(self._handle, LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def replace_file(path: str, text: str) -> None:
    """Replace a file by a text, durably; only the user may read it. Call it under a FolderLock."""
    _sweep(path)
    fresh = f"{path}{_FRESH}-{os.getpid()}-{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
    handle = os.open(fresh, flags, _MODE)
    set_mode(handle, _MODE)  # whatever the umask
    _hand_over(handle, path)
    with open(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        durable.sync(file.fileno())
    durable.put_over(fresh, path)
    durable.sync_folder(os.path.dirname(path))


def _sweep(path: str) -> None:
    """Remove what killed processes have left."""
    folder, start = os.path.split(path + _FRESH)
    for name in os.listdir(folder or "."):
        if name.startswith(start):
            with suppress(FileNotFoundError):
                durable.remove(os.path.join(folder, name))


def _hand_over(handle: int, path: str) -> None:
    """Give the owner of the folder a file that root writes in it."""
    if is_root():
        with suppress(OSError):
            owner = os.stat(os.path.dirname(os.path.abspath(path)))
            set_owner(handle, owner.st_uid, owner.st_gid)
