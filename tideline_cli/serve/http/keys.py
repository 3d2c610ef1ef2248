"""The private file in which programs find a running server and its token."""

from __future__ import annotations

import os
from contextlib import suppress

from tideline_cli.store.folders import hand_over, make_folder
from tideline_cli.system import NOFOLLOW, set_mode


class KeyFile:
    """A file of the state folder, there while its server runs."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.path: str | None = None

    def put(self, port: int, text: str) -> None:
        """Write the file of a port."""
        make_folder(self._folder)
        path = os.path.join(self._folder, f"serve-{port}.json")
        with suppress(FileNotFoundError):
            os.unlink(path)  # of a server that was killed
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
        handle = os.open(path, flags, 0o600)
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            set_mode(handle, 0o600)  # whatever the umask
            hand_over(handle, path, like=self._folder)
            file.write(text + "\n")
        self.path = path

    def remove(self) -> None:
        """Remove what was written."""
        if self.path is not None:
            with suppress(OSError):
                os.unlink(self.path)
