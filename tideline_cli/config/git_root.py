"""The name of the git repository that a folder is in, found without running git."""

from __future__ import annotations

import os

_POINTER = b"gitdir:"
_WORKTREES = "/.git/worktrees/"
_LONGEST = 4096


def repository(folder: str) -> str | None:
    """Return the name of the root folder of a repository; of a worktree that of the main one, since
    both are one project. None outside of a repository, and where the name is no text."""
    while True:
        mark = os.path.join(folder, ".git")
        if os.path.lexists(mark):
            return _name(_main_of(mark) or folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _main_of(mark: str) -> str | None:
    """Return the root of the repository whose worktree a `.git` file belongs to."""
    try:
        if not os.path.isfile(mark):
            return None
        with open(mark, "rb") as file:
            said = file.read(_LONGEST)
    except OSError:
        return None
    if not said.startswith(_POINTER):
        return None
    root, found, _ = os.fsdecode(said[len(_POINTER) :].strip()).partition(_WORKTREES)
    return root if found else None


def _name(root: str) -> str | None:
    name = os.path.basename(root.rstrip("/")).strip()
    try:
        name.encode()
    except UnicodeEncodeError:
        return None
    return name or None
