"""Files in an open folder, each by its name there: whoever moves the folder, or puts a link in its
place, leads nobody elsewhere. Windows opens no folders: there a folder is its path, and a name in
it that is a link is refused."""

from __future__ import annotations

import os
import sys

_MODE = 0o600
_FOLDER_MODE = 0o700

if sys.platform == "win32":
    import stat
    from errno import ELOOP

    from tideline_cli.system import durable

    Handle = str

    def opened_folder(path: str) -> Handle:
        """Return a folder; raise OSError where there is none."""
        os.scandir(path).close()
        return os.path.abspath(path)

    def inner_folder(folder: Handle, name: str) -> Handle:
        """Return a folder in a folder; raise OSError for a link."""
        return opened_folder(_plain(folder, name))

    def make_folder(folder: Handle, name: str) -> None:
        """Make a folder in a folder."""
        os.mkdir(os.path.join(folder, name), _FOLDER_MODE)

    def opened(folder: Handle, name: str, flags: int) -> int:
        """Open a file in a folder; raise OSError for a link."""
        return os.open(_plain(folder, name), flags, _MODE)

    def state_of(folder: Handle, name: str) -> os.stat_result:
        """Return the state of what a folder holds."""
        return os.lstat(os.path.join(folder, name))

    def put_over(folder: Handle, part: str, name: str) -> None:
        """Put one file of a folder in the place of another."""
        durable.put_over(os.path.join(folder, part), os.path.join(folder, name))

    def remove(folder: Handle, name: str) -> None:
        """Remove a file in a folder."""
        durable.remove(os.path.join(folder, name))

    def close(folder: Handle) -> None:
        """Do without a folder from now on."""

    def _plain(folder: str, name: str) -> str:
        path = os.path.join(folder, name)
        try:
            state = os.lstat(path)
        except FileNotFoundError:
            return path
        if stat.S_ISLNK(state.st_mode) or state.st_reparse_tag == stat.IO_REPARSE_TAG_MOUNT_POINT:
            raise OSError(ELOOP, "a link", path)
        return path

else:
    _FOLDER = os.O_RDONLY | os.O_DIRECTORY

    Handle = int

    def opened_folder(path: str) -> Handle:
        """Open a folder; raise OSError where there is none."""
        return os.open(path, _FOLDER)

    def inner_folder(folder: Handle, name: str) -> Handle:
        """Open a folder in a folder; raise OSError for a link."""
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)

    def make_folder(folder: Handle, name: str) -> None:
        """Make a folder in a folder."""
        os.mkdir(name, _FOLDER_MODE, dir_fd=folder)

    def opened(folder: Handle, name: str, flags: int) -> int:
        """Open a file in a folder; a flag says whether a link is refused."""
        return os.open(name, flags, _MODE, dir_fd=folder)

    def state_of(folder: Handle, name: str) -> os.stat_result:
        """Return the state of what a folder holds."""
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def put_over(folder: Handle, part: str, name: str) -> None:
        """Put one file of a folder in the place of another."""
        os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)

    def remove(folder: Handle, name: str) -> None:
        """Remove a file in a folder."""
        os.unlink(name, dir_fd=folder)

    def close(folder: Handle) -> None:
        """Do without a folder from now on."""
        os.close(folder)
