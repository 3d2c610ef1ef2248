"""Opening a file that a user has named: a pipe or a device in its place could hold a call."""

from __future__ import annotations

import os
import stat

from tideline_cli.errors import UsageError
from tideline_cli.system import NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO


def open_plain(path: str, *, hint: str) -> BinaryIO:
    """Return a file that is open for reading; raise UsageError with a hint for what is no file."""
    handle = os.open(path, os.O_RDONLY | NONBLOCK)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return open(handle, "rb")
    os.close(handle)
    raise UsageError(f"{path} is not a file", hint=hint)


def is_below(folder: str, path: str) -> bool:
    """Say whether a file of a folder is in it, wherever links lead."""
    top = os.path.join(os.path.realpath(folder), "")
    return os.path.realpath(path).startswith(top)


def left_outside(names: Sequence[str]) -> str:
    """Return what is said of links that are left alone."""
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    what = "links lead" if more else "a link leads"
    return f"{what} out of the folder; left alone: {names[0]}{more}"
