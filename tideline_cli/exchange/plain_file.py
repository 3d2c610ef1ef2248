"""Opening a file that a user has named: a pipe or a device in its place could hold a call."""

from __future__ import annotations

import os
import stat

from tideline_cli.errors import UsageError
from tideline_cli.system import NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def open_plain(path: str, *, hint: str) -> BinaryIO:
    """Return a file that is open for reading; raise UsageError with a hint for what is no file."""
    handle = os.open(path, os.O_RDONLY | NONBLOCK)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return open(handle, "rb")
    os.close(handle)
    raise UsageError(f"{path} is not a file", hint=hint)
