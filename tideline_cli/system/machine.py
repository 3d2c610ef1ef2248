"""What this machine has: memory and processors for this process, room on a disk, and its name."""

from __future__ import annotations

import os
import sys

_REMOTE = 4  # DRIVE_REMOTE of Windows


def memory_left(most: int) -> int:
    """Return how many bytes this process may still ask for, `most` at most."""
    rooms = [most]
    if sys.platform != "win32":  # a job of Windows has limits that nobody sets for a command line
        from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_DATA, getrlimit  # noqa: PLC0415  POSIX

        for kind, place in ((RLIMIT_AS, 0), (RLIMIT_DATA, 5)):
            limit, _ = getrlimit(kind)
            if limit != RLIM_INFINITY:
                rooms.append(limit - _used(place))
    return min(rooms)


def _used(place: int) -> int:
    """Return the bytes in use as the kernel counts them; 0 where it does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[place])
    except (OSError, ValueError, IndexError):
        return 0
    if sys.platform != "win32":
        pages *= os.sysconf("SC_PAGE_SIZE")
    return pages


def processors() -> int:
    """Return on how many processors this process may run."""
    count = os.cpu_count() or 1
    if sys.platform == "linux":
        count = len(os.sched_getaffinity(0))
    return count


def free_bytes(folder: str) -> int:
    """Return how many bytes the disk that holds a folder has free for us. Raises OSError."""
    if sys.platform == "win32":
        from shutil import disk_usage  # noqa: PLC0415  the only caller of it

        return disk_usage(folder or ".").free
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def network_kind(folder: str) -> str:
    """Return why a folder is on another machine: `smb` for a share, `drive` for a letter that
    stands for one; empty where it is not, and where the system has neither shares nor letters."""
    drive = os.path.splitdrive(os.path.abspath(folder))[0]
    kind = ""
    if sys.platform == "win32" and drive:
        from ctypes import windll  # noqa: PLC0415  of Windows

        plain = drive[4:] if drive.startswith(("\\\\?\\", "\\\\.\\")) else drive
        if plain.startswith("\\\\") or plain.upper().startswith("UNC\\"):
            kind = "smb"
        elif windll.kernel32.GetDriveTypeW(f"{plain}\\") == _REMOTE:
            kind = "drive"
    return kind


_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def machine_id() -> str:
    """Return what tells this machine from others."""
    for path in _IDS:
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                return file.read(64).strip()
        except OSError:
            continue
    from platform import node  # noqa: PLC0415  4 ms, where no file says it

    return node()
