"""Room kept for a full disk: a file without content beside the store. It is removed for a while
when the disk is full, so that facts can be forgotten where nothing else can be written."""

from __future__ import annotations

import os

SIZE = 512 * 1024  # forgetting takes 64 KiB in a small store, 96 KiB in one of 10,000 facts
_PLENTY = 3 * SIZE  # with less free than this, other programs need the room more
_LEAST = SIZE // 4
_ENDING = "-reserve"


def make(path: str) -> None:
    """Make the reserve of a store if there is none and the disk has plenty; best effort."""
    if not os.path.lexists(path + _ENDING) and _room(path) >= _PLENTY:
        _make(path, SIZE)


def spend(path: str) -> bool:
    """Remove the reserve if the disk is nearly full, and say whether there was one."""
    if _room(path) >= SIZE:
        return False
    try:
        os.unlink(path + _ENDING)
    except OSError:
        return False
    return True


def take_back(path: str) -> None:
    """Make a reserve again of the room that is left, for the next process that wants to forget."""
    size = min(SIZE, _room(path))
    if size >= _LEAST and os.path.lexists(path):
        _make(path, size)


def _make(path: str, size: int) -> None:
    from tideline_cli.store import folders  # noqa: PLC0415  once for a store
    from tideline_cli.system import BINARY, set_mode  # noqa: PLC0415  as above

    name = path + _ENDING
    try:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o600)
    except OSError:
        return
    try:
        set_mode(handle, 0o600)
        folders.hand_over(handle, name, like=path)
        if os.write(handle, bytes(size)) < size:  # a sparse file would keep nothing
            os.unlink(name)
    except OSError:
        os.unlink(name)
    finally:
        os.close(handle)


def _room(path: str) -> int:
    from tideline_cli.system import machine  # noqa: PLC0415  where there is no reserve

    try:
        return machine.free_bytes(os.path.dirname(path))
    except OSError:
        return 0
