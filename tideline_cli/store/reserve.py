"""Room kept for a full disk: a file of dead weight beside the store, given up so that facts can be
forgotten when nothing else can be written."""

from __future__ import annotations

import os

SIZE = 512 * 1024  # forgetting takes 64 KiB in a small store, 96 KiB in one of 10,000 facts
_PLENTY = 16 * SIZE  # below this, the room is of more use to others
_ENDING = "-reserve"


def keep(path: str) -> None:
    """Make the reserve of a store if there is none and the disk has plenty; best effort."""
    name = path + _ENDING
    if os.path.lexists(name) or _room(path) < _PLENTY:
        return
    try:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError:
        return
    try:
        os.fchmod(handle, 0o600)
        os.write(handle, bytes(SIZE))  # a sparse file would keep nothing
    except OSError:
        os.unlink(name)
    finally:
        os.close(handle)


def spend(path: str) -> None:
    """Give the reserve up if the disk is about full; the next writer that finds room makes one."""
    if _room(path) < SIZE:
        try:
            os.unlink(path + _ENDING)
        except OSError:
            return


def _room(path: str) -> int:
    try:
        held = os.statvfs(os.path.dirname(path))
    except OSError:
        return 0
    return held.f_bavail * held.f_frsize
