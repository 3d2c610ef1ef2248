"""How much room a disk has, and whether it is another machine's."""

from __future__ import annotations

import os
import sys


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


_REMOTE = 4
