"""Making the memory file and the folders above it, for its owner alone."""

from __future__ import annotations

import os

from tideline_cli.errors import CannotWriteError


def create_file(path: str) -> None:
    """Create the empty file with mode 0600, and the folders above it with 0700, durably."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        make_folder(folder)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(path, flags, 0o600)
    except FileExistsError:
        return  # another process was first
    except OSError as error:
        raise CannotWriteError(
            f"cannot create {path}: {error.strerror}", hint="choose another place with --db"
        ) from error
    os.fchmod(handle, 0o600)
    os.close(handle)


def make_folder(folder: str) -> None:
    """Create `folder` and what is missing above it, each 0700 and synced into its parent."""
    missing: list[str] = []
    while not os.path.isdir(folder):  # a path that somebody typed may have thousands of parts
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
    handle = os.open(parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
