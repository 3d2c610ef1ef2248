"""The names of a memory file that has more than one: which they are, and what users are told."""

from __future__ import annotations

import os

from tideline_cli.errors import CannotWriteError
from tideline_cli.store import file_kind, files, mounts

_LINKED = (
    "`tideline backup COPY` makes a copy that is safe; then remove the other name, which "
    "`tideline doctor` looks for"
)
_MOUNTED = "mount the folder of the memory file in place of the file alone"


def refused(path: str) -> CannotWriteError:
    """Return the error for a file that would be written by one of its names."""
    return CannotWriteError(
        f"{path} {why(path) or 'has another name'}: each name has a log of its own, so what is "
        "written by one may be lost by the other",
        hint=hint(path),
        code="two_names",
    )


def why(path: str) -> str:
    """Return why a file has more than one name; empty when it has one name, or does not exist."""
    try:
        state = os.lstat(path)
    except OSError:
        return ""
    if not file_kind.has_two_names(path, state):
        return ""
    if state.st_nlink > 1:
        return f"has {state.st_nlink:,} names (hard links)"
    return "is a mount of a single file, which has another name elsewhere"


def hint(path: str) -> str:
    """Return what to do about a file with more than one name."""
    return _LINKED if os.lstat(path).st_nlink > 1 else _MOUNTED


def others(path: str) -> list[str]:
    """Return the other names of a file that are easy to find: hard links in its folder, and places
    where this process sees it through another mount."""
    folder, name = os.path.split(path)
    return sorted({*_linked(folder, name), *mounted(path)})


def _linked(folder: str, name: str) -> list[str]:
    try:
        inode = os.lstat(os.path.join(folder, name)).st_ino
        with os.scandir(folder) as entries:
            return [e.path for e in entries if e.inode() == inode and e.name != name]
    except OSError:
        return []


def mounted(path: str, *, listing: str = mounts.MOUNTS) -> list[str]:
    """Return where else this one file is seen without its folder: where it is a mount of its own,
    or, when it is such a mount here, where it came from."""
    wanted = mounts.escaped(path)
    table = mounts.table(listing)
    above = max(
        (row for row in table if _is_below(wanted, row.point)),
        key=lambda row: len(row.point),
        default=None,
    )
    if above is None:
        return []
    inner = _moved(wanted, above.point, above.root)  # as the file system itself names it
    # Where its folder is mounted too, the file lies beside its log, so it has one name there.
    alone = above.point == wanted
    seen = {
        _moved(inner, row.root, row.point)
        for row in table
        if row.device == above.device and _is_below(inner, row.root)
        and (alone or row.root == inner)
    }  # fmt: skip
    found = (os.fsdecode(mounts.unescaped(point)) for point in seen - {wanted})
    return [name for name in found if files.same(name, path)]


def _is_below(path: bytes, folder: bytes) -> bool:
    return (path + b"/").startswith(folder.rstrip(b"/") + b"/")


def _moved(path: bytes, old: bytes, new: bytes) -> bytes:
    return new.rstrip(b"/") + path[len(old.rstrip(b"/")) :]
