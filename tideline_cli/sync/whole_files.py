"""Writing files into an open folder: each appears whole, durably, and under a name that is free."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from tideline_cli.store.folders import hand_over
from tideline_cli.system import BINARY, NOFOLLOW, durable, set_mode

PART = ".part-"
"""What a name begins with, whose file is not whole yet."""
_WRITE = os.O_WRONLY | BINARY | os.O_CREAT | os.O_EXCL | NOFOLLOW
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EACCES)


def put_file(above: int, name: str, data: bytes, *, mode: int, like: str) -> bool:
    """Write a file into an open folder; return False, and write nothing, where the name is taken.
    Root gives it to the owner of the folder `like`, the path of the place. Raises OSError."""
    fresh = f"{PART}{os.getpid()}-{os.urandom(4).hex()}"
    handle = os.open(fresh, _WRITE, 0o600, dir_fd=above)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            set_rights(handle, mode)
            hand_over(handle, os.path.join(like, fresh), like=like)
            durable.sync(handle)
        if not _named(above, fresh, name):
            return False
        sync_folder(above)
        return True
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=above)


def set_rights(handle: int, mode: int) -> None:
    """Set the rights of a file, where its disk keeps rights: FAT and some network disks do not."""
    try:
        set_mode(handle, mode)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP):
            raise


def sync_folder(handle: int) -> None:
    """Make the names in a folder durable, where its disk can: some network disks refuse it."""
    try:
        durable.sync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF):
            raise


def _named(above: int, fresh: str, name: str) -> bool:
    """Give a file its name, unless it is taken."""
    try:
        os.link(fresh, name, src_dir_fd=above, dst_dir_fd=above, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without hard links: one writer a folder, so nobody takes the name between.
        with suppress(FileNotFoundError):
            os.lstat(name, dir_fd=above)
            return False
        os.rename(fresh, name, src_dir_fd=above, dst_dir_fd=above)
    return True
