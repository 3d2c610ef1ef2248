"""A folder as a place: replicas write into it, other programs may carry it elsewhere."""

from __future__ import annotations

import os
import shlex

from tideline_cli.errors import UsageError
from tideline_cli.store.folders import make_folder
from tideline_cli.sync import layout
from tideline_cli.sync.places import private


class FolderPlace:
    """A folder of this machine, or of a disk or network that is mounted here."""

    kind = "folder"

    def __init__(self, address: str, path: str) -> None:
        self.address = address
        self._path = os.path.abspath(os.path.expanduser(path))

    def is_owners_alone(self) -> bool:
        """Say whether only its owner can write in it, as far as this machine can tell."""
        return private.is_owners_alone(self._path)

    def is_private(self) -> bool:
        """Say whether only its owner can read it, too."""
        return private.is_read_by_owner_alone(self._path)

    def fetch(self) -> str:
        """Return the folder, which is made (0700) where only it is missing. Raises UsageError."""
        if os.path.isdir(self._path):
            return self._path
        above = os.path.dirname(self._path)
        if os.path.lexists(self._path):
            raise UsageError(f"{self._path} is no folder", hint="name another one", code="place")
        if not os.path.isdir(above):
            raise UsageError(
                f"the folder of {self._path} is not there: {above}",
                hint=f"is its disk there? Else: mkdir -p {shlex.quote(above)}", code="place",
            )  # fmt: skip
        try:
            make_folder(self._path)
        except OSError as error:
            raise layout.cannot_write(self._path, error) from error
        return self._path

    def send(self, own_replica: str) -> None:
        """Do nothing: what is written in the folder is there, and durable."""
