"""The volumes and the synced folders of macOS: where a memory file may not lie."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any

    StatFs = Callable[[bytes, Any], int]

# struct statfs with inodes of 64 bits, as all of today's have it.
_SIZE = 2168
_FLAGS = slice(64, 68)
_KIND = slice(72, 88)
_LOCAL = 0x1000  # MNT_LOCAL
# The volume of the system, and that of the users: local, and no more than a look each.
_USUAL = ("/System/Volumes/Data", "/")
_DRIVE = "mobile documents"
_CLOUDS = "cloudstorage"


def network_kind(
    folder: str, device: int, known: Container[str], *, statfs: StatFs | None = None
) -> str:
    """Return the kind of the network file system that a folder lies on, empty for a local one.

    `device` is the folder's, `known` the kinds that are of the network; `statfs` is the system's
    call but for tests.
    """
    if statfs is None:
        if device in map(_device, _USUAL):
            return ""
        statfs = _statfs
    from ctypes import create_string_buffer  # noqa: PLC0415  other volumes alone

    found = create_string_buffer(_SIZE)
    if statfs(os.fsencode(folder), found) != 0:
        return ""
    kind = found.raw[_KIND].partition(b"\0")[0].decode("ascii", "replace")
    is_local = int.from_bytes(found.raw[_FLAGS], "little") & _LOCAL
    return "" if is_local and kind not in known else kind or "unknown"


def cloud(folder: str, home: str) -> str:
    """Return the name of the service that keeps a folder in the cloud, empty where none does.

    macOS has them all in two folders of a home. A service copies a memory and its log one by one
    and at other times, and takes files away that nobody has used for long.
    """
    parts = folder.split(os.sep)
    above = os.path.join(home, "Library").split(os.sep)
    # Capitals do not count in the folders of a home.
    if [part.lower() for part in parts[: len(above)]] != [part.lower() for part in above]:
        return ""
    kind, service, *_ = (*parts[len(above) :], "", "")
    if service and kind.lower() == _DRIVE:
        return "iCloud Drive"
    return service.partition("-")[0] if kind.lower() == _CLOUDS else ""


def _device(path: str) -> int:
    try:
        return os.stat(path).st_dev
    except OSError:
        return -1


def _statfs(path: bytes, found: Any) -> int:
    """Call statfs of the system's library, which on Intel has another name for large inodes."""
    try:
        from ctypes import pythonapi  # noqa: PLC0415  what this process has loaded, libc among it

        call = getattr(pythonapi, "statfs$INODE64", None) or pythonapi.statfs
    except (ImportError, OSError, AttributeError):
        return -1
    return int(call(path, found))
