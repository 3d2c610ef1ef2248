"""The name of the git repository that a folder is in, found without running git."""

from __future__ import annotations

import os

_POINTER = "gitdir:"
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
    """Return the root of the repository whose worktree a `.git` file belongs to, None where that
    repository does not know the worktree: the file may come with anything that is unpacked."""
    said = _line(mark)
    if not said.startswith(_POINTER):
        return None
    kept = os.path.join(os.path.dirname(mark), said.removeprefix(_POINTER).strip())
    root, found, _ = kept.partition(_WORKTREES)
    back = os.path.join(kept, _line(os.path.join(kept, "gitdir")))
    is_known = bool(found) and os.path.realpath(back) == os.path.realpath(mark)
    return os.path.normpath(root) if is_known else None


def _line(path: str) -> str:
    """Return what a small file says, empty where it cannot be read."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_LONGEST).strip())
    except (OSError, ValueError):
        return ""


def _name(root: str) -> str | None:
    name = os.path.basename(root.rstrip("/")).strip()
    try:
        name.encode()
    except UnicodeEncodeError:
        return None
    return name or None
