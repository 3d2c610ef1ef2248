"""The files that an evaluation writes: questions, for the eyes of their owner alone."""

from __future__ import annotations

import os

from tideline_cli.errors import UsageError
from tideline_cli.store import files
from tideline_cli.system import BINARY, NOFOLLOW, pread, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_SAFE = os.O_CREAT | NOFOLLOW | BINARY
_MODE = 0o600


def fresh(path: str, *, database: str) -> TextIO:
    """Open a new file; raise UsageError where anything is there, or would belong to the memory
    file."""
    files.refuse_own(path, database)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_EXCL | _SAFE, _MODE)
    except FileExistsError as error:
        raise UsageError(f"{path} exists", hint="name a fresh file") from error
    set_mode(handle, _MODE)
    return open(handle, "w", encoding="utf-8", newline="\n")


def appended(path: str, *, database: str) -> TextIO:
    """Open a file to add lines to it; a new one is made where there is none. Raise UsageError for
    the memory file and those that belong to it."""
    files.refuse_own(path, database)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | _SAFE, _MODE)
    file = open(handle, "a", encoding="utf-8", newline="\n")  # noqa: SIM115  the caller closes it
    size = os.fstat(handle).st_size
    if size and pread(handle, 1, size - 1) != b"\n":
        file.write("\n")  # a line that an editor has left without its end
    return file
