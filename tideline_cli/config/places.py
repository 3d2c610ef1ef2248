"""Where files of ours live on macOS and Windows, and where else a memory may lie.

The rules stand here, in full, so that no upgrade of a library can move a memory out of sight.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAME = "tideline"
MEMORY = "tideline.db"


def folder(environ: Mapping[str, str], variable: str, *, platform: str) -> str:
    """Return the folder of our files on macOS (darwin) or Windows (win32), as `sys.platform` names
    them: data, settings and state share it.

    On macOS it is in `variable` of the XDG base directories where that is set to a whole path, or
    else in `~/Library/Application Support`; on Windows in `%LOCALAPPDATA%`, or else in
    `~\\AppData\\Local`.
    """
    if platform == "win32":
        base = environ.get("LOCALAPPDATA", "").strip() or _of_home("AppData", "Local")
        return os.path.join(base, NAME)
    base = environ.get(variable, "").strip()
    if not os.path.isabs(base):
        base = _of_home("Library", "Application Support")
    return os.path.join(base, NAME)


def other_memories(
    environ: Mapping[str, str], path: str, *, platform: str = sys.platform
) -> list[str]:
    """Return the memory files that lie where another rule or another environment would look for
    the one that belongs at `path`."""
    found: list[str] = []
    for base in _bases(environ, platform):
        other = os.path.join(base, NAME, MEMORY)
        if os.path.isabs(base) and other != path and os.path.isfile(other):
            found += [] if any(os.path.samefile(other, one) for one in found) else [other]
    return found


def _bases(environ: Mapping[str, str], platform: str) -> Iterator[str]:
    if platform == "win32":
        yield environ.get("LOCALAPPDATA", "").strip()
        yield _of_home("AppData", "Local")
        yield environ.get("APPDATA", "").strip()
        return
    yield environ.get("XDG_DATA_HOME", "").strip()
    yield _of_home(".local", "share")
    if platform == "darwin":
        yield _of_home("Library", "Application Support")


def _of_home(*parts: str) -> str:
    return os.path.join(os.path.expanduser("~"), *parts)
