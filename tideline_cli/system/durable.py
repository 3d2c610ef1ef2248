"""Files and their names, brought to the disk itself: what was written, one file in the place of
another, names that go, folders that are durable.

Windows lets nobody move or remove a file that is open elsewhere. There the change is tried for a
second, since most files are open for less.
"""

from __future__ import annotations

import os
import sys
from errno import EBUSY, EIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Control = Callable[[int, int], object]

_FULL = 51  # F_FULLFSYNC of macOS


def sync(handle: int, *, platform: str = sys.platform, control: Control | None = None) -> None:
    """Bring an open file or folder to the disk. `fsync` of macOS leaves it in the cache of the
    drive, so there the drive itself is asked, by `control`, which is `fcntl` but for tests. Raises
    OSError where the disk fails."""
    if platform == "darwin":
        from fcntl import fcntl  # type: ignore[attr-defined,unused-ignore]  # noqa: PLC0415  macOS alone

        try:
            (control or fcntl)(handle, _FULL)
            return
        except OSError as error:
            if error.errno == EIO:
                raise
            # What a network file system and some folders do not know. They know fsync.
    os.fsync(handle)


_PATIENCE = 1.0  # seconds
_STEP = 0.01
_LOCK = ".tideline-lock"


def put_over(path: str, target: str) -> None:
    """Put a file in the place of another. Raises OSError, with EBUSY where one stays open."""
    if sys.platform == "win32":
        _insist(lambda: os.replace(path, target), target)
    else:
        os.replace(path, target)


def remove(path: str) -> None:
    """Remove a file. Raises OSError, with EBUSY where it stays open."""
    if sys.platform == "win32":
        _insist(lambda: os.unlink(path), path)
    else:
        os.unlink(path)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable. Windows does that with the file, and syncs no folder."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        sync(handle)
    finally:
        os.close(handle)


def open_for_sync(path: str) -> int:
    """Open a file whose content is to be made durable: Windows does that for a writer alone."""
    return os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)


def open_movable(path: str, flags: int, mode: int = 0o600) -> int:
    """Open a file so that it can be moved and removed as long as it is open."""
    if sys.platform == "win32":
        from tideline_cli.system import windows  # noqa: PLC0415  of Windows

        return windows.open_shared(path, flags)
    return os.open(path, flags, mode)


def open_folder_lock(folder: str) -> int:
    """Open what processes lock while they change the files of a folder: the folder itself, on
    Windows a file in it."""
    if sys.platform == "win32":
        return os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


if sys.platform == "win32":
    from collections.abc import Callable
    from time import monotonic, sleep

    def _insist(call: Callable[[], None], path: str) -> None:
        end = monotonic() + _PATIENCE
        while True:
            try:
                call()
                return
            except PermissionError as error:
                if monotonic() >= end:
                    said = "it is in use by another program, or may not be changed"
                    raise OSError(EBUSY, said, path) from error
            sleep(_STEP)
