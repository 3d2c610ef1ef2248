"""Where machines meet: a folder, ssh, git, rclone. `open_place` is the door."""

from __future__ import annotations

import os

from tideline_cli.model.lean import blake2b
from tideline_cli.sync.places import git
from tideline_cli.sync.places.addresses import local_path, understood
from tideline_cli.sync.places.folder import FolderPlace
from tideline_cli.sync.places.mirrored import Mirrored, RclonePlace, SshPlace
from tideline_cli.system.programs import Programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    class Place(Protocol):
        """Where replicas meet. Addresses and errors are as its kind has them."""

        kind: str
        address: str

        def is_owners_alone(self) -> bool: ...

        def is_private(self) -> bool: ...

        def fetch(self) -> str: ...

        def send(self, own_replica: str) -> None: ...


LONGEST = 1800.0
"""Seconds that one call of another program may take."""


def open_place(
    address: str, *, mirror: str, replica: str = "", on_terminal: bool = False,
    environ: Mapping[str, str] | None = None, timeout: float = LONGEST,
) -> Place:  # fmt: skip
    """Return the place of an address; nothing is asked of it yet.

    `mirror` is a private folder for this place alone, which may be lost (`mirror_folder`), and
    `replica` one's own id: with it, files that others have removed are removed from the mirror too.
    Where `on_terminal`, ssh and git may ask for passwords there. Raises UsageError.
    """
    found = understood(address)
    if found.kind == "folder":
        return FolderPlace(address, found.path)
    programs = Programs(timeout, on_terminal, os.environ if environ is None else environ)
    kind: type[Mirrored] = SshPlace if found.kind == "ssh" else RclonePlace
    if found.kind == "git":
        kind = git.GitFolderPlace if local_path(found.path) else git.GitPlace
    return kind(address, found, mirror=mirror, replica=replica, programs=programs)


def mirror_folder(state: str, address: str) -> str:
    """Return the folder of the mirror of a place below the state folder."""
    name = blake2b(address.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return os.path.join(state, "sync", name)
