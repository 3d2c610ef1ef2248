"""The small files of the hooks in the state folder: private, each written by one call, and of use
only while they are there."""

from __future__ import annotations

import os

HOOKS = "hooks"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def folder_of(state: str) -> str:
    """Return the folder of the hooks, which may not be there."""
    return os.path.join(state, HOOKS)


def append(path: str, text: str) -> None:
    """Add a text at the end of a file, whole, also where others do so too."""
    _write(path, text, os.O_APPEND)


def put_text(path: str, text: str) -> None:
    """Let a file hold this text alone."""
    _write(path, text, os.O_TRUNC)


def read(path: str, *, most: int) -> str:
    """Return the last characters of a file, empty where there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        size = os.fstat(handle).st_size
        os.lseek(handle, max(0, size - most), os.SEEK_SET)
        return os.read(handle, most).decode("utf-8", "replace")
    except OSError:
        return ""  # as of a folder
    finally:
        os.close(handle)


def remove(path: str) -> bool:
    """Remove a file, and say whether it was there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _write(path: str, text: str, mode: int) -> None:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        from tideline_cli.store.folders import make_folder  # noqa: PLC0415  once

        make_folder(folder)
    handle = os.open(path, _FLAGS | mode, 0o600)
    try:
        os.fchmod(handle, 0o600)  # whatever the umask
        if os.geteuid() == 0:
            from tideline_cli.store.folders import hand_over  # noqa: PLC0415  root alone

            hand_over(handle, path, like=folder)
        os.write(handle, text.encode("utf-8", "replace"))
    finally:
        os.close(handle)
